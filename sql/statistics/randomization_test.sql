-- name:     randomization_test
-- title:    Randomization test against a baseline
-- meaning:  The randomization test swaps the values of the two systems at random in each query. It shows how often
--           the difference is then at least as large as the observed difference.
-- use:      to compare a system with a baseline without the assumption that means follow a normal distribution
-- beware:   the test gives no interval; with 5 queries, an exact p cannot be below 0.0625
-- reading:  p < 0.05: the difference from the baseline is larger than chance explains
--           p = 1: every random swap gives a difference at least as large as the observed one
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, resamples INTEGER DEFAULT 10000 CHECK (resamples > 0), seed INTEGER DEFAULT 42,
--           exact BOOLEAN DEFAULT NULL
-- values:   resamples: the number of random choices of the signs of the differences
--           seed: as in relations/inference/replicates
--           exact: whether all choices of signs are tried; by default if resamples allows
-- grain:    one row per system and metric: system, metric, n, delta, statistic, p, resamples, exact
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  statistic = sum of differences; p = (1 + k) / (1 + resamples), k the number of sums with random signs
--           that are at least as far from 0 as statistic; exact: p is the share of the 2^n choices of signs whose sum
--           is at least as far from 0
-- tex:      p = \frac{1 + k}{1 + B} \qquad
--           k = \sum_{b=1}^{B} \mathbb{1}\left[\left|\sum_i \sigma_{bi} \, d_i\right|
--           \ge \left|\sum_i d_i\right|\right]
-- symbols:  d_i: the difference in query i, system minus baseline
--           \sigma_{bi}: a random sign, 1 or -1
--           B: the number of resamples
--           k: the number of resamples with a sum at least as far from 0
-- source:   Fisher, The Design of Experiments, 1935; Smucker, Allan and Carterette, CIKM 2007,
--           doi:10.1145/1321440.1321528; Phipson and Smyth, 2010, doi:10.2202/1544-6115.1585
-- oracle:   scipy.stats.permutation_test(permutation_type='samples')
-- example:  randomization_test(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1),
--           ('B', 'm', 2, 2), ('B', 'm', 3, 3); baseline := 'A') = 'B', 'm', 3, 2, 6, 0.25, 8, TRUE
-- related:  paired_t, paired_bootstrap, tukey_hsd
-- note:     by default, all 2^n choices of signs are tried if 2^n is at most resamples; exact=true tries all of them up
--           to n = 20, and exact=false never does. p is at least 2 / 2^n, the smallest exact p. Sums that differ by
--           1e-12 of the size of the values count as equal. The signs come from a hash of query_id: the same ids and
--           seed give the same p. With one unit, p is NULL
WITH observed AS (
    SELECT
        system, metric, count(*) AS n, avg(difference) AS delta, sum(difference) AS statistic,
        abs(sum(difference)) - sum(rounding) AS threshold,
        count(*) <= 20 AND coalesce($exact, TRUE) AND (
            coalesce($exact, FALSE) OR power(2e0, least(count(*), 20)) <= $resamples) AS exact
    FROM differences
    GROUP BY system, metric
),
placed AS (
    SELECT
        differences.system, differences.metric, differences.query_id, differences.difference, observed.exact,
        CASE WHEN observed.exact THEN row_number() OVER (
            PARTITION BY differences.system, differences.metric ORDER BY differences.query_id) - 1 END AS place
    FROM differences
    JOIN observed ON observed.system = differences.system AND observed.metric = differences.metric
),
draws AS (
    SELECT
        placed.system, placed.metric, masks.draw,
        sum(CASE WHEN (masks.draw >> placed.place) & 1 = 1 THEN -placed.difference ELSE placed.difference END) AS total
    FROM placed
    JOIN (
        SELECT system, metric, unnest(range(CAST(power(2e0, n) AS BIGINT))) AS draw FROM observed WHERE exact
    ) AS masks ON masks.system = placed.system AND masks.metric = placed.metric
    GROUP BY placed.system, placed.metric, masks.draw
    UNION ALL
    -- A hash has 64 bits, enough for 64 draws; with one hash, similar ids would get similar bits.
    SELECT system, metric, 64 * block + bit AS draw,
        sum(CASE WHEN (bits >> bit) & 1 = 1 THEN -difference ELSE difference END) AS total
    FROM (
        SELECT placed.system, placed.metric, placed.difference, blocks.block,
            hash(hash(placed.query_id, blocks.block, $seed)) AS bits
        FROM placed
        CROSS JOIN range(0, ($resamples + 63) // 64) AS blocks(block)
        WHERE NOT placed.exact
    ) AS hashed
    CROSS JOIN range(0, 64) AS bits_of(bit)
    WHERE 64 * block + bit < $resamples
    GROUP BY system, metric, block, bit
),
tallies AS (
    SELECT
        draws.system, draws.metric, count(*) AS resamples,
        count(*) FILTER (WHERE abs(draws.total) >= observed.threshold) AS far
    FROM draws
    JOIN observed ON observed.system = draws.system AND observed.metric = draws.metric
    GROUP BY draws.system, draws.metric
)
SELECT
    observed.system, observed.metric, observed.n, observed.delta, observed.statistic,
    CASE
        WHEN observed.n < 2 THEN NULL
        WHEN observed.exact THEN tallies.far / nullif(tallies.resamples, 0)
        ELSE greatest((1 + tallies.far) / nullif(1 + tallies.resamples, 0), power(2e0, 1 - observed.n))
    END AS p,
    tallies.resamples,
    observed.exact
FROM observed
JOIN tallies ON tallies.system = observed.system AND tallies.metric = observed.metric;
