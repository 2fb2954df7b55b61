-- name:     partial_auc
-- title:    Area under the ROC curve where false positives are rare
-- meaning:  Partial AUC measures the order of the rows where few negatives are selected. Only the left part of the
--           ROC curve counts, up to a chosen false positive rate.
-- use:      when only a low false positive rate is acceptable, as in fraud detection
-- beware:   values with another max_fpr or norm are not comparable; only a few negatives count, so the value is noisy
-- reading:  1: every positive is before every negative (with norm=raw, the value is max_fpr)
--           0.5: no better than random (with norm=mcclish)
--           0: no positive is in this part of the curve (with norm=raw or max_fpr)
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
-- tex:      \mathrm{pAUC} = \frac{1}{2} (1 + \frac{A - f^2 / 2}{f - f^2 / 2})
-- symbols:  f: the false positive rate where the area ends, the parameter max_fpr
--           A: the area under the ROC curve from 0 to f; the value with norm=raw
--           f^2 / 2: the area of a random order
-- source:   McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307
-- oracle:   sklearn roc_auc_score(max_fpr)
-- example:  partial_auc(max_fpr := 0.3) = 0.774873
-- worked:   (1 + ((4.5 + 5 + 2 * 6 + 0.5 * 7) / (9 * 15) - 0.3^2 / 2) / (0.3 - 0.3^2 / 2)) / 2 = 0.7749
-- related:  auc, roc_curve, tpr_at_fpr
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
