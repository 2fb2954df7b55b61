-- The impressions of the users from $first to $last, 1000 for each of $users users, in the order of the users.
-- All scores differ. Sorted by score, 100 rows of each user follow each other, in each tenth of the scores once. Users
-- with an even number click on the worst of these rows, the others, less often, on the best: 5 + 9 d and 3 + 6 d rows
-- in tenth d.
COPY (
    SELECT
        CAST(user_id AS INTEGER) AS user_id,
        CAST(
            CASE WHEN user_id % 2 = 0 THEN place < 5 + 9 * tenth ELSE place >= 97 - 6 * tenth END AS TINYINT
        ) AS label,
        (2 * ((tenth * $users + user_id) * 100 + place) + 1) / (2000 * $users) AS score
    FROM (
        SELECT i // 1000 AS user_id, i * 387 % 1000 // 100 AS tenth, i * 387 % 100 AS place
        FROM range($first * 1000, $last * 1000) AS numbers(i)
    )
) TO 'clicks.parquet' (FORMAT parquet, COMPRESSION zstd);
