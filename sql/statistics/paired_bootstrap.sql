-- name:     paired_bootstrap
-- title:    Paired bootstrap against a baseline
-- meaning:  The paired bootstrap shows how much a difference from a baseline depends on the queries in the test set.
--           It computes the difference again on many random resamples of the queries.
-- use:      to confirm paired_t when the differences are skewed
-- beware:   another seed gives a slightly different p and interval; more resamples make both more stable
-- reading:  p < 0.05: the difference from the baseline is larger than chance explains
--           delta_lower > 0: the mean is higher than the baseline's by more than chance explains
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 1), seed INTEGER DEFAULT 42,
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1),
--           method VARCHAR DEFAULT 'studentized' CHECK (method IN ('studentized', 'percentile'))
-- values:   level: as in mean_interval
--           method=studentized: the bounds come from resampled t-statistics
--           method=percentile: the bounds are percentiles of the resampled differences
-- grain:    one row per system and metric: system, metric, n, delta, se, delta_lower, delta_upper, p, resamples
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  delta* = sum of w * difference / sum of w, w Poisson with mean 1 per unit and resample; se is the
--           standard deviation of delta* over the resamples. studentized: t* = abs(delta* - delta) / se*, se*^2 =
--           (sum of w * (difference - delta*)^2 / sum of w) / (sum of w - 1); p = (1 + k) / (1 + resamples), k the
--           number of t* that are at least abs(delta) / (sd / sqrt(n)); the bounds are delta -+ q * sd / sqrt(n), q
--           the quantile of t* at the level. percentile: the bounds are percentiles of delta*, p = min(1, 2 * (1 + k)
--           / (1 + resamples)), k the number of delta* at or beyond 0, on the side with fewer of them
-- tex:      \delta^* = \frac{\sum_i w_i d_i}{\sum_i w_i} \qquad t^* = \frac{|\delta^* - \delta|}{\mathrm{se}^*}
--           \qquad p = \frac{1 + k}{1 + B}
-- symbols:  d_i: the difference in query i, system minus baseline
--           w_i: the random weight of query i in a resample, Poisson with mean 1
--           \delta: the mean of the differences
--           \delta^*: the mean difference of a resample
--           \mathrm{se}^*: the standard error of the resample
--           B: the number of resamples
--           k: the number of resamples with a t^* at least as large as the t of the data, with method=studentized
-- source:   Efron, Annals of Statistics 1979, doi:10.1214/aos/1176344552; studentized, symmetric: Hall, Annals of
--           Statistics 1988, doi:10.1214/aos/1176350933; Poisson weights: Chamandy et al., Estimating uncertainty for
--           massive data streams, Google 2012
-- oracle:   the values of DuckDB 1.3 to 2.0; paired_t, to the error of resampling
-- example:  paired_bootstrap(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('B', 'm', 1, 1), ('B', 'm', 2, 1); baseline
--           := 'A', resamples := 100) = 'B', 'm', 2, 1, 0, 1, 1, 0.5, 84
-- related:  paired_t, randomization_test, bootstrap_interval
-- note:     the weights come from a hash of query_id: the same ids and seed give the same numbers. A resample in which
--           all weights are 0 does not count; with one unit there is no interval. p is at least 2 / 2^n, the smallest p
--           of the sign test, which it is if all differences are equal and not 0. With fewer than ten units, t* may
--           have no finite quantile, and the bounds are NULL. method=percentile is too narrow with fewer than 50 units;
--           with 20 units, its test rejects a true null hypothesis in 7 to 9 of 100 tests
WITH summed AS (
    SELECT
        system, metric, n, mean, sd, rounding,
        count(*) AS resamples,
        stddev_samp(delta ORDER BY delta) AS se,
        list_sort(list(delta), 'ASC', 'NULLS FIRST') AS deltas,
        list_sort(list(t), 'ASC', 'NULLS FIRST') AS ts,
        count(*) FILTER (WHERE t >= abs(mean) * sqrt(n) / nullif(sd, 0) * (1 - 1e-12)) AS farther,
        least(count(*) FILTER (WHERE delta <= rounding), count(*) FILTER (WHERE delta >= -rounding)) AS beyond
    FROM replicates
    GROUP BY system, metric, n, mean, sd, rounding
),
bounded AS (
    SELECT
        system, metric, n, mean AS delta, sd, rounding, resamples, se, farther, beyond,
        sd <= rounding AS constant,
        list_extract(ts, CAST(ceil($level * (resamples + 1) - 1e-9) AS BIGINT)) AS quantile,
        list_transform([0.5e0 - 0.5e0 * $level, 0.5e0 + 0.5e0 * $level], lambda q:
            list_extract(deltas, 1 + CAST(floor((resamples - 1) * q) AS BIGINT))
            + ((resamples - 1) * q - floor((resamples - 1) * q)) * coalesce(
                list_extract(deltas, 2 + CAST(floor((resamples - 1) * q) AS BIGINT))
                - list_extract(deltas, 1 + CAST(floor((resamples - 1) * q) AS BIGINT)), 0)) AS bounds
    FROM summed
),
tested AS (
    SELECT
        system, metric, n, delta, rounding, se, bounds, resamples, farther, beyond, constant,
        CASE WHEN constant THEN 0e0 WHEN isfinite(quantile) THEN quantile * sd / nullif(sqrt(n), 0) END AS half
    FROM bounded
)
SELECT
    system, metric, n, delta,
    CASE WHEN n > 1 THEN se END AS se,
    CASE WHEN n > 1 THEN CASE $method WHEN 'studentized' THEN delta - half
        ELSE list_extract(bounds, 1) END END AS delta_lower,
    CASE WHEN n > 1 THEN CASE $method WHEN 'studentized' THEN delta + half
        ELSE list_extract(bounds, 2) END END AS delta_upper,
    CASE
        WHEN n < 2 THEN NULL
        WHEN constant AND abs(delta) <= rounding THEN 1e0
        WHEN constant THEN power(2e0, 1 - n)
        WHEN $method = 'percentile'
            THEN greatest(least(2e0 * (1 + beyond) / nullif(1 + resamples, 0), 1e0), power(2e0, 1 - n))
        ELSE greatest((1 + farther) / nullif(1 + resamples, 0), power(2e0, 1 - n))
    END AS p,
    resamples
FROM tested;
