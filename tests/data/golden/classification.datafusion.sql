-- Apache DataFusion (executed in tests)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (label, score)
WITH segments AS (
  SELECT
    CAST(count(*) AS BIGINT) AS n,
    CAST(count(*) FILTER(WHERE
      predictions.label > 0) AS BIGINT) AS n_positive
  FROM (
    SELECT
      CASE
        WHEN CAST(predictions.label AS DOUBLE PRECISION) = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE CAST(predictions.label AS DOUBLE PRECISION)
      END AS label
    FROM predictions AS predictions
  ) AS predictions
  HAVING
    CAST(count(*) AS BIGINT) > 0
), labeled AS (
  SELECT
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END AS label,
    predictions.score AS score,
    CAST(1e0 AS DOUBLE PRECISION) AS weight
  FROM (
    SELECT
      CASE
        WHEN CAST(predictions.label AS DOUBLE PRECISION) = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE CAST(predictions.label AS DOUBLE PRECISION)
      END AS label,
      CASE
        WHEN CAST(predictions.score AS DOUBLE PRECISION) = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE CAST(predictions.score AS DOUBLE PRECISION)
      END AS score
    FROM predictions AS predictions
  ) AS predictions
), score_groups AS (
  SELECT
    labeled.score AS score,
    sum(labeled.label) AS positives,
    sum((
      1 - labeled.label
    )) AS negatives,
    CAST(count(*) AS DOUBLE PRECISION) AS size
  FROM labeled AS labeled
  GROUP BY
    labeled.score
), cumulated AS (
  SELECT
    score_groups.score AS score,
    score_groups.positives AS positives,
    score_groups.negatives AS negatives,
    sum(score_groups.positives) OVER (
      ORDER BY score_groups.score DESC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS tp,
    sum(score_groups.negatives) OVER (
      ORDER BY score_groups.score DESC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS fp
  FROM score_groups AS score_groups
), thresholds AS (
  SELECT
    cumulated.score AS score,
    cumulated.positives AS positives,
    cumulated.negatives AS negatives,
    cumulated.fp AS fp,
    max(cumulated.tp) OVER () AS p,
    max(cumulated.fp) OVER () AS n
  FROM cumulated AS cumulated
), pairs AS (
  SELECT
    sum(thresholds.positives) AS positives,
    sum(thresholds.negatives) AS negatives,
    sum(thresholds.positives * (
      thresholds.n - thresholds.fp
    )) AS won,
    sum(thresholds.positives * thresholds.negatives) AS tied
  FROM thresholds AS thresholds
  HAVING
    CAST(count(*) AS BIGINT) > 0
), clipped AS (
  SELECT
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END AS label,
    greatest(
      least(predictions.score, 1 - CAST(1e-15 AS DOUBLE PRECISION)),
      CAST(1e-15 AS DOUBLE PRECISION)
    ) AS p,
    CAST(1e0 AS DOUBLE PRECISION) AS weight
  FROM (
    SELECT
      CASE
        WHEN CAST(predictions.label AS DOUBLE PRECISION) = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE CAST(predictions.label AS DOUBLE PRECISION)
      END AS label,
      CASE
        WHEN CAST(predictions.score AS DOUBLE PRECISION) = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE CAST(predictions.score AS DOUBLE PRECISION)
      END AS score
    FROM predictions AS predictions
  ) AS predictions
), mass_places AS (
  SELECT
    score_groups.score AS p,
    score_groups.size AS size,
    score_groups.positives + score_groups.negatives AS weight,
    score_groups.positives AS positives,
    sum(score_groups.size) OVER (ORDER BY score_groups.score ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - score_groups.size AS place,
    sum(score_groups.size) OVER () AS total
  FROM score_groups AS score_groups
), places_2 AS (
  SELECT
    mass_places.p AS p,
    mass_places.size AS size,
    mass_places.weight AS weight,
    mass_places.positives AS positives,
    mass_places.place AS place,
    floor(mass_places.total / CAST(10 AS DOUBLE PRECISION)) AS few,
    mass_places.total - 10 * floor(mass_places.total / CAST(10 AS DOUBLE PRECISION)) AS wide
  FROM mass_places AS mass_places
), binned_2 AS (
  SELECT
    places.p AS p,
    places.size AS size,
    places.weight AS weight,
    places.positives AS positives,
    CASE
      WHEN places.place < places.wide * (
        places.few + 1
      )
      THEN floor(places.place / (
        places.few + 1
      ))
      ELSE places.wide + floor(
        (
          places.place - places.wide * (
            places.few + 1
          )
        ) / nullif(places.few, 0)
      )
    END AS bin
  FROM places_2 AS places
), bins AS (
  SELECT
    binned.bin AS bin,
    CAST(sum(binned.size) AS BIGINT) AS n,
    sum(binned.weight) AS total,
    sum(binned.weight * binned.p) / nullif(sum(binned.weight), 0) AS mean_score,
    sum(binned.positives) / nullif(sum(binned.weight), 0) AS mean_label
  FROM binned_2 AS binned
  GROUP BY
    binned.bin
), per_segment_of_pairs AS (
  SELECT
    (
      pairs.won + pairs.tied / 2
    ) / nullif(pairs.positives * pairs.negatives, 0) AS v1
  FROM pairs AS pairs
), per_segment_of_clipped AS (
  SELECT
    -sum(
      CASE
        WHEN clipped.label = 1 AND clipped.p > 0
        THEN ln(clipped.p)
        WHEN clipped.label = 0 AND clipped.p < 1
        THEN ln(1 - clipped.p) + (
          (
            1 - (
              1 - clipped.p
            )
          ) - clipped.p
        ) / (
          1 - clipped.p
        ) /* the rounding of 1 - p, put right */
        ELSE CAST('-Infinity' AS DOUBLE PRECISION)
      END
    ) / nullif(sum(CAST(1e0 AS DOUBLE PRECISION)), 0) AS v1
  FROM clipped AS clipped
  HAVING
    CAST(count(*) AS BIGINT) > 0
), per_segment_of_bins AS (
  SELECT
    sum(bins.total * abs(bins.mean_score - bins.mean_label)) / nullif(sum(bins.total), 0) AS v1
  FROM bins AS bins
  HAVING
    CAST(count(*) AS BIGINT) > 0
), summary AS (
  SELECT
    segments.n AS n,
    segments.n_positive AS n_positive,
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
        abs(summary.value_0) < CAST('Infinity' AS DOUBLE PRECISION)
      )
      THEN summary.value_0
    END
    WHEN 1
    THEN summary.value_1
    WHEN 2
    THEN CASE
      WHEN (
        abs(summary.value_2) < CAST('Infinity' AS DOUBLE PRECISION)
      )
      THEN summary.value_2
    END
  END AS value,
  coalesce(summary.n, 0) AS n,
  coalesce(summary.n_positive, 0) AS n_positive
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
  metrics.place ASC;
