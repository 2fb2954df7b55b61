-- 100,000 queries x 100 predictions, 20 judged items a query of which 12 are returned; plain arithmetic,
-- so that every DuckDB writes the same values. Scores are distinct but for chance.
COPY (
    SELECT
        query_id,
        (query_id * 7919 + place * 1999) % 200000 AS item_id,
        (query_id * 48271 + place * 69621 + query_id * place * 13) % 2147483647 * 16807 % 2147483647
            / 2147483647e0 AS score
    FROM range(100000) AS queries(query_id)
    CROSS JOIN range(100) AS places(place)
) TO 'predictions.parquet' (FORMAT parquet);

COPY (
    SELECT
        query_id,
        (query_id * 7919 + (CASE WHEN place < 12 THEN place * 8 ELSE 100 + place END) * 1999) % 200000 AS item_id,
        CAST(1 + (query_id + place * 31) % 3 AS INTEGER) AS relevance
    FROM range(100000) AS queries(query_id)
    CROSS JOIN range(20) AS places(place)
) TO 'truth.parquet' (FORMAT parquet);
