-- name:     numbered_groups
-- title:    The rows of a classifier, with numbers in place of the groups
-- inputs:   predictions (system, segment, label, score, weight, group_id, own_columns)
-- grain:    row
SELECT
    system,
    segment,
    label,
    score,
    weight,
    CASE WHEN group_id IS NOT NULL THEN dense_rank() OVER (ORDER BY group_id) END AS group_id,
    own_columns
FROM predictions;
