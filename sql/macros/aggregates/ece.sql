-- name:     ece
-- title:    Expected calibration error, as an aggregate
-- inputs:   predictions (label, score)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0)
-- formula:  sum over bins of equal width of |sum of p - y| / n
SELECT
    list_extract(list_transform(
        [list({'bin': bin, 'excess': p - positives})],
        lambda given: list_sum(list_transform(
            range($bins),
            lambda b: abs(list_sum(list_transform(
                list_filter(given, lambda entry: entry['bin'] = b), lambda entry: entry['excess']
            )))
        ))
    ), 1) / nullif(count(*), 0) AS value
FROM binned;
