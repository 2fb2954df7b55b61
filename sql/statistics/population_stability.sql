-- name:     population_stability
-- title:    Population stability index of two samples against a control
-- meaning:  The population stability index reports how far a distribution has moved away from a control. It compares
--           the shares of both samples in bins. Each bin holds the same number of values of the control.
-- use:      to detect drift of scores or features, with the number that risk departments report
-- beware:   the usual limits 0.1 and 0.25 ignore the sample size: small samples exceed them by chance, and large
--           samples differ significantly far below them
-- reading:  psi = 0: both samples have the same share in each bin
--           psi = 0.25: by a common rule, a large change of the distribution
--           p < 0.05: the distributions differ by more than chance explains
-- inputs:   observations (arm, value)
-- params:   control VARCHAR, bins INTEGER DEFAULT 10 CHECK (bins > 1),
--           smallest DOUBLE DEFAULT 0.0001 CHECK (smallest > 0 AND smallest < 1)
-- values:   control: as in statistics/welch_t
--           bins: as in relations/inference/sample_bins
--           smallest: as in ranking/score_psi
-- grain:    one row per arm but the control: arm, p, n_control, n, psi, statistic, df
-- range:    [0, inf), and p in [0, 1]
-- formula:  psi = sum over bins of (a - b) ln(a / b); statistic = psi / (1 / n + 1 / n_control); p from the chi-square
--           distribution, df = bins with a value - 1
-- tex:      \text{PSI} = \sum_j (a_j - b_j) \ln \frac{a_j}{b_j}
-- symbols:  a_j, b_j: the shares of the values of the arm and of the control in bin j
-- source:   Siddiqi, Credit Risk Scorecards, Wiley 2006; test: Yurdakul and Naranjo, Journal of Risk Model Validation
--           2020, doi:10.21314/JRMV.2020.227
-- oracle:   numpy
-- example:  population_stability(VALUES ('A', 1), ('A', 2), ('A', 3), ('A', 4), ('B', 1), ('B', 3), ('B', 4),
--           ('B', 4); control := 'A', bins := 2) = 'B', NULL, 4, 4, 0.27465307216702745, 0.5493061443340549, 1
-- related:  category_drift, jensen_shannon, kolmogorov_smirnov, mann_whitney, chi_square_independence
-- categorical: category_drift
-- note:     NULL values are left out. Equal values are in one bin, so there can be fewer bins. The metric score_psi
--           computes the same for the scores of two runs. If fewer than 100 values are expected in a bin, p is NULL,
--           because the chi-square distribution gives too many alarms: use fewer bins
WITH shares AS (
    SELECT
        arm, n_control, n,
        greatest(share, $smallest) AS share,
        greatest(control_share, $smallest) AS control_share
    FROM sample_bins
),
indexed AS (
    SELECT
        arm, n_control, n,
        sum((share - control_share) * ln(share / nullif(control_share, 0))) AS psi,
        sum((share - control_share) * ln(share / nullif(control_share, 0))) / nullif(1 / nullif(n, 0)
            + 1 / nullif(n_control, 0), 0) AS statistic,
        least(min(control_share) * n, min(control_share) * n_control) AS least_expected,
        count(*) - 1 AS df
    FROM shares
    GROUP BY arm, n_control, n
)
SELECT
    arm,
    CASE WHEN df > 0 AND least_expected >= 100 THEN chi_square_sf(statistic, df) END AS p,
    CAST(n_control AS BIGINT) AS n_control,
    CAST(n AS BIGINT) AS n,
    psi,
    statistic,
    df
FROM indexed
ORDER BY arm;
