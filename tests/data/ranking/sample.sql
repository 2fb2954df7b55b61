-- Two queries, five items, nothing tricky: the numbers of the headers' examples.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'q1', 'a', 0.9), ('', 'q1', 'b', 0.8), ('', 'q1', 'c', 0.7),
    ('', 'q2', 'a', 0.6), ('', 'q2', 'd', 0.5), ('', 'q2', 'e', 0.4)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('q1', 'a', 2.0), ('q1', 'b', 0.0), ('q1', 'c', 1.0), ('q2', 'd', 3.0), ('q2', 'e', 0.0), ('q2', 'x', 1.0)
) AS _(query_id, item_id, relevance);
-- The history has two interactions of a, three of b by two users, one of c and of d, none of e.
CREATE TABLE history AS FROM (VALUES
    ('q1', 'a'), ('q1', 'd'), ('q2', 'b'), ('q2', 'c'), ('q3', 'a'), ('q3', 'b'), ('q3', 'b')
) AS _(query_id, item_id);
CREATE TABLE items AS FROM (VALUES
    ('a', ['drama'], [1e0, 0e0]), ('b', ['comedy', 'drama'], [0e0, 1e0]), ('c', ['comedy'], [1e0, 1e0]),
    ('d', ['action'], [-1e0, 0e0]), ('e', [], NULL), ('f', ['action'], [0e0, 2e0])
) AS _(item_id, category, vector);
CREATE TABLE reference AS FROM (VALUES
    ('q1', 'b', 0.9), ('q1', 'a', 0.8), ('q1', 'd', 0.7), ('q2', 'a', 0.9), ('q2', 'd', 0.8), ('q2', 'f', 0.7)
) AS _(query_id, item_id, score);
