-- The predictions and the truth of the ranking set, a history of ten interactions for each prediction, most of them
-- with few items, and a catalogue with one of 30 categories for each item.
COPY (SELECT * FROM '../ranking/predictions.parquet') TO 'predictions.parquet' (FORMAT parquet);
COPY (SELECT * FROM '../ranking/truth.parquet') TO 'truth.parquet' (FORMAT parquet);

COPY (
    SELECT
        number * 48271 % 2147483647 % ($rows // 50) AS query_id,
        -- The cube of a number between 0 and 1: a tenth of the items has nearly half of the interactions.
        CAST(200000 * power(number * 69621 % 2147483647 / 2147483647e0, 3) AS BIGINT) AS item_id
    FROM range($rows * 10) AS interactions(number)
) TO 'history.parquet' (FORMAT parquet);

COPY (
    SELECT item_id, 'category ' || item_id * 31 % 30 AS category
    FROM range(200001) AS items(item_id)
) TO 'items.parquet' (FORMAT parquet);
