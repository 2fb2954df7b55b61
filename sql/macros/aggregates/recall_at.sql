-- name:     recall_at
-- macro:    rel for label
-- title:    Share of the relevant items in the first k by descending score, as an aggregate
-- inputs:   predictions (label, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- requires: predictions (label >= 0)
-- formula:  relevant items among the first k / all of them; among equal scores the relevant items are last
-- note:     all of them are those of the list; NULL for a list without a relevant item, as with no_relevant :=
--           'null'. If relevant items may be missing from the list, as in a top-10 list, use the table macro, which
--           reads the truth
SELECT
    CASE WHEN max(label) > 0 THEN list_sum(list_transform(
        list_sort(list({'score': -score, 'relevant': label > 0}), 'ASC', 'NULLS FIRST'),
        lambda entry, place: CASE WHEN entry['relevant'] AND place <= coalesce($k, place) THEN 1e0 ELSE 0e0 END
    )) / nullif(count(*) FILTER (WHERE label > 0), 0) END AS value
FROM ratings;
