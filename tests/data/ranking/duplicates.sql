-- The same item twice in a list, with another score and with the same, for the switch duplicates.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 1.0), ('', 'q1', 'a', 0.5), ('', 'q1', 'b', 0.7), ('', 'q1', 'b', 0.7), ('', 'q1', 'c', 0.1)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 1.0), ('q1', 'b', 2.0), ('q1', 'c', 0.0), ('q1', 'd', 3.0)
) AS _(query_id, item_id, relevance);
