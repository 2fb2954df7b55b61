-- One score for all: AUC is 1/2, average precision the share of the positives, and no line fits.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.3, 1.0, 'a'), (0, 0.3, 2.0, 'a'), (0, 0.3, 0.5, 'b'), (1, 0.3, 0.25, 'b'), (0, 0.3, 1.0, 'c'),
    (0, 0.3, 0.0, 'c'), (1, 0.3, 0.0, 'd')
) AS _(label, score, weight, group_id);
