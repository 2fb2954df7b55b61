-- All different.
CREATE MACRO score_of(u, place) AS CAST(md5_number_lower(u || '/' || place) / 18446744073709551616.0 AS DOUBLE);
