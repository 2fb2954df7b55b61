-- Small whole numbers, as a database gives them.
CREATE MACRO query_id_of(u) AS CAST(u AS INTEGER);
CREATE MACRO item_id_of(i) AS CAST(i AS INTEGER);
