-- The same number of predictions in lists of very different lengths: a few of thousands, most of some dozens.
COPY (
    SELECT
        lists.query_id,
        (lists.query_id * 7919 + place * 1999) % 200000 AS item_id,
        (lists.query_id * 48271 + place * 69621 + lists.query_id * place * 13) % 2147483647 * 16807 % 2147483647
            / 2147483647e0 AS score
    FROM (
        SELECT query_id, least(10000, 46 + 60000 // (1 + query_id % 1000)) AS length
        FROM range($rows // 468) AS queries(query_id)
    ) AS lists
    CROSS JOIN LATERAL (SELECT unnest(range(length)) AS place) AS places
) TO 'predictions.parquet' (FORMAT parquet);
COPY (FROM '../ranking/truth.parquet' WHERE query_id < $rows // 468) TO 'truth.parquet' (FORMAT parquet);
