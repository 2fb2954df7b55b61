-- BigQuery (text only: no test executes it)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (system STRING, query_id STRING, item_id STRING, score FLOAT64, position INT64)
-- truth (query_id STRING, item_id STRING, relevance FLOAT64)
WITH grades AS (
  SELECT
    truth.query_id AS query_id,
    truth.item_id AS item_id,
    truth.relevance AS relevance,
    truth.relevance > 0 AS is_relevant
  FROM truth AS truth
), ideal AS (
  SELECT
    truth.query_id AS query_id,
    truth.relevance AS relevance,
    ROW_NUMBER() OVER (PARTITION BY truth.query_id ORDER BY truth.relevance DESC) AS ideal_rank
  FROM truth AS truth
  WHERE
    truth.relevance > 0
  QUALIFY
    ROW_NUMBER() OVER (PARTITION BY truth.query_id ORDER BY truth.relevance DESC) <= 100
), ranked AS (
  SELECT
    predictions.system AS system,
    predictions.query_id AS query_id,
    predictions.item_id AS item_id,
    ROW_NUMBER() OVER (
      PARTITION BY predictions.system, predictions.query_id
      ORDER BY predictions.score DESC, predictions.item_id ASC
    ) AS rank
  FROM predictions AS predictions
  QUALIFY
    ROW_NUMBER() OVER (
      PARTITION BY predictions.system, predictions.query_id
      ORDER BY predictions.score DESC, predictions.item_id ASC
    ) <= 100
), found AS (
  SELECT
    ranked.system AS system,
    ranked.query_id AS query_id,
    grades.relevance AS relevance,
    ranked.rank AS rank,
    ROW_NUMBER() OVER (PARTITION BY ranked.system, ranked.query_id ORDER BY ranked.rank ASC) AS hit
  FROM ranked AS ranked
  JOIN grades AS grades
    ON grades.query_id = ranked.query_id AND grades.item_id = ranked.item_id
  WHERE
    grades.is_relevant
), asked AS (
  SELECT DISTINCT
    truth.query_id AS query_id
  FROM truth AS truth
), systems AS (
  SELECT DISTINCT
    predictions.system AS system
  FROM predictions AS predictions
), answers AS (
  SELECT
    predictions.system AS system,
    predictions.query_id AS query_id,
    COUNT(*) AS n_predicted
  FROM predictions AS predictions
  GROUP BY
    predictions.system,
    predictions.query_id
), queries AS (
  SELECT
    systems.system AS system,
    asked.query_id AS query_id,
    answers.n_predicted IS NULL AS missing
  FROM asked AS asked
  CROSS JOIN systems AS systems
  LEFT JOIN answers AS answers
    ON answers.system = systems.system AND answers.query_id = asked.query_id
), judged_queries AS (
  SELECT
    grades.query_id AS query_id,
    COUNT(CASE WHEN grades.is_relevant THEN 1 END) AS m
  FROM grades AS grades
  GROUP BY
    grades.query_id
), relevant AS (
  SELECT
    queries.system AS system,
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
    queries.system AS system,
    queries.query_id AS query_id,
    found.relevance AS relevance,
    CAST(NULL AS INT64) AS ideal_rank,
    judged_queries.m AS m,
    found.rank AS rank,
    found.hit AS hit
  FROM found AS found
  JOIN queries AS queries
    ON queries.system = found.system AND queries.query_id = found.query_id
  LEFT JOIN judged_queries AS judged_queries
    ON judged_queries.query_id = found.query_id
), placed_3 AS (
  SELECT
    relevant.system AS system,
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
    relevant.system,
    relevant.query_id,
    slots.position
), per_query_of_relevant AS (
  SELECT
    relevant.system AS system,
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
    relevant.system,
    relevant.query_id
), per_query_of_placed_3 AS (
  SELECT
    placed.system AS system,
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
    placed.system,
    placed.query_id
)
SELECT
  queries.system AS system,
  queries.query_id AS query_id,
  queries.missing AS missing,
  CASE
    WHEN COALESCE(judged_queries.m, 0) = 0
    THEN NULL
    WHEN queries.missing
    THEN CAST(0e0 AS FLOAT64)
    ELSE COALESCE(per_query_of_relevant.v1, 0) / NULLIF(per_query_of_relevant.v2, 0)
  END AS `ndcg@10`,
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
  END AS `map@100`,
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
  END AS `recall(norm=min_k)@20`,
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
  END AS `idcg(ideal=full_k)@5`,
  per_query_of_placed_3.v1 IS NULL
  AND NOT (
    COALESCE(judged_queries.m, 0) = 0
  )
  AND NOT queries.missing AS undefined_4
FROM queries AS queries
LEFT JOIN judged_queries AS judged_queries
  ON judged_queries.query_id = queries.query_id
LEFT JOIN per_query_of_relevant AS per_query_of_relevant
  ON per_query_of_relevant.system = queries.system
  AND per_query_of_relevant.query_id = queries.query_id
LEFT JOIN per_query_of_placed_3 AS per_query_of_placed_3
  ON per_query_of_placed_3.system = queries.system
  AND per_query_of_placed_3.query_id = queries.query_id;
