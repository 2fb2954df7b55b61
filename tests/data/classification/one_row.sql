CREATE TABLE predictions AS FROM (VALUES (1, 0.25, 2.0, 'a')) AS _(label, score, weight, group_id);
