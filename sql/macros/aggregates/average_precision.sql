-- name:     average_precision
-- title:    Average precision, as an aggregate
-- inputs:   predictions (label, score)
-- formula:  sum over distinct scores, descending, of (R - previous R) P
-- note:     among equal scores the positives are last, so that the last of them is at the place of the threshold
SELECT
    list_extract(list_transform(
        [list_filter(
            list_transform(
                list_sort(list({'score': -score, 'label': label}), 'ASC', 'NULLS FIRST'),
                lambda entry, place: {'score': entry['score'], 'label': entry['label'], 'place': CAST(place AS DOUBLE)}
            ), lambda entry: entry['label'] = 1
        )],
        lambda hits: list_extract(list_transform(
            [list_filter(
                list_transform(hits, lambda hit, found: {
                    'found': CAST(found AS DOUBLE),
                    'place': hit['place'],
                    'ends': coalesce(hits[found + 1]['score'] <> hit['score'], TRUE)
                }), lambda hit: hit['ends']
            )],
            lambda steps: list_sum(list_transform(
                steps,
                lambda step, i: (step['found'] - coalesce(steps[i - 1]['found'], 0)) * step['found'] / step['place']
            ))
        ), 1) / nullif(len(hits), 0)
    ), 1) AS value
FROM labeled;
