-- name:     top_changed
-- title:    Share of lists with another first item than a reference run
-- group:    Against another run
-- meaning:  This metric is 1 if the first item of the list is not the first item of another run, such as the release
--           before. Its mean is the share of users who see a change at the top.
-- use:      to see how many users notice a new version at first sight
-- beware:   an exchange of two items of about equal score counts as much as a new item
-- reading:  0: the first item is the same everywhere
--           0.25: one of four users sees another first item
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    1
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  1 if the first item of the list is not that of the reference run, else 0
-- tex:      \mathbf{1} [ L_1 \ne B_1 ]
-- symbols:  L_1: the first item of the list
--           B_1: the first item of the reference run
-- source:   Fagin, Kumar and Sivakumar, SIAM Journal on Discrete Mathematics 2003, doi:10.1137/S0895480102412856
-- oracle:   reference
-- example:  top_changed() = 0.5
-- worked:   q1: 1 - 0 = 1
--           q2: 1 - 1 = 0
-- related:  overlap, least_promoted, rbo
SELECT
    system,
    query_id,
    max(CASE WHEN reference_rank = 1 THEN 0e0 WHEN n_reference > 0 THEN 1e0 END) FILTER (WHERE rank = 1) AS value
FROM moved
GROUP BY system, query_id;
