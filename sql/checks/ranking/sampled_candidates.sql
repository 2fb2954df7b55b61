-- name:     sampled_candidates
-- title:    queries whose only relevant item is among equally few candidates, as if the others were sampled
-- for:      ranking
-- severity: warning
-- why:      values among sampled candidates are too high, and can put the worse system first
-- column:   predictions.query_id
-- inputs:   predictions (system, query_id, item_id), truth (query_id, item_id, relevance)
-- params:   catalog_size INTEGER DEFAULT NULL,
--           sampled VARCHAR DEFAULT 'inconsistent'
-- when:     NOT EXISTS (SELECT 1 FROM grades WHERE is_relevant GROUP BY query_id HAVING count(*) > 1)
--           AND NOT EXISTS (
--               SELECT 1
--               FROM (
--                   SELECT
--                       count(*) AS n,
--                       count(*) FILTER (WHERE predictions.item_id = grades.item_id) AS found
--                   FROM grades
--                   JOIN predictions ON predictions.query_id = grades.query_id
--                   WHERE is_relevant
--                   GROUP BY predictions.system, predictions.query_id
--               ) AS answered
--               HAVING min(n) < max(n) OR min(n) < 20 OR max(n) > 1001 OR min(found) = 0)
-- advice:   of the metrics only query_auc is consistent under sampling, others can put systems in another order
--           (Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226); rank all items, or, if the sample is
--           uniform, estimate the values with duckmetrics sampled, or set catalog_size to the number of all items
-- note:     the number of different items over all queries distinguishes a sample from a ranking of all items
SELECT
    predictions.system,
    predictions.query_id,
    count(*) AS candidates
FROM grades
JOIN predictions ON predictions.query_id = grades.query_id
WHERE $catalog_size IS NULL AND $sampled = 'inconsistent' AND is_relevant
GROUP BY predictions.system, predictions.query_id
HAVING 2 * count(*) <= (SELECT count(DISTINCT item_id) FROM predictions);
