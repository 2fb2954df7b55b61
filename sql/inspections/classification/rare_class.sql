-- name:     rare_class
-- title:    tables with fewer than 10 rows of a class, so that few rows decide the values
-- for:      pairs, thresholds
-- severity: note
-- why:      one row of the rare class more or less changes the value
-- column:   predictions.label
-- inputs:   predictions (system, segment, label, weight)
-- advice:   use more rows, or expect that the values vary much between samples
SELECT system, n, n_positive
FROM segments
WHERE segment = 0 AND n >= 100 AND n_positive > 0 AND n_positive < n
    AND (n_positive < 10 OR n - n_positive < 10);
