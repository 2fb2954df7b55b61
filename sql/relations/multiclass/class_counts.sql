-- name:     class_counts
-- title:    Sums of each class: all rows, those of the class, those predicted to have it, and squared errors
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- grain:    system, segment, class
-- note:     n and n_positive count rows, the others add up weights
SELECT
    system,
    segment,
    class,
    count(*) AS n,
    count(*) FILTER (WHERE label > 0) AS n_positive,
    sum(weight) AS total,
    sum(weight * label) AS actual,
    sum(CASE WHEN place = 1 THEN weight ELSE 0e0 END) AS predicted,
    sum(CASE WHEN place = 1 THEN weight * label ELSE 0e0 END) AS correct,
    sum(weight * (score - label) * (score - label)) AS squared
FROM classified
GROUP BY system, segment, class;
