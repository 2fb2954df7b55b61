-- The negative class is -1.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.9, 1.0, 'a'), (-1, 0.4, 2.0, 'a'), (-1, 0.6, 0.5, 'b'), (1, 0.6, 1.0, 'b'), (-1, 0.1, 1.0, 'b'),
    (1, 0.2, 3.0, 'c')
) AS _(label, score, weight, group_id);
