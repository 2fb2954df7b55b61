-- name:     exposure_influence
-- title:    Value of each list whose mean is a metric of all lists
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           members (system, query_id, segment), slopes (system, segment, item_id, slope),
--           system_values (system, segment, value)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0)
-- values:   k: as in ranking/recall
-- grain:    system, segment, query_id
-- source:   Serfling, Approximation Theorems of Mathematical Statistics, 1980, chapter 6
-- note:     a slope is the change of the metric if one more list has an item (the influence function); the values
--           are those of the delta method: the metric plus n times the slopes of a list, less their mean
WITH summed AS (
    SELECT members.system, members.segment, members.query_id, coalesce(sum(slopes.slope), 0) AS total
    FROM members
    LEFT JOIN listed
        ON listed.system = members.system
        AND listed.segment = members.segment
        AND listed.query_id = members.query_id
        AND listed.rank <= coalesce($k, listed.rank)
    LEFT JOIN slopes
        ON slopes.system = listed.system AND slopes.segment = listed.segment AND slopes.item_id = listed.item_id
    GROUP BY members.system, members.segment, members.query_id
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
