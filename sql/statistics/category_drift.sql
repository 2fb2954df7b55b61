-- name:     category_drift
-- title:    Drift of the categories of two samples from a control
-- meaning:  The test compares the shares of categories, such as countries or models of devices, in a sample and in a
--           control. It reports the population stability index and the Jensen-Shannon distance, and names the
--           categories that are new and those that vanished.
-- use:      to detect drift of a column of text, between two tables, days or variants
-- beware:   a new category changes psi a lot however rare it is, because its share in the control is `smallest`;
--           jensen_shannon does not have this problem
-- reading:  psi = 0: both samples have the same share of each category
--           psi = 0.25: by a common rule, a large change of the distribution
--           jensen_shannon = 1: the samples share no category
-- inputs:   categories (arm, category)
-- params:   control VARCHAR, most INTEGER DEFAULT 100 CHECK (most > 0),
--           smallest DOUBLE DEFAULT 0.0001 CHECK (smallest > 0 AND smallest < 1)
-- values:   control: as in statistics/welch_t
--           most: the number of large categories; all others count as one group
--           smallest: the share of a category that one of the samples lacks, for psi alone
-- grain:    one row per arm but the control: arm, p, n_control, n, psi, jensen_shannon, statistic, df, categories,
--           grouped, new_share, new_names, vanished_share, vanished_names
-- range:    [0, inf), and p and jensen_shannon in [0, 1]
-- formula:  psi, statistic and p as in population_stability, jensen_shannon as in jensen_shannon, with a category or
--           the group of rare ones in place of each bin; new_share = share of the rows of the arm whose category the
--           control lacks, vanished_share = share of the rows of the control whose category the arm lacks
-- tex:      \text{PSI} = \sum_j (a_j - b_j) \ln \frac{a_j}{b_j} \qquad
--           \text{JS} = \sqrt{\frac{1}{2} \sum_j a_j \log_2 \frac{2 a_j}{a_j + b_j} +
--           b_j \log_2 \frac{2 b_j}{a_j + b_j}}
-- symbols:  a_j, b_j: the shares of category j in the arm and in the control
-- source:   Siddiqi, Credit Risk Scorecards, Wiley 2006; test: Yurdakul and Naranjo, Journal of Risk Model Validation
--           2020, doi:10.21314/JRMV.2020.227; Lin, IEEE Transactions on Information Theory 1991,
--           doi:10.1109/18.61115
-- oracle:   numpy, scipy.spatial.distance.jensenshannon(base=2)
-- example:  category_drift(VALUES ('A', 'x'), ('A', 'x'), ('A', 'y'), ('A', 'z'), ('B', 'x'), ('B', 'y'), ('B', 'y'),
--           ('B', 'w'); control := 'A') = 'B', NULL, 4, 4, 4.257031786505947, 0.5579230452841439,
--           8.514063573011894, 3, 4, 0, 0.25, 'w', 0.25, 'z'
-- related:  population_stability, jensen_shannon, chi_square_independence
-- note:     values of any type are compared as text. NULL is a category of its own, and the names show it as NULL.
--           jensen_shannon is the distance with base 2, see jensen_shannon. categories counts those of both samples,
--           and grouped those that the group of rare ones has. Names are in the order of their shares, at most 20. If
--           fewer than 100 rows are expected in a category, p is NULL: use a smaller `most`, or chi_square_independence
WITH named AS (
    SELECT
        arm,
        count(*) AS categories,
        greatest(count(*) - $most, 0) AS grouped,
        coalesce(sum(CASE WHEN control_share = 0 THEN share END), 0e0) AS new_share,
        string_agg(CASE WHEN place_alike > 20 THEN '...' ELSE name END, ', ' ORDER BY place)
            FILTER (WHERE control_share = 0 AND place_alike <= 21) AS new_names,
        coalesce(sum(CASE WHEN share = 0 THEN control_share END), 0e0) AS vanished_share,
        string_agg(CASE WHEN place_alike > 20 THEN '...' ELSE name END, ', ' ORDER BY place)
            FILTER (WHERE share = 0 AND place_alike <= 21) AS vanished_names
    FROM category_shares
    GROUP BY arm
),
grouped_shares AS (
    SELECT arm, n, n_control, sum(share) AS share, sum(control_share) AS control_share
    FROM category_shares
    GROUP BY arm, n, n_control, least(place, $most + 1)
),
shares AS (
    SELECT
        arm, n, n_control,
        greatest(share, $smallest) AS share,
        greatest(control_share, $smallest) AS control_share,
        deviance(share, (share + control_share) * 0.5e0)
            + deviance(control_share, (share + control_share) * 0.5e0) AS apart
    FROM grouped_shares
),
indexed AS (
    SELECT
        arm, n, n_control,
        sum((share - control_share) * ln(share / nullif(control_share, 0))) AS psi,
        sqrt(least(sum(apart) / nullif(2 * ln(2e0), 0), 1e0)) AS jensen_shannon,
        least(min(control_share) * n, min(control_share) * n_control) AS least_expected,
        count(*) - 1 AS df
    FROM shares
    GROUP BY arm, n, n_control
)
SELECT
    indexed.arm,
    CASE WHEN indexed.df > 0 AND indexed.least_expected >= 100 THEN chi_square_sf(
        indexed.psi / nullif(1 / nullif(indexed.n, 0) + 1 / nullif(indexed.n_control, 0), 0), indexed.df) END AS p,
    CAST(indexed.n_control AS BIGINT) AS n_control,
    CAST(indexed.n AS BIGINT) AS n,
    indexed.psi,
    indexed.jensen_shannon,
    indexed.psi / nullif(1 / nullif(indexed.n, 0) + 1 / nullif(indexed.n_control, 0), 0) AS statistic,
    indexed.df,
    named.categories, named.grouped, named.new_share, named.new_names, named.vanished_share, named.vanished_names
FROM indexed
JOIN named ON named.arm = indexed.arm
ORDER BY indexed.arm;
