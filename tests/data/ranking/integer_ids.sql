-- Integer ids compare as numbers, as text the other way round: 9 < 10, '9' > '10'.
CREATE TABLE predictions AS FROM (VALUES
    ('', 9, 9, 1.0), ('', 9, 10, 1.0), ('', 9, 100, 1.0), ('', 10, -1, 0.0), ('', 10, 1, 0.0)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES (9, 10, 1.0), (10, -1, 1.0)) AS _(query_id, item_id, relevance);
