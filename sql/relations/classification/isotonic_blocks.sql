-- name:     isotonic_blocks
-- title:    Blocks of the isotonic regression of the label on the score
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- portable: no, each round of pooling aggregates, which recursive queries elsewhere cannot
-- grain:    system, segment, lo
-- note:     pool adjacent violators, all at once: each round joins every run of neighbouring blocks whose shares of
--           positives do not rise, until all rise. Two such neighbours have one value in the solution, so the order of
--           the joins changes nothing. Usual data needs some tens of rounds, and a million scores take a second
WITH RECURSIVE pooled AS (
    SELECT
        system, segment, score AS lo, score AS hi, size, positives,
        positives + negatives AS total,
        score * (positives + negatives) AS predicted,
        CAST(2 AS BIGINT) AS most_joined
    FROM score_groups
    UNION ALL
    SELECT
        system, segment, lo, hi, size, positives, total, predicted,
        max(joined) OVER (PARTITION BY system, segment) AS most_joined
    FROM (
        SELECT
            system, segment,
            min(lo) AS lo, max(hi) AS hi,
            sum(size) AS size, sum(positives) AS positives, sum(total) AS total, sum(predicted) AS predicted,
            count(*) AS joined
        FROM (
            SELECT
                system, segment, lo, hi, size, positives, total, predicted,
                sum(starts) OVER (
                    PARTITION BY system, segment ORDER BY lo ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                ) AS block
            FROM (
                SELECT
                    system, segment, lo, hi, size, positives, total, predicted,
                    CASE
                        WHEN lag(positives / total) OVER (PARTITION BY system, segment ORDER BY lo)
                            >= positives / total THEN 0
                        ELSE 1
                    END AS starts
                FROM pooled
                WHERE most_joined > 1
            ) AS compared
        ) AS numbered
        GROUP BY system, segment, block
    ) AS blocks
)
SELECT system, segment, lo, hi, size, positives, total, predicted
FROM pooled
WHERE most_joined = 1;
