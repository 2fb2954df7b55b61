-- The smallest input: one prediction, one judgment.
CREATE TABLE predictions AS FROM (VALUES ('', 'q', 'a', 0.0)) AS _(system, query_id, item_id, score);
CREATE TABLE truth AS FROM (VALUES ('q', 'a', 1.0)) AS _(query_id, item_id, relevance);
