-- Labels are true and false, groups are dates, weights are whole numbers.
CREATE TABLE predictions AS FROM (VALUES
    (true, 0.9, 1, DATE '2024-01-01'), (false, 0.4, 2, DATE '2024-01-01'), (false, 0.6, 0, DATE '2024-01-01'),
    (true, 0.6, 1, DATE '2024-01-02'), (false, 0.1, 1, DATE '2024-01-02'), (true, 0.2, 3, DATE '2024-01-03')
) AS _(label, score, weight, group_id);
