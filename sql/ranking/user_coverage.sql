-- name:     user_coverage
-- title:    User coverage
-- group:    All lists of a system
-- meaning:  User coverage is the share of users that the system gives a list with enough items.
-- use:      to find users without recommendations before you compare systems
-- beware:   only population=truth, or a table of users, counts users that no system answers
-- reading:  1: every user has a list with at least the wanted number of items
--           0.9: one of ten users has no such list
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance)
-- params:   at_least INTEGER DEFAULT 1 CHECK (at_least > 0)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   at_least: the smallest number of items that a list must have
--           no_relevant: as in judged
-- idle:     ties WHEN TRUE; scores WHEN TRUE
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  1 if the query has at_least items or more, else 0; agg=sum: the number of users
-- tex:      [n \ge m]
-- symbols:  n: the number of items that the query returns
--           m: at_least, the smallest number of items
-- source:   Herlocker, Konstan, Terveen and Riedl, ACM TOIS 2004, doi:10.1145/963770.963772
-- oracle:   reference
-- example:  user_coverage(at_least := 3) = 1
-- worked:   q1: 1 * 1 = 1
--           q2: 1 * 1 = 1
-- related:  n_returned, coverage
-- note:     it is a mean over queries, so that it has intervals like every other one
SELECT
    answers.system,
    answers.query_id,
    CASE WHEN coalesce(max(returned_counts.n_returned), 0) >= $at_least THEN 1e0 ELSE 0e0 END AS value
FROM answers
LEFT JOIN returned_counts
    ON returned_counts.system = answers.system AND returned_counts.query_id = answers.query_id
GROUP BY answers.system, answers.query_id;
