-- Databricks (text only: no test executes it)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (label, score)
WITH segments AS (
  SELECT
    COUNT(*) AS n,
    COUNT(*) FILTER(WHERE
      predictions.label > 0) AS n_positive
  FROM (
    SELECT
      CAST(predictions.label AS DOUBLE) AS label
    FROM predictions AS predictions
  ) AS predictions
  HAVING
    COUNT(*) > 0
), labeled AS (
  SELECT
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS DOUBLE)
      ELSE CAST(0e0 AS DOUBLE)
    END AS label,
    predictions.score,
    CAST(1e0 AS DOUBLE) AS weight
  FROM (
    SELECT
      CAST(predictions.label AS DOUBLE) AS label,
      CAST(predictions.score AS DOUBLE) AS score
    FROM predictions AS predictions
  ) AS predictions
), score_groups AS (
  SELECT
    labeled.score,
    SUM(labeled.label) AS positives,
    SUM((
      1 - labeled.label
    )) AS negatives,
    CAST(COUNT(*) AS DOUBLE) AS size
  FROM labeled AS labeled
  GROUP BY
    labeled.score
), cumulated AS (
  SELECT
    score_groups.score,
    score_groups.positives,
    score_groups.negatives,
    SUM(score_groups.positives) OVER (ORDER BY score_groups.score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS tp,
    SUM(score_groups.negatives) OVER (ORDER BY score_groups.score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS fp
  FROM score_groups AS score_groups
), thresholds AS (
  SELECT
    cumulated.score,
    cumulated.positives,
    cumulated.negatives,
    cumulated.fp,
    MAX(cumulated.tp) OVER () AS p,
    MAX(cumulated.fp) OVER () AS n
  FROM cumulated AS cumulated
), pairs AS (
  SELECT
    SUM(thresholds.positives) AS positives,
    SUM(thresholds.negatives) AS negatives,
    SUM(thresholds.positives * (
      thresholds.n - thresholds.fp
    )) AS won,
    SUM(thresholds.positives * thresholds.negatives) AS tied
  FROM thresholds AS thresholds
  HAVING
    COUNT(*) > 0
), clipped AS (
  SELECT
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS DOUBLE)
      ELSE CAST(0e0 AS DOUBLE)
    END AS label,
    GREATEST(LEAST(predictions.score, 1 - CAST(1e-15 AS DOUBLE)), CAST(1e-15 AS DOUBLE)) AS p,
    CAST(1e0 AS DOUBLE) AS weight
  FROM (
    SELECT
      CAST(predictions.label AS DOUBLE) AS label,
      CAST(predictions.score AS DOUBLE) AS score
    FROM predictions AS predictions
  ) AS predictions
), mass_places AS (
  SELECT
    score_groups.score AS p,
    score_groups.size,
    score_groups.positives + score_groups.negatives AS weight,
    score_groups.positives,
    SUM(score_groups.size) OVER (
      ORDER BY score_groups.score ASC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - score_groups.size AS place,
    SUM(score_groups.size) OVER () AS total
  FROM score_groups AS score_groups
), places_2 AS (
  SELECT
    mass_places.p,
    mass_places.size,
    mass_places.weight,
    mass_places.positives,
    mass_places.place,
    FLOOR(mass_places.total / CAST(10 AS DOUBLE)) AS few,
    mass_places.total - 10 * FLOOR(mass_places.total / CAST(10 AS DOUBLE)) AS wide
  FROM mass_places AS mass_places
), binned_2 AS (
  SELECT
    places.p,
    places.size,
    places.weight,
    places.positives,
    CASE
      WHEN places.place < places.wide * (
        places.few + 1
      )
      THEN FLOOR(places.place / (
        places.few + 1
      ))
      ELSE places.wide + FLOOR(
        (
          places.place - places.wide * (
            places.few + 1
          )
        ) / NULLIF(places.few, 0)
      )
    END AS bin
  FROM places_2 AS places
), bins AS (
  SELECT
    binned.bin,
    CAST(SUM(binned.size) AS BIGINT) AS n,
    SUM(binned.weight) AS total,
    SUM(binned.weight * binned.p) / NULLIF(SUM(binned.weight), 0) AS mean_score,
    SUM(binned.positives) / NULLIF(SUM(binned.weight), 0) AS mean_label
  FROM binned_2 AS binned
  GROUP BY
    binned.bin
), per_segment_of_pairs AS (
  SELECT
    (
      pairs.won + pairs.tied / 2
    ) / NULLIF(pairs.positives * pairs.negatives, 0) AS v1
  FROM pairs AS pairs
), per_segment_of_clipped AS (
  SELECT
    -SUM(
      CASE
        WHEN clipped.label = 1 AND clipped.p > 0
        THEN LN(clipped.p)
        WHEN clipped.label = 0 AND clipped.p < 1
        THEN LN(1 - clipped.p) + (
          (
            1 - (
              1 - clipped.p
            )
          ) - clipped.p
        ) / (
          1 - clipped.p
        ) /* the rounding of 1 - p, put right */
        ELSE CAST('-Infinity' AS DOUBLE)
      END
    ) / NULLIF(SUM(CAST(1e0 AS DOUBLE)), 0) AS v1
  FROM clipped AS clipped
  HAVING
    COUNT(*) > 0
), per_segment_of_bins AS (
  SELECT
    SUM(bins.total * ABS(bins.mean_score - bins.mean_label)) / NULLIF(SUM(bins.total), 0) AS v1
  FROM bins AS bins
  HAVING
    COUNT(*) > 0
), summary AS (
  SELECT
    segments.n,
    segments.n_positive,
    per_segment_of_pairs.v1 AS value_0,
    per_segment_of_clipped.v1 AS value_1,
    per_segment_of_bins.v1 AS value_2
  FROM segments AS segments
  LEFT JOIN per_segment_of_pairs AS per_segment_of_pairs
    ON TRUE
  LEFT JOIN per_segment_of_clipped AS per_segment_of_clipped
    ON TRUE
  LEFT JOIN per_segment_of_bins AS per_segment_of_bins
    ON TRUE
)
SELECT
  CASE metrics.place
    WHEN 0
    THEN 'auc'
    WHEN 1
    THEN 'log_loss'
    WHEN 2
    THEN 'ece(binning=mass)'
  END AS metric,
  CASE metrics.place
    WHEN 0
    THEN CASE
      WHEN (
        ABS(summary.value_0) < CAST('Infinity' AS DOUBLE)
      )
      THEN summary.value_0
    END
    WHEN 1
    THEN summary.value_1
    WHEN 2
    THEN CASE
      WHEN (
        ABS(summary.value_2) < CAST('Infinity' AS DOUBLE)
      )
      THEN summary.value_2
    END
  END AS value,
  COALESCE(summary.n, 0) AS n,
  COALESCE(summary.n_positive, 0) AS n_positive
FROM summary AS summary
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
  metrics.place ASC NULLS LAST;
