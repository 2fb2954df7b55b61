-- name:     average_precision
-- title:    Average precision, as an aggregate
-- inputs:   predictions (label, score, weight)
-- formula:  sum over distinct scores, descending, of (R - previous R) P
-- note:     FROM pr_auc(data, label, score, per := column) is faster for groups of millions of rows, above all with
--           weights, and can use the disk; here, every group is a list in memory. Sorted as for auc, by ascending
--           score, the positives first among equal scores: hits are the places of the positives, steps the first hits
--           of every score, at or above which hits i to the last have been found. With weights, the list is walked
--           row by row from the highest score: gain is the weight of the positives at the score reached, found and
--           total are those at or above it, area is the sum before it
SELECT
    CASE WHEN $weighted THEN
        list_extract(list_transform(
            [list_reduce(
                list_sort(list({
                    'score': -score, 'gain': weight * label, 'found': weight * label, 'total': weight, 'area': 0e0
                }), 'ASC', 'NULLS FIRST'),
                lambda upto, entry: {
                    'score': entry['score'],
                    'gain': CASE WHEN upto['score'] = entry['score'] THEN upto['gain'] ELSE 0e0 END + entry['gain'],
                    'found': upto['found'] + entry['found'],
                    'total': upto['total'] + entry['total'],
                    'area': upto['area'] + CASE
                        WHEN upto['score'] = entry['score'] THEN 0e0
                        ELSE upto['gain'] * upto['found'] / nullif(upto['total'], 0)
                    END
                }
            )],
            lambda last: last['area'] + last['gain'] * last['found'] / nullif(last['total'], 0)
        ), 1) / nullif(sum(weight * label), 0)
    ELSE
        list_extract(list_transform(
            [list_sort(list({'score': score, 'negative': label < 1}), 'ASC', 'NULLS FIRST')],
            lambda entries: list_extract(list_transform(
                [list_filter(list_transform(
                    entries, lambda entry, place: CASE WHEN NOT entry['negative'] THEN place END
                ), lambda place: place IS NOT NULL)],
                lambda hits: list_extract(list_transform(
                    [list_filter(list_transform(hits, lambda hit, i: CASE
                        WHEN coalesce(entries[hit - 1]['score'] <> entries[hit]['score'], TRUE) THEN i
                    END), lambda i: i IS NOT NULL)],
                    lambda steps: list_sum(list_transform(steps, lambda step, i:
                        (coalesce(steps[i + 1], len(hits) + 1) - step) * CAST(len(hits) + 1 - step AS DOUBLE)
                            / (len(entries) + 1 - hits[step])
                    ))
                ), 1)
            ), 1)
        ), 1) / nullif(sum(label), 0)
    END AS value
FROM labeled;
