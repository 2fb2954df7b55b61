-- name:   common_queries
-- title:  How many queries have computed values, how many have given ones, and how many both
-- inputs: computed (query_id), given (system, query_id, metric, value, signature)
-- grain:  n_computed
-- note:   ids of two tables may have different types, so their texts are compared
WITH computed_ids AS (
    SELECT DISTINCT CAST(query_id AS VARCHAR) AS id
    FROM computed
),
given_ids AS (
    SELECT DISTINCT CAST(query_id AS VARCHAR) AS id
    FROM given
)
SELECT
    count(computed_ids.id) AS n_computed,
    count(given_ids.id) AS n_given,
    count(*) FILTER (WHERE computed_ids.id IS NOT NULL AND given_ids.id IS NOT NULL) AS n_common
FROM computed_ids
FULL JOIN given_ids ON given_ids.id = computed_ids.id;
