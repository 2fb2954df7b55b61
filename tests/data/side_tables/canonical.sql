-- The canonical inputs of the categories and vectors of a catalogue.
CREATE TABLE item_categories AS
SELECT DISTINCT item_id, category
FROM (SELECT item_id, unnest(category) AS category FROM items) AS listed;
CREATE TABLE item_vectors AS
SELECT item_id, generate_subscripts(vector, 1) AS dimension, unnest(vector) AS value
FROM items;
