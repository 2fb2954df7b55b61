-- name:     precision
-- alias:    p
-- macro:    precision_at for precision, precision_at for p
-- title:    Precision
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           norm VARCHAR DEFAULT 'k' CHECK (norm IN ('k', 'returned'))
-- values:   k: as in recall
--           norm=k: hits are divided by k, even if fewer items were returned
--           norm=returned: hits are divided by min(k, returned items)
-- idle:     norm WHEN k IS NULL; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  h / k; norm=returned: h / min(k, n); without a cut-off h / n
-- source:   Cleverdon, Aslib Proceedings 1967
-- oracle:   ir_measures P@{k}
-- example:  precision(k := 2) = 0.5
SELECT
    system,
    query_id,
    CAST(count(*) FILTER (WHERE rank <= coalesce($k, rank)) AS DOUBLE)
        / nullif(
            CASE WHEN $k IS NULL OR $norm = 'returned' THEN least($k, max(n_returned)) ELSE $k END, 0
        ) AS value
FROM relevant
GROUP BY system, query_id;
