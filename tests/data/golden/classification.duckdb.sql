WITH segments AS (
  SELECT
    system,
    segment,
    COUNT(*) AS n,
    COUNT(*) FILTER(WHERE
      label > 0) AS n_positive
  FROM predictions
  GROUP BY
    system,
    segment
), labeled AS (
  SELECT
    system,
    segment,
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS label,
    score
  FROM predictions
), score_groups AS (
  SELECT
    system,
    segment,
    score,
    SUM(label) AS positives,
    SUM((
      1 - label
    )) AS negatives
  FROM labeled
  GROUP BY
    system,
    segment,
    score
), cumulated AS (
  SELECT
    system,
    segment,
    score,
    positives,
    negatives,
    SUM(positives) OVER (
      PARTITION BY system, segment
      ORDER BY score DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS tp,
    SUM(negatives) OVER (
      PARTITION BY system, segment
      ORDER BY score DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS fp
  FROM score_groups
), thresholds AS (
  SELECT
    system,
    segment,
    score,
    positives,
    negatives,
    fp,
    MAX(tp) OVER (PARTITION BY system, segment) AS p,
    MAX(fp) OVER (PARTITION BY system, segment) AS n
  FROM cumulated
), pairs AS (
  SELECT
    system,
    segment,
    SUM(positives) AS positives,
    SUM(negatives) AS negatives,
    SUM(positives * (
      n - fp
    )) AS won,
    SUM(positives * negatives) AS tied
  FROM thresholds
  GROUP BY
    system,
    segment
), clipped AS (
  SELECT
    system,
    segment,
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS label,
    GREATEST(LEAST(score, 1 - 1e-15), 1e-15) AS p
  FROM predictions
), mass_places AS (
  SELECT
    system,
    segment,
    score AS p,
    CASE WHEN label > 0 THEN 1e0 ELSE 0e0 END AS positives,
    RANK() OVER (PARTITION BY system, segment ORDER BY score ASC) - 1 AS place,
    COUNT(*) OVER (PARTITION BY system, segment) AS total
  FROM predictions
), places_2 AS (
  SELECT
    system,
    segment,
    p,
    positives,
    place,
    FLOOR(total / CAST(10 AS DOUBLE)) AS few,
    total - 10 * FLOOR(total / CAST(10 AS DOUBLE)) AS wide
  FROM mass_places
), binned_2 AS (
  SELECT
    system,
    segment,
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
    system,
    segment,
    bin,
    CAST(SUM(1.0e0) AS BIGINT) AS n,
    SUM(1.0e0) AS total,
    SUM(1.0e0 * p) / NULLIF(SUM(1.0e0), 0) AS mean_score,
    SUM(positives) / NULLIF(SUM(1.0e0), 0) AS mean_label
  FROM binned_2 AS binned
  GROUP BY
    system,
    segment,
    bin
), per_segment_of_pairs AS (
  SELECT
    system,
    segment,
    (
      won + tied / 2
    ) / NULLIF(positives * negatives, 0) AS v1
  FROM pairs
), per_segment_of_clipped AS (
  SELECT
    system,
    segment,
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
  GROUP BY
    system,
    segment
), per_segment_of_bins AS (
  SELECT
    system,
    segment,
    SUM(total * ABS(mean_score - mean_label)) / NULLIF(SUM(total), 0) AS v1
  FROM bins
  GROUP BY
    system,
    segment
)
SELECT
  segments.system,
  segments.segment,
  segments.n,
  segments.n_positive,
  per_segment_of_pairs.v1 AS "auc",
  per_segment_of_clipped.v1 AS "log_loss",
  per_segment_of_bins.v1 AS "ece(binning=mass)"
FROM segments
LEFT JOIN per_segment_of_pairs
  ON per_segment_of_pairs.system = segments.system
  AND per_segment_of_pairs.segment = segments.segment
LEFT JOIN per_segment_of_clipped
  ON per_segment_of_clipped.system = segments.system
  AND per_segment_of_clipped.segment = segments.segment
LEFT JOIN per_segment_of_bins
  ON per_segment_of_bins.system = segments.system
  AND per_segment_of_bins.segment = segments.segment;
