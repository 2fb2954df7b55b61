-- name:     sample_bins
-- title:    Numbers of values of each arm and of the control in bins with equally many values of the control
-- inputs:   observations (arm, value)
-- switches: control VARCHAR, bins INTEGER DEFAULT 10 CHECK (bins > 1)
-- values:   control: as in statistics/welch_t
--           bins: the number of bins with equally many values of the control
-- grain:    arm, bin
-- note:     equal values are in one bin, so there can be fewer bins
WITH edged AS (
    SELECT
        arm, value, control_here, here, n_control, n,
        CASE WHEN floor(least(control_to_here * $bins / nullif(n_control, 0), $bins - 1))
            > floor((control_to_here - control_here) * $bins / nullif(n_control, 0)) THEN 1 ELSE 0 END AS is_last
    FROM merged_samples
),
binned AS (
    SELECT
        arm, control_here, here, n_control, n,
        sum(is_last) OVER (PARTITION BY arm ORDER BY value) - is_last AS bin
    FROM edged
)
SELECT
    arm, bin, n_control, n,
    sum(here) / nullif(n, 0) AS share,
    sum(control_here) / nullif(n_control, 0) AS control_share
FROM binned
GROUP BY arm, n_control, n, bin;
