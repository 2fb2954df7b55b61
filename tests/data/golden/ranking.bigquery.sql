-- BigQuery (text only: no test executes it)
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
      CAST(truth.relevance AS FLOAT64) AS relevance
    FROM truth AS truth
  ) AS truth
), ideal AS (
  SELECT
    truth.query_id AS query_id,
    truth.relevance AS relevance,
    ROW_NUMBER() OVER (PARTITION BY truth.query_id ORDER BY truth.relevance DESC) AS ideal_rank
  FROM (
    SELECT
      truth.query_id AS query_id,
      CAST(truth.relevance AS FLOAT64) AS relevance
    FROM truth AS truth
  ) AS truth
  WHERE
    truth.relevance > 0
  QUALIFY
    ROW_NUMBER() OVER (PARTITION BY truth.query_id ORDER BY truth.relevance DESC) <= 100
), ranked AS (
  SELECT
    predictions.query_id AS query_id,
    predictions.item_id AS item_id,
    ROW_NUMBER() OVER (
      PARTITION BY predictions.query_id
      ORDER BY predictions.score DESC, predictions.item_id ASC
    ) AS rank
  FROM (
    SELECT
      predictions.query_id AS query_id,
      predictions.item_id AS item_id,
      CAST(predictions.score AS FLOAT64) AS score
    FROM predictions AS predictions
  ) AS predictions
  WHERE
    TRUE
  QUALIFY
    ROW_NUMBER() OVER (
      PARTITION BY predictions.query_id
      ORDER BY predictions.score DESC, predictions.item_id ASC
    ) <= 100
), found AS (
  SELECT
    ranked.query_id AS query_id,
    grades.relevance AS relevance,
    ranked.rank AS rank,
    ROW_NUMBER() OVER (PARTITION BY ranked.query_id ORDER BY ranked.rank ASC) AS hit
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
    COUNT(*) AS n_predicted
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
    COUNT(CASE WHEN grades.is_relevant THEN 1 END) AS m
  FROM grades AS grades
  GROUP BY
    grades.query_id
), relevant AS (
  SELECT
    queries.query_id AS query_id,
    ideal.relevance AS relevance,
    ideal.ideal_rank AS ideal_rank,
    judged_queries.m AS m,
    CAST(NULL AS INT64) AS rank,
    CAST(NULL AS INT64) AS hit
  FROM ideal AS ideal
  JOIN queries AS queries
    ON queries.query_id = ideal.query_id
  LEFT JOIN judged_queries AS judged_queries
    ON judged_queries.query_id = ideal.query_id
  UNION ALL
  SELECT
    queries.query_id AS query_id,
    found.relevance AS relevance,
    CAST(NULL AS INT64) AS ideal_rank,
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
      n AS position
    FROM UNNEST(GENERATE_ARRAY(1, 5)) AS n
  ) AS slots
  GROUP BY
    relevant.query_id,
    slots.position
), per_query_of_relevant AS (
  SELECT
    relevant.query_id AS query_id,
    COALESCE(
      SUM(
        CASE
          WHEN relevant.rank <= 10
          THEN relevant.relevance * (
            CAST(1e0 AS FLOAT64) / LOG(relevant.rank + 1, 2)
          )
        END
      ),
      0
    ) AS v1,
    SUM(
      CASE
        WHEN relevant.ideal_rank <= 10
        THEN relevant.relevance * (
          CAST(1e0 AS FLOAT64) / LOG(relevant.ideal_rank + 1, 2)
        )
      END
    ) AS v2,
    COALESCE(
      SUM(
        CASE
          WHEN relevant.rank <= 100
          THEN CAST(relevant.hit AS FLOAT64) / relevant.rank
        END
      ) / NULLIF(MAX(relevant.m), 0),
      0
    ) AS v3,
    CAST(COUNT(CASE WHEN relevant.rank <= 20 THEN 1 END) AS FLOAT64) / NULLIF(LEAST(20, MAX(relevant.m)), 0) AS v4
  FROM relevant AS relevant
  GROUP BY
    relevant.query_id
), per_query_of_placed_3 AS (
  SELECT
    placed.query_id AS query_id,
    SUM(
      CASE
        WHEN placed.position <= 5
        THEN CASE WHEN NOT placed.is_relevant THEN CAST(0e0 AS FLOAT64) ELSE placed.relevance END * (
          CAST(1e0 AS FLOAT64) / LOG(placed.position + 1, 2)
        )
      END
    ) AS v1
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
      THEN CAST(0e0 AS FLOAT64)
      ELSE COALESCE(per_query_of_relevant.v1, 0) / NULLIF(per_query_of_relevant.v2, 0)
    END AS value_1,
    COALESCE(judged_queries.m, 0) = 0 AS no_relevant_1,
    (
      COALESCE(per_query_of_relevant.v1, 0) / NULLIF(per_query_of_relevant.v2, 0)
    ) IS NULL
    AND NOT (
      COALESCE(judged_queries.m, 0) = 0
    )
    AND NOT queries.missing AS undefined_1,
    CASE
      WHEN COALESCE(judged_queries.m, 0) = 0
      THEN NULL
      WHEN queries.missing
      THEN CAST(0e0 AS FLOAT64)
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
      THEN CAST(0e0 AS FLOAT64)
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
      THEN CAST(0e0 AS FLOAT64)
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
    COUNT(CASE WHEN query_values.missing THEN 1 END) AS n_missing,
    COUNT(query_values.value_1) AS n_0,
    COUNT(CASE WHEN query_values.no_relevant_1 THEN 1 END) AS n_no_relevant_0,
    COUNT(CASE WHEN query_values.undefined_1 THEN 1 END) AS n_undefined_0,
    AVG(query_values.value_2) AS mean_1,
    COUNT(query_values.value_2) AS n_1,
    COUNT(CASE WHEN query_values.undefined_2 THEN 1 END) AS n_undefined_1,
    AVG(query_values.value_3) AS mean_2,
    COUNT(query_values.value_3) AS n_2,
    COUNT(CASE WHEN query_values.undefined_3 THEN 1 END) AS n_undefined_2,
    AVG(query_values.value_4) AS mean_3,
    COUNT(query_values.value_4) AS n_3,
    COUNT(CASE WHEN query_values.undefined_4 THEN 1 END) AS n_undefined_3
  FROM query_values AS query_values
  HAVING
    COUNT(*) > 0
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
        ABS(summary.mean_0) < CAST('Infinity' AS FLOAT64)
      )
      THEN summary.mean_0
    END
    WHEN 1
    THEN CASE
      WHEN (
        ABS(summary.mean_1) < CAST('Infinity' AS FLOAT64)
      )
      THEN summary.mean_1
    END
    WHEN 2
    THEN CASE
      WHEN (
        ABS(summary.mean_2) < CAST('Infinity' AS FLOAT64)
      )
      THEN summary.mean_2
    END
    WHEN 3
    THEN CASE
      WHEN (
        ABS(summary.mean_3) < CAST('Infinity' AS FLOAT64)
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
  metrics.place ASC NULLS LAST;
