WITH grades AS (
  SELECT
    query_id,
    item_id,
    relevance,
    relevance > 0 AS is_relevant
  FROM truth
), ideal AS (
  SELECT
    query_id,
    relevance,
    ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS ideal_rank
  FROM truth
  WHERE
    relevance > 0
  QUALIFY
    ideal_rank <= 100
), ranked AS (
  SELECT
    system,
    query_id,
    item_id,
    ROW_NUMBER() OVER (PARTITION BY system, query_id ORDER BY predictions.score DESC, item_id ASC) AS rank
  FROM predictions
  QUALIFY
    rank <= 100
), found AS (
  SELECT
    ranked.system,
    ranked.query_id,
    grades.relevance,
    ranked.rank,
    ROW_NUMBER() OVER (PARTITION BY ranked.system, ranked.query_id ORDER BY ranked.rank ASC) AS hit
  FROM ranked
  JOIN grades
    ON grades.query_id = ranked.query_id AND grades.item_id = ranked.item_id
  WHERE
    grades.is_relevant
), asked AS (
  SELECT DISTINCT
    query_id
  FROM truth
), systems AS (
  SELECT DISTINCT
    system
  FROM predictions
), answers AS (
  SELECT
    system,
    query_id,
    COUNT(*) AS n_predicted
  FROM predictions
  GROUP BY
    system,
    query_id
), queries AS (
  SELECT
    systems.system,
    asked.query_id,
    answers.n_predicted IS NULL AS missing
  FROM asked
  CROSS JOIN systems
  LEFT JOIN answers
    ON answers.system = systems.system AND answers.query_id = asked.query_id
), judged_queries AS (
  SELECT
    query_id,
    COUNT(*) FILTER(WHERE
      is_relevant) AS m
  FROM grades
  GROUP BY
    query_id
), relevant AS (
  SELECT
    queries.system,
    queries.query_id,
    ideal.relevance,
    ideal.ideal_rank,
    judged_queries.m,
    CAST(NULL AS BIGINT) AS rank,
    CAST(NULL AS BIGINT) AS hit
  FROM ideal
  JOIN queries
    ON queries.query_id = ideal.query_id
  LEFT JOIN judged_queries
    ON judged_queries.query_id = ideal.query_id
  UNION ALL
  SELECT
    queries.system,
    queries.query_id,
    found.relevance,
    CAST(NULL AS BIGINT) AS ideal_rank,
    judged_queries.m,
    found.rank AS rank,
    found.hit
  FROM found
  JOIN queries
    ON queries.system = found.system AND queries.query_id = found.query_id
  LEFT JOIN judged_queries
    ON judged_queries.query_id = found.query_id
), placed_3 AS (
  SELECT
    system,
    query_id,
    MAX(relevance) AS relevance,
    TRUE AS is_relevant,
    slots.position
  FROM relevant
  CROSS JOIN RANGE(1, CAST(5 AS BIGINT) + 1) AS slots(position)
  GROUP BY
    system,
    query_id,
    slots.position
), per_query_of_relevant AS (
  SELECT
    system,
    query_id,
    COALESCE(SUM(relevance * (
      1e0 / LOG(2, rank + 1)
    )) FILTER(WHERE
      rank <= 10), 0) AS v1,
    SUM(relevance * (
      1e0 / LOG(2, ideal_rank + 1)
    )) FILTER(WHERE
      ideal_rank <= 10) AS v2,
    COALESCE(SUM(CAST(hit AS DOUBLE) / rank) FILTER(WHERE
      rank <= 100) / NULLIF(MAX(m), 0), 0) AS v3,
    CAST(COUNT(*) FILTER(WHERE
      rank <= 20) AS DOUBLE) / NULLIF(LEAST(20, MAX(m)), 0) AS v4
  FROM relevant
  GROUP BY
    system,
    query_id
), per_query_of_placed_3 AS (
  SELECT
    system,
    query_id,
    SUM(
      CASE WHEN NOT is_relevant THEN 0e0 ELSE relevance END * (
        1e0 / LOG(2, position + 1)
      )
    ) FILTER(WHERE
      position <= 5) AS v1
  FROM placed_3 AS placed
  GROUP BY
    system,
    query_id
)
SELECT
  queries.system AS system,
  queries.query_id AS query_id,
  queries.missing AS missing,
  CASE
    WHEN COALESCE(judged_queries.m, 0) = 0
    THEN NULL
    WHEN queries.missing
    THEN 0e0
    ELSE COALESCE(per_query_of_relevant.v1, 0) / NULLIF(per_query_of_relevant.v2, 0)
  END AS "ndcg@10",
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
    THEN 0e0
    ELSE per_query_of_relevant.v3
  END AS "map@100",
  per_query_of_relevant.v3 IS NULL
  AND NOT (
    COALESCE(judged_queries.m, 0) = 0
  )
  AND NOT queries.missing AS undefined_2,
  CASE
    WHEN COALESCE(judged_queries.m, 0) = 0
    THEN NULL
    WHEN queries.missing
    THEN 0e0
    ELSE per_query_of_relevant.v4
  END AS "recall(norm=min_k)@20",
  per_query_of_relevant.v4 IS NULL
  AND NOT (
    COALESCE(judged_queries.m, 0) = 0
  )
  AND NOT queries.missing AS undefined_3,
  CASE
    WHEN COALESCE(judged_queries.m, 0) = 0
    THEN NULL
    WHEN queries.missing
    THEN 0e0
    ELSE per_query_of_placed_3.v1
  END AS "idcg(ideal=full_k)@5",
  per_query_of_placed_3.v1 IS NULL
  AND NOT (
    COALESCE(judged_queries.m, 0) = 0
  )
  AND NOT queries.missing AS undefined_4
FROM queries
LEFT JOIN judged_queries
  ON judged_queries.query_id = queries.query_id
LEFT JOIN per_query_of_relevant
  ON per_query_of_relevant.system = queries.system
  AND per_query_of_relevant.query_id = queries.query_id
LEFT JOIN per_query_of_placed_3
  ON per_query_of_placed_3.system = queries.system
  AND per_query_of_placed_3.query_id = queries.query_id;
