-- name:     sampled_cutoff
-- title:    lists of candidates whose first k stand for about the first k_of_all of all items
-- for:      sampled_candidates
-- severity: note
-- why:      a rank among samples stands for a much deeper rank among all items
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id)
-- params:   k INTEGER DEFAULT NULL
-- advice:   read the value at k as one at k_of_all, if the candidates are a uniform sample
-- note:     a relevant item behind r - 1 of m sampled items is expected behind (r - 1) (n - 1) / m of all n - 1 others
-- source:   Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226
WITH catalogue AS (
    SELECT count(DISTINCT item_id) AS n FROM predictions
),
lists AS (
    SELECT system, query_id, count(*) AS candidates
    FROM predictions
    GROUP BY system, query_id
)
SELECT
    lists.system,
    lists.query_id,
    lists.candidates,
    catalogue.n AS items,
    $k AS k,
    CAST(floor(1.5e0 + ($k - 1) * (catalogue.n - 1e0) / nullif(lists.candidates - 1, 0)) AS BIGINT) AS k_of_all
FROM lists
CROSS JOIN catalogue
WHERE $k IS NOT NULL;
