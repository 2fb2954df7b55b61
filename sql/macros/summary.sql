-- name:     summary
-- title:    One number for every metric and cut-off asked for
-- inputs:   specs (segment, metric, k),
--           counted (segment, n_population, n, n_missing, n_no_relevant, n_undefined, value),
--           placed (segment, value)
-- grain:    segment
SELECT
    specs.segment,
    specs.metric,
    specs.k,
    coalesce(counted.value, placed.value) AS v,
    coalesce(counted.n_population, 0) AS n_population,
    coalesce(counted.n, 0) AS n,
    coalesce(counted.n_missing, 0) AS n_missing,
    coalesce(counted.n_no_relevant, 0) AS n_no_relevant,
    coalesce(counted.n_undefined, 0) AS n_undefined
FROM specs
LEFT JOIN counted ON counted.segment = specs.segment
LEFT JOIN placed ON placed.segment = specs.segment;
