-- Narrow numbers, and values that FLOAT and DOUBLE round differently; among them, p = 1 of a negative.
CREATE TABLE predictions AS
SELECT label::TINYINT AS label, score::FLOAT AS score, weight::FLOAT AS weight, group_id::SMALLINT AS group_id
FROM (VALUES
    (1, 0.1, 0.1, 1), (0, 0.3, 1.5, 1), (0, 0.7, 0.3, 1), (1, 0.7, 2.0, 2), (0, 1.0, 0.5, 2), (1, 1.0, 1.0, 2),
    (0, 0.0, 1.0, 2), (0, 1e-20, 0.7, 3), (1, 0.6, 0.0, 3), (1, 0.9, 1.0, 3), (0, 0.2, 0.1, 3)
) AS _(label, score, weight, group_id);
