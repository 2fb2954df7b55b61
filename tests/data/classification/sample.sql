-- The clicks of five users: the numbers of the headers' examples. Weights have another name, so they do not count.
CREATE TABLE predictions AS FROM (VALUES
    (1, 0.72, 1, 'u1'), (0, 0.15, 1, 'u1'), (0, 0.4, 2, 'u1'), (0, 0.08, 1, 'u1'),
    (1, 0.33, 1, 'u1'), (0, 0.4, 3, 'u1'), (0, 0.05, 1, 'u2'), (0, 0.22, 1, 'u2'),
    (0, 0.31, 1, 'u2'), (0, 0.12, 2, 'u2'), (1, 0.55, 2, 'u3'), (1, 0.61, 1, 'u3'),
    (0, 0.55, 1, 'u3'), (1, 0.28, 1, 'u3'), (0, 0.09, 1, 'u3'), (1, 0.9, 1, 'u4'),
    (1, 0.45, 3, 'u4'), (1, 0.77, 1, 'u4'), (0, 0.18, 1, 'u5'), (0, 0.03, 1, 'u5'),
    (1, 0.18, 2, 'u5'), (0, 0.52, 1, 'u5'), (0, 0.27, 1, 'u5'), (0, 0.11, 1, 'u5')
) AS _(label, score, w, group_id);
