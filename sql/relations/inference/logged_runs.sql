-- name:     logged_runs
-- title:    The runs of a log, a row each
-- inputs:   runs (run_time, run_id, release, tags, system, metric, n_rows, n_queries, first_day, last_day),
--           run_values (run_id)
-- grain:    run_id
-- portable: no, the log of runs is read by DuckDB
-- note:     has_values: whether the values per query were logged, too
SELECT
    run_id,
    run_time,
    any_value(nullif(array_to_string(
        list_transform(map_entries(tags), lambda tag: tag.key || '=' || tag.value), ', '
    ), '')) AS tags,
    any_value(release) AS release,
    list_sort(array_agg(DISTINCT system) FILTER (WHERE system IS NOT NULL)) AS systems,
    list_sort(array_agg(DISTINCT metric)) AS metrics,
    run_id IN (SELECT run_id FROM run_values) AS has_values,
    any_value(n_rows) AS n_rows,
    any_value(n_queries) AS n_queries,
    any_value(first_day) AS first_day,
    any_value(last_day) AS last_day
FROM runs
GROUP BY run_id, run_time;
