-- All equal.
CREATE MACRO score_of(u, place) AS CAST(0.5 AS DOUBLE);
