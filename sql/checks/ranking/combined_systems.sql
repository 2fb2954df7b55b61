-- name:     combined_systems
-- title:    queries with rows of several systems, by a column that is called system, model, run or the like
-- for:      ranking
-- severity: error
-- why:      lists of several systems in one ranking give the value of none of them
-- column:   predictions.run
-- inputs:   predictions (system, query_id, run)
-- params:   named_runs BOOLEAN DEFAULT TRUE
-- advice:   name the column with system=, evaluate one of the systems, or select without the column if it is
--           something else
-- note:     run is a column that is called system, model, run or the like, though nobody said what it is
WITH lists AS (
    SELECT system, query_id, min(run) AS first_run, max(run) AS last_run
    FROM predictions
    WHERE $named_runs AND run IS NOT NULL
    GROUP BY system, query_id
)
SELECT system, query_id, first_run, last_run
FROM lists
WHERE $named_runs AND first_run < last_run;
