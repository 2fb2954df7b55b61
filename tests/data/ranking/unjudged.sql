-- Unjudged items above, between and below judged ones; all rows of q2 are unjudged.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'u', 9), ('', 'q1', 'a', 8), ('', 'q1', 'v', 7), ('', 'q1', 'b', 6), ('', 'q1', 'c', 5), ('', 'q1', 'w', 4),
    ('', 'q1', 'd', 3), ('', 'q2', 'u', 2), ('', 'q2', 'v', 1)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 1.0), ('q1', 'b', 0.0), ('q1', 'c', 2.0), ('q1', 'd', 0.0), ('q1', 'x', 1.0), ('q1', 'y', 0.0), ('q2', 'a', 1.0)
) AS _(query_id, item_id, relevance);
