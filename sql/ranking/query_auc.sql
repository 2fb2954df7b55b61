-- name:     query_auc
-- title:    Area under the ROC curve over the items returned for a query
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- idle:     ties WHEN TRUE
-- sampled:  consistent
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  share of (relevant, nonrelevant) pairs in the right order, ties 1/2, by the sum of average ranks
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- oracle:   sklearn roc_auc_score
-- example:  query_auc() = 0.5
-- note:     relevant items that are not returned are left out; undefined when only one class is returned
SELECT
    system,
    query_id,
    1 - (
        sum((tie_first + tie_last) / 2e0) FILTER (WHERE is_relevant)
        - count(*) FILTER (WHERE is_relevant) * (count(*) FILTER (WHERE is_relevant) + 1) / 2e0
    ) / nullif(
        CAST(count(*) FILTER (WHERE is_relevant) AS DOUBLE)
        -- As many items as the last rank says: where ranks are given, those between are not relevant either.
        * (max(tie_last) - count(*) FILTER (WHERE is_relevant)), 0
    ) AS value
FROM returned
GROUP BY system, query_id;
