-- name:     few_lists
-- title:    Systems and slices with so few lists that chance shows in the exposure of items
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, segment
-- note:     n_places is the number of recommendations. With n items, lists of l items and u lists, the bias of an
--           entropy is a share of its standard error that changes with n / (l sqrt(u)). In a simulation with a Gini
--           index and an entropy, intervals of 95 % contain the value of all users in less than 90 % of the cases if u
--           is below 20 n^2 / l^2
SELECT system, segment, count(*) AS n_items, sum(n_lists) AS n_places
FROM item_lists
GROUP BY system, segment
HAVING CAST(sum(n_lists) AS DOUBLE) * sum(n_lists) < 20e0 * count(*) * count(*) * max(n_all_lists);
