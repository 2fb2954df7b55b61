-- name:     auc
-- title:    Area under the ROC curve, as an aggregate
-- inputs:   predictions (label, score)
-- formula:  1 - (sum of the places of the positives, first and last among equal scores - P (P + 1)) / (2 P N)
-- note:     exact, in memory: a list for each group; table macro and Python take any size
SELECT
    1 - (
        list_sum(list_transform(
            list_sort(list({'score': -score, 'last': 1 - label}), 'ASC', 'NULLS FIRST'),
            lambda entry, place: (1 - entry['last']) * place
        ))
        + list_sum(list_transform(
            list_sort(list({'score': -score, 'last': label}), 'ASC', 'NULLS FIRST'),
            lambda entry, place: entry['last'] * place
        ))
        - sum(label) * (sum(label) + 1)
    ) / 2e0 / nullif(sum(label) * (count(*) - sum(label)), 0) AS value
FROM labeled;
