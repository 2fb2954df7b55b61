-- name:     score_bins
-- title:    Share of the scores of the lists, and of the reference run, in each bin
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           bins INTEGER DEFAULT 10 CHECK (bins > 1)
-- values:   k: as in ranking/recall
--           bins: the number of bins with equally many scores of the reference run
-- grain:    system, segment, upper
-- note:     the reference run counts with its lists of the same queries; upper is the largest score of a bin, NULL in
--           the last one; equal scores are in one bin, so that there can be fewer bins
WITH new_scores AS (
    SELECT lists.system, lists.segment, ranked.score
    FROM lists
    JOIN ranked ON ranked.system = lists.system AND ranked.query_id = lists.query_id
    WHERE ranked.rank <= coalesce($k, ranked.rank)
),
old_ranked AS (
    SELECT query_id, score, row_number() OVER (PARTITION BY query_id ORDER BY score DESC) AS rank
    FROM reference
),
old_scores AS (
    SELECT lists.system, lists.segment, old_ranked.score
    FROM lists
    JOIN old_ranked ON old_ranked.query_id = lists.query_id
    WHERE old_ranked.rank <= coalesce($k, old_ranked.rank)
),
placed AS (
    SELECT
        system,
        segment,
        score,
        row_number() OVER (PARTITION BY system, segment ORDER BY score) AS place,
        count(*) OVER (PARTITION BY system, segment) AS n
    FROM old_scores
),
edges AS (
    SELECT DISTINCT system, segment, score AS upper
    FROM placed
    WHERE place < n AND floor(place * $bins / CAST(n AS DOUBLE)) > floor((place - 1) * $bins / CAST(n AS DOUBLE))
),
counted AS (
    SELECT system, segment, score, count(*) AS n_new, 0 AS n_old
    FROM new_scores
    GROUP BY system, segment, score
    UNION ALL
    SELECT system, segment, score, 0 AS n_new, count(*) AS n_old
    FROM old_scores
    GROUP BY system, segment, score
),
binned AS (
    SELECT counted.system, counted.segment, counted.score, counted.n_new, counted.n_old, min(edges.upper) AS upper
    FROM counted
    LEFT JOIN edges
        ON edges.system = counted.system AND edges.segment = counted.segment AND edges.upper >= counted.score
    GROUP BY counted.system, counted.segment, counted.score, counted.n_new, counted.n_old
),
summed AS (
    SELECT
        system,
        segment,
        upper,
        CAST(sum(n_new) AS DOUBLE) AS n_new,
        CAST(sum(n_old) AS DOUBLE) AS n_old
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
