-- name:     jensen_shannon
-- title:    Jensen-Shannon distance of two samples from a control
-- meaning:  The Jensen-Shannon distance reports how far two distributions are apart, from 0 to 1. It compares the
--           shares of both samples in bins. Each bin holds the same number of values of the control.
-- use:      to detect drift with a bounded number that empty bins do not make large
-- beware:   it is above 0 by chance, the more so the fewer values there are: compare it with the distance between two
--           samples of the control
-- reading:  jensen_shannon = 0: both samples have the same share in each bin
--           jensen_shannon = 1: no bin has values of both samples
-- inputs:   observations (arm, value)
-- params:   control VARCHAR, bins INTEGER DEFAULT 10 CHECK (bins > 1)
-- values:   control: as in statistics/welch_t
--           bins: as in relations/inference/sample_bins
-- grain:    one row per arm but the control: arm, n_control, n, jensen_shannon
-- range:    [0, 1]
-- formula:  jensen_shannon = sqrt(sum over bins of (a log2(a / m) + b log2(b / m)) / 2), m = (a + b) / 2
-- tex:      \text{JS} = \sqrt{\frac{1}{2} \sum_j a_j \log_2 \frac{a_j}{m_j} + b_j \log_2 \frac{b_j}{m_j}}
--           \qquad m_j = \frac{a_j + b_j}{2}
-- symbols:  a_j, b_j: the shares of the values of the arm and of the control in bin j
--           m_j: the mean of both shares
-- source:   Lin, IEEE Transactions on Information Theory 1991, doi:10.1109/18.61115; distance: Endres and Schindelin,
--           IEEE Transactions on Information Theory 2003, doi:10.1109/TIT.2003.813506
-- oracle:   scipy.spatial.distance.jensenshannon(base=2)
-- example:  jensen_shannon(VALUES ('A', 1), ('A', 2), ('A', 3), ('A', 4), ('B', 1), ('B', 3), ('B', 4), ('B', 4);
--           control := 'A', bins := 2) = 'B', 4, 4, 0.22089576884901735
-- related:  population_stability, category_drift, kolmogorov_smirnov
-- categorical: category_drift
-- note:     the logarithm has base 2, and the result is the distance: its square is the divergence. With the natural
--           logarithm, the default of scipy, it is sqrt(ln 2) = 0.8326 times as large. An empty bin adds its share
--           without a smallest share. NULL values are left out. Equal values are in one bin, so there can be fewer
SELECT
    arm,
    CAST(n_control AS BIGINT) AS n_control,
    CAST(n AS BIGINT) AS n,
    -- Deviances add up to the same sum, because shares add up to 1, and they do not cancel.
    sqrt(least(sum(deviance(share, (share + control_share) * 0.5e0)
        + deviance(control_share, (share + control_share) * 0.5e0)) / nullif(2 * ln(2e0), 0), 1e0)) AS jensen_shannon
FROM sample_bins
GROUP BY arm, n_control, n
ORDER BY arm;
