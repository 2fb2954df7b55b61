-- name:     tied_cutoff
-- title:    lists in which the order of equal scores decides which grades are within the cut-off
-- for:      ranking
-- severity: warning
-- why:      another order of the same scores would give another value
-- column:   predictions.score
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL,
--           ties VARCHAR DEFAULT 'item_asc'
-- when:     EXISTS (SELECT 1 FROM predictions GROUP BY system, query_id HAVING min(score) < max(score))
-- advice:   export scores unrounded; ties=pessimistic and ties=optimistic show how much the order can change the
--           value
WITH spans AS (
    SELECT
        system, query_id, tie_first, tie_last,
        min(coalesce(relevance, 0)) AS low,
        max(coalesce(relevance, 0)) AS high
    FROM returned
    WHERE tie_first <= $k AND tie_last > $k
    GROUP BY system, query_id, tie_first, tie_last
)
SELECT
    system,
    query_id,
    tie_first AS first_rank,
    tie_last AS last_rank,
    $k AS k,
    (SELECT count(*) FROM queries WHERE NOT missing) AS total
FROM spans
WHERE $k IS NOT NULL AND $ties NOT IN ('pessimistic', 'optimistic', 'expected') AND low < high;
