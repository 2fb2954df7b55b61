-- The lists of the users from $first to $last, 100 items for each, and five relevant items for each. The first
-- relevant item has rank 1 to 10, the next two have lower ranks, the fourth has one for users with an even number, and
-- the last was not recommended. The last digit of the user decides the ranks and grades.
COPY (
    SELECT
        CAST(query_id AS INTEGER) AS query_id,
        CAST((query_id * 7919 + place * 1999) % 200000 AS INTEGER) AS item_id,
        100 - place * 37 % 100 - query_id % 1000 / 2000 AS score
    FROM (
        SELECT i // 100 AS query_id, i % 100 AS place FROM range($first * 100, $last * 100) AS numbers(i)
    )
) TO 'predictions.parquet' (FORMAT parquet, COMPRESSION zstd);

COPY (
    SELECT
        CAST(query_id AS INTEGER) AS query_id,
        CAST((query_id * 7919 + place * 1999) % 200000 AS INTEGER) AS item_id,
        CAST(1 + (n + digit) % 3 AS TINYINT) AS relevance
    FROM (
        SELECT
            query_id,
            n,
            digit,
            -- The item of a rank, counted from 0, is at the place rank * 73 % 100; from 100 on, items are not in the list.
            CASE
                WHEN n = 0 THEN digit * 73 % 100
                WHEN n = 1 THEN (10 + 2 * digit) * 73 % 100
                WHEN n = 2 THEN (30 + 3 * digit) * 73 % 100
                WHEN n = 3 AND digit % 2 = 0 THEN (60 + 4 * digit) * 73 % 100
                ELSE 100 + n
            END AS place
        FROM (
            SELECT i // 5 AS query_id, i % 5 AS n, i // 5 % 10 AS digit
            FROM range($first * 5, $last * 5) AS numbers(i)
        )
    )
) TO 'truth.parquet' (FORMAT parquet, COMPRESSION zstd);
