-- name:     group_auc
-- title:    AUC of every group
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- params:   per VARCHAR DEFAULT 'group' CHECK (per IN ('group'))
-- grain:    system, segment, group_id
-- formula:  share of the pairs within the group in which the positive has the higher score, ties 1/2
-- source:   Zhou et al., KDD 2018, doi:10.1145/3219819.3219823
-- note:     auc is NULL for groups of one class
SELECT
    system,
    segment,
    group_id,
    positives,
    negatives,
    (won + tied / 2) / nullif(positives * negatives, 0) AS auc
FROM pairs;
