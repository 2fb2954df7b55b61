-- No negative row.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.1, 1.0, 'a'), (1, 0.5, 2.0, 'a'), (1, 0.5, 0.5, 'b'), (1, 0.9, 1.0, 'b')
) AS _(label, score, weight, group_id);
