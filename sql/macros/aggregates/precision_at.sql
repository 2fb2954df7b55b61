-- name:     precision_at
-- macro:    rel for label
-- title:    Share of relevant items in the first k by descending score, as an aggregate
-- inputs:   predictions (label, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- requires: predictions (label >= 0)
-- formula:  relevant items among the first k / k, without a cut-off / all items; among equal scores the relevant items
--           are last
-- note:     NULL for a list without a relevant item, as with no_relevant := 'null'. If relevant items may be missing
--           from the list, as in a top-10 list, a list without a hit is worth 0: write coalesce(precision_at(...), 0)
SELECT
    CASE WHEN max(label) > 0 THEN list_sum(list_transform(
        list_sort(list({'score': -score, 'relevant': label > 0}), 'ASC', 'NULLS FIRST'),
        lambda entry, place: CASE WHEN entry['relevant'] AND place <= coalesce($k, place) THEN 1e0 ELSE 0e0 END
    )) / nullif(coalesce($k, count(*)), 0) END AS value
FROM ratings;
