-- Scores 1e-17 apart are apart; 0.0 and -0.0 are not.
CREATE TABLE predictions AS FROM (VALUES
    (0, 0e0, 1.0, 'a'), (1, -0e0, 2.0, 'a'), (1, 1e-17, 1.0, 'a'), (0, 2e-17, 0.5, 'a'), (1, 3e-17, 1.0, 'a'),
    (0, 3e-17, 1.5, 'a'), (1, 5e-324, 1.0, 'b'), (0, 1e-323, 1.0, 'b'), (0, -0e0, 0.25, 'b'), (1, 0e0, 1.0, 'b'),
    (0, 1e-1, 1.0, 'b'), (1, 0.10000000000000002e0, 1.0, 'b'), (0, 1e-1, 0.0, 'b')
) AS _(label, score, weight, group_id);
