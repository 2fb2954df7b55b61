-- name:     ndcg
-- macro:    rel for label
-- title:    Normalized discounted cumulative gain by descending score, as an aggregate
-- inputs:   predictions (label, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- requires: predictions (label >= 0)
-- formula:  DCG@k / IDCG@k with rel_i / log2(i + 1); among equal scores the largest grades are last
-- note:     the ideal order is that of the list; NULL for a list without a relevant item, as with no_relevant :=
--           'null'. If relevant items may be missing from the list, as in a top-10 list, use the table macro, which
--           reads the truth
SELECT
    list_sum(list_transform(
        list_sort(list({'score': -score, 'grade': label}), 'ASC', 'NULLS FIRST'),
        lambda entry, place: CASE WHEN place <= coalesce($k, place) THEN entry['grade'] / log(2, place + 1) ELSE 0e0 END
    )) / nullif(list_sum(list_transform(
        list_sort(list(-label), 'ASC', 'NULLS FIRST'),
        lambda grade, place: CASE WHEN place <= coalesce($k, place) THEN -grade / log(2, place + 1) ELSE 0e0 END
    )), 0) AS value
FROM ratings;
