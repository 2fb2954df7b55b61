-- name:     explained_groups
-- title:    Groups of items with what each adds to the mean, and its share
-- inputs:   explained (kind, segment, n_groups, n, baseline_n, contribution, baseline_contribution)
-- params:   baseline VARCHAR DEFAULT NULL,
--           by VARCHAR DEFAULT 'rank',
--           rounding DOUBLE DEFAULT 1e-12
-- note:     explained has the rows of the relation contribution_groups. The share is that of the difference, or of the
--           value where there is no baseline; a difference of the size of rounding errors has no shares
WITH summed AS (
    SELECT
        kind,
        segment,
        CAST(n_groups AS BIGINT) AS n_groups,
        CAST(n AS BIGINT) AS n,
        CASE WHEN $baseline IS NOT NULL THEN CAST(baseline_n AS BIGINT) END AS baseline_n,
        contribution,
        CASE WHEN $baseline IS NOT NULL THEN baseline_contribution END AS baseline_contribution,
        CASE WHEN $baseline IS NOT NULL THEN contribution - baseline_contribution END AS difference,
        contribution - baseline_contribution AS added,
        sum(contribution) OVER () AS whole,
        sum(baseline_contribution) OVER () AS baseline_whole
    FROM explained
)
SELECT
    kind,
    segment,
    n_groups,
    n,
    baseline_n,
    contribution,
    baseline_contribution,
    difference,
    CASE
        WHEN abs(whole - baseline_whole) > $rounding * greatest(abs(whole), abs(baseline_whole))
            THEN added / (whole - baseline_whole)
    END AS share
FROM summed
ORDER BY
    CASE kind WHEN 'group' THEN 0 WHEN 'others' THEN 1 ELSE 2 END,
    CASE WHEN $by = 'rank' THEN segment END,
    abs(added) DESC,
    CAST(segment AS VARCHAR);
