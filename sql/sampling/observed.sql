-- name:     observed
-- title:    Share of the queries of each system at each observed rank in a sample, with the chance of the rank by
--           group
-- inputs:   group_chances (number, sampled_rank, n_ranks, chance), shares (system, sampled_rank, share)
-- grain:    system, sampled_rank
WITH chances AS (
    SELECT sampled_rank, list(chance ORDER BY number) AS chances
    FROM group_chances
    WHERE sampled_rank IN (SELECT sampled_rank FROM shares)
    GROUP BY sampled_rank
),
systems AS (SELECT DISTINCT system FROM shares)
SELECT systems.system, chances.sampled_rank, coalesce(shares.share, 0e0) AS share, chances.chances
FROM systems
CROSS JOIN chances
LEFT JOIN shares ON shares.system = systems.system AND shares.sampled_rank = chances.sampled_rank;
