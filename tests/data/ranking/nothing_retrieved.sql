-- q2 is judged but was never answered by B; q3 is answered but not judged; q4 nobody answered.
CREATE TABLE predictions AS FROM (VALUES
    ('A', 'q1', 'a', 1.0), ('A', 'q2', 'a', 1.0), ('A', 'q2', 'b', 0.5), ('B', 'q1', 'b', 1.0), ('B', 'q3', 'a', 1.0)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 1.0), ('q2', 'b', 1.0), ('q4', 'a', 1.0)
) AS _(query_id, item_id, relevance);
