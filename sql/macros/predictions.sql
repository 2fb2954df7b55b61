-- name:     predictions
-- title:    Predictions of rankings as the metrics read them
-- params:   source VARCHAR,
--           query_id VARCHAR DEFAULT 'query_id',
--           item_id VARCHAR DEFAULT 'item_id',
--           score VARCHAR DEFAULT NULL,
--           rank VARCHAR DEFAULT NULL,
--           position VARCHAR DEFAULT NULL,
--           system VARCHAR DEFAULT NULL,
--           names_runs BOOLEAN DEFAULT FALSE
-- grain:    system, query_id, item_id
-- note:     a rank becomes a score that falls, and is used as it is; position is the place of a row, for ties=input;
--           run is the column that may distinguish several systems; another macro refuses a rank that is too large
--           for a DOUBLE; a missing column has the type "NULL", which is known before the rows are read
WITH named AS (
    SELECT
        coalesce(*COLUMNS(one_of($query_id))) AS query_id,
        coalesce(*COLUMNS(one_of($item_id))) AS item_id,
        coalesce(*COLUMNS(one_of(coalesce($score, 'score')))) AS score,
        typeof(coalesce(*COLUMNS(one_of(coalesce($score, 'score'))))) AS score_type,
        coalesce(*COLUMNS(one_of(coalesce($rank, 'rank')))) AS rank,
        typeof(coalesce(*COLUMNS(one_of(coalesce($rank, 'rank'))))) AS rank_type,
        coalesce(*COLUMNS(one_of(coalesce($position, '')))) AS position,
        typeof(coalesce(*COLUMNS(one_of(coalesce($position, ''))))) AS position_type,
        coalesce(*COLUMNS(one_of(coalesce($system, '')))) AS system,
        typeof(coalesce(*COLUMNS(one_of(coalesce($system, ''))))) AS system_type,
        concat_ws(', ', *COLUMNS(run_columns($query_id, $item_id, $score, $rank, $position))) AS run,
        typeof(struct_pack(*COLUMNS(run_columns($query_id, $item_id, $score, $rank, $position)))) AS run_type
    FROM (SELECT *, NULL AS "_duckmetrics_none" FROM query($source)) AS given
)
SELECT
    CASE
        WHEN $system IS NULL THEN ''
        WHEN system_type = '"NULL"'
            THEN error('duckmetrics: predictions: no column ''' || $system || '''; name it with system := ...')
        ELSE CAST(system AS VARCHAR)
    END AS system,
    identifier(query_id, $query_id) AS query_id,
    identifier(item_id, $item_id) AS item_id,
    CASE
        WHEN $score IS NOT NULL AND $rank IS NOT NULL
            THEN error('duckmetrics: predictions: score := and rank := both order the items; give one of them')
        WHEN $rank IS NULL AND score_type <> '"NULL"' AND ($score IS NOT NULL OR rank_type = '"NULL"')
            THEN number(score, 'predictions: column ''' || coalesce($score, 'score') || '''')
        WHEN $score IS NULL AND rank_type <> '"NULL"' AND ($rank IS NOT NULL OR score_type = '"NULL"')
            THEN -number(rank, 'predictions: column ''' || coalesce($rank, 'rank') || '''')
        WHEN score_type <> '"NULL"' AND rank_type <> '"NULL"'
            THEN error(
                'duckmetrics: predictions: both ''score'' and ''rank'' could order the items; '
                || 'say which, score := ''score'''
            )
        ELSE error('duckmetrics: predictions: no column ''' || coalesce($score, $rank, 'score')
            || '''; name it with score := or rank :=')
    END AS score,
    CASE
        WHEN $rank IS NULL AND score_type <> '"NULL"' AND ($score IS NOT NULL OR rank_type = '"NULL"')
            THEN exact_number(score)
    END AS exact_score,
    CASE
        WHEN $position IS NOT NULL AND position_type = '"NULL"'
            THEN error('duckmetrics: predictions: no column ''' || $position || '''; name it with "position" := ...')
        ELSE position
    END AS position,
    CASE
        WHEN $system IS NULL AND NOT starts_with(run_type, 'STRUCT(_duckmetrics_none')
            THEN CASE WHEN $names_runs THEN regexp_extract(run_type, 'STRUCT\("?(\w+)', 1) || '=' ELSE '' END || run
    END AS run
FROM named;
