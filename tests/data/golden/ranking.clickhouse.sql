-- ClickHouse (executed in tests)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (query_id, item_id, score)
-- truth (query_id, item_id, relevance)
WITH grades AS (
  SELECT
    truth.query_id AS query_id,
    truth.item_id AS item_id,
    truth.relevance AS relevance,
    truth.relevance > 0 AS is_relevant
  FROM (
    SELECT
      truth.query_id AS query_id,
      truth.item_id AS item_id,
      CASE
        WHEN CAST(truth.relevance AS Nullable(Float64)) = CAST(0.0e0 AS Nullable(Float64))
        THEN CAST(0.0e0 AS Nullable(Float64))
        ELSE CAST(truth.relevance AS Nullable(Float64))
      END AS relevance
    FROM truth AS truth
  ) AS truth
), ideal AS (
  SELECT
    truth.query_id AS query_id,
    truth.relevance AS relevance,
    CAST(ROW_NUMBER() OVER (PARTITION BY truth.query_id ORDER BY truth.relevance DESC) AS Nullable(Int64)) AS ideal_rank
  FROM (
    SELECT
      truth.query_id AS query_id,
      CASE
        WHEN CAST(truth.relevance AS Nullable(Float64)) = CAST(0.0e0 AS Nullable(Float64))
        THEN CAST(0.0e0 AS Nullable(Float64))
        ELSE CAST(truth.relevance AS Nullable(Float64))
      END AS relevance
    FROM truth AS truth
  ) AS truth
  WHERE
    truth.relevance > 0
  QUALIFY
    CAST(ROW_NUMBER() OVER (PARTITION BY truth.query_id ORDER BY truth.relevance DESC) AS Nullable(Int64)) <= 100
), ranked AS (
  SELECT
    predictions.query_id AS query_id,
    predictions.item_id AS item_id,
    CAST(ROW_NUMBER() OVER (
      PARTITION BY predictions.query_id
      ORDER BY predictions.score DESC, predictions.item_id ASC
    ) AS Nullable(Int64)) AS rank
  FROM (
    SELECT
      predictions.query_id AS query_id,
      predictions.item_id AS item_id,
      CASE
        WHEN CAST(predictions.score AS Nullable(Float64)) = CAST(0.0e0 AS Nullable(Float64))
        THEN CAST(0.0e0 AS Nullable(Float64))
        ELSE CAST(predictions.score AS Nullable(Float64))
      END AS score
    FROM predictions AS predictions
  ) AS predictions
  QUALIFY
    CAST(ROW_NUMBER() OVER (
      PARTITION BY predictions.query_id
      ORDER BY predictions.score DESC, predictions.item_id ASC
    ) AS Nullable(Int64)) <= 100
), found AS (
  SELECT
    ranked.query_id AS query_id,
    grades.relevance AS relevance,
    ranked.rank AS rank,
    CAST(ROW_NUMBER() OVER (PARTITION BY ranked.query_id ORDER BY ranked.rank ASC) AS Nullable(Int64)) AS hit
  FROM ranked AS ranked
  JOIN grades AS grades
    ON grades.query_id = ranked.query_id AND grades.item_id = ranked.item_id
  WHERE
    grades.is_relevant
), asked AS (
  SELECT DISTINCT
    truth.query_id AS query_id
  FROM truth AS truth
), answers AS (
  SELECT
    predictions.query_id AS query_id,
    CAST(COUNT(*) AS Nullable(Int64)) AS n_predicted
  FROM predictions AS predictions
  GROUP BY
    predictions.query_id
), queries AS (
  SELECT
    asked.query_id AS query_id,
    answers.n_predicted IS NULL AS missing
  FROM asked AS asked
  LEFT JOIN answers AS answers
    ON answers.query_id = asked.query_id
), judged_queries AS (
  SELECT
    grades.query_id AS query_id,
    CAST(COUNT(*) FILTER(WHERE
      grades.is_relevant) AS Nullable(Int64)) AS m
  FROM grades AS grades
  GROUP BY
    grades.query_id
), relevant AS (
  SELECT
    queries.query_id AS query_id,
    ideal.relevance AS relevance,
    ideal.ideal_rank AS ideal_rank,
    judged_queries.m AS m,
    CAST(NULL AS Nullable(Int64)) AS rank,
    CAST(NULL AS Nullable(Int64)) AS hit
  FROM ideal AS ideal
  JOIN queries AS queries
    ON queries.query_id = ideal.query_id
  LEFT JOIN judged_queries AS judged_queries
    ON judged_queries.query_id = ideal.query_id
  UNION ALL
  SELECT
    queries.query_id AS query_id,
    found.relevance AS relevance,
    CAST(NULL AS Nullable(Int64)) AS ideal_rank,
    judged_queries.m AS m,
    found.rank AS rank,
    found.hit AS hit
  FROM found AS found
  JOIN queries AS queries
    ON queries.query_id = found.query_id
  LEFT JOIN judged_queries AS judged_queries
    ON judged_queries.query_id = found.query_id
), placed_3 AS (
  SELECT
    relevant.query_id AS query_id,
    MAX(relevant.relevance) AS relevance,
    TRUE AS is_relevant,
    slots.position AS position
  FROM relevant AS relevant
  CROSS JOIN (
    SELECT
      CAST(number AS Nullable(Int64)) + 1 AS position
    FROM numbers(5)
  ) AS slots
  GROUP BY
    relevant.query_id,
    slots.position
), per_query_of_relevant AS (
  SELECT
    relevant.query_id AS query_id,
    COALESCE(
      SUM(
        relevant.relevance * (
          CAST(1e0 AS Nullable(Float64)) / LOG2(relevant.rank + 1)
        )
      ) FILTER(WHERE
        relevant.rank <= 10),
      0
    ) AS v1,
    SUM(
      relevant.relevance * (
        CAST(1e0 AS Nullable(Float64)) / LOG2(relevant.ideal_rank + 1)
      )
    ) FILTER(WHERE
      relevant.ideal_rank <= 10) AS v2,
    COALESCE(
      SUM(CAST(relevant.hit AS Nullable(Float64)) / relevant.rank) FILTER(WHERE
        relevant.rank <= 100) / nullIf(MAX(relevant.m), 0),
      0
    ) AS v3,
    CAST(COUNT(*) FILTER(WHERE
      relevant.rank <= 20) AS Nullable(Float64)) / nullIf(LEAST(20, MAX(relevant.m)), 0) AS v4
  FROM relevant AS relevant
  GROUP BY
    relevant.query_id
), per_query_of_placed_3 AS (
  SELECT
    placed.query_id AS query_id,
    SUM(
      CASE
        WHEN NOT placed.is_relevant
        THEN CAST(0e0 AS Nullable(Float64))
        ELSE placed.relevance
      END * (
        CAST(1e0 AS Nullable(Float64)) / LOG2(placed.position + 1)
      )
    ) FILTER(WHERE
      placed.position <= 5) AS v1
  FROM placed_3 AS placed
  GROUP BY
    placed.query_id
), query_values AS (
  SELECT
    queries.query_id AS query_id,
    queries.missing AS missing,
    CASE
      WHEN COALESCE(judged_queries.m, 0) = 0
      THEN NULL
      WHEN queries.missing
      THEN CAST(0e0 AS Nullable(Float64))
      ELSE COALESCE(per_query_of_relevant.v1, 0) / nullIf(per_query_of_relevant.v2, 0)
    END AS value_1,
    COALESCE(judged_queries.m, 0) = 0 AS no_relevant_1,
    (
      COALESCE(per_query_of_relevant.v1, 0) / nullIf(per_query_of_relevant.v2, 0)
    ) IS NULL
    AND NOT (
      COALESCE(judged_queries.m, 0) = 0
    )
    AND NOT queries.missing AS undefined_1,
    CASE
      WHEN COALESCE(judged_queries.m, 0) = 0
      THEN NULL
      WHEN queries.missing
      THEN CAST(0e0 AS Nullable(Float64))
      ELSE per_query_of_relevant.v3
    END AS value_2,
    per_query_of_relevant.v3 IS NULL
    AND NOT (
      COALESCE(judged_queries.m, 0) = 0
    )
    AND NOT queries.missing AS undefined_2,
    CASE
      WHEN COALESCE(judged_queries.m, 0) = 0
      THEN NULL
      WHEN queries.missing
      THEN CAST(0e0 AS Nullable(Float64))
      ELSE per_query_of_relevant.v4
    END AS value_3,
    per_query_of_relevant.v4 IS NULL
    AND NOT (
      COALESCE(judged_queries.m, 0) = 0
    )
    AND NOT queries.missing AS undefined_3,
    CASE
      WHEN COALESCE(judged_queries.m, 0) = 0
      THEN NULL
      WHEN queries.missing
      THEN CAST(0e0 AS Nullable(Float64))
      ELSE per_query_of_placed_3.v1
    END AS value_4,
    per_query_of_placed_3.v1 IS NULL
    AND NOT (
      COALESCE(judged_queries.m, 0) = 0
    )
    AND NOT queries.missing AS undefined_4
  FROM queries AS queries
  LEFT JOIN judged_queries AS judged_queries
    ON judged_queries.query_id = queries.query_id
  LEFT JOIN per_query_of_relevant AS per_query_of_relevant
    ON per_query_of_relevant.query_id = queries.query_id
  LEFT JOIN per_query_of_placed_3 AS per_query_of_placed_3
    ON per_query_of_placed_3.query_id = queries.query_id
), summary AS (
  SELECT
    AVG(query_values.value_1) AS mean_0,
    CAST(COUNT(*) FILTER(WHERE
      query_values.missing) AS Nullable(Int64)) AS n_missing,
    CAST(COUNT(query_values.value_1) AS Nullable(Int64)) AS n_0,
    CAST(COUNT(*) FILTER(WHERE
      query_values.no_relevant_1) AS Nullable(Int64)) AS n_no_relevant_0,
    CAST(COUNT(*) FILTER(WHERE
      query_values.undefined_1) AS Nullable(Int64)) AS n_undefined_0,
    AVG(query_values.value_2) AS mean_1,
    CAST(COUNT(query_values.value_2) AS Nullable(Int64)) AS n_1,
    CAST(COUNT(*) FILTER(WHERE
      query_values.undefined_2) AS Nullable(Int64)) AS n_undefined_1,
    AVG(query_values.value_3) AS mean_2,
    CAST(COUNT(query_values.value_3) AS Nullable(Int64)) AS n_2,
    CAST(COUNT(*) FILTER(WHERE
      query_values.undefined_3) AS Nullable(Int64)) AS n_undefined_2,
    AVG(query_values.value_4) AS mean_3,
    CAST(COUNT(query_values.value_4) AS Nullable(Int64)) AS n_3,
    CAST(COUNT(*) FILTER(WHERE
      query_values.undefined_4) AS Nullable(Int64)) AS n_undefined_3
  FROM query_values AS query_values
  HAVING
    CAST(COUNT(*) AS Nullable(Int64)) > 0
)
SELECT
  CASE metrics.place
    WHEN 0
    THEN 'ndcg@10'
    WHEN 1
    THEN 'map@100'
    WHEN 2
    THEN 'recall(norm=min_k)@20'
    WHEN 3
    THEN 'idcg(ideal=full_k)@5'
  END AS metric,
  CASE metrics.place
    WHEN 0
    THEN CASE
      WHEN (
        ABS(summary.mean_0) < CAST('Infinity' AS Nullable(Float64))
      )
      THEN summary.mean_0
    END
    WHEN 1
    THEN CASE
      WHEN (
        ABS(summary.mean_1) < CAST('Infinity' AS Nullable(Float64))
      )
      THEN summary.mean_1
    END
    WHEN 2
    THEN CASE
      WHEN (
        ABS(summary.mean_2) < CAST('Infinity' AS Nullable(Float64))
      )
      THEN summary.mean_2
    END
    WHEN 3
    THEN CASE
      WHEN (
        ABS(summary.mean_3) < CAST('Infinity' AS Nullable(Float64))
      )
      THEN summary.mean_3
    END
  END AS value,
  CASE metrics.place
    WHEN 0
    THEN summary.n_0
    WHEN 1
    THEN summary.n_1
    WHEN 2
    THEN summary.n_2
    WHEN 3
    THEN summary.n_3
  END AS n,
  summary.n_missing AS n_missing,
  summary.n_no_relevant_0 AS n_no_relevant,
  CASE metrics.place
    WHEN 0
    THEN summary.n_undefined_0
    WHEN 1
    THEN summary.n_undefined_1
    WHEN 2
    THEN summary.n_undefined_2
    WHEN 3
    THEN summary.n_undefined_3
  END AS n_undefined
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
  UNION ALL
  SELECT
    3 AS place
) AS metrics
ORDER BY
  metrics.place ASC
SETTINGS join_use_nulls = 1;
