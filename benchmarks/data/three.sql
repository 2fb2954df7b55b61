-- Three predictions, so that a process does little more than start.
COPY (FROM (VALUES (1, 1, 0.9), (1, 2, 0.8), (2, 1, 0.7)) AS predictions(query_id, item_id, score))
TO 'predictions.parquet' (FORMAT parquet);
COPY (FROM (VALUES (1, 2, 1), (2, 1, 1), (2, 3, 2)) AS truth(query_id, item_id, relevance))
TO 'truth.parquet' (FORMAT parquet);
