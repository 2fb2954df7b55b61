-- name:     explained_items
-- title:    Items of one query with what each adds, those of the baseline next to them
-- inputs:   explained (system, item_id, rank, tie_first, relevance, relevant, gain, contribution)
-- params:   baseline VARCHAR DEFAULT NULL
-- note:     explained has the rows of the relation contributions for one query. The items of the system come first, by
--           rank, then its relevant items without a rank, then the items of the baseline alone. A copy of an item that
--           is returned several times is paired with the copy of the same number
WITH marked AS (
    SELECT
        system,
        item_id,
        rank,
        relevance,
        relevant = 1 AS is_relevant,
        CAST(gain AS DOUBLE) AS gain,
        CAST(contribution AS DOUBLE) AS contribution,
        coalesce(
            tie_first IS NOT NULL
            AND min(CASE WHEN relevant = 1 THEN relevance ELSE 0 END) OVER (PARTITION BY system, tie_first)
            <> max(CASE WHEN relevant = 1 THEN relevance ELSE 0 END) OVER (PARTITION BY system, tie_first),
            FALSE
        ) AS tied,
        row_number() OVER (
            PARTITION BY system ORDER BY rank, coalesce(relevance, 0) DESC, CAST(item_id AS VARCHAR)
        ) AS place
    FROM explained
),
numbered AS (
    SELECT *, row_number() OVER (PARTITION BY system, item_id ORDER BY place) AS copy
    FROM marked
),
of_system AS (SELECT * FROM numbered WHERE system = ''),
of_baseline AS (SELECT * FROM numbered WHERE system = 'baseline')
SELECT
    coalesce(of_system.item_id, of_baseline.item_id) AS item_id,
    coalesce(of_system.relevance, of_baseline.relevance) AS relevance,
    coalesce(of_system.is_relevant, of_baseline.is_relevant) AS is_relevant,
    of_baseline.rank AS baseline_rank,
    of_baseline.gain AS baseline_gain,
    of_baseline.contribution AS baseline_contribution,
    of_baseline.tied AS baseline_tied,
    of_system.rank AS rank,
    of_system.gain AS gain,
    of_system.contribution AS contribution,
    of_system.tied AS tied,
    CASE
        WHEN $baseline IS NOT NULL THEN coalesce(of_system.contribution, 0) - coalesce(of_baseline.contribution, 0)
    END AS difference
FROM of_system
FULL JOIN of_baseline ON of_baseline.item_id = of_system.item_id AND of_baseline.copy = of_system.copy
ORDER BY of_system.place, of_baseline.place;
