-- Three systems, slices with NULL, a slice that only one system has, slices of one class.
CREATE TABLE predictions AS
SELECT
    CASE WHEN i * 37 % 101 < 12 + 60 * (i % 11) / 11.0 THEN 1 ELSE 0 END AS label,
    (i % 11 + i % 3) / 16e0 AS score,
    [1.0, 0.0, 0.5, 2.0, 0.25][1 + i * 3 % 5]::DOUBLE AS weight,
    'g' || i * 7 % 4 AS group_id,
    ['A', 'B', 'C'][1 + i % 3] AS system,
    CASE WHEN i % 3 = 2 AND i % 7 = 3 THEN 'JP' ELSE ['DE', 'FR', NULL, 'DE'][1 + i % 4] END AS country,
    CASE WHEN i % 5 < 3 THEN 'phone' END AS device
FROM range(90) AS _(i);
