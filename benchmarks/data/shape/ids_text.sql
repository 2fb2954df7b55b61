-- Short text.
CREATE MACRO query_id_of(u) AS 'user-' || u;
CREATE MACRO item_id_of(i) AS 'sku-' || i;
