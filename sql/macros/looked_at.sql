-- name:     looked_at
-- title:    Paired tests whose p and intervals hold at every look
-- inputs:   paired_once (system, metric, delta_lower, delta_upper, relative_lower, relative_upper, statistic, df, se,
--           p), always_valid (system, metric, delta_lower, delta_upper, relative_lower, relative_upper, p)
-- grain:    system, metric
-- note:     without a standard error, there is no smallest difference that a test detects: that of paired_t is for one
--           look
SELECT
    paired_once.* REPLACE (
        always_valid.delta_lower AS delta_lower,
        always_valid.delta_upper AS delta_upper,
        always_valid.relative_lower AS relative_lower,
        always_valid.relative_upper AS relative_upper,
        always_valid.p AS p,
        CAST(NULL AS DOUBLE) AS se
    ),
    CAST(NULL AS DOUBLE) AS n_effective
FROM paired_once
JOIN always_valid ON always_valid.system = paired_once.system AND always_valid.metric = paired_once.metric;
