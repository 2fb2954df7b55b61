-- name:     agreements
-- title:    Returned items with the sums of discounts that their agreement with the reference run needs
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           p DOUBLE DEFAULT 0.9 CHECK (p > 0 AND p < 1),
--           rest VARCHAR DEFAULT 'extrapolated' CHECK (rest IN ('extrapolated', 'truncated', 'normalized'))
-- values:   k: as in ranking/recall
--           p: as in ranking/rbp
--           rest=extrapolated: below the last rank, the lists agree as much as above it
--           rest=truncated: nothing below the last rank counts
--           rest=normalized: divided by the value of two equal lists of k items
-- grain:    system, query_id, item_id
-- note:     agrees_from is the first depth at which both lists have the item, NULL if one of them lacks it; shorter and
--           longer are the lengths of the two lists, cut at k; a query that the reference run lacks has no rows
WITH pairs AS (
    SELECT
        moved.system,
        moved.query_id,
        CASE
            WHEN moved.reference_rank <= coalesce($k, moved.reference_rank)
                THEN greatest(moved.rank, moved.reference_rank)
        END AS agrees_from,
        least(
            least(coalesce($k, moved.n_reference), moved.n_reference),
            least(coalesce($k, returned_counts.n_returned), returned_counts.n_returned)
        ) AS shorter,
        greatest(
            least(coalesce($k, moved.n_reference), moved.n_reference),
            least(coalesce($k, returned_counts.n_returned), returned_counts.n_returned)
        ) AS longer
    FROM moved
    JOIN returned_counts ON returned_counts.system = moved.system AND returned_counts.query_id = moved.query_id
    WHERE moved.n_reference > 0 AND ($k IS NULL OR moved.rank <= $k)
)
SELECT
    pairs.system,
    pairs.query_id,
    pairs.agrees_from,
    pairs.shorter,
    pairs.longer,
    coalesce(earlier.total, 0) AS total_before,
    up_to_shorter.total AS total_shorter,
    up_to_end.total AS total_end
FROM pairs
LEFT JOIN discount_sums AS earlier ON earlier.rank = pairs.agrees_from - 1
LEFT JOIN discount_sums AS up_to_shorter ON up_to_shorter.rank = pairs.shorter
LEFT JOIN discount_sums AS up_to_end
    ON up_to_end.rank = CASE $rest WHEN 'normalized' THEN coalesce($k, pairs.longer) ELSE pairs.longer END;
