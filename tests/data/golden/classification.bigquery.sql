-- BigQuery (text only: no test executes it)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (system STRING, segment INT64, label FLOAT64, score FLOAT64, weight FLOAT64)
WITH segments AS (
  SELECT
    predictions.system AS system,
    predictions.segment AS segment,
    COUNT(*) AS n,
    COUNT(CASE WHEN predictions.label > 0 THEN 1 END) AS n_positive
  FROM predictions AS predictions
  GROUP BY
    predictions.system,
    predictions.segment
), labeled AS (
  SELECT
    predictions.system AS system,
    predictions.segment AS segment,
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS FLOAT64)
      ELSE CAST(0e0 AS FLOAT64)
    END AS label,
    predictions.score AS score,
    CAST(1e0 AS FLOAT64) AS weight
  FROM predictions AS predictions
), score_groups AS (
  SELECT
    labeled.system AS system,
    labeled.segment AS segment,
    labeled.score AS score,
    SUM(labeled.label) AS positives,
    SUM((
      1 - labeled.label
    )) AS negatives,
    CAST(COUNT(*) AS FLOAT64) AS size
  FROM labeled AS labeled
  GROUP BY
    labeled.system,
    labeled.segment,
    labeled.score
), cumulated AS (
  SELECT
    score_groups.system AS system,
    score_groups.segment AS segment,
    score_groups.score AS score,
    score_groups.positives AS positives,
    score_groups.negatives AS negatives,
    SUM(score_groups.positives) OVER (
      PARTITION BY score_groups.system, score_groups.segment
      ORDER BY score_groups.score DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS tp,
    SUM(score_groups.negatives) OVER (
      PARTITION BY score_groups.system, score_groups.segment
      ORDER BY score_groups.score DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS fp
  FROM score_groups AS score_groups
), thresholds AS (
  SELECT
    cumulated.system AS system,
    cumulated.segment AS segment,
    cumulated.score AS score,
    cumulated.positives AS positives,
    cumulated.negatives AS negatives,
    cumulated.fp AS fp,
    MAX(cumulated.tp) OVER (PARTITION BY cumulated.system, cumulated.segment) AS p,
    MAX(cumulated.fp) OVER (PARTITION BY cumulated.system, cumulated.segment) AS n
  FROM cumulated AS cumulated
), pairs AS (
  SELECT
    thresholds.system AS system,
    thresholds.segment AS segment,
    SUM(thresholds.positives) AS positives,
    SUM(thresholds.negatives) AS negatives,
    SUM(thresholds.positives * (
      thresholds.n - thresholds.fp
    )) AS won,
    SUM(thresholds.positives * thresholds.negatives) AS tied
  FROM thresholds AS thresholds
  GROUP BY
    thresholds.system,
    thresholds.segment
), clipped AS (
  SELECT
    predictions.system AS system,
    predictions.segment AS segment,
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS FLOAT64)
      ELSE CAST(0e0 AS FLOAT64)
    END AS label,
    GREATEST(LEAST(predictions.score, 1 - CAST(1e-15 AS FLOAT64)), CAST(1e-15 AS FLOAT64)) AS p,
    CAST(1e0 AS FLOAT64) AS weight
  FROM predictions AS predictions
), mass_places AS (
  SELECT
    score_groups.system AS system,
    score_groups.segment AS segment,
    score_groups.score AS p,
    score_groups.size AS size,
    score_groups.positives + score_groups.negatives AS weight,
    score_groups.positives AS positives,
    SUM(score_groups.size) OVER (
      PARTITION BY score_groups.system, score_groups.segment
      ORDER BY score_groups.score ASC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - score_groups.size AS place,
    SUM(score_groups.size) OVER (PARTITION BY score_groups.system, score_groups.segment) AS total
  FROM score_groups AS score_groups
), places_2 AS (
  SELECT
    mass_places.system AS system,
    mass_places.segment AS segment,
    mass_places.p AS p,
    mass_places.size AS size,
    mass_places.weight AS weight,
    mass_places.positives AS positives,
    mass_places.place AS place,
    FLOOR(mass_places.total / CAST(10 AS FLOAT64)) AS few,
    mass_places.total - 10 * FLOOR(mass_places.total / CAST(10 AS FLOAT64)) AS wide
  FROM mass_places AS mass_places
), binned_2 AS (
  SELECT
    places.system AS system,
    places.segment AS segment,
    places.p AS p,
    places.size AS size,
    places.weight AS weight,
    places.positives AS positives,
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
    binned.system AS system,
    binned.segment AS segment,
    binned.bin AS bin,
    CAST(SUM(binned.size) AS INT64) AS n,
    SUM(binned.weight) AS total,
    SUM(binned.weight * binned.p) / NULLIF(SUM(binned.weight), 0) AS mean_score,
    SUM(binned.positives) / NULLIF(SUM(binned.weight), 0) AS mean_label
  FROM binned_2 AS binned
  GROUP BY
    binned.system,
    binned.segment,
    binned.bin
), per_segment_of_pairs AS (
  SELECT
    pairs.system AS system,
    pairs.segment AS segment,
    (
      pairs.won + pairs.tied / 2
    ) / NULLIF(pairs.positives * pairs.negatives, 0) AS v1
  FROM pairs AS pairs
), per_segment_of_clipped AS (
  SELECT
    clipped.system AS system,
    clipped.segment AS segment,
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
        ELSE CAST('-Infinity' AS FLOAT64)
      END
    ) / NULLIF(SUM(CAST(1e0 AS FLOAT64)), 0) AS v1
  FROM clipped AS clipped
  GROUP BY
    clipped.system,
    clipped.segment
), per_segment_of_bins AS (
  SELECT
    bins.system AS system,
    bins.segment AS segment,
    SUM(bins.total * ABS(bins.mean_score - bins.mean_label)) / NULLIF(SUM(bins.total), 0) AS v1
  FROM bins AS bins
  GROUP BY
    bins.system,
    bins.segment
)
SELECT
  segments.system AS system,
  segments.segment AS segment,
  segments.n AS n,
  segments.n_positive AS n_positive,
  per_segment_of_pairs.v1 AS `auc`,
  per_segment_of_clipped.v1 AS `log_loss`,
  per_segment_of_bins.v1 AS `ece(binning=mass)`
FROM segments AS segments
LEFT JOIN per_segment_of_pairs AS per_segment_of_pairs
  ON per_segment_of_pairs.system = segments.system
  AND per_segment_of_pairs.segment = segments.segment
LEFT JOIN per_segment_of_clipped AS per_segment_of_clipped
  ON per_segment_of_clipped.system = segments.system
  AND per_segment_of_clipped.segment = segments.segment
LEFT JOIN per_segment_of_bins AS per_segment_of_bins
  ON per_segment_of_bins.system = segments.system
  AND per_segment_of_bins.segment = segments.segment;
