-- name:     partial_auc
-- title:    Area under the ROC curve where false positives are rare
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   max_fpr DOUBLE CHECK (max_fpr > 0 AND max_fpr <= 1),
--           norm VARCHAR DEFAULT 'mcclish' CHECK (norm IN ('mcclish', 'raw', 'max_fpr'))
-- values:   max_fpr: the false positive rate where the area ends
--           norm=mcclish: the area is scaled: chance is 0.5, a perfect order is 1
--           norm=raw: the area is not scaled
--           norm=max_fpr: the area is divided by max_fpr: a perfect order is 1
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- formula:  area for FPR <= max_fpr, straight between distinct scores; mcclish: scaled so that chance is 1/2 and
--           perfect is 1
-- source:   McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307
-- oracle:   sklearn roc_auc_score(max_fpr)
-- example:  partial_auc(max_fpr := 0.3) = 0.774873
WITH area AS (
    SELECT
        system,
        segment,
        sum(
            CASE
                WHEN fp / n <= $max_fpr THEN negatives / n * (2 * tp - positives) / p / 2
                WHEN (fp - negatives) / n < $max_fpr THEN
                    ($max_fpr - (fp - negatives) / n)
                    * (2 * (tp - positives) + positives * ($max_fpr - (fp - negatives) / n) * n / negatives) / p / 2
                ELSE 0
            END
        ) AS raw
    FROM thresholds
    WHERE p > 0 AND n > 0
    GROUP BY system, segment
)
SELECT
    system,
    segment,
    CASE $norm
        WHEN 'raw' THEN raw
        WHEN 'max_fpr' THEN raw / $max_fpr
        ELSE (1 + (raw - $max_fpr * $max_fpr / 2) / ($max_fpr - $max_fpr * $max_fpr / 2)) / 2
    END AS value
FROM area;
