-- name:     exposure_influence
-- title:    Value of each list whose mean is a metric of all lists
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), slopes (system, segment, item_id, slope, mean_slope),
--           system_values (system, segment, value)
-- grain:    system, segment, query_id
-- source:   Serfling, Approximation Theorems of Mathematical Statistics, 1980, chapter 6
-- note:     a slope is the change of the metric with the exposure of an item, mean_slope that with its mean over
--           the items of a list; a value is the metric plus n times the slopes of a list, less their mean over lists
WITH summed AS (
    SELECT
        lists.system,
        lists.segment,
        lists.query_id,
        coalesce(sum(slopes.slope * first_items.exposure), 0) + coalesce(avg(slopes.mean_slope), 0) AS total
    FROM lists
    LEFT JOIN first_items
        ON first_items.system = lists.system
        AND first_items.segment = lists.segment
        AND first_items.query_id = lists.query_id
    LEFT JOIN slopes
        ON slopes.system = first_items.system
        AND slopes.segment = first_items.segment
        AND slopes.item_id = first_items.item_id
    GROUP BY lists.system, lists.segment, lists.query_id
)
SELECT
    summed.system,
    summed.segment,
    summed.query_id,
    system_values.value
        + count(*) OVER (PARTITION BY summed.system, summed.segment)
        * (summed.total - avg(summed.total) OVER (PARTITION BY summed.system, summed.segment)) AS value
FROM summed
JOIN system_values ON system_values.system = summed.system AND system_values.segment = summed.segment;
