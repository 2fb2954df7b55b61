-- The only positive rows have no weight: weighted, this is one class.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.8, 0.0, 'a'), (0, 0.6, 1.0, 'a'), (0, 0.2, 2.0, 'b'), (1, 0.4, 0.0, 'b')
) AS _(label, score, weight, group_id);
