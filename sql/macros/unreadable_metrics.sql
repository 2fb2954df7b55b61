-- name:     unreadable_metrics
-- title:    The problem where metrics cannot be read and no other problem says why
SELECT 'metrics: they cannot be read; write them as ''ndcg@10, map'' or as a list of texts' AS problem;
