-- name:     novelty_slopes
-- title:    Change of the novelty of all recommendations with each list that has an item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), history (query_id, item_id)
-- grain:    system, segment, item_id
-- note:     the history is taken as given
WITH summed AS (
    SELECT
        system,
        segment,
        sum(n_lists * novelty) / sum(n_lists) AS mean_novelty,
        sum(n_lists) AS n_places
    FROM item_novelties
    WHERE novelty IS NOT NULL
    GROUP BY system, segment
)
SELECT
    item_novelties.system,
    item_novelties.segment,
    item_novelties.item_id,
    (item_novelties.novelty - summed.mean_novelty) / summed.n_places AS slope,
    0e0 AS mean_slope
FROM item_novelties
JOIN summed ON summed.system = item_novelties.system AND summed.segment = item_novelties.segment
WHERE item_novelties.novelty IS NOT NULL;
