-- Probabilities of 0 and 1, right and wrong, and doubles near them.
CREATE TABLE predictions AS FROM (VALUES
    (1, 1e0, 1.0, 'a'), (0, 1e0, 0.5, 'a'), (1, 0e0, 0.25, 'a'), (0, 0e0, 4.0, 'a'),
    (0, 0.9999999999999999e0, 1.0, 'b'), (1, 0.9999999999999999e0, 1.0, 'b'), (1, 5e-324, 1.0, 'b'),
    (0, 1e-15, 2.0, 'b'), (0, 1e-16, 1.0, 'c'), (1, 5e-1, 1.0, 'c')
) AS _(label, score, weight, group_id);
