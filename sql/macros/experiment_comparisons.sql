-- name:     experiment_comparisons
-- title:    Every metric of every treated variant, with the numbers of the statistic that compares them
-- inputs:   outcomes (metric, name, kind, other_name, is_lower), tallies (metric, arm, n, known, others),
--           found (statistic, metric, arm, control_value, value, delta, delta_lower, delta_upper, relative_change,
--           relative_lower, relative_upper, p, variance_reduction), statistics (kind, are_flags, statistic, relative)
-- params:   control VARCHAR
-- grain:    metric, arm
-- note:     a column of 0 and 1 is a proportion; statistics names the statistic of every kind, and, if it has no
--           relative change, another statistic that has one
WITH kinds AS (
    SELECT
        tallies.metric,
        sum(tallies.known) > 0 AND sum(tallies.others) = 0 AS are_flags
    FROM tallies
    GROUP BY tallies.metric
)
SELECT
    row_number() OVER (ORDER BY outcomes.metric, treated.arm) AS test,
    outcomes.metric,
    treated.arm,
    outcomes.name,
    outcomes.is_lower,
    CASE WHEN outcomes.kind = 'ratio' THEN outcomes.other_name END AS denominator,
    statistics.statistic,
    control.n AS n_control,
    control.known AS known_control,
    treated.n,
    treated.known,
    own.control_value,
    own.value,
    own.delta,
    own.delta_lower,
    own.delta_upper,
    CASE WHEN statistics.relative IS NULL THEN own.relative_change ELSE other.relative_change END AS relative_change,
    CASE WHEN statistics.relative IS NULL THEN own.relative_lower ELSE other.relative_lower END AS relative_lower,
    CASE WHEN statistics.relative IS NULL THEN own.relative_upper ELSE other.relative_upper END AS relative_upper,
    own.p,
    reduced.variance_reduction
FROM outcomes
JOIN kinds ON kinds.metric = outcomes.metric
JOIN statistics ON statistics.kind = outcomes.kind AND statistics.are_flags = kinds.are_flags
JOIN tallies AS control ON control.metric = outcomes.metric AND control.arm = $control
JOIN tallies AS treated ON treated.metric = outcomes.metric AND treated.arm <> $control
LEFT JOIN found AS own
    ON own.metric = outcomes.metric AND own.arm = treated.arm AND own.statistic = statistics.statistic
LEFT JOIN found AS other
    ON other.metric = outcomes.metric AND other.arm = treated.arm AND other.statistic = statistics.relative
-- A sequential test compares the values of another statistic, which reduces their variance.
LEFT JOIN found AS reduced
    ON reduced.metric = outcomes.metric AND reduced.arm = treated.arm AND reduced.variance_reduction IS NOT NULL;
