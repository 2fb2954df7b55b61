-- The same lists with the rank of each item in place of its score.
COPY (
    SELECT query_id, item_id, row_number() OVER (PARTITION BY query_id ORDER BY score DESC, item_id) AS rank
    FROM '../ranking/predictions.parquet'
    ORDER BY query_id, rank
) TO 'predictions.parquet' (FORMAT parquet);
COPY (FROM '../ranking/truth.parquet') TO 'truth.parquet' (FORMAT parquet);
