-- name:     rbo
-- title:    Rank-biased overlap with a reference run
-- group:    Against another run
-- meaning:  RBO compares the order of two lists. It is the expected share of common items for a user who compares the
--           lists from the top and goes one rank deeper with probability p.
-- use:      to see how much a new version changes what users look at, where the top matters most
-- beware:   rest=extrapolated assumes that the lists go on as they begin; with short lists and a large p this decides
--           most of the value
-- reading:  1: both lists are the same
--           0: the lists have no item in common
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           reference (query_id, item_id, score)
-- params:   p DOUBLE DEFAULT 0.9 CHECK (p > 0 AND p < 1),
--           k INTEGER DEFAULT NULL CHECK (k > 0),
--           rest VARCHAR DEFAULT 'extrapolated' CHECK (rest IN ('extrapolated', 'truncated', 'normalized'))
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   p: as in rbp
--           k: as in recall
--           rest: as in relations/ranking/agreements
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], neither is better
-- formula:  (1 - p) * sum over depths d of p^(d - 1) * X_d / d, X_d the number of items that both lists have up to d
-- tex:      \mathrm{RBO} = (1 - p) \sum_{d} p^{d - 1} \frac{X_d}{d}
-- symbols:  p: the probability that the user goes on to the next rank
--           d: the depth, from 1 to the last rank of the longer list
--           X_d: the number of items that are in the first d of both lists
-- source:   Webber, Moffat and Zobel, TOIS 2010, doi:10.1145/1852102.1852106
-- oracle:   reference
-- example:  rbo(k := 2) = 0.95
-- worked:   q1: 0.1 * (0 / 1 + 0.9 * 2 / 2) + 0.9 ^ 2 * 2 / 2 = 0.9
--           q2: 0.1 * (1 / 1 + 0.9 * 2 / 2) + 0.9 ^ 2 * 2 / 2 = 1
-- related:  overlap, kendall_tau, tau_ap
-- note:     rest=extrapolated is equation 32 of the paper, for lists of different lengths
SELECT
    system,
    query_id,
    (1 - $p) / $p * sum(CASE WHEN agrees_from IS NOT NULL THEN total_end - total_before ELSE 0 END)
        / CASE $rest
            WHEN 'normalized' THEN 1 - power($p, coalesce($k, max(longer)))
            ELSE 1
        END
        + CASE
            WHEN $rest <> 'extrapolated' THEN 0
            ELSE
                -- The longer list goes on alone, and the shorter one agrees with it as much as before.
                count(CASE WHEN agrees_from <= shorter THEN 1 END) / CAST(max(shorter) AS DOUBLE)
                * (
                    power($p, max(shorter)) - power($p, max(longer))
                    - (1 - $p) / $p * max(shorter) * (max(total_end) - max(total_shorter))
                    + power($p, max(longer))
                )
                + count(CASE WHEN agrees_from > shorter THEN 1 END) / CAST(max(longer) AS DOUBLE)
                * power($p, max(longer))
        END AS value
FROM agreements
GROUP BY system, query_id;
