-- name:     auc_row_influence
-- title:    Influence of every row on the AUC of its system
-- inputs:   scores (system, row_id, label, score)
-- grain:    system, row_id
-- formula:  influence = (placement - auc) / sqrt(m (m - 1)), m rows of the class; the placement of a positive is the
--           share of negatives below it, and the placement of a negative is the share of positives above it, ties 1/2
-- source:   DeLong, DeLong and Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595; midranks: Sun and Xu, IEEE
--           Signal Processing Letters 2014, doi:10.1109/LSP.2014.2337313
-- note:     scaled so that the sum of squares is the variance of the AUC; NULL if a class has fewer than 2 rows
WITH labeled AS (
    SELECT system, row_id, score, CAST(label AS DOUBLE) > 0 AS positive
    FROM scores
    WHERE score IS NOT NULL AND label IS NOT NULL
),
ranked AS (
    -- The midrank among all rows of the system, minus the midrank among the rows of the class.
    SELECT
        system, row_id, positive,
        rank() OVER (PARTITION BY system ORDER BY score) + 0.5e0 * count(*) OVER (PARTITION BY system, score)
            - rank() OVER (PARTITION BY system, positive ORDER BY score)
            - 0.5e0 * count(*) OVER (PARTITION BY system, positive, score) AS others_below,
        CAST(count(*) OVER (PARTITION BY system, positive) AS DOUBLE) AS n_own,
        count(*) OVER (PARTITION BY system) - count(*) OVER (PARTITION BY system, positive) AS n_other
    FROM labeled
),
aucs AS (
    SELECT
        system,
        count(*) FILTER (WHERE positive) AS n_positive,
        count(*) FILTER (WHERE NOT positive) AS n_negative,
        avg(CASE WHEN positive THEN others_below / nullif(n_other, 0) END) AS auc
    FROM ranked
    GROUP BY system
)
SELECT
    ranked.system, ranked.row_id, ranked.positive, aucs.n_positive, aucs.n_negative, aucs.auc,
    CASE WHEN aucs.n_positive > 1 AND aucs.n_negative > 1 THEN
        (CASE WHEN ranked.positive THEN 0e0 ELSE 1e0 END
            + CASE WHEN ranked.positive THEN 1e0 ELSE -1e0 END * ranked.others_below / nullif(ranked.n_other, 0)
            - aucs.auc) / nullif(sqrt(ranked.n_own * (ranked.n_own - 1)), 0)
    END AS influence
FROM ranked
JOIN aucs ON aucs.system = ranked.system;
