-- name:     rank_distribution
-- title:    Distribution of the ranks among all items, by maximum likelihood from the ranks in samples
-- inputs:   groups (number, n_ranks, chances), observed (system, sampled_rank, share, chances)
-- params:   steps INTEGER CHECK (steps > 0), tolerance DOUBLE CHECK (tolerance >= 0)
-- grain:    system
-- formula:  pi_k <- sum over i of share_i * pi_k P(i given k) / (sum over j of pi_j P(i given j)), from equal ranks on
-- source:   Jin, Li, Mudrak, Gao and Liu, AAAI 2021, doi:10.1609/aaai.v35i5.16537
-- note:     expectation maximization; it ends if a step raises the mean log-likelihood of a query by less than the
--           tolerance, or after all steps; chances are lists: by sampled_rank in groups, by number in observed
WITH RECURSIVE path AS (
    SELECT
        systems.system,
        0 AS step,
        list(groups.n_ranks / totals.n_ranks ORDER BY groups.number) AS probabilities,
        CAST('-inf' AS DOUBLE) AS log_likelihood,
        CAST('inf' AS DOUBLE) AS rise
    FROM groups
    CROSS JOIN (SELECT CAST(sum(n_ranks) AS DOUBLE) AS n_ranks FROM groups) AS totals
    CROSS JOIN (SELECT DISTINCT system FROM observed) AS systems
    GROUP BY systems.system
    UNION ALL
    SELECT
        expected.system,
        expected.step + 1 AS step,
        list(
            expected.probabilities[groups.number] * list_dot_product(groups.chances, expected.ratios)
            ORDER BY groups.number
        ) AS probabilities,
        expected.log_likelihood,
        expected.log_likelihood - expected.previous AS rise
    FROM groups
    CROSS JOIN (
        SELECT
            path.system,
            path.step,
            any_value(path.probabilities) AS probabilities,
            any_value(path.log_likelihood) AS previous,
            -- Ranks of other systems only may get probability 0 here: ln(0), and 0 / 0.
            sum(CASE WHEN observed.share > 0
                THEN observed.share * ln(list_dot_product(observed.chances, path.probabilities)) END
            ) AS log_likelihood,
            list(
                CASE WHEN observed.share > 0
                    THEN observed.share / list_dot_product(observed.chances, path.probabilities) ELSE 0e0 END
                ORDER BY observed.sampled_rank
            ) AS ratios
        FROM path
        JOIN observed ON observed.system = path.system
        WHERE path.step < $steps AND path.rise >= $tolerance
        GROUP BY path.system, path.step
    ) AS expected
    GROUP BY expected.system, expected.step, expected.log_likelihood, expected.previous
)
SELECT system, step, probabilities, rise
FROM path
QUALIFY row_number() OVER (PARTITION BY system ORDER BY step DESC) = 1;
