-- Two digits, so that many are equal.
CREATE MACRO score_of(u, place) AS round(CAST(md5_number_lower(u || '/' || place) / 18446744073709551616.0 AS DOUBLE), 2);
