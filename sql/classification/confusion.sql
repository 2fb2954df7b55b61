-- name:     confusion
-- title:    Confusion matrix at a threshold
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- values:   threshold: rows of this score or higher are predicted positive
-- grain:    system, segment
-- formula:  a row is predicted positive if score >= threshold
-- source:   Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899
SELECT
    system,
    segment,
    CAST($threshold AS DOUBLE) AS threshold,
    sum(CASE WHEN score >= $threshold THEN weight * label ELSE 0e0 END) AS tp,
    sum(CASE WHEN score >= $threshold THEN weight * (1 - label) ELSE 0e0 END) AS fp,
    sum(CASE WHEN score >= $threshold THEN 0e0 ELSE weight * label END) AS fn,
    sum(CASE WHEN score >= $threshold THEN 0e0 ELSE weight * (1 - label) END) AS tn
FROM labeled
GROUP BY system, segment;
