-- name:     row_problems
-- title:    The number of rows of several classes with each problem
-- inputs:   class_rows (row_id, actual, class_names, class_scores)
-- portable: no, lists of scores are searched in DuckDB
-- grain:    all rows
-- note:     sums of probabilities that were written with three digits differ from 1 by less than 0.005
SELECT
    count(*) AS n,
    count(*) FILTER (WHERE actual IS NULL) AS unlabeled,
    count(*) FILTER (WHERE actual IS NOT NULL AND right_class IS NULL) AS strange,
    min(actual) FILTER (WHERE right_class IS NULL) AS stranger,
    count(*) FILTER (
        WHERE class_scores IS NULL OR length(list_filter(class_scores, lambda score: score IS NULL)) > 0
    ) AS absent,
    count(*) FILTER (WHERE length(list_filter(class_scores, lambda score: NOT isfinite(score))) > 0) AS odd,
    min(length(class_scores)) AS least,
    max(length(class_scores)) AS most,
    count(*) FILTER (WHERE abs(list_sum(class_scores) - 1) > 0.005e0) AS apart,
    min(list_sum(class_scores)) AS low,
    max(list_sum(class_scores)) AS high
FROM placed_rows;
