-- Ids with accents, emoji, quotes, blanks, SQL, and the empty text; ties between them.
CREATE TABLE predictions AS FROM (VALUES
    ('', 'é', 'Ä', 1.0), ('', 'é', 'z', 1.0), ('', 'é', '🦆', 1.0), ('', 'é', '', 1.0), ('', 'é', ' ', 1.0),
    ('', 'x''); DROP TABLE truth; --', 'a"b', 0.5), ('', 'x''); DROP TABLE truth; --', 'a''b', 0.5)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    ('é', '🦆', 1.0), ('é', '', 2.0), ('x''); DROP TABLE truth; --', 'a''b', 1.0)
) AS _(query_id, item_id, relevance);
