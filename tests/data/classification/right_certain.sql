-- All certain and all right: eps=0 gives 0, and a line separates the classes.
CREATE TABLE predictions AS FROM (VALUES
    (1, 1e0, 1.0, 'a'), (0, 0e0, 0.5, 'a'), (0, 0e0, 4.0, 'b'), (1, 1e0, 1.0, 'b')
) AS _(label, score, weight, group_id);
