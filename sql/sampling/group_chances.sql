-- name:     group_chances
-- title:    Chance of each rank in a sample, for each group of adjacent ranks
-- inputs:   chances (rank, sampled_rank, chance), rank_groups (rank, number)
-- grain:    number, sampled_rank
-- note:     the ranks of a group are equally likely, so that the chance is the mean over them
SELECT
    rank_groups.number,
    chances.sampled_rank,
    count(*) AS n_ranks,
    avg(chances.chance) AS chance
FROM chances
JOIN rank_groups ON rank_groups.rank = chances.rank
GROUP BY rank_groups.number, chances.sampled_rank;
