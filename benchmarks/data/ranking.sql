-- $rows predictions, $items for each query, 20 judged items a query of which up to 12 are returned; plain arithmetic,
-- so that every DuckDB writes the same values. Scores are distinct but for chance.
COPY (
    SELECT
        query_id,
        (query_id * 7919 + place * 1999) % 200000 AS item_id,
        (query_id * 48271 + place * 69621 + query_id * place * 13) % 2147483647 * 16807 % 2147483647
            / 2147483647e0 AS score
    FROM range($rows // $items) AS queries(query_id)
    CROSS JOIN range($items) AS places(place)
) TO 'predictions.parquet' (FORMAT parquet);

COPY (
    SELECT
        query_id,
        (query_id * 7919 + (CASE WHEN place < 12 THEN place * ($items // 12) ELSE $items + place END) * 1999) % 200000
            AS item_id,
        CAST(1 + (query_id + place * 31) % 3 AS INTEGER) AS relevance
    FROM range($rows // $items) AS queries(query_id)
    CROSS JOIN range(20) AS places(place)
    WHERE $items >= 12 OR place = 0 OR place > 12
) TO 'truth.parquet' (FORMAT parquet);
