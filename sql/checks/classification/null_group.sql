-- name:     null_group
-- title:    rows whose group is NULL
-- severity: error
-- why:      such a row belongs to no group, so no group's AUC includes it
-- for:      group_auc
-- column:   predictions.group_id
-- inputs:   predictions (label, score, group_id)
-- advice:   drop these rows or give them a group; its column is named with group_id=
SELECT label, score
FROM predictions
WHERE group_id IS NULL;
