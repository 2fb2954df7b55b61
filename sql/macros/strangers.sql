-- name:     strangers
-- title:    Systems, of several, that share no query with the truth
-- inputs:   predictions (system, query_id), truth (query_id)
-- params:   title VARCHAR,
--           advice VARCHAR
SELECT 'predictions, system ' || answers.system || ': column ''query_id'': ' || $title || '; ' || $advice AS problem
FROM answers
LEFT JOIN (SELECT DISTINCT query_id FROM truth) AS judged ON judged.query_id = answers.query_id
GROUP BY answers.system
HAVING count(judged.query_id) = 0;
