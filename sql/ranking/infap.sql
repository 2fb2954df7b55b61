-- name:     infap
-- title:    Inferred average precision
-- group:    Accuracy
-- meaning:  Inferred average precision estimates average precision from the judgments of a random sample of items. It
--           is high if relevant items come before other items.
-- use:      to compare with the infAP that other tools report
-- beware:   the truth here cannot mark unjudged pool items, so the value equals average precision to within 0.00001;
--           by default, unjudged items still count as nonrelevant
-- reading:  1: every relevant item is before every other item (1 to five decimals)
--           0: no relevant item is returned
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1/m * sum over hits at rank i of 1/i + (j/i) * (r + e) / (r + s + 2e), where r relevant and s judged
--           nonrelevant items lie above, j = r + s, e = 0.00001
-- tex:      \mathrm{infAP} = \frac{1}{m} \sum_{i} \mathit{hit}_i \left( \frac{1}{i} +
--           \frac{j_i}{i} \cdot \frac{r_i + \varepsilon}{j_i + 2 \varepsilon} \right)
-- symbols:  m: the number of relevant items in the truth
--           i: a rank
--           \mathit{hit}_i: 1 if the item at rank i is relevant, 0 if it is not
--           r_i: the number of relevant items before rank i
--           j_i: the number of judged items before rank i
--           \varepsilon: the constant 0.00001; it gives the fraction a value if no judged item is before rank i
-- source:   Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; trec_eval m_infap.c
-- oracle:   ir_measures infAP
-- example:  infap() = 0.541667
-- worked:   q1: ((1 / 1 + 0) + (1 / 3 + 2 / 3 * (1 + 0.00001) / (2 + 2 * 0.00001))) / 2 = 0.8333
--           q2: (1 / 2 + 0 / 2 * (0 + 0.00001) / (0 + 2 * 0.00001)) / 2 = 0.25
-- related:  average_precision, bpref, judged
-- note:     every judgment counts as pooled and judged; a grade of -1, which trec_eval reads as pooled but unjudged,
--           is an error
WITH judged_above AS (
    SELECT
        queries.system,
        queries.query_id,
        item_id AS item,
        rank AS place,
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
