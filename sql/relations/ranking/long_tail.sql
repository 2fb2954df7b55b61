-- name:     long_tail
-- title:    Returned items, each with whether it is in the long tail
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id)
-- params:   popularity VARCHAR DEFAULT 'interactions' CHECK (popularity IN ('interactions', 'users')),
--           tail VARCHAR DEFAULT 'interactions' CHECK (tail IN ('interactions', 'items', 'count')),
--           boundary DOUBLE DEFAULT 0.8,
--           cold VARCHAR DEFAULT 'tail' CHECK (cold IN ('tail', 'head'))
-- values:   popularity: as in item_popularity
--           tail=interactions: all items but the most popular ones, which have most interactions
--           tail=items: a share of the items, the least popular ones, at least one item
--           tail=count: the items whose popularity is at most the boundary
--           boundary: the share of the head; tail=count: the largest popularity in the tail
--           cold=tail: an item that the history lacks is in the tail
--           cold=head: an item that the history lacks is not in the tail
-- grain:    system, query_id, item_id
-- note:     tail=interactions: the head is the shortest list of the most popular items with the share boundary of
--           all interactions; tail=items: an item is in the tail if the share boundary of all items is above it;
--           shares are divided before they are compared, because 0.55 * 20 is above 11, but 11 / 20 is 0.55
SELECT
    system,
    query_id,
    item_id,
    rank,
    CASE
        WHEN popularity IS NULL THEN CASE $cold WHEN 'tail' THEN 1 ELSE 0 END
        WHEN $tail = 'interactions' AND more_popular / popularity_of_all >= $boundary THEN 1
        WHEN $tail = 'items' AND (tail_place = 1 OR CAST(n_items - tail_place AS DOUBLE) / n_items >= $boundary) THEN 1
        WHEN $tail = 'count' AND popularity <= $boundary THEN 1
        ELSE 0
    END AS in_tail
FROM recommended;
