-- In the wrong order.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.25, 2.0, 'a'), (0, 0.75, 0.5, 'a')
) AS _(label, score, weight, group_id);
