-- The same lists with ids that are text, as most exports have them.
COPY (
    SELECT 'user-' || lpad(CAST(query_id AS VARCHAR), 9, '0') AS query_id, 'sku-' || item_id AS item_id, score
    FROM '../ranking/predictions.parquet'
) TO 'predictions.parquet' (FORMAT parquet);
COPY (
    SELECT 'user-' || lpad(CAST(query_id AS VARCHAR), 9, '0') AS query_id, 'sku-' || item_id AS item_id, relevance
    FROM '../ranking/truth.parquet'
) TO 'truth.parquet' (FORMAT parquet);
