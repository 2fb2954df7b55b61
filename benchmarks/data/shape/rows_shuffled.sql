-- In an order that has nothing to do with users.
CREATE MACRO order_of(u, place) AS (md5_number_lower(u || '-' || place), 0);
