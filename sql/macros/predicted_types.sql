-- name:     predicted_types
-- title:    Types of the columns of predictions; a missing column has the type "NULL"
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id',
--           score VARCHAR DEFAULT NULL,
--           rank VARCHAR DEFAULT NULL,
--           position VARCHAR DEFAULT NULL,
--           system VARCHAR DEFAULT NULL
-- note:     one row, even if the table has no rows
WITH named AS (
    SELECT
        typeof(coalesce(*COLUMNS(one_of($query_id)))) AS query_type,
        typeof(coalesce(*COLUMNS(one_of($item_id)))) AS item_type,
        typeof(coalesce(*COLUMNS(one_of(coalesce($score, 'score'))))) AS score_type,
        typeof(coalesce(*COLUMNS(one_of(coalesce($rank, 'rank'))))) AS rank_type,
        typeof(coalesce(*COLUMNS(one_of(coalesce($system, ''))))) AS system_type,
        typeof(coalesce(*COLUMNS(one_of(coalesce($position, ''))))) AS position_type,
        typeof(struct_pack(*COLUMNS(run_columns($query_id, $item_id, $score, $rank, $position)))) AS run_type,
        typeof(struct_pack(*COLUMNS('.'))) AS found
    FROM (SELECT NULL AS "_duckmetrics_none") AS none
    LEFT JOIN (SELECT * FROM query($source) LIMIT 1) AS given ON TRUE
)
SELECT
    query_type,
    item_type,
    score_type <> '"NULL"' AND $rank IS NULL AS has_score,
    rank_type <> '"NULL"' AND $score IS NULL AS has_rank,
    CASE WHEN score_type <> '"NULL"' AND $rank IS NULL THEN score_type ELSE rank_type END AS order_type,
    CASE
        WHEN $rank IS NOT NULL OR ($score IS NULL AND score_type = '"NULL"' AND rank_type <> '"NULL"')
            THEN coalesce($rank, 'rank')
        ELSE coalesce($score, 'score')
    END AS order_name,
    system_type,
    position_type,
    regexp_extract(run_type, '(?i)(?:\(|, )"?([^_" ][^" ]*)', 1) AS run_name,
    list_of_columns(found) AS found
FROM named;
