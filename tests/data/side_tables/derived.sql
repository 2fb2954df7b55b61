-- A history, a catalogue and a reference run for a case that has none: made of the ids of its predictions and truth.
-- Some items and users are cold, some pairs occur twice, some items have no category or no vector, scores tie.
CREATE TEMP TABLE numbered_items AS
SELECT item_id, row_number() OVER (ORDER BY item_id) AS m
FROM (SELECT item_id FROM predictions UNION SELECT item_id FROM truth) AS ids
WHERE item_id IS NOT NULL;
CREATE TEMP TABLE numbered_queries AS
SELECT query_id, row_number() OVER (ORDER BY query_id) AS n
FROM (SELECT query_id FROM predictions UNION SELECT query_id FROM truth) AS ids
WHERE query_id IS NOT NULL;
CREATE TABLE history AS
SELECT query_id, item_id
FROM numbered_queries, numbered_items, range(CASE (n + m) % 6 WHEN 0 THEN 2 ELSE 1 END)
WHERE (n * 7 + m * 3) % 5 < 2 AND m % 4 <> 3 AND n % 5 <> 4;
CREATE TABLE items AS
SELECT item_id,
    CASE WHEN m % 5 <> 4 THEN list_distinct(['c' || m % 3, CASE WHEN m % 2 = 0 THEN 'd' ELSE 'c' || m % 3 END]) ELSE [] END
        AS category,
    CASE WHEN m % 6 <> 5 THEN [(m * 5 % 7 - 3) / 2e0, (m * 3 % 4 - 1) / 2e0, m % 2 * 1e0] END AS vector
FROM numbered_items
WHERE m % 7 <> 6;
CREATE TABLE reference AS
SELECT query_id, item_id, (m * 7 + n) % 5 / 2e0 AS score
FROM numbered_queries, numbered_items
WHERE (n + m) % 3 < 2 AND n % 4 <> 3;
