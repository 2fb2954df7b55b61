-- name:     reciprocal_rank
-- title:    Reciprocal rank of the first positive by descending score, as an aggregate
-- inputs:   predictions (label, score)
-- formula:  1 / place of the first positive; among equal scores the positives are last
SELECT
    1e0 / list_min(list_transform(
        list_sort(list({'score': -score, 'label': label}), 'ASC', 'NULLS FIRST'),
        lambda entry, place: CASE WHEN entry['label'] = 1 THEN place END
    )) AS value
FROM labeled;
