-- name:     unreadable_metrics
-- title:    Problem of metrics that cannot be read, if no other problem explains it
SELECT 'metrics: they cannot be read; write them as ''ndcg@10, map'' or as a list of texts' AS problem;
