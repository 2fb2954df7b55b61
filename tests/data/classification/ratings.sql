-- Labels and scores are any numbers: ratings and their predictions; in group c, all labels are equal.
CREATE TABLE predictions AS FROM (VALUES
    (4.5, 4.1, 1.0, 'a'), (3, 3.5, 2.0, 'a'), (5, 4.9, 0.5, 'a'), (-1, 0.5, 1.0, 'a'), (2, 2, 0.0, 'a'),
    (1, 1.25, 1.0, 'b'), (4, 2.75, 0.1, 'b'), (3.7, 3.9, 1.0, 'b'), (0.1, 1, 1.0, 'c'), (0.1, 2, 3.0, 'c'),
    (0.1, 3, 0.7, 'c')
) AS _(label, score, weight, group_id);
