-- Weights that no double holds exactly, large and small ones, and none.
CREATE TABLE predictions AS
SELECT
    CASE WHEN i * 37 % 101 < 20 + 60 * (i * 17 % 50) / 50.0 THEN 1 ELSE 0 END AS label,
    (i * 17 % 50) / 49e0 AS score,
    [0.1, 0.3, 1.7, 0.0, 2.9, 1e-3, 123.4][1 + i % 7]::DOUBLE AS weight,
    'g' || i * 7 % 4 AS group_id
FROM range(60) AS _(i);
