-- Equal scores: the switch ties decides the rank; a tie group spans a cut-off; two systems.
CREATE TABLE predictions AS FROM (VALUES
    ('A', 'q', 'a', 1.0), ('A', 'q', 'b', 1.0), ('A', 'q', 'c', 1.0), ('A', 'q', 'd', 0.5), ('A', 'q', 'e', 0.5),
    ('B', 'q', 'e', 2.0), ('B', 'q', 'd', 2.0), ('B', 'q', 'c', 2.0), ('B', 'q', 'b', 2.0), ('B', 'q', 'a', 1.0)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q', 'a', 2.0), ('q', 'b', 0.0), ('q', 'c', 1.0), ('q', 'e', 3.0)
) AS _(query_id, item_id, relevance);
