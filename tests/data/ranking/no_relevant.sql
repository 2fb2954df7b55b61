-- q1 has only nonrelevant judgments, q2 none that is returned, q3 reaches grade 1 only.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 1.0), ('', 'q2', 'a', 1.0), ('', 'q2', 'b', 0.5), ('', 'q3', 'a', 1.0), ('', 'q3', 'b', 1.0)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 0.0), ('q1', 'b', 0.0), ('q2', 'x', 2.0), ('q2', 'a', 0.0), ('q3', 'b', 1.0), ('q4', 'a', 0.0)
) AS _(query_id, item_id, relevance);
