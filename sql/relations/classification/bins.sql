-- name:     bins
-- title:    Bins of the probability that hold a row
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment, bin
SELECT
    system,
    segment,
    bin,
    CAST(sum(size) AS BIGINT) AS n,
    sum(weight) AS total,
    sum(weight * p) / nullif(sum(weight), 0) AS mean_score,
    sum(positives) / nullif(sum(weight), 0) AS mean_label,
    min(p) AS lowest,
    max(p) AS highest,
    sum(weight * p * p) / nullif(sum(weight), 0) AS mean_square,
    sum(p * positives) / nullif(sum(weight), 0) AS mean_product
FROM binned
GROUP BY system, segment, bin;
