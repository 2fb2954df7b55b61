-- $rows impressions of 100,000 users, about 8 % clicked: scores that all differ (score), and the same rounded to
-- three digits (rounded). Deterministic, but for versions of hash().
COPY (
    SELECT
        CAST(hash(i * 3 + 1) % 100000 AS INTEGER) AS user_id,
        CAST(hash(i * 3 + 2) / 18446744073709551616 < 0.05 + 0.1 * score AS TINYINT) AS label,
        score,
        round(score, 3) AS rounded
    FROM (
        SELECT i, 1e-9 + (1 - 2e-9) * power((hash(i * 3) + 0.5) / 18446744073709551616, 2) AS score
        FROM range($rows) AS numbers(i)
    )
) TO 'impressions.parquet' (FORMAT parquet);
