-- name:     class_segments
-- title:    The number of rows of each segment, and of those whose right class is in it
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- portable: no, the columns of several classes are read by DuckDB only
-- grain:    system, segment
-- note:     each row has all classes
SELECT system, segment, max(n) AS n, CAST(sum(n_positive) AS BIGINT) AS n_positive
FROM class_counts
GROUP BY system, segment;
