-- name:     tie_places
-- title:    Chances that the items at each rank are relevant, in a random order of equal scores
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, query_id, rank
-- formula:  of t equal scores, r are relevant: chance = r / t. With l of their places ahead of the rank, mean_hit = the
--           number of relevant items ahead of the group + 1 + l (r - 1) / (t - 1); met = P(no relevant item ahead)
--           r / (t - l); none_yet = product of 1 - r / (t - l) up to the rank
-- source:   McSherry and Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38
-- note:     chance is the probability that the item at the rank is relevant, met that it is the first relevant one, and
--           none_yet that no relevant item has come; mean_hit is the mean number of relevant items so far if one is
--           here. Queries without a relevant item have no rows
WITH counted AS (
    SELECT
        system, query_id, m, n_returned, rank,
        CAST(tie_last - tie_first + 1 AS DOUBLE) AS alike,
        CAST(rank - tie_first AS DOUBLE) AS ahead,
        CAST(sum(CASE WHEN is_relevant THEN 1 ELSE 0 END) OVER (
            PARTITION BY system, query_id, tie_first) AS DOUBLE) AS relevant_here,
        CAST(sum(CASE WHEN is_relevant THEN 1 ELSE 0 END) OVER (
            PARTITION BY system, query_id ORDER BY tie_first) AS DOUBLE) AS relevant_to_here
    FROM returned
    WHERE m > 0
),
chances AS (
    SELECT
        system, query_id, m, n_returned, rank,
        relevant_here / nullif(alike, 0) AS chance,
        relevant_to_here - relevant_here + 1
            + coalesce((relevant_here - 1) * ahead / nullif(alike - 1, 0), 0) AS mean_hit,
        relevant_here / nullif(alike - ahead, 0) AS found,
        greatest(alike - ahead - relevant_here, 0) / nullif(alike - ahead, 0) AS missed
    FROM counted
),
missing AS (
    SELECT
        system, query_id, m, n_returned, rank, chance, mean_hit, found,
        CASE WHEN min(missed) OVER (PARTITION BY system, query_id ORDER BY rank) = 0 THEN 0e0
            ELSE exp(sum(ln(CASE WHEN missed > 0 THEN missed ELSE 1e0 END))
                OVER (PARTITION BY system, query_id ORDER BY rank)) END AS none_yet
    FROM chances
)
SELECT
    system, query_id, m, n_returned, rank, chance, mean_hit, none_yet,
    coalesce(lag(none_yet) OVER (PARTITION BY system, query_id ORDER BY rank), 1e0) * least(found, 1e0) AS met
FROM missing;
