-- name:     ece
-- title:    Expected calibration error, as an aggregate
-- inputs:   predictions (label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           edges DOUBLE[] DEFAULT NULL CHECK (list_extract(edges, 1) = 0 AND list_extract(edges, -1) = 1
--               AND list_sort(list_distinct(edges)) = edges)
-- formula:  sum over bins of equal width, or with these edges, of |sum of p - y| / n
-- note:     a sum for each of up to 10 or 20 bins; for more, and with edges, the rows are sorted by bin and walked one
--           by one: excess is the sum in the bin reached, total that of the bins before
SELECT
    CASE WHEN $bins > 20 OR $edges IS NOT NULL THEN
        list_extract(list_transform(
            [list_reduce(
                list_sort(list({'bin': bin, 'excess': weight * p - positives, 'total': 0e0}), 'ASC', 'NULLS FIRST'),
                lambda upto, entry: {
                    'bin': entry['bin'],
                    'excess': CASE WHEN upto['bin'] = entry['bin'] THEN upto['excess'] ELSE 0e0 END + entry['excess'],
                    'total': upto['total'] + CASE WHEN upto['bin'] = entry['bin'] THEN 0e0 ELSE abs(upto['excess']) END
                }
            )],
            lambda last: last['total'] + abs(last['excess'])
        ), 1)
    ELSE
        coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 0)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 1)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 2)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 3)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 4)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 5)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 6)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 7)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 8)), 0)
        + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 9)), 0)
        + CASE WHEN $bins > 10 THEN
            coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 10)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 11)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 12)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 13)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 14)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 15)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 16)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 17)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 18)), 0)
            + coalesce(abs(sum(weight * p - positives) FILTER (WHERE bin = 19)), 0)
        ELSE 0e0 END
    END / nullif(sum(weight), 0) AS value
FROM binned;
