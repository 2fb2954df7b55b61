-- name:     explained_values
-- title:    Values of one metric for the queries of the population, with the policy that gave a value
-- inputs:   valued (system, query_id, missing, no_relevant, value, weight)
-- params:   missing VARCHAR DEFAULT 'zero' CHECK (missing IN ('zero', 'skip', 'error')),
--           no_relevant VARCHAR DEFAULT 'null' CHECK (no_relevant IN ('null', 'zero', 'one'))
-- values:   missing: as in evaluated
--           no_relevant: as in evaluated
-- grain:    system, query_id
-- note:     policy is the switch that gave the value, in the order in which evaluated applies them; NULL if the
--           metric itself did
SELECT
    system,
    query_id,
    value,
    weight,
    CASE
        WHEN no_relevant AND $no_relevant = 'null' THEN 'no_relevant'
        WHEN missing AND $missing <> 'undefined' THEN 'missing'
        WHEN no_relevant AND $no_relevant IN ('zero', 'one') THEN 'no_relevant'
    END AS policy
FROM valued;
