-- Whole numbers with large gaps.
CREATE MACRO query_id_of(u) AS u * 1000003 + 7;
CREATE MACRO item_id_of(i) AS i * 10007 + 13;
