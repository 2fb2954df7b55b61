-- name:     infap
-- title:    Inferred average precision
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1/m * sum over hits at rank i of 1/i + (j/i) * (r + e) / (r + s + 2e), where r relevant and s judged
--           nonrelevant items lie above, j = r + s, e = 0.00001
-- source:   Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; trec_eval m_infap.c
-- oracle:   ir_measures infAP
-- example:  infap() = 0.541667
-- note:     every judgment counts as pooled and judged; a grade of -1, which trec_eval takes as pooled and not
--           judged, is refused
WITH judged_above AS (
    SELECT
        queries.system,
        queries.query_id,
        is_relevant,
        m,
        rank,
        sum(CASE WHEN is_relevant THEN 1 ELSE 0 END) OVER (
            PARTITION BY queries.system, queries.query_id
            ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) - 1 AS relevant_above,
        sum(CASE WHEN relevance IS NOT NULL AND NOT is_relevant THEN 1 ELSE 0 END) OVER (
            PARTITION BY queries.system, queries.query_id
            ORDER BY rank ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS nonrelevant_above
    FROM queries
    LEFT JOIN returned ON returned.system = queries.system AND returned.query_id = queries.query_id
)
SELECT
    system,
    query_id,
    coalesce(
        sum(
            1e0 / rank + (CAST(relevant_above + nonrelevant_above AS DOUBLE) / rank)
            * (relevant_above + 1e-5) / (relevant_above + nonrelevant_above + 2e-5)
        ) FILTER (WHERE is_relevant) / nullif(max(m), 0), 0
    ) AS value
FROM judged_above
GROUP BY system, query_id;
