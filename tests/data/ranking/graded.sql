-- Fractional and large grades; more relevant items than k; equal grades in the ideal list.
CREATE TABLE predictions AS FROM (VALUES
    ('', 1, 10, 0.1), ('', 1, 11, 0.2), ('', 1, 12, 0.3), ('', 1, 13, 0.4), ('', 1, 14, 0.5), ('', 1, 15, 0.6),
    ('', 2, 10, 3.0), ('', 2, 11, 2.0), ('', 2, 12, 1.0)
) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES
    (1, 10, 4.0), (1, 11, 0.5), (1, 12, 2.0), (1, 13, 2.0), (1, 14, 0.0), (1, 15, 1.5), (1, 99, 3.0),
    (2, 10, 1.0), (2, 11, 1.0), (2, 12, 1.0)
) AS _(query_id, item_id, relevance);
