-- In the order of the users.
CREATE MACRO order_of(u, place) AS (u, place);
