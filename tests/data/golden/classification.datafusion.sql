-- Apache DataFusion (executed in tests)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (system TEXT, segment BIGINT, label DOUBLE PRECISION, score DOUBLE PRECISION, weight DOUBLE PRECISION)
WITH segments AS (
  SELECT
    predictions.system AS system,
    predictions.segment AS segment,
    CAST(count(*) AS BIGINT) AS n,
    CAST(count(*) FILTER(WHERE
      predictions.label > 0) AS BIGINT) AS n_positive
  FROM (
    SELECT
      predictions.system AS system,
      predictions.segment AS segment,
      CASE
        WHEN predictions.label = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.label
      END AS label,
      CASE
        WHEN predictions.score = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.score
      END AS score,
      CASE
        WHEN predictions.weight = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.weight
      END AS weight
    FROM predictions AS predictions
  ) AS predictions
  GROUP BY
    predictions.system,
    predictions.segment
), labeled AS (
  SELECT
    predictions.system AS system,
    predictions.segment AS segment,
    CASE
      WHEN predictions.label > 0
      THEN CAST(1e0 AS DOUBLE PRECISION)
      ELSE CAST(0e0 AS DOUBLE PRECISION)
    END AS label,
    predictions.score AS score,
    CAST(1e0 AS DOUBLE PRECISION) AS weight
  FROM (
    SELECT
      predictions.system AS system,
      predictions.segment AS segment,
      CASE
        WHEN predictions.label = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.label
      END AS label,
      CASE
        WHEN predictions.score = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.score
      END AS score,
      CASE
        WHEN predictions.weight = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.weight
      END AS weight
    FROM predictions AS predictions
  ) AS predictions
), score_groups AS (
  SELECT
    labeled.system AS system,
    labeled.segment AS segment,
    labeled.score AS score,
    sum(labeled.label) AS positives,
    sum((
      1 - labeled.label
    )) AS negatives,
    CAST(count(*) AS DOUBLE PRECISION) AS size
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
    sum(score_groups.positives) OVER (
      PARTITION BY score_groups.system, score_groups.segment
      ORDER BY score_groups.score DESC NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS tp,
    sum(score_groups.negatives) OVER (
      PARTITION BY score_groups.system, score_groups.segment
      ORDER BY score_groups.score DESC NULLS LAST
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
    max(cumulated.tp) OVER (PARTITION BY cumulated.system, cumulated.segment) AS p,
    max(cumulated.fp) OVER (PARTITION BY cumulated.system, cumulated.segment) AS n
  FROM cumulated AS cumulated
), pairs AS (
  SELECT
    thresholds.system AS system,
    thresholds.segment AS segment,
    sum(thresholds.positives) AS positives,
    sum(thresholds.negatives) AS negatives,
    sum(thresholds.positives * (
      thresholds.n - thresholds.fp
    )) AS won,
    sum(thresholds.positives * thresholds.negatives) AS tied
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
      predictions.system AS system,
      predictions.segment AS segment,
      CASE
        WHEN predictions.label = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.label
      END AS label,
      CASE
        WHEN predictions.score = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.score
      END AS score,
      CASE
        WHEN predictions.weight = CAST(0.0e0 AS DOUBLE PRECISION)
        THEN CAST(0.0e0 AS DOUBLE PRECISION)
        ELSE predictions.weight
      END AS weight
    FROM predictions AS predictions
  ) AS predictions
), mass_places AS (
  SELECT
    score_groups.system AS system,
    score_groups.segment AS segment,
    score_groups.score AS p,
    score_groups.size AS size,
    score_groups.positives + score_groups.negatives AS weight,
    score_groups.positives AS positives,
    sum(score_groups.size) OVER (
      PARTITION BY score_groups.system, score_groups.segment
      ORDER BY score_groups.score ASC
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - score_groups.size AS place,
    sum(score_groups.size) OVER (PARTITION BY score_groups.system, score_groups.segment) AS total
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
    floor(mass_places.total / CAST(10 AS DOUBLE PRECISION)) AS few,
    mass_places.total - 10 * floor(mass_places.total / CAST(10 AS DOUBLE PRECISION)) AS wide
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
    binned.system AS system,
    binned.segment AS segment,
    binned.bin AS bin,
    CAST(sum(binned.size) AS BIGINT) AS n,
    sum(binned.weight) AS total,
    sum(binned.weight * binned.p) / nullif(sum(binned.weight), 0) AS mean_score,
    sum(binned.positives) / nullif(sum(binned.weight), 0) AS mean_label
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
    ) / nullif(pairs.positives * pairs.negatives, 0) AS v1
  FROM pairs AS pairs
), per_segment_of_clipped AS (
  SELECT
    clipped.system AS system,
    clipped.segment AS segment,
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
  GROUP BY
    clipped.system,
    clipped.segment
), per_segment_of_bins AS (
  SELECT
    bins.system AS system,
    bins.segment AS segment,
    sum(bins.total * abs(bins.mean_score - bins.mean_label)) / nullif(sum(bins.total), 0) AS v1
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
  per_segment_of_pairs.v1 AS "auc",
  per_segment_of_clipped.v1 AS "log_loss",
  per_segment_of_bins.v1 AS "ece(binning=mass)"
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
