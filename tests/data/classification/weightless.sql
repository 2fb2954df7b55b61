-- No row has a weight.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.8, 0.0, 'a'), (0, 0.6, 0.0, 'a'), (0, 0.2, 0.0, 'b')
) AS _(label, score, weight, group_id);
