-- Eleven scores, many times each, most of them edges of ten bins; weights that add up exactly, some of them 0.
CREATE TABLE predictions AS
SELECT
    CASE WHEN i * 37 % 101 < 12 + 60 * (i % 11) / 11.0 THEN 1 ELSE 0 END AS label,
    (i % 11) / 10e0 AS score,
    [1.0, 0.0, 0.5, 2.0, 0.25, 3.0, 1.5][1 + i * 5 % 7]::DOUBLE AS weight,
    'g' || i * 7 % 6 AS group_id
FROM range(70) AS _(i);
