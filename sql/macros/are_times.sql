-- name:     are_times
-- title:    Whether two types are dates or timestamps, of which a cast gives any other
-- params:   one VARCHAR,
--           other VARCHAR
SELECT regexp_matches(concat($one, '|', $other), '^(DATE|TIMESTAMP).*\|(DATE|TIMESTAMP)') AS value;
