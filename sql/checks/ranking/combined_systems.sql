-- name:     combined_systems
-- title:    queries with rows of several systems, according to a column such as system, model or run
-- for:      ranking
-- severity: error
-- why:      a list that combines several systems measures none of them
-- column:   predictions.run
-- inputs:   predictions (system, query_id, run)
-- params:   named_runs BOOLEAN DEFAULT TRUE
-- advice:   name the column with system=, evaluate one of the systems, or exclude the column if it means something else
-- note:     run is a column with a name such as system, model or run that no argument names
WITH lists AS (
    SELECT system, query_id, min(run) AS first_run, max(run) AS last_run
    FROM predictions
    WHERE $named_runs AND run IS NOT NULL
    GROUP BY system, query_id
)
SELECT system, query_id, first_run, last_run
FROM lists
WHERE $named_runs AND first_run < last_run;
