-- name:     max_t
-- title:    Comparisons with a baseline, adjusted together by the largest statistic of random swaps
-- meaning:  An adjusted p-value accounts for the number of comparisons. max_t swaps the values of each system and the
--           baseline in random queries, which are the same for all systems and metrics. It shows how often the largest
--           of all statistics is then at least as large as an observed one. The correction is smaller for correlated
--           comparisons.
-- use:      when you compare several systems or metrics on the same queries, and decide by the p-values
-- beware:   the correction covers only the comparisons that you pass; pass all comparisons that you look at, not only
--           those that look good
-- reading:  p_adjusted < 0.05: the difference from the baseline remains significant after the correction
--           p_adjusted >= 0.05: chance can explain a difference this large among this many comparisons
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42,
--           groups INTEGER DEFAULT 2000 CHECK (groups > 1),
--           alpha DOUBLE DEFAULT 0.05 CHECK (alpha > 0 AND alpha < 1)
-- values:   resamples: the number of random draws of the signs
--           seed: as in relations/inference/replicates
--           groups: as in relations/inference/sign_groups
--           alpha: the significance level of p_adjusted that alpha_each is computed for
-- grain:    one row per system and metric: system, metric, n, delta, statistic, p, p_adjusted, alpha_each, resamples
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = S / sqrt((n Q - S^2) / (n - 1)), S the sum of the differences and Q the sum of their squares; z
--           = (8 df + 1) / (8 df + 3) * sqrt(df * ln(1 + statistic^2 / df)), df = n - 1, is nearly normal for any n,
--           and below the normal quantile with two-sided p = 2^(1 - n), which equal differences have; p = (1 + k) / (1
--           + resamples), k the number of random signs with abs(S*) >= abs(S); p_adjusted is the same with k the number
--           of random signs with max z* >= z, max over this comparison and those with a smaller z, and not smaller
--           than that of a larger z; alpha_each = normal_p of the quantile 1 - alpha of the max z* of all comparisons
-- tex:      \tilde{p}_{(i)} = \max_{h \le i} \frac{1 + \sum_{b=1}^{B} \mathbb{1}\left[\max_{j \ge h} z^*_{b(j)}
--           \ge z_{(h)}\right]}{1 + B}
-- symbols:  z_{(i)}: the i-th largest statistic of all comparisons, on the scale of a normal distribution
--           z^*_{b(j)}: the statistic of the j-th comparison with the random signs b
--           B: the number of resamples
--           \tilde{p}_{(i)}: the adjusted p of the i-th comparison
-- source:   Westfall and Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1; Romano and Wolf, Journal of the
--           American Statistical Association 2005, doi:10.1198/016214504000000539; z: Wallace, Annals of Mathematical
--           Statistics 1959, doi:10.1214/aoms/1177706095
-- oracle:   numpy with the same signs
-- example:  max_t(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1), ('B', 'm', 2, 2),
--           ('B', 'm', 3, 3); baseline := 'A', resamples := 100) = 'B', 'm', 3, 2, 3.464101615137755,
--           0.27722772277227725, 0.27722772277227725, 0.2500000473606994, 100
-- related:  adjusted_p, randomization_test, tukey_hsd, paired_t
-- note:     all rows are one family. The test assumes that each difference from the baseline is as likely as the same
--           difference with the other sign. With many queries, this assumption is not needed: the random signs keep the
--           correlation of the differences. Units without a value for the system or the baseline are left out, so n may
--           differ between comparisons. The signs come from a hash of query_id, so p is the same as in
--           randomization_test with exact=false. If there are more units than groups, statistic and p come from the
--           sums of the groups. Differences of up to 1e-12 of the mean size of the values are ties. With one unit, p is
--           NULL, and the comparison is not part of the family. If all differences are equal, statistic is NULL
WITH placed AS (
    SELECT
        scored.number, family.system, family.metric, family.threshold, scored.z * (1 - 1e-9) AS z,
        row_number() OVER (ORDER BY scored.z DESC, scored.number) AS place
    FROM sign_scores AS scored
    JOIN sign_families AS family ON family.number = scored.number
    WHERE scored.draw = -1
),
maxima AS (
    SELECT
        placed.place, placed.z, placed.threshold, scored.size,
        max(scored.z) OVER (
            PARTITION BY scored.draw ORDER BY placed.place DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS top
    FROM sign_scores AS scored
    JOIN placed ON placed.number = scored.number
    WHERE scored.draw >= 0
),
tallies AS (
    SELECT
        place,
        (1 + count(*) FILTER (WHERE size >= threshold)) / nullif(1e0 + count(*), 0) AS p,
        (1 + count(*) FILTER (WHERE top >= z)) / nullif(1e0 + count(*), 0) AS p_of_step,
        quantile_disc(top, 1 - $alpha) AS critical
    FROM maxima
    GROUP BY place
),
adjusted AS (
    SELECT
        placed.system, placed.metric, tallies.p,
        -- A total of 0 except for rounding makes p 1.
        max(greatest(tallies.p_of_step, tallies.p)) OVER (
            ORDER BY placed.place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS p_adjusted,
        max(tallies.critical) OVER () AS critical
    FROM tallies
    JOIN placed ON placed.place = tallies.place
)
SELECT
    family.system, family.metric, family.n,
    family.total / nullif(family.n, 0) AS delta,
    CASE WHEN family.total * family.total < family.m * family.square * (1 - 1e-12)
        THEN family.total / nullif(sqrt((family.m * family.square - family.total * family.total)
            / nullif(family.m - 1, 0)), 0) END AS statistic,
    adjusted.p, adjusted.p_adjusted,
    normal_p(adjusted.critical) AS alpha_each,
    CAST($resamples AS BIGINT) AS resamples
FROM sign_families AS family
LEFT JOIN adjusted ON adjusted.system = family.system AND adjusted.metric = family.metric;
