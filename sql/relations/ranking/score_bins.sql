-- name:     score_bins
-- title:    Share of the scores of the lists, and of the reference run, in each bin
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), reference (query_id, score)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 1)
-- values:   bins: the number of bins with equally many scores of the reference run
-- grain:    system, segment, upper
-- note:     upper is the largest score of a bin, NULL in the last one; equal scores are in one bin, so that there can
--           be fewer bins
WITH placed AS (
    SELECT
        system,
        segment,
        score,
        CAST(sum(n) OVER (PARTITION BY system, segment ORDER BY score) AS DOUBLE) AS last_place,
        CAST(sum(n) OVER (PARTITION BY system, segment ORDER BY score) - n AS DOUBLE) AS places_below,
        CAST(sum(n) OVER (PARTITION BY system, segment) AS DOUBLE) AS n_all
    FROM compared_scores
    WHERE is_new = 0
),
edges AS (
    SELECT system, segment, score AS upper
    FROM placed
    WHERE floor(least(last_place * $bins / n_all, $bins - 1)) > floor(places_below * $bins / n_all)
),
binned AS (
    SELECT
        compared_scores.system,
        compared_scores.segment,
        compared_scores.score,
        compared_scores.is_new,
        compared_scores.n,
        min(edges.upper) AS upper
    FROM compared_scores
    LEFT JOIN edges
        ON edges.system = compared_scores.system
            AND edges.segment = compared_scores.segment
            AND edges.upper >= compared_scores.score
    GROUP BY
        compared_scores.system,
        compared_scores.segment,
        compared_scores.score,
        compared_scores.is_new,
        compared_scores.n
),
summed AS (
    SELECT
        system,
        segment,
        upper,
        CAST(sum(CASE is_new WHEN 1 THEN n ELSE 0 END) AS DOUBLE) AS n_new,
        CAST(sum(CASE is_new WHEN 0 THEN n ELSE 0 END) AS DOUBLE) AS n_old
    FROM binned
    GROUP BY system, segment, upper
)
SELECT
    system,
    segment,
    upper,
    n_new / nullif(sum(n_new) OVER (PARTITION BY system, segment), 0) AS new_share,
    n_old / nullif(sum(n_old) OVER (PARTITION BY system, segment), 0) AS old_share
FROM summed;
