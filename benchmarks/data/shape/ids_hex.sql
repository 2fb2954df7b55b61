-- Text of 32 hexadecimal digits.
CREATE MACRO query_id_of(u) AS md5('u' || u);
CREATE MACRO item_id_of(i) AS md5('i' || i);
