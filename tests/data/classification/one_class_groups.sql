-- Groups of one class, one of them only for want of weight, and one without any weight.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.9, 1.0, 'both'), (0, 0.8, 2.0, 'both'), (0, 0.95, 0.5, 'both'), (1, 0.1, 1.0, 'yes'), (1, 0.2, 1.0, 'yes'),
    (0, 0.3, 1.0, 'no'), (1, 0.7, 0.0, 'light'), (0, 0.6, 1.0, 'light'), (1, 0.5, 0.0, 'none'), (0, 0.4, 0.0, 'none'),
    (1, 0.5, 1.0, 'tied'), (0, 0.5, 3.0, 'tied')
) AS _(label, score, weight, group_id);
