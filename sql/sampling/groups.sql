-- name:     groups
-- title:    Groups of adjacent ranks, with the chance of each observed rank in a sample
-- inputs:   group_chances (number, sampled_rank, n_ranks, chance), shares (system, sampled_rank, share)
-- grain:    number
SELECT
    group_chances.number,
    any_value(group_chances.n_ranks) AS n_ranks,
    list(group_chances.chance ORDER BY group_chances.sampled_rank) AS chances
FROM group_chances
WHERE group_chances.sampled_rank IN (SELECT sampled_rank FROM shares)
GROUP BY group_chances.number;
