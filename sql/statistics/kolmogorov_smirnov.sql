-- name:     kolmogorov_smirnov
-- title:    Kolmogorov-Smirnov test of two samples against a control
-- meaning:  The test compares the shares of values up to each point in an arm and in a control. It finds the point
--           where the shares differ most, and shows whether the two distributions differ by more than chance explains.
-- use:      to detect drift: compare today's scores with those of last week, or a new model with the old one
-- beware:   with many rows, a difference that no user notices is significant: decide by the size of the statistic
-- reading:  statistic = 0: both samples have the same distribution
--           statistic = 0.1: at one point, the shares of values up to it differ by 10 percentage points
--           p < 0.05: the distributions differ by more than chance explains
-- inputs:   observations (arm, value)
-- params:   control VARCHAR, exact BOOLEAN DEFAULT NULL
-- values:   control: as in statistics/welch_t
--           exact: whether p counts all orders of the values; by default if they are few
-- grain:    one row per arm but the control: arm, p, n_control, n, statistic, largest_at, exact
-- range:    [0, 1], and largest_at in (-inf, inf)
-- formula:  statistic = max over x of abs(F(x) - F_control(x)), F(x) = share of values <= x; p is the share of the
--           orders of n + n_control values with at least this statistic, or Q(statistic * sqrt(n n_control / (n +
--           n_control))), Q the survival function of Kolmogorov
-- tex:      D = \max_x \left| F(x) - F_c(x) \right|
-- symbols:  F, F_c: the shares of values up to x in the arm and in the control
-- source:   Smirnov, Annals of Mathematical Statistics 1948, doi:10.1214/aoms/1177730256; exact: Hodges, Arkiv för
--           Matematik 1958, doi:10.1007/BF02589501
-- oracle:   scipy.stats.ks_2samp(method='exact'), scipy.special.kolmogorov
-- example:  kolmogorov_smirnov(VALUES ('A', 1), ('A', 2), ('A', 3), ('B', 3), ('B', 4), ('B', 5); control := 'A') =
--           'B', 0.6, 3, 3, 0.6666666666666666, 2, TRUE
-- related:  population_stability, jensen_shannon, category_drift, mann_whitney, welch_t
-- categorical: category_drift
-- small:    the exact p holds for any number of units and any distribution
-- note:     NULL values are left out. By default, p is exact if (n + n_control) * least(n, n_control) is at most
--           200000; exact=true allows ten times as much. If a value is in both samples, the true p is smaller.
--           largest_at is the smallest x with the largest difference. If p is not exact, it comes from the same limit
--           as in R; scipy uses another approximation, which gives a smaller p
WITH differences_at AS (
    -- In whole numbers, because equal differences must be equal.
    SELECT
        arm, value, n_control, n,
        abs(to_here * n_control - control_to_here * n) AS difference,
        max(abs(to_here * n_control - control_to_here * n)) OVER (PARTITION BY arm) AS largest
    FROM merged_samples
),
found AS (
    SELECT
        arm, n_control, n, largest, min(value) AS largest_at,
        greatest(n_control, n) AS more, least(n_control, n) AS fewer,
        (n + n_control) * least(n, n_control) <= CASE WHEN $exact THEN 2e6 ELSE 2e5 END
            AND coalesce($exact, TRUE) AS exact
    FROM differences_at
    WHERE difference = largest
    GROUP BY arm, n_control, n, largest
)
SELECT
    arm,
    CASE
        WHEN largest = 0 THEN 1e0
        WHEN NOT exact THEN kolmogorov_sf(largest / nullif(sqrt(n * n_control * (n + n_control)), 0))
        -- Probability that i of the first s values in order are of the smaller sample with a larger difference on
        -- the way: one list for every s, with all i.
        ELSE list_extract(list_reduce(
            list_prepend(
                list_transform(range(0, CAST(fewer AS BIGINT) + 1), lambda i: 0e0),
                list_transform(range(1, CAST(more + fewer AS BIGINT) + 1), lambda s: [CAST(s AS DOUBLE)])),
            lambda reached, s: list_transform(range(0, CAST(fewer AS BIGINT) + 1), lambda i: CASE
                WHEN i > s[1] OR s[1] - i > more THEN 0e0
                WHEN abs(i * more - (s[1] - i) * fewer) >= largest THEN 1e0
                ELSE (i * coalesce(reached[i], 0e0) + (s[1] - i) * reached[i + 1]) / nullif(s[1], 0)
            END)), -1)
    END AS p,
    CAST(n_control AS BIGINT) AS n_control,
    CAST(n AS BIGINT) AS n,
    largest / nullif(n * n_control, 0) AS statistic,
    largest_at,
    exact
FROM found
ORDER BY arm;
