-- Scores that are no probabilities: infinite, near the largest double, denormal, negative.
CREATE TABLE predictions AS FROM (VALUES
    (1, 'inf'::DOUBLE, 1.0, 'a'), (0, 'inf', 0.5, 'a'), (1, 1.7e308, 1.0, 'a'), (0, -1.7e308, 2.0, 'a'),
    (0, '-inf', 1.0, 'a'), (1, '-inf', 0.25, 'b'), (0, 5e-324, 1.0, 'b'), (1, -5e-324, 1.0, 'b'), (0, 0e0, 1.0, 'b'),
    (1, -0e0, 1.0, 'b'), (1, 1e-300, 0.0, 'b'), (0, 3.5, 1.5, 'c'), (1, 7.0, 1.0, 'c')
) AS _(label, score, weight, group_id);
