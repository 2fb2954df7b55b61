-- name:     is_ranked
-- title:    Whether a rank orders the predictions, as in predictions.sql
-- params:   order_type VARCHAR,
--           score VARCHAR,
--           rank VARCHAR
-- note:     order_type is the type of order_columns; a rank that is no number is refused elsewhere. Everything is known
--           before the rows are read, so that DuckDB leaves out the steps of the other order
SELECT
    $rank IS NOT NULL
    OR ($score IS NULL AND regexp_matches($order_type, '^STRUCT\("?(?i:rank)"? \S+, "?_duckmetrics_none"? ')) AS value;
