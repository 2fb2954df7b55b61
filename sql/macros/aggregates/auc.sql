-- name:     auc
-- title:    Area under the ROC curve, as an aggregate
-- inputs:   predictions (label, score, weight)
-- formula:  (sum of the places of the positives + T / 2 - P (P + 1) / 2) / (P N), places by ascending score, the
--           positives first among equal scores; T is the number of pairs of a positive and a negative that tie
-- note:     FROM roc_auc(data, label, score, per := column) is faster for groups of millions of rows, above all with
--           weights, and can use the disk; here, every group is a list in memory. Edges are the places where a run of
--           equal scores begins, where its negatives begin, and where it ends. With weights, the list is walked row
--           by row: won is the weight of the pairs won, level that of the negatives at the score reached, below that
--           of those before
SELECT
    CASE WHEN $weighted THEN
        list_extract([list_reduce(
            list_sort(list({
                'score': score, 'gain': weight * label, 'level': weight * (1 - label), 'below': 0e0, 'won': 0e0
            }), 'ASC', 'NULLS FIRST'),
            lambda upto, entry: {
                'score': entry['score'],
                'gain': entry['gain'],
                'level': CASE WHEN upto['score'] = entry['score'] THEN upto['level'] ELSE 0e0 END + entry['level'],
                'below': upto['below'] + CASE WHEN upto['score'] = entry['score'] THEN 0e0 ELSE upto['level'] END,
                'won': upto['won'] + entry['gain'] * (
                    upto['below'] + upto['level'] / CASE WHEN upto['score'] = entry['score'] THEN 2e0 ELSE 1e0 END
                )
            }
        )], 1)['won'] / nullif(sum(weight * label) * sum(weight * (1 - label)), 0)
    ELSE
        (list_extract(list_transform(
            [list_sort(list({'score': score, 'negative': label < 1}), 'ASC', 'NULLS FIRST')],
            lambda entries: list_sum(list_transform(
                entries, lambda entry, place: CASE WHEN entry['negative'] THEN 0 ELSE place END
            )) + list_extract(list_transform(
                [list_filter(list_transform(entries, lambda entry, place: CASE
                    WHEN coalesce(entries[place - 1]['score'] = entry['score'], FALSE)
                        <> coalesce(entries[place + 1]['score'] = entry['score'], FALSE)
                        OR entries[place - 1]['score'] = entry['score']
                        AND entries[place - 1]['negative'] <> entry['negative'] THEN place
                END), lambda place: place IS NOT NULL)],
                lambda edges: coalesce(list_sum(list_transform(edges, lambda edge, i: CASE
                    WHEN entries[edge]['negative']
                        AND NOT entries[edge - 1]['negative']
                        AND entries[edge - 1]['score'] = entries[edge]['score']
                    THEN (edge - edges[i - 1]) * (1 + CASE
                        WHEN entries[edge + 1]['score'] = entries[edge]['score'] THEN edges[i + 1] - edge ELSE 0
                    END)
                    ELSE 0
                END)), 0)
            ), 1) / 2e0
        ), 1) - sum(label) * (sum(label) + 1) / 2e0) / nullif(sum(label) * (count(*) - sum(label)), 0)
    END AS value
FROM labeled;
