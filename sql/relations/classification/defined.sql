-- name:     defined
-- title:    Values of a metric of rows, with a substitute for undefined values
-- inputs:   metric (system, segment, value, n)
-- switches: undefined VARCHAR DEFAULT 'null' CHECK (undefined IN ('null', 'zero', 'one'))
-- values:   undefined=null: an undefined value is NULL
--           undefined=zero: an undefined value is 0
--           undefined=one: an undefined value is 1
-- grain:    system, segment
-- note:     n is the number of rows that take part; without such rows, the value is NULL
SELECT
    system,
    segment,
    CASE
        WHEN $undefined <> 'null' AND value IS NULL AND n > 0 THEN CASE $undefined WHEN 'zero' THEN 0e0 ELSE 1e0 END
        ELSE value
    END AS value
FROM metric;
