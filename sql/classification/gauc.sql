-- name:     gauc
-- title:    AUC within each group, averaged over the groups
-- meaning:  GAUC measures how well the scores order the rows within each group, such as a user, and averages over the
--           groups. Differences between groups do not count.
-- use:      when the model ranks items for one user at a time
-- beware:   tools weight the groups differently, by impressions, by positives or equally; compare the conventions
--           before you compare numbers
-- reading:  1: within every group, every positive has a higher score than every negative
--           0.5: no better than random scores within the groups
--           0: within every group, every positive has a lower score than every negative
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
-- tex:      \mathrm{GAUC} = \frac{\sum_{g} w_g \mathrm{AUC}_g}{\sum_{g} w_g}
-- symbols:  g: a group with both classes
--           \mathrm{AUC}_g: the AUC of the rows of group g
--           w_g: the weight of group g: its number of rows, positives or pairs, or 1
-- source:   Zhou et al., KDD 2018, doi:10.1145/3219819.3219823
-- oracle:   reference
-- example:  gauc() = 0.661765
-- worked:   (6 * 6/8 + 5 * 4.5/6 + 6 * 2.5/5) / (6 + 5 + 6) = 0.6618
-- related:  group_auc, auc, query_auc
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
