-- name:     randomization_tost
-- title:    Randomization tests of a margin: not worse, and equivalent
-- meaning:  These tests show whether the mean of a system is close enough to the mean of a baseline, as paired_tost
--           does. They move the differences by the margin, and choose their signs at random. A p-value shows how often
--           the sum is then at least as far in the direction of the test.
-- use:      for a margin if there are few queries, or if the differences are skewed
-- beware:   choose the margin before you look at the data; with 5 queries, an exact p cannot be below 0.03125
-- reading:  p_higher < 0.05: the mean is above the baseline mean minus the margin: not worse, if higher is better
--           p_lower < 0.05: the mean is below the baseline mean plus the margin: not worse, if lower is better
--           p_equivalent < 0.05: the means differ by less than the margin
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, margin DOUBLE CHECK (margin > 0), relative BOOLEAN DEFAULT FALSE,
--           resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42, exact BOOLEAN DEFAULT NULL
-- values:   margin: as in paired_tost
--           relative: as in paired_tost
--           resamples: as in randomization_test
--           seed: as in relations/inference/replicates
--           exact: as in randomization_test
-- grain:    one row per system and metric: system, metric, n, baseline_mean, mean, delta, margin, statistic_higher,
--           statistic_lower, p_higher, p_lower, p_equivalent, resamples, exact
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic_higher = sum of difference + margin, statistic_lower = sum of difference - margin; p_higher = (1
--           + k) / (1 + resamples), k the number of sums with random signs that are at least statistic_higher; p_lower
--           likewise with sums of at most statistic_lower; p_equivalent the larger of both; exact: p is the share of
--           all 2^n choices of signs. If relative, margin is the share times the value of the baseline in each query;
--           for a negative mean of the baseline, the other way round
-- tex:      p_{\mathrm{higher}} = \frac{1 + k}{1 + B} \qquad
--           k = \sum_{b=1}^{B} \mathbb{1}\left[\sum_i \sigma_{bi} \, (d_i + m) \ge \sum_i (d_i + m)\right]
-- symbols:  d_i: the difference in query i, system minus baseline
--           m: the margin
--           \sigma_{bi}: a random sign, 1 or -1
--           B: the number of resamples
-- source:   Fisher, The Design of Experiments, 1935; Phipson and Smyth, 2010, doi:10.2202/1544-6115.1585; two
--           one-sided tests: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987, doi:10.1007/BF01068419
-- oracle:   scipy.stats.permutation_test(permutation_type='samples') of the moved differences
-- example:  randomization_tost(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1), ('B',
--           'm', 2, 2), ('B', 'm', 3, 3); baseline := 'A', margin := 4) = 'B', 'm', 3, 0, 2, 2, 4, 18, -6, 0.125,
--           0.125, 0.125, 8, TRUE
-- related:  paired_tost, randomization_test, adjusted_p
-- note:     the test assumes that each moved difference is as likely as the same difference with the other sign. With
--           many queries, this assumption is not needed. Units without a value for the system or the baseline are left
--           out. If all moved differences are equal, the statistic is NULL. With one unit, p is NULL. A relative margin
--           needs a baseline with a mean other than 0. The signs are those of randomization_test
WITH sums AS (
    SELECT
        system, metric, sum(raised) AS raised, sum(lowered) AS lowered,
        max(raised) - min(raised) AS raised_width, max(lowered) - min(lowered) AS lowered_width
    FROM moved_differences
    GROUP BY system, metric
),
tallies AS (
    SELECT
        draws.system, draws.metric, count(*) AS resamples,
        count(*) FILTER (WHERE draws.raised >= sums.raised - family.rounding * family.n) AS higher,
        count(*) FILTER (WHERE draws.lowered <= sums.lowered + family.rounding * family.n) AS lower
    FROM signed_sums AS draws
    JOIN sums ON sums.system = draws.system AND sums.metric = draws.metric
    JOIN margin_families AS family ON family.system = draws.system AND family.metric = draws.metric
    GROUP BY draws.system, draws.metric
),
tested AS (
    SELECT
        family.system, family.metric, family.n, family.baseline_mean, family.mean, family.delta,
        CASE
            WHEN NOT $relative THEN $margin
            WHEN abs(family.baseline_mean) > family.rounding THEN $margin * abs(family.baseline_mean)
        END AS margin,
        CASE WHEN sums.raised_width > family.rounding THEN sums.raised END AS statistic_higher,
        CASE WHEN sums.lowered_width > family.rounding THEN sums.lowered END AS statistic_lower,
        -- The smallest exact p is that of one choice of signs.
        greatest(power(2e0, -family.n), (tallies.higher + CASE WHEN family.exact THEN 0 ELSE 1 END)
            / nullif(tallies.resamples + CASE WHEN family.exact THEN 0 ELSE 1 END, 0)) AS p_higher,
        greatest(power(2e0, -family.n), (tallies.lower + CASE WHEN family.exact THEN 0 ELSE 1 END)
            / nullif(tallies.resamples + CASE WHEN family.exact THEN 0 ELSE 1 END, 0)) AS p_lower,
        tallies.resamples, family.exact
    FROM margin_families AS family
    JOIN sums ON sums.system = family.system AND sums.metric = family.metric
    JOIN tallies ON tallies.system = family.system AND tallies.metric = family.metric
)
SELECT
    system, metric, n, baseline_mean, mean, delta, margin,
    CASE WHEN margin > 0 THEN statistic_higher END AS statistic_higher,
    CASE WHEN margin > 0 THEN statistic_lower END AS statistic_lower,
    CASE WHEN margin > 0 AND n > 1 THEN p_higher END AS p_higher,
    CASE WHEN margin > 0 AND n > 1 THEN p_lower END AS p_lower,
    CASE WHEN margin > 0 AND n > 1 THEN greatest(p_higher, p_lower) END AS p_equivalent,
    resamples, exact
FROM tested;
