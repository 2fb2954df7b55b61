-- No finite score.
CREATE TABLE predictions AS FROM (VALUES
    (1, 'inf'::DOUBLE, 1.0, 'a'), (0, 'inf', 0.5, 'a'), (0, '-inf', 2.0, 'a'), (1, 'inf', 1.0, 'b')
) AS _(label, score, weight, group_id);
