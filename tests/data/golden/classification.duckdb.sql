-- DuckDB (executed in tests)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (label, score)
WITH segments AS (
  SELECT
    COUNT(*) AS n,
    COUNT(*) FILTER(WHERE
      label > 0) AS n_positive
  FROM (
    SELECT
      CAST(label AS DOUBLE) AS label
    FROM predictions
  ) AS predictions
  HAVING
    COUNT(*) > 0
), labeled AS (
  SELECT
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS label,
    score
  FROM (
    SELECT
      CAST(label AS DOUBLE) AS label,
      CAST(score AS DOUBLE) AS score
    FROM predictions
  ) AS predictions
), score_groups AS (
  SELECT
    score,
    SUM(label) AS positives,
    SUM((
      1 - label
    )) AS negatives
  FROM labeled
  GROUP BY
    score
), cumulated AS (
  SELECT
    score,
    positives,
    negatives,
    SUM(positives) OVER (ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS tp,
    SUM(negatives) OVER (ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS fp
  FROM score_groups
), thresholds AS (
  SELECT
    score,
    positives,
    negatives,
    fp,
    MAX(tp) OVER () AS p,
    MAX(fp) OVER () AS n
  FROM cumulated
), pairs AS (
  SELECT
    SUM(positives) AS positives,
    SUM(negatives) AS negatives,
    SUM(positives * (
      n - fp
    )) AS won,
    SUM(positives * negatives) AS tied
  FROM thresholds
  HAVING
    COUNT(*) > 0
), clipped AS (
  SELECT
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS label,
    GREATEST(LEAST(score, 1 - 1e-15), 1e-15) AS p
  FROM (
    SELECT
      CAST(label AS DOUBLE) AS label,
      CAST(score AS DOUBLE) AS score
    FROM predictions
  ) AS predictions
), mass_places AS (
  SELECT
    score AS p,
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS positives,
    RANK() OVER (ORDER BY score ASC) - 1 AS place,
    COUNT(*) OVER () AS total
  FROM (
    SELECT
      CAST(label AS DOUBLE) AS label,
      CAST(score AS DOUBLE) AS score
    FROM predictions
  ) AS predictions
), places_2 AS (
  SELECT
    p,
    positives,
    place,
    FLOOR(total / CAST(10 AS DOUBLE)) AS few,
    total - 10 * FLOOR(total / CAST(10 AS DOUBLE)) AS wide
  FROM mass_places
), binned_2 AS (
  SELECT
    p,
    positives,
    CASE
      WHEN place < wide * (
        few + 1
      )
      THEN FLOOR(place / (
        few + 1
      ))
      ELSE wide + FLOOR((
        place - wide * (
          few + 1
        )
      ) / NULLIF(few, 0))
    END AS bin
  FROM places_2 AS places
), bins AS (
  SELECT
    bin,
    CAST(SUM(1.0e0) AS BIGINT) AS n,
    SUM(1.0e0) AS total,
    SUM(1.0e0 * p) / NULLIF(SUM(1.0e0), 0) AS mean_score,
    SUM(positives) / NULLIF(SUM(1.0e0), 0) AS mean_label
  FROM binned_2 AS binned
  GROUP BY
    bin
), per_segment_of_pairs AS (
  SELECT
    (
      won + tied / 2
    ) / NULLIF(positives * negatives, 0) AS v1
  FROM pairs
), per_segment_of_clipped AS (
  SELECT
    -SUM(
      CASE
        WHEN label = 1 AND p > 0
        THEN LN(p)
        WHEN label = 0 AND p < 1
        THEN LN(1 - p) + (
          (
            1 - (
              1 - p
            )
          ) - p
        ) / (
          1 - p
        ) /* the rounding of 1 - p, put right */
        ELSE CAST('-Infinity' AS DOUBLE)
      END
    ) / NULLIF(SUM(1e0), 0) AS v1
  FROM clipped
  HAVING
    COUNT(*) > 0
), per_segment_of_bins AS (
  SELECT
    SUM(total * ABS(mean_score - mean_label)) / NULLIF(SUM(total), 0) AS v1
  FROM bins
  HAVING
    COUNT(*) > 0
), summary AS (
  SELECT
    segments.n,
    segments.n_positive,
    per_segment_of_pairs.v1 AS value_0,
    per_segment_of_clipped.v1 AS value_1,
    per_segment_of_bins.v1 AS value_2
  FROM segments
  LEFT JOIN per_segment_of_pairs
    ON TRUE
  LEFT JOIN per_segment_of_clipped
    ON TRUE
  LEFT JOIN per_segment_of_bins
    ON TRUE
)
SELECT
  CASE place WHEN 0 THEN 'auc' WHEN 1 THEN 'log_loss' WHEN 2 THEN 'ece(binning=mass)' END AS metric,
  CASE place
    WHEN 0
    THEN CASE WHEN ISFINITE(value_0) THEN value_0 END
    WHEN 1
    THEN value_1
    WHEN 2
    THEN CASE WHEN ISFINITE(value_2) THEN value_2 END
  END AS value,
  COALESCE(n, 0) AS n,
  COALESCE(n_positive, 0) AS n_positive
FROM summary
CROSS JOIN (
  SELECT
    0 AS place
  UNION ALL
  SELECT
    1 AS place
  UNION ALL
  SELECT
    2 AS place
) AS metrics
ORDER BY
  place ASC;
