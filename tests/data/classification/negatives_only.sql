-- No positive row.
CREATE TABLE predictions AS FROM (VALUES
    (0, 0.1, 1.0, 'a'), (0, 0.5, 2.0, 'a'), (0, 0.5, 0.5, 'b'), (0, 0.9, 1.0, 'b')
) AS _(label, score, weight, group_id);
