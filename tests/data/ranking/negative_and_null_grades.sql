-- Negative and NULL grades, for the switches negative_grade and null_relevance.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 1.0), ('', 'q1', 'b', 0.9), ('', 'q1', 'c', 0.8), ('', 'q2', 'a', 0.7)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', -2.0), ('q1', 'b', NULL), ('q1', 'c', 3.0), ('q2', 'a', -1.0), ('q2', 'b', NULL)
) AS _(query_id, item_id, relevance);
