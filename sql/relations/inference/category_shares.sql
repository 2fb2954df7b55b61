-- name:     category_shares
-- title:    Shares of each category in each arm and in the control, with places by their size
-- inputs:   categories (arm, category)
-- switches: control VARCHAR
-- values:   control: as in statistics/welch_t
-- grain:    arm, name
-- note:     NULL is a category of its own, called NULL. place counts all categories from the largest share on, and
--           place_alike those of both samples, of the arm alone, or of the control alone
WITH counted AS (
    SELECT
        arm, CAST(arm AS VARCHAR) = $control AS is_control, CAST(category AS VARCHAR) AS category,
        CAST(count(*) AS DOUBLE) AS n
    FROM categories
    WHERE arm IS NOT NULL
    GROUP BY arm, CAST(category AS VARCHAR)
),
arms AS (
    SELECT
        arm, sum(n) AS n, (SELECT sum(n) FROM counted WHERE is_control) AS n_control
    FROM counted
    WHERE NOT is_control
    GROUP BY arm
),
merged AS (
    SELECT
        arms.arm, arms.n, arms.n_control, counted.category,
        sum(CASE WHEN counted.is_control THEN 0e0 ELSE counted.n END) / nullif(arms.n, 0) AS share,
        sum(CASE WHEN counted.is_control THEN counted.n ELSE 0e0 END) / nullif(arms.n_control, 0) AS control_share
    FROM arms
    JOIN counted ON counted.is_control OR counted.arm = arms.arm
    WHERE arms.n_control > 0
    GROUP BY arms.arm, arms.n, arms.n_control, counted.category
)
SELECT
    arm, n, n_control, coalesce(category, 'NULL') AS name, share, control_share,
    row_number() OVER (PARTITION BY arm ORDER BY share + control_share DESC, category) AS place,
    row_number() OVER (PARTITION BY arm, share > 0, control_share > 0
        ORDER BY share + control_share DESC, category) AS place_alike
FROM merged;
