-- name:     miscalibration
-- alias:    steck, calibration_kl
-- title:    Distance between the categories that a user likes and those that the list shows
-- group:    Diversity
-- meaning:  Miscalibration compares the categories of the first k items with those of the user's history. It is 0 if
--           both have the same shares.
-- use:      to see whether small interests of a user are crowded out by the largest one
-- beware:   a user without a history has no value and does not count; read n_undefined next to the mean
-- reading:  0: the list has the same shares of categories as the history
--           4.6: with mixture=0.01, the list shows nothing of what the user likes
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           history (query_id, item_id), item_categories (item_id, category)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           mixture DOUBLE DEFAULT 0.01 CHECK (mixture > 0 AND mixture <= 1),
--           discount VARCHAR DEFAULT 'none' CHECK (discount IN ('none', 'log2', 'geometric')),
--           patience DOUBLE DEFAULT 0.85 CHECK (patience > 0 AND patience < 1)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           mixture: the part of the history's shares that is mixed into the list's shares
--           discount: as in relations/ranking/categorized
--           patience: as in relations/ranking/categorized
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     patience WHEN discount <> 'geometric'
-- depth:    k
-- grain:    system, query_id
-- range:    [0, inf), lower is better
-- formula:  sum over categories c of p_c ln(p_c / ((1 - a) q_c + a p_c))
-- tex:      \mathrm{KL}_k = \sum_{c} p_c \ln \frac{p_c}{(1 - \alpha) q_c + \alpha p_c}
-- symbols:  p_c: the share of category c in the history of the user
--           q_c: the share of category c in the first k items
--           \alpha: mixture, the part of p_c that keeps the quotient finite
-- source:   Steck, RecSys 2018, doi:10.1145/3240323.3240372
-- oracle:   reference
-- example:  miscalibration(k := 2) = 2.69168
-- worked:   q1: 0.5 * ln(0.5 / (0.99 * 0.75 + 0.01 * 0.5)) + 0.5 * ln(0.5 / (0.01 * 0.5)) = 2.1015
--           q2: 0.75 * ln(0.75 / (0.01 * 0.75)) + 0.25 * ln(0.25 / (0.99 * 0.5 + 0.01 * 0.25)) = 3.2818
-- related:  category_entropy, exposure
-- note:     each item, and each interaction of the history, spreads the weight 1 over its categories; without
--           categories on either side the list has no value
SELECT
    system,
    query_id,
    sum(liked * ln(liked / ((1 - $mixture) * shown + $mixture * liked))) AS value
FROM liked_categories
GROUP BY system, query_id;
