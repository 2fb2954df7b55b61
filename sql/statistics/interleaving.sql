-- name:     interleaving
-- title:    Interleaving: which ranker gets the clicks of mixed lists
-- meaning:  Interleaving mixes the lists of two rankers and shows the mixed list. Each click is a credit for the ranker
--           that the item came from. The ranker with more credits wins the impression.
-- use:      to compare two rankers online with far fewer users than an A/B test needs
-- beware:   it shows which ranker users prefer, not how much a business metric changes; a ranker can win clicks with
--           items that nobody buys
-- reading:  delta = 0: both rankers win equally often
--           delta = 0.1: the system wins 60% of the impressions, if a tie counts as half a win
--           p < 0.05: the preference is stronger than chance explains
-- inputs:   impressions (impression_id, system, clicked, rank, place, cluster_id)
-- optional: rank = NULL, place = NULL, cluster_id = NULL
-- params:   baseline VARCHAR, method VARCHAR DEFAULT 'team_draft' CHECK (method IN ('team_draft', 'balanced')),
--           unclicked VARCHAR DEFAULT 'tie' CHECK (unclicked IN ('tie', 'skip')),
--           level DOUBLE DEFAULT 0.95 CHECK (level > 0 AND level < 1)
-- values:   baseline: as in relations/inference/preferences
--           method: as in relations/inference/preferences
--           unclicked: as in relations/inference/preferences
--           level: as in mean_interval
-- grain:    one row per system but the baseline: system, n, wins, ties, losses, delta, delta_lower, delta_upper, p,
--           n_units, n_effective
-- range:    [-0.5, 0.5], and p in [0, 1]
-- formula:  delta = (wins + ties / 2) / n - 1/2; p = the sign test of wins and losses; with clusters, Student's t of
--           delta with the standard error of the jackknife over clusters and n_effective - 1 degrees of freedom;
--           balanced: k = the best rank that a system gives to the clicked item of the last place
-- tex:      \Delta = \frac{W + T / 2}{W + T + L} - \frac{1}{2}
-- symbols:  W, T, L: the numbers of impressions that the system wins, of ties, and of those it loses
-- source:   Radlinski, Kurup and Joachims, CIKM 2008, doi:10.1145/1458082.1458092; Chapelle, Joachims, Radlinski and
--           Yue, ACM Transactions on Information Systems 2012, doi:10.1145/2094072.2094078
-- oracle:   numpy, scipy.stats.binomtest
-- example:  interleaving(VALUES (1, 'A', 0, NULL, NULL, NULL), (1, 'B', 1, NULL, NULL, NULL),
--           (2, 'A', 0, NULL, NULL, NULL), (2, 'B', 1, NULL, NULL, NULL), (3, 'A', 1, NULL, NULL, NULL),
--           (3, 'B', 1, NULL, NULL, NULL); baseline := 'A') = 'B', 3, 2, 1, 0, 0.3333333333333333,
--           -0.3837754549582438, 1.0504421216249105, 0.5, 3, 3
-- related:  sign_test, binomial_test
-- note:     NULL in clicked means no click. If there are more than two systems, an impression counts only for the
--           systems that have items in it. Without cluster_id, every impression is a unit. If all preferences are
--           equal, the bounds are NULL
WITH units AS (
    SELECT
        system, cluster_id, alone,
        count(*) AS n,
        sum(preference) AS total,
        count(CASE WHEN preference > 0 THEN 1 END) AS wins,
        count(CASE WHEN preference < 0 THEN 1 END) AS losses
    FROM preferences
    GROUP BY system, cluster_id, alone
),
whole AS (
    SELECT
        system,
        CAST(sum(n) AS BIGINT) AS n,
        sum(total) AS total,
        CAST(sum(wins) AS BIGINT) AS wins,
        CAST(sum(losses) AS BIGINT) AS losses,
        count(*) AS n_units,
        CAST(sum(n) AS DOUBLE) * sum(n) / nullif(sum(CAST(n AS DOUBLE) * n), 0) AS n_effective,
        count(cluster_id) > 0 AS is_clustered
    FROM units
    GROUP BY system
),
errors AS (
    -- The jackknife: the change of the mean without each unit.
    SELECT
        whole.system, whole.n, whole.wins, whole.losses, whole.n_units, whole.n_effective, whole.is_clustered,
        whole.total / nullif(whole.n, 0) AS delta,
        nullif(CASE WHEN whole.n_units > 1 THEN (whole.n_units - 1) / nullif(sqrt(whole.n_units), 0)
            * stddev_samp((whole.total - units.total) / nullif(whole.n - units.n, 0)) END, 0) AS se
    FROM whole
    JOIN units ON units.system = whole.system
    GROUP BY
        whole.system, whole.n, whole.wins, whole.losses, whole.n_units, whole.n_effective, whole.is_clustered,
        whole.total
)
SELECT
    system,
    n,
    wins,
    n - wins - losses AS ties,
    losses,
    delta,
    delta - student_t_critical(1 - $level, n_effective - 1) * se AS delta_lower,
    delta + student_t_critical(1 - $level, n_effective - 1) * se AS delta_upper,
    CASE
        WHEN NOT is_clustered THEN least(2e0 * binomial_cdf(least(wins, losses), wins + losses, 0.5e0), 1e0)
        WHEN wins + losses = 0 THEN 1e0
        ELSE student_t_p(delta / nullif(se, 0), n_effective - 1)
    END AS p,
    n_units,
    n_effective
FROM errors;
