-- Scores on both sides of 0, ties among them; whole weights in the billions.
CREATE TABLE predictions AS
SELECT
    CASE WHEN i * 37 % 101 < 50 + 6 * (i % 9 - 4) THEN 1 ELSE 0 END AS label,
    (i % 9 - 4) * 2.5 AS score,
    [1.0, 5e9, 3.0, 0.0, 2e9][1 + i % 5]::DOUBLE AS weight,
    'g' || i * 7 % 4 AS group_id
FROM range(40) AS _(i);
