-- The same rows in an order that has nothing to do with the queries.
COPY (FROM '../ranking/predictions.parquet' ORDER BY (query_id * 48271 + item_id * 69621) % 2147483647)
TO 'predictions.parquet' (FORMAT parquet);
COPY (FROM '../ranking/truth.parquet' ORDER BY (query_id * 48271 + item_id * 69621) % 2147483647)
TO 'truth.parquet' (FORMAT parquet);
