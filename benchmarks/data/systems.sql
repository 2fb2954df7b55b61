-- Ten systems in one file, a tenth of the queries each time: as many predictions as one system has of all queries.
COPY (
    SELECT
        'run' || query_id % 10 AS system,
        query_id // 10 AS query_id,
        item_id,
        score
    FROM '../ranking/predictions.parquet'
) TO 'predictions.parquet' (FORMAT parquet);
COPY (FROM '../ranking/truth.parquet' WHERE query_id < $rows // 1000) TO 'truth.parquet' (FORMAT parquet);
