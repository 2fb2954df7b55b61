-- name:     ks
-- title:    Kolmogorov-Smirnov distance of the scores of both classes, as an aggregate
-- inputs:   predictions (label, score, weight)
-- formula:  max over thresholds of |TPR - FPR|
-- note:     FROM ks(data, label, score, per := column) is faster for groups of millions of rows, above all with
--           weights, and can use the disk; here, every group is a list in memory. Sorted as for auc; if the last row
--           of a score is the i-th of its class, then place - i rows of the other class are at or below that score.
--           With weights, the list is walked row by row: positives and negatives are the weights up to the score
--           reached
SELECT
    CASE
        WHEN $weighted AND NOT coalesce(sum(weight * label) > 0 AND sum(weight * (1 - label)) > 0, FALSE) THEN NULL
        WHEN $weighted THEN list_extract([list_reduce(
            list_sort(list({
                'score': score, 'positives': weight * label, 'negatives': weight * (1 - label), 'farthest': 0e0
            }), 'ASC', 'NULLS FIRST'),
            lambda upto, entry: {
                'score': entry['score'],
                'positives': upto['positives'] + entry['positives'],
                'negatives': upto['negatives'] + entry['negatives'],
                'farthest': CASE
                    WHEN upto['score'] = entry['score'] THEN upto['farthest']
                    ELSE greatest(upto['farthest'], abs(
                        upto['positives'] / nullif(sum(weight * label), 0)
                        - upto['negatives'] / nullif(sum(weight * (1 - label)), 0)
                    ))
                END
            }
        )], 1)['farthest']
        ELSE list_extract(list_transform(
            [list_sort(list({'score': score, 'negative': label < 1}), 'ASC', 'NULLS FIRST')],
            lambda entries: list_max(list_concat(
                list_transform(list_filter(list_transform(
                    entries, lambda entry, place: CASE WHEN NOT entry['negative'] THEN place END
                ), lambda place: place IS NOT NULL), lambda place, i: CASE
                    WHEN coalesce(entries[place + 1]['score'] <> entries[place]['score'], TRUE)
                    THEN abs(i / nullif(sum(label), 0) - (place - i) / nullif(sum(1 - label), 0))
                END),
                list_transform(list_filter(list_transform(
                    entries, lambda entry, place: CASE WHEN entry['negative'] THEN place END
                ), lambda place: place IS NOT NULL), lambda place, i: CASE
                    WHEN coalesce(entries[place + 1]['score'] <> entries[place]['score'], TRUE)
                    THEN abs((place - i) / nullif(sum(label), 0) - i / nullif(sum(1 - label), 0))
                END)
            ))
        ), 1)
    END AS value
FROM labeled;
