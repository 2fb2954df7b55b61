-- Lists of a shape: the files next to this one define ids, lists, the order of rows, and scores.
-- Five items of each user are relevant, some of them beyond the end of a short list.
CREATE TEMP TABLE lists AS
SELECT u, (u * 7919 + place * 1999) % 200000 AS i, score_of(u, place) AS score
FROM lists_of($rows) ORDER BY order_of(u, place);

CREATE TEMP TABLE predictions AS SELECT query_id_of(u) AS query_id, item_id_of(i) AS item_id, score FROM lists;

CREATE TEMP TABLE truth AS
SELECT
    query_id_of(u) AS query_id,
    item_id_of((u * 7919 + n * 13 * 1999) % 200000) AS item_id,
    CAST(1 + n % 3 AS TINYINT) AS relevance
FROM (SELECT DISTINCT u FROM lists) AS users, range(5) AS numbers(n)
ORDER BY u, n;

COPY predictions TO 'predictions.parquet' (FORMAT parquet);
COPY truth TO 'truth.parquet' (FORMAT parquet);
COPY predictions TO 'predictions.csv';
COPY truth TO 'truth.csv';
ATTACH 'shape.duckdb' AS stored;
CREATE TABLE stored.predictions AS FROM predictions;
CREATE TABLE stored.truth AS FROM truth;
DETACH stored;
