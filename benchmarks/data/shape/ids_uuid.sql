-- UUIDs.
CREATE MACRO query_id_of(u) AS CAST(md5('u' || u) AS UUID);
CREATE MACRO item_id_of(i) AS CAST(md5('i' || i) AS UUID);
