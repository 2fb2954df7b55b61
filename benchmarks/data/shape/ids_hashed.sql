-- Hashes of 64 bits, the usual ids of a warehouse.
CREATE MACRO query_id_of(u) AS CAST(md5_number_lower('u' || u) >> 1 AS BIGINT);
CREATE MACRO item_id_of(i) AS CAST(md5_number_lower('i' || i) >> 1 AS BIGINT);
