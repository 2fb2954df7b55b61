-- name:     auc_pairwise
-- title:    Area under the ROC curve by its definition, pair by pair
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- formula:  share of the pairs of a positive and a negative in which the positive has the higher score, ties 1/2
-- source:   Hanley and McNeil, Radiology 1982, doi:10.1148/radiology.143.1.7063747
-- oracle:   sklearn roc_auc_score
-- example:  auc_pairwise() = 0.859259
-- note:     looks at every pair, P N of them: to teach and to check, for small data
WITH positives AS (
    SELECT system, segment, score, weight FROM labeled WHERE label = 1
),
negatives AS (
    SELECT system, segment, score, weight FROM labeled WHERE label = 0
),
compared AS (
    SELECT
        positives.system,
        positives.segment,
        positives.weight * negatives.weight AS weight,
        CASE
            WHEN positives.score > negatives.score THEN 1e0
            WHEN positives.score = negatives.score THEN 5e-1
            ELSE 0e0
        END AS won
    FROM positives
    JOIN negatives ON negatives.system = positives.system AND negatives.segment = positives.segment
)
SELECT system, segment, sum(weight * won) / nullif(sum(weight), 0) AS value
FROM compared
GROUP BY system, segment;
