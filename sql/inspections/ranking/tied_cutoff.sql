-- name:     tied_cutoff
-- title:    lists in which the order of equal scores decides which grades are within the cut-off
-- for:      ranking
-- severity: warning
-- why:      another order of the same scores would give another value
-- column:   predictions.score
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL,
--           ties VARCHAR DEFAULT 'item_asc',
--           by_rank BOOLEAN DEFAULT FALSE
-- depth:    k
-- when:     EXISTS (SELECT 1 FROM predictions GROUP BY system, query_id HAVING min(score) < max(score))
-- advice:   export scores unrounded; duckmetrics ties shows how much the order can change the value, and whether it
--           could change which system is best
WITH longer AS (
    SELECT system, query_id
    FROM contenders
    GROUP BY system, query_id
    HAVING count(*) > $k
),
placed AS (
    SELECT
        contenders.system,
        contenders.query_id,
        contenders.item_id,
        contenders.score,
        row_number() OVER (
            PARTITION BY contenders.system, contenders.query_id ORDER BY contenders.score DESC, contenders.item_id
        ) AS rank
    FROM contenders
    JOIN longer ON longer.system = contenders.system AND longer.query_id = contenders.query_id
    JOIN queries ON queries.system = contenders.system AND queries.query_id = contenders.query_id
    WHERE NOT $by_rank
),
-- Few lists have equal scores on both sides of the cut-off, so only these look up their grades.
edges AS (
    SELECT system, query_id, min(score) AS score
    FROM placed
    WHERE rank = $k OR rank = $k + 1
    GROUP BY system, query_id
    HAVING count(*) = 2 AND min(score) = max(score)
),
spans AS (
    SELECT
        placed.system,
        placed.query_id,
        min(placed.rank) AS tie_first,
        max(placed.rank) AS tie_last,
        min(coalesce(judgments.relevance, 0)) AS low,
        max(coalesce(judgments.relevance, 0)) AS high
    FROM edges
    JOIN placed
        ON placed.system = edges.system AND placed.query_id = edges.query_id AND placed.score = edges.score
    LEFT JOIN judgments ON judgments.query_id = placed.query_id AND judgments.item_id = placed.item_id
    GROUP BY placed.system, placed.query_id
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
