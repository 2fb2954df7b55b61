-- Two queries, five items, nothing tricky: the numbers of the headers' examples.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 0.9), ('', 'q1', 'b', 0.8), ('', 'q1', 'c', 0.7),
    ('', 'q2', 'a', 0.6), ('', 'q2', 'd', 0.5), ('', 'q2', 'e', 0.4)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 2.0), ('q1', 'b', 0.0), ('q1', 'c', 1.0), ('q2', 'd', 3.0), ('q2', 'e', 0.0), ('q2', 'x', 1.0)
) AS _(query_id, item_id, relevance);
