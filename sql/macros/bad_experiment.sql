-- name:     bad_experiment
-- title:    Problems of the data of an A/B test
-- inputs:   arms (arm, n), planned (arm, observed, expected), tallies (metric, arm, bad_values, bad_others),
--           outcomes (metric, value_name, other_name)
-- params:   users VARCHAR,
--           variant VARCHAR,
--           control VARCHAR DEFAULT NULL
-- values:   users: table with one row per unit, such as a user
--           variant: the column that names the variant of a unit
--           control: the variant that the others are compared with
WITH known AS (
    SELECT
        count(*) AS n_arms,
        count(*) FILTER (WHERE arm = $control) AS n_control,
        coalesce(sum(n) FILTER (WHERE arm IS NULL), 0) AS n_unnamed,
        array_to_string(list_slice(list(arm ORDER BY arm ASC NULLS LAST), 1, 20), ', ') AS names
    FROM arms
),
unplanned AS (
    SELECT
        min(arm) FILTER (WHERE expected IS NULL) AS arm,
        -- The rest of 1 for those that have none; without a rest, as much as the others have.
        CASE
            WHEN sum(expected) < 1 - 1e-12
                THEN (1 - sum(expected)) / nullif(count(*) FILTER (WHERE expected IS NULL), 0)
            ELSE avg(expected)
        END AS share,
        array_to_string(list(arm ORDER BY arm ASC NULLS LAST) FILTER (WHERE expected IS NOT NULL), ', ') AS names
    FROM planned
),
infinite AS (
    SELECT
        outcomes.metric,
        CASE WHEN sum(tallies.bad_values) > 0 THEN outcomes.value_name ELSE outcomes.other_name END AS name,
        CASE WHEN sum(tallies.bad_values) > 0 THEN sum(tallies.bad_values) ELSE sum(tallies.bad_others) END AS n
    FROM tallies
    JOIN outcomes ON outcomes.metric = tallies.metric
    GROUP BY outcomes.metric, outcomes.value_name, outcomes.other_name
)
SELECT problem
FROM (
    SELECT
        CASE
            WHEN n_arms = 0 THEN $users || ': no rows; check how it was exported'
            WHEN n_arms > 50 THEN 'column ''' || $variant || ''' has more than 50 different values; '
                || 'name the column of the variant'
            WHEN n_unnamed > 0 THEN 'column ''' || $variant || ''': ' || CAST(n_unnamed AS VARCHAR)
                || CASE WHEN n_unnamed > 1 THEN ' units have' ELSE ' unit has' END
                || ' no variant; name the variant of every unit, or leave these units out'
            WHEN $control IS NULL THEN 'control is missing; choose ' || names
            WHEN n_control = 0 THEN 'column ''' || $variant || ''' has no control ''' || $control
                || '''; there are ' || names || '; name one of the variants'
            WHEN n_arms < 2 THEN 'column ''' || $variant || ''' has only the variant ''' || $control
                || '''; compare two or more'
        END AS problem
    FROM known
    UNION ALL
    SELECT 'shares: variant ''' || arm || ''' has none; given for ' || names || '; add one: ' || arm || '='
        || format('{:.4g}', share)
    FROM unplanned
    UNION ALL
    SELECT 'column ''' || name || ''': ' || CAST(n AS VARCHAR)
        || ' rows with NaN or an infinite value; give finite numbers, or NULL for a missing number'
    FROM infinite
    WHERE n > 0
) AS found
WHERE problem IS NOT NULL;
