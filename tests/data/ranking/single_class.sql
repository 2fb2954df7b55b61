-- Everything returned is relevant, or nothing is: no pair for the AUC.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 1.0), ('', 'q1', 'b', 0.5), ('', 'q2', 'c', 1.0), ('', 'q2', 'd', 0.5)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 1.0), ('q1', 'b', 1.0), ('q2', 'x', 1.0)
) AS _(query_id, item_id, relevance);
