-- Every edge of 3, 10 and 100 bins and of 11 thresholds, and doubles beside some of them: the product with
-- the number of bins rounds up or down.
CREATE TABLE predictions AS
SELECT
    CASE WHEN i * 31 % 97 < p * 90 THEN 1 ELSE 0 END AS label,
    p AS score,
    [1.0, 0.5, 2.0, 0.75][1 + i % 4]::DOUBLE AS weight,
    'g' || i % 5 AS group_id
FROM (
    SELECT i, i / 100e0 AS p FROM range(101) AS _(i)
    UNION ALL
    SELECT 200 + i, i / 3e0 FROM range(4) AS _(i)
    UNION ALL
    SELECT 300 + i, [0.29999999999999993e0, 0.30000000000000004e0, 0.2899999999999999e0, 0.5700000000000001e0,
        0.9999999999999999e0, 0.49999999999999994e0, 0.6999999999999998e0][i]
    FROM range(1, 8) AS _(i)
);
