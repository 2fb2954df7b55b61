-- name:     classified
-- title:    Rows with each of their classes, and the weight of the row
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- switches: weighted BOOLEAN DEFAULT NULL
-- values:   weighted: as in relations/classification/labeled
-- portable: no, the columns of several classes are read by DuckDB only
-- grain:    row, class
-- note:     label is 1 for the right class of a row, which actual names, else 0; place is the place of a class among
--           those of its row by score, known for the right class and for the first one
SELECT
    system, segment, class, actual, label, score, place,
    CASE WHEN $weighted THEN weight ELSE 1e0 END AS weight
FROM predictions
WHERE NOT $weighted OR weight > 0;
