-- name:     same_list
-- title:    items that are in at least 90 % of the first-10 lists of a system, and fill half of the places
-- for:      ranking
-- severity: warning
-- why:      every user gets nearly the same list, so the system may have lost what distinguishes users
-- column:   predictions.item_id
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   has_truth BOOLEAN DEFAULT TRUE
-- depth:    10
-- advice:   check that the features of users reach the model; of a list of the most popular items this is expected
-- note:     lists of fewer than 20 queries, or out of fewer than 20 items, are alike by chance; the items of all
--           systems and of the truth count
WITH known_items AS (
    SELECT item_id FROM predictions
    UNION ALL
    SELECT item_id FROM truth WHERE $has_truth
),
places AS (
    SELECT system, query_id, item_id
    FROM ranked
    WHERE rank <= 10
),
sizes AS (
    SELECT system, count(*) AS n_places, count(DISTINCT query_id) AS n_lists
    FROM places
    GROUP BY system
),
common AS (
    SELECT places.system, places.item_id, count(*) AS n_having, sizes.n_lists, sizes.n_places
    FROM places
    JOIN sizes ON sizes.system = places.system
    GROUP BY places.system, places.item_id, sizes.n_lists, sizes.n_places
    HAVING 10 * count(*) >= 9 * sizes.n_lists AND sizes.n_lists >= 20
),
filled AS (
    SELECT system, sum(n_having) AS n_filled
    FROM common
    GROUP BY system
)
SELECT common.system, common.item_id, common.n_having AS lists, common.n_lists AS of_lists
FROM common
JOIN filled ON filled.system = common.system
WHERE 2 * filled.n_filled >= common.n_places
    AND (SELECT count(DISTINCT item_id) FROM known_items) >= 20;
