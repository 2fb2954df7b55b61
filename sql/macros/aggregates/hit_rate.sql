-- name:     hit_rate
-- macro:    rel for label
-- title:    Whether a relevant item is in the first k by descending score, as an aggregate
-- inputs:   predictions (label, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- requires: predictions (label >= 0)
-- formula:  1 if a relevant item is among the first k, else 0; among equal scores the relevant items are last
-- note:     NULL for a list without a relevant item, as with no_relevant := 'null'. If relevant items may be missing
--           from the list, as in a top-10 list, a list without a hit is worth 0: write coalesce(hit_rate(...), 0)
SELECT
    CASE WHEN max(label) > 0 THEN list_max(list_transform(
        list_sort(list({'score': -score, 'relevant': label > 0}), 'ASC', 'NULLS FIRST'),
        lambda entry, place: CASE WHEN entry['relevant'] AND place <= coalesce($k, place) THEN 1e0 ELSE 0e0 END
    )) END AS value
FROM ratings;
