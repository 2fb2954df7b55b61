-- name:     wilcoxon
-- title:    Wilcoxon signed-rank test against a baseline
-- meaning:  The Wilcoxon test ranks the differences between a system and a baseline by their size. It shows whether
--           gains outweigh losses in ranks by more than chance explains.
-- use:      when a few extreme differences dominate the mean
-- beware:   tools differ in zeros, in the continuity correction and in exact p-values for small samples; compare
--           these before you compare p. With 5 queries, an exact p cannot be below 0.0625
-- reading:  rank_biserial = 1: every difference is a gain, or 0
--           rank_biserial = 0: gains and losses have the same sum of ranks
--           p < 0.05: gains and losses differ in ranks by more than chance explains
-- inputs:   per_query (system, metric, query_id, value)
-- params:   baseline VARCHAR, zeros VARCHAR DEFAULT 'wilcox' CHECK (zeros IN ('wilcox', 'pratt')),
--           correction BOOLEAN DEFAULT FALSE, exact BOOLEAN DEFAULT NULL
-- values:   zeros=wilcox: differences of 0 are left out before ranking
--           zeros=pratt: differences of 0 are ranked, but their ranks are not summed
--           correction: whether w_plus moves by 1/2 towards its mean (continuity correction)
--           exact: whether p comes from all choices of signs; by default if they are few
-- grain:    one row per system and metric: system, metric, n, ties, w_plus, w_minus, rank_biserial, statistic, p,
--           exact
-- range:    (-inf, inf), and p in [0, 1]
-- formula:  w_plus and w_minus are the sums of the midranks of abs(difference) over gains and losses; statistic =
--           (w_plus - mean) / sd, mean = (n (n + 1) - z (z + 1)) / 4, n here the number of ranked differences, z the
--           number of zeros among them, sd^2 = (n (n + 1) (2n + 1) - z (z + 1) (2z + 1) - sum of (t^3 - t) / 2) / 24,
--           t the sizes of ties; rank_biserial = (w_plus - w_minus) / (w_plus + w_minus);
--           exact: p is the share of the 2^m choices of signs for the m ranks of nonzero differences with abs(w_plus -
--           w_minus) at least as large as the observed one
-- tex:      z = \frac{W^+ - \mu}{\sigma} \qquad \mu = \frac{n (n + 1) - n_0 (n_0 + 1)}{4} \qquad
--           \sigma^2 = \frac{n (n + 1)(2n + 1) - n_0 (n_0 + 1)(2n_0 + 1) - \frac{1}{2} \sum_j (t_j^3 - t_j)}{24}
-- symbols:  W^+: the sum of the ranks of the gains
--           n: the number of differences that are ranked
--           n_0: the number of zeros that are ranked, 0 with zeros=wilcox
--           \mu, \sigma: the mean and standard deviation of W^+ by chance
--           t_j: the number of differences of the same size in group j, zeros excluded
-- source:   Wilcoxon, Biometrics Bulletin 1945, doi:10.2307/3001968; Pratt, Journal of the American
--           Statistical Association 1959, doi:10.1080/01621459.1959.10501526
-- oracle:   scipy.stats.wilcoxon(method='asymptotic'); exact: scipy.stats.wilcoxon(method='exact')
-- example:  wilcoxon(VALUES ('A', 'm', 1, 0), ('A', 'm', 2, 0), ('A', 'm', 3, 0), ('B', 'm', 1, 1), ('B', 'm', 2, 2),
--           ('B', 'm', 3, 3); baseline := 'A') = 'B', 'm', 3, 0, 6, 0, 1, 1.6035674514745464, 0.25, TRUE
-- related:  sign_test, paired_t, mann_whitney, friedman
-- warning:  it does not compare means: with many units, systems with equal means can differ significantly, because
--           the shapes of their distributions differ
-- note:     by default, p is exact for at most 200 differences that are not 0, also with ties and zeros; exact=true
--           allows 500, and pratt at most 1000 ranks. Otherwise p is a normal approximation, exact is FALSE, and a p
--           far below 0.001 is a rough one. Differences are rounded to 1e-12 of the mean size of the values before
--           they are ranked. Zeros are left out (wilcox) or keep their ranks (pratt); correction moves w_plus by 1/2
--           towards its mean, which an exact p does not need. If all differences are 0, p is 1; with one unit, p is
--           NULL
WITH summed AS (
    SELECT
        system,
        metric,
        count(*) AS n,
        count(*) FILTER (WHERE difference = 0) AS ties,
        sum(CASE WHEN difference > 0 THEN first_rank + (alike - 1) * 0.5e0 ELSE 0 END) AS gains,
        sum(CASE WHEN difference < 0 THEN first_rank + (alike - 1) * 0.5e0 ELSE 0 END) AS losses,
        count(*) FILTER (WHERE difference > 0) AS n_gains,
        count(*) FILTER (WHERE difference < 0) AS n_losses,
        sum(CASE WHEN difference <> 0 THEN alike * alike - 1 ELSE 0 END) AS alikeness
    FROM signed_ranks
    GROUP BY system, metric
),
sums AS (
    -- Zeros come first: without them, every other rank is smaller by their number.
    SELECT
        system, metric, n, ties, alikeness,
        CASE $zeros WHEN 'pratt' THEN gains ELSE gains - ties * n_gains END AS w_plus,
        CASE $zeros WHEN 'pratt' THEN losses ELSE losses - ties * n_losses END AS w_minus,
        CAST(CASE $zeros WHEN 'pratt' THEN n ELSE n - ties END AS DOUBLE) AS k,
        CAST(CASE $zeros WHEN 'pratt' THEN ties ELSE 0 END AS DOUBLE) AS z
    FROM summed
),
moments AS (
    SELECT
        system, metric, n, ties, w_plus, w_minus,
        w_plus - (k * (k + 1) - z * (z + 1)) * 0.25e0 AS surplus,
        (k * (k + 1) * (2 * k + 1) - z * (z + 1) * (2 * z + 1) - alikeness * 0.5e0) / nullif(24e0, 0) AS variance
    FROM sums
),
tested AS (
    SELECT
        system, metric, n, ties, w_plus, w_minus,
        CASE WHEN n > 1 AND variance > 0 THEN
            (surplus - CASE WHEN $correction THEN sign(surplus) * 0.5e0 ELSE 0e0 END) / nullif(sqrt(variance), 0)
        END AS statistic
    FROM moments
)
SELECT
    tested.system, tested.metric, tested.n, tested.ties, tested.w_plus, tested.w_minus,
    (tested.w_plus - tested.w_minus) / nullif(tested.w_plus + tested.w_minus, 0) AS rank_biserial,
    tested.statistic,
    CASE
        WHEN tested.n > 1 AND tested.ties = tested.n THEN 1e0
        WHEN tested.n > 1 AND exact_signed_ranks.p IS NOT NULL THEN exact_signed_ranks.p
        ELSE normal_p(tested.statistic)
    END AS p,
    coalesce($exact, TRUE) AND (tested.ties = tested.n OR exact_signed_ranks.p IS NOT NULL) AS exact
FROM tested
LEFT JOIN exact_signed_ranks
    ON exact_signed_ranks.system = tested.system AND exact_signed_ranks.metric = tested.metric;
