-- name:     group_auc
-- title:    AUC of every group
-- meaning:  This table reports how well the scores order the rows of each group, such as a user. It shows the groups
--           that the model orders badly.
-- use:      to find the groups that lower the gauc
-- beware:   groups with few positives or few negatives often have an AUC of 0 or 1 by chance
-- reading:  1: every positive of the group has a higher score than every negative
--           0.5: no better than random scores
--           0: every positive of the group has a lower score than every negative
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   per VARCHAR DEFAULT 'group' CHECK (per IN ('group'))
-- grain:    system, segment, group_id
-- formula:  share of the pairs within the group in which the positive has the higher score, ties 1/2
-- tex:      \mathrm{AUC}_g = \frac{\mathrm{won}_g + \frac{1}{2} \mathrm{tied}_g}{P_g N_g}
-- symbols:  \mathrm{won}_g: the number of pairs in group g in which the positive has the higher score
--           \mathrm{tied}_g: the number of pairs in group g with equal scores
--           P_g: the number of positives in group g
--           N_g: the number of negatives in group g
-- source:   Zhou et al., KDD 2018, doi:10.1145/3219819.3219823
-- related:  gauc, auc, query_auc
-- note:     auc is NULL for groups of one class
SELECT
    system,
    segment,
    group_id,
    positives,
    negatives,
    (won + tied / 2) / nullif(positives * negatives, 0) AS auc
FROM pairs;
