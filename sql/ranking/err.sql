-- name:     err
-- title:    Expected reciprocal rank
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   max_grade DOUBLE DEFAULT 4 CHECK (max_grade > 0),
--           k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL)
-- values:   max_grade: the highest grade of the scale; a higher one in the truth is an error
--           k: as in recall
--           rel: not used: every grade above 0 counts
-- requires: truth (relevance <= max_grade)
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  sum over ranks i <= k of 1/i * R_i * product over j < i of (1 - R_j), R = (2^grade - 1) / 2^max_grade
-- source:   Chapelle, Metzler, Zhang and Grinspan, CIKM 2009, doi:10.1145/1645953.1646033
-- oracle:   ir_measures ERR@{k}
-- example:  err() = 0.211589
WITH stops AS (
    SELECT system, query_id, rank, (power(2e0, relevance) - 1) / power(2e0, $max_grade) AS stop
    FROM relevant
),
cascade AS (
    SELECT
        system,
        query_id,
        rank,
        stop,
        exp(coalesce(sum(ln(1 - stop)) OVER (
            PARTITION BY system, query_id
            ORDER BY coalesce(rank, 2147483647) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0)) AS reached
    FROM stops
)
SELECT
    system,
    query_id,
    coalesce(sum(reached * stop / rank) FILTER (WHERE rank <= coalesce($k, rank)), 0) AS value
FROM cascade
GROUP BY system, query_id;
