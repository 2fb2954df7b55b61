-- name:     probability_best
-- title:    Chance that each system is the best of all
-- meaning:  The chance of being the best shows how much the first place depends on the queries in the test set. The
--           bootstrap repeats the ranking of the systems on many random resamples of the queries, and counts how
--           often each system comes first.
-- use:      to see whether the leader of three or more systems would lead on another set of queries
-- beware:   it is not a test: a system with a chance of 90 % may differ from the second one by chance alone. Two
--           versions of one good system share their chance
-- reading:  probability = 0.9: the system is the best on 90 of 100 resamples
--           probability = 0: the system is the best on no resample
-- inputs:   per_query (system, metric, query_id, value)
-- params:   resamples INTEGER DEFAULT 10000 CHECK (resamples > 1), seed INTEGER DEFAULT 42,
--           better VARCHAR DEFAULT 'higher' CHECK (better IN ('higher', 'lower', 'target')), target DOUBLE DEFAULT 0,
--           groups INTEGER DEFAULT 10000 CHECK (groups > 1)
-- values:   resamples: as in relations/inference/resample_means
--           seed: as in relations/inference/resample_means
--           better: as in relations/inference/shares_of_best
--           target: as in relations/inference/shares_of_best
--           groups: as in relations/inference/resample_means
-- grain:    one row per system and metric: system, metric, n, mean, probability, resamples
-- range:    (-inf, inf), and probability in [0, 1]
-- formula:  mean* = sum of w * value / sum of w, w Poisson with mean 1 per unit and resample, the same for all systems;
--           probability = mean of b / ties over the resamples, b = 1 if no system has a better mean*, else 0; ties is
--           the number of such systems
-- tex:      P_s = \frac{1}{B} \sum_{b=1}^{B} \frac{\mathbb{1}\left[\bar{x}^*_{bs} = \max_r \bar{x}^*_{br}\right]}
--           {\left|\left\{t : \bar{x}^*_{bt} = \max_r \bar{x}^*_{br}\right\}\right|}
-- symbols:  \bar{x}^*_{bs}: the mean of system s in resample b
--           B: the number of resamples
--           P_s: the chance that system s is the best
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552; Poisson weights: Chamandy et al.,
--           Estimating uncertainty for massive data streams, Google 2012
-- oracle:   numpy, to the error of resampling
-- example:  probability_best(VALUES ('A', 'm', 1, 0.5), ('A', 'm', 2, 0.5), ('B', 'm', 1, 1), ('B', 'm', 2, 1);
--           resamples := 100) = 'A', 'm', 2, 0.5, 0, 92; 'B', 'm', 2, 1, 1, 92
-- related:  tukey_hsd, bootstrap_interval, anova
-- note:     a resample counts if every system has a value in it. With one unit, and for a system without a value, the
--           chance is NULL. With more units than groups, each random group of units gets one weight
WITH observed AS (
    SELECT system, metric, count(value) AS n, avg(value) AS mean
    FROM per_query
    GROUP BY system, metric
)
SELECT
    observed.system, observed.metric, observed.n, observed.mean,
    CASE WHEN observed.n > 1 THEN shares_of_best.probability END AS probability,
    coalesce(shares_of_best.resamples, 0) AS resamples
FROM observed
LEFT JOIN shares_of_best ON shares_of_best.system = observed.system AND shares_of_best.metric = observed.metric;
