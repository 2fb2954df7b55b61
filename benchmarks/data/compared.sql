-- Five systems that rank two items of each query, one of them relevant; a tenth as many queries as rows.
COPY (
    SELECT
        'run' || number AS system,
        query_id,
        item_id,
        (query_id * 48271 + item_id * 69621 + number * 13 + query_id * number * 7) % 2147483647 * 16807 % 2147483647
            / 2147483647e0 + 0.02 * number * (1 - item_id) AS score
    FROM range($rows // 10) AS queries(query_id)
    CROSS JOIN range(2) AS items(item_id)
    CROSS JOIN range(5) AS systems(number)
) TO 'predictions.parquet' (FORMAT parquet);
COPY (SELECT query_id, 0 AS item_id FROM range($rows // 10) AS queries(query_id)) TO 'truth.parquet' (FORMAT parquet);
