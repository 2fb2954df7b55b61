-- name:     r2
-- title:    Coefficient of determination
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    (-inf, 1], higher is better
-- undefined: all labels are equal
-- formula:  1 - sum (y - s)^2 / sum (y - mean y)^2
-- source:   Wright, Journal of Agricultural Research 1921
-- oracle:   sklearn r2_score
-- example:  r2() = 0.35152
WITH centered AS (
    SELECT
        system,
        segment,
        weight,
        label - score AS residual,
        label - sum(weight * label) OVER (PARTITION BY system, segment)
            / nullif(sum(weight) OVER (PARTITION BY system, segment), 0) AS deviation
    FROM ratings
)
SELECT
    system,
    segment,
    1 - sum(weight * residual * residual) / nullif(sum(weight * deviation * deviation), 0) AS value
FROM centered
GROUP BY system, segment;
