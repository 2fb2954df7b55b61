-- DuckDB (executed in tests)
-- reads, with no NULL in ids, no NULL or NaN in numbers, and no row twice:
-- predictions (query_id, item_id, score)
-- truth (query_id, item_id, relevance)
WITH grades AS (
  SELECT
    query_id,
    item_id,
    relevance,
    relevance > 0 AS is_relevant
  FROM (
    SELECT
      query_id,
      item_id,
      CAST(relevance AS DOUBLE) AS relevance
    FROM truth
  ) AS truth
), ideal AS (
  SELECT
    query_id,
    relevance,
    ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS ideal_rank
  FROM (
    SELECT
      query_id,
      CAST(relevance AS DOUBLE) AS relevance
    FROM truth
  ) AS truth
  WHERE
    relevance > 0
  QUALIFY
    ideal_rank <= 100
), ranked AS (
  SELECT
    query_id,
    item_id,
    ROW_NUMBER() OVER (PARTITION BY query_id ORDER BY predictions.score DESC, item_id ASC) AS rank
  FROM (
    SELECT
      query_id,
      item_id,
      CAST(score AS DOUBLE) AS score
    FROM predictions
  ) AS predictions
  QUALIFY
    rank <= 100
), found AS (
  SELECT
    ranked.query_id,
    grades.relevance,
    ranked.rank,
    ROW_NUMBER() OVER (PARTITION BY ranked.query_id ORDER BY ranked.rank ASC) AS hit
  FROM ranked
  JOIN grades
    ON grades.query_id = ranked.query_id AND grades.item_id = ranked.item_id
  WHERE
    grades.is_relevant
), asked AS (
  SELECT DISTINCT
    query_id
  FROM truth
), answers AS (
  SELECT
    query_id,
    COUNT(*) AS n_predicted
  FROM predictions
  GROUP BY
    query_id
), queries AS (
  SELECT
    asked.query_id,
    answers.n_predicted IS NULL AS missing
  FROM asked
  LEFT JOIN answers
    ON answers.query_id = asked.query_id
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
    queries.query_id,
    found.relevance,
    CAST(NULL AS BIGINT) AS ideal_rank,
    judged_queries.m,
    found.rank AS rank,
    found.hit
  FROM found
  JOIN queries
    ON queries.query_id = found.query_id
  LEFT JOIN judged_queries
    ON judged_queries.query_id = found.query_id
), placed_3 AS (
  SELECT
    query_id,
    MAX(relevance) AS relevance,
    TRUE AS is_relevant,
    slots.position
  FROM relevant
  CROSS JOIN RANGE(1, CAST(5 AS BIGINT) + 1) AS slots(position)
  GROUP BY
    query_id,
    slots.position
), per_query_of_relevant AS (
  SELECT
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
    query_id
), per_query_of_placed_3 AS (
  SELECT
    query_id,
    SUM(
      CASE WHEN NOT is_relevant THEN 0e0 ELSE relevance END * (
        1e0 / LOG(2, position + 1)
      )
    ) FILTER(WHERE
      position <= 5) AS v1
  FROM placed_3 AS placed
  GROUP BY
    query_id
), query_values AS (
  SELECT
    queries.query_id AS query_id,
    queries.missing AS missing,
    CASE
      WHEN COALESCE(judged_queries.m, 0) = 0
      THEN NULL
      WHEN queries.missing
      THEN 0e0
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
      THEN 0e0
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
      THEN 0e0
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
      THEN 0e0
      ELSE per_query_of_placed_3.v1
    END AS value_4,
    per_query_of_placed_3.v1 IS NULL
    AND NOT (
      COALESCE(judged_queries.m, 0) = 0
    )
    AND NOT queries.missing AS undefined_4
  FROM queries
  LEFT JOIN judged_queries
    ON judged_queries.query_id = queries.query_id
  LEFT JOIN per_query_of_relevant
    ON per_query_of_relevant.query_id = queries.query_id
  LEFT JOIN per_query_of_placed_3
    ON per_query_of_placed_3.query_id = queries.query_id
), summary AS (
  SELECT
    AVG(value_1) AS mean_0,
    COUNT(*) FILTER(WHERE
      missing) AS n_missing,
    COUNT(value_1) AS n_0,
    COUNT(*) FILTER(WHERE
      no_relevant_1) AS n_no_relevant_0,
    COUNT(*) FILTER(WHERE
      undefined_1) AS n_undefined_0,
    AVG(value_2) AS mean_1,
    COUNT(value_2) AS n_1,
    COUNT(*) FILTER(WHERE
      undefined_2) AS n_undefined_1,
    AVG(value_3) AS mean_2,
    COUNT(value_3) AS n_2,
    COUNT(*) FILTER(WHERE
      undefined_3) AS n_undefined_2,
    AVG(value_4) AS mean_3,
    COUNT(value_4) AS n_3,
    COUNT(*) FILTER(WHERE
      undefined_4) AS n_undefined_3
  FROM query_values
  HAVING
    COUNT(*) > 0
)
SELECT
  CASE place
    WHEN 0
    THEN 'ndcg@10'
    WHEN 1
    THEN 'map@100'
    WHEN 2
    THEN 'recall(norm=min_k)@20'
    WHEN 3
    THEN 'idcg(ideal=full_k)@5'
  END AS metric,
  CASE place
    WHEN 0
    THEN CASE WHEN ISFINITE(mean_0) THEN mean_0 END
    WHEN 1
    THEN CASE WHEN ISFINITE(mean_1) THEN mean_1 END
    WHEN 2
    THEN CASE WHEN ISFINITE(mean_2) THEN mean_2 END
    WHEN 3
    THEN CASE WHEN ISFINITE(mean_3) THEN mean_3 END
  END AS value,
  CASE place WHEN 0 THEN n_0 WHEN 1 THEN n_1 WHEN 2 THEN n_2 WHEN 3 THEN n_3 END AS n,
  n_missing,
  n_no_relevant_0 AS n_no_relevant,
  CASE place
    WHEN 0
    THEN n_undefined_0
    WHEN 1
    THEN n_undefined_1
    WHEN 2
    THEN n_undefined_2
    WHEN 3
    THEN n_undefined_3
  END AS n_undefined
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
  UNION ALL
  SELECT
    3 AS place
) AS metrics
ORDER BY
  place ASC;
