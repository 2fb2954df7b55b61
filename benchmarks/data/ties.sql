-- The same lists with scores of which every hundredth is the same: ten values for a list.
COPY (SELECT * REPLACE (round(score, 1) AS score) FROM '../ranking/predictions.parquet')
TO 'predictions.parquet' (FORMAT parquet);
COPY (FROM '../ranking/truth.parquet') TO 'truth.parquet' (FORMAT parquet);
