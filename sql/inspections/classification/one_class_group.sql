-- name:     one_class_group
-- title:    groups with only one class, which have no AUC
-- for:      group_auc
-- severity: note
-- why:      the mean covers only the other groups
-- column:   predictions.group_id
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- advice:   read the value as that of the other groups, or use larger groups
-- note:     reported if they hold more than half of the rows
WITH counted AS (
    SELECT
        count(*) AS total,
        sum(positives + negatives) AS n,
        sum(positives + negatives) FILTER (WHERE auc IS NULL) AS n_left_out
    FROM group_auc
)
SELECT group_auc.system, group_auc.group_id, group_auc.positives, group_auc.negatives, counted.total
FROM group_auc
CROSS JOIN counted
WHERE group_auc.auc IS NULL AND 2 * counted.n_left_out > counted.n;
