-- name:     dcg
-- macro:    rel for label, rank for score
-- title:    Discounted cumulative gain of items with a rank, as an aggregate
-- inputs:   predictions (label, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- requires: predictions (label >= 0), predictions (score >= 1)
-- formula:  sum over ranks i <= k of rel_i / log2(i + 1)
SELECT coalesce(sum(label / log(2, greatest(score, 1) + 1)) FILTER (WHERE score <= coalesce($k, score)), 0) AS value
FROM ratings;
