-- name:     query_auc
-- title:    Area under the ROC curve over the items returned for a query
-- group:    Accuracy
-- meaning:  Query AUC reports, for each query, how often a returned relevant item has a higher score than a returned
--           nonrelevant one. A tie counts as half.
-- use:      when the whole order of a list of candidates matters, or when the candidates are a random sample
-- beware:   the end of the list counts as much as the top, so a high AUC does not mean that the first items are good
-- reading:  1: every returned relevant item has a higher score than every other item
--           0.5: no better than a random order
--           0: every returned relevant item has a lower score than every other item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- idle:     ties WHEN TRUE
-- sampled:  consistent
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  share of (relevant, nonrelevant) pairs in the right order, ties 1/2, by the sum of average ranks
-- tex:      \mathrm{AUC} = \frac{w + t / 2}{h \cdot (n - h)}
-- symbols:  w: the number of pairs in which the relevant item has the higher score
--           t: the number of pairs in which both items have the same score
--           h: the number of relevant items that the query returns
--           n: the number of items that the query returns
-- source:   Mann and Whitney, Annals of Mathematical Statistics 1947, doi:10.1214/aoms/1177730491
-- oracle:   sklearn roc_auc_score
-- example:  query_auc() = 0.5
-- worked:   q1: (1 + 0 / 2) / (2 * (3 - 2)) = 0.5
--           q2: (1 + 0 / 2) / (1 * (3 - 1)) = 0.5
-- related:  auc, gauc, group_auc, average_precision
-- note:     relevant items that are not returned are left out; undefined if only one class is returned
SELECT
    system,
    query_id,
    1 - (
        sum((tie_first + tie_last) / 2e0) FILTER (WHERE is_relevant)
        - count(*) FILTER (WHERE is_relevant) * (count(*) FILTER (WHERE is_relevant) + 1) / 2e0
    ) / nullif(
        CAST(count(*) FILTER (WHERE is_relevant) AS DOUBLE)
        -- The last rank is the number of items: if ranks are given, items in the gaps are not relevant.
        * (max(tie_last) - count(*) FILTER (WHERE is_relevant)), 0
    ) AS value
FROM returned
GROUP BY system, query_id;
