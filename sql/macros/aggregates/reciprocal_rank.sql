-- name:     reciprocal_rank
-- macro:    rel for label
-- title:    Reciprocal rank of the first relevant item by descending score, as an aggregate
-- inputs:   predictions (label, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- requires: predictions (label >= 0)
-- formula:  1 / place of the first relevant item, 0 beyond k; among equal scores the relevant items are last
-- note:     the mean over the queries is MRR, as in avg(reciprocal_rank) over a SELECT ... GROUP BY query_id. NULL for
--           a list without a relevant item, as with no_relevant := 'null'. If relevant items may be missing from the
--           list, as in a top-10 list, a list without a hit is worth 0: write coalesce(reciprocal_rank(...), 0)
SELECT
    coalesce(1e0 / list_min(list_transform(
        list_sort(list({'score': -score, 'relevant': label > 0}), 'ASC', 'NULLS FIRST'),
        lambda entry, place: CASE WHEN entry['relevant'] AND place <= coalesce($k, place) THEN place END
    )), CASE WHEN max(label) > 0 THEN 0e0 END) AS value
FROM ratings;
