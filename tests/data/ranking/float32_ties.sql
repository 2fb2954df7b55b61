-- Scores that only float32 makes equal, signed zeros, infinities, and one that overflows float32.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 1.0), ('', 'q1', 'b', 1.000000001), ('', 'q1', 'c', 0.3), ('', 'q1', 'd', 0.30000000000000004),
    ('', 'q2', 'a', 0.0), ('', 'q2', 'b', -0.0), ('', 'q2', 'c', 1e-50),
    ('', 'q3', 'a', 'inf'::DOUBLE), ('', 'q3', 'b', 1e300), ('', 'q3', 'c', -1e300), ('', 'q3', 'd', '-inf'::DOUBLE)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 1.0), ('q1', 'd', 2.0), ('q2', 'b', 1.0), ('q2', 'c', 0.0), ('q3', 'b', 1.0), ('q3', 'd', 2.0)
) AS _(query_id, item_id, relevance);
