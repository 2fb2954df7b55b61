-- name:     is_ranked
-- title:    Whether a rank orders the predictions, as in predictions.sql
-- params:   order_type VARCHAR,
--           score VARCHAR,
--           rank VARCHAR
-- note:     order_type is the type of order_columns; a rank that is no number is refused elsewhere. Everything is known
--           before the rows are read, so that DuckDB leaves out the steps of the other order
SELECT
    $rank IS NOT NULL
    OR ($score IS NULL
        AND split_part(lower(replace($order_type, '"', '')), ', score ', 1) LIKE 'struct(rank %none boolean)') AS value;
