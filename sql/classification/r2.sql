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
WITH means AS (
    SELECT system, segment, sum(weight * label) / nullif(sum(weight), 0) AS mean_label
    FROM ratings
    GROUP BY system, segment
),
centered AS (
    SELECT
        ratings.system,
        ratings.segment,
        ratings.weight,
        ratings.label - ratings.score AS residual,
        ratings.label - means.mean_label AS deviation
    FROM ratings
    JOIN means ON means.system = ratings.system AND means.segment = ratings.segment
)
SELECT
    system,
    segment,
    1 - sum(weight * residual * residual) / nullif(sum(weight * deviation * deviation), 0) AS value
FROM centered
GROUP BY system, segment;
