-- name:     gauc
-- title:    AUC within each group, averaged over the groups
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   average VARCHAR DEFAULT 'impressions' CHECK (average IN ('impressions', 'positives', 'pairs', 'uniform'))
-- values:   average=impressions: a group counts by its number of rows
--           average=positives: a group counts by its number of positives
--           average=pairs: a group counts by its number of positive-negative pairs
--           average=uniform: all groups count the same
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- undefined: no group has both classes
-- formula:  sum of w_g AUC_g / sum of w_g; w_g = rows, positives or pairs of the group, or 1
-- source:   Zhou et al., KDD 2018, doi:10.1145/3219819.3219823
-- oracle:   reference
-- example:  gauc() = 0.661765
-- note:     groups of one class have no AUC; they are left out and counted in n_undefined
WITH groups AS (
    SELECT
        system,
        segment,
        auc,
        CASE $average
            WHEN 'impressions' THEN positives + negatives
            WHEN 'positives' THEN positives
            WHEN 'pairs' THEN positives * negatives
            ELSE 1e0
        END AS share
    FROM group_auc
)
SELECT
    system,
    segment,
    sum(share * auc) / nullif(sum(share) FILTER (WHERE auc IS NOT NULL), 0) AS value,
    count(*) FILTER (WHERE auc IS NULL) AS n_undefined
FROM groups
GROUP BY system, segment;
