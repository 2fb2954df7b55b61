-- name:     by_rank
-- title:    Whether the predictions are ordered by a rank
-- params:   source VARCHAR,
--           score VARCHAR DEFAULT NULL,
--           rank VARCHAR DEFAULT NULL
-- note:     as in predictions.sql; one row is read, for the types
WITH named AS (
    SELECT
        typeof(coalesce(*COLUMNS(one_of(coalesce($score, 'score'))))) AS score_type,
        typeof(coalesce(*COLUMNS(one_of(coalesce($rank, 'rank'))))) AS rank_type
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
    LIMIT 1
)
SELECT coalesce(any_value(
    rank_type <> '"NULL"' AND ($rank IS NOT NULL OR ($score IS NULL AND score_type = '"NULL"'))
), FALSE) AS is_rank
FROM named;
