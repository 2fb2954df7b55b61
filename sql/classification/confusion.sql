-- name:     confusion
-- title:    Confusion matrix at a threshold
-- meaning:  The confusion matrix counts the right and wrong predictions of each class at one threshold. Many metrics,
--           such as precision and recall, are ratios of its four counts.
-- use:      to see which kind of error a threshold makes, and how often
-- beware:   if positives are rare, few scores may reach the default threshold of 0.5; with weights, the counts are
--           sums of weights
-- reading:  fp = 0: no negative is predicted positive
--           fn = 0: no positive is predicted negative
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   threshold DOUBLE DEFAULT 0.5
-- values:   threshold: rows of this score or higher are predicted positive
-- grain:    system, segment
-- formula:  a row is predicted positive if score >= threshold
-- source:   Kohavi and Provost, Machine Learning 1998, doi:10.1023/A:1017181826899
-- related:  threshold_table, precision, recall, fpr, accuracy
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
