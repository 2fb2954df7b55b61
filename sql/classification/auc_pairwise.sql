-- name:     auc_pairwise
-- title:    Area under the ROC curve by its definition, pair by pair
-- meaning:  This metric compares every positive with every negative, and reports the share of pairs in which the
--           positive has the higher score. The value is the AUC.
-- use:      to understand how AUC works, or to check another computation of it
-- beware:   the value depends only on the order of the scores; it does not show whether the scores are calibrated
-- reading:  1: every positive has a higher score than every negative
--           0.5: no better than random scores
--           0: every positive has a lower score than every negative
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [0, 1], higher is better
-- interval: logit
-- formula:  share of the pairs of a positive and a negative in which the positive has the higher score, ties 1/2
-- tex:      \mathrm{AUC} = \frac{1}{P N} \sum_{i=1}^{P} \sum_{j=1}^{N} h(s_i, s_j) \qquad h(s_i, s_j) = \begin{cases}
--           1 & s_i > s_j \\ 0.5 & s_i = s_j \\ 0 & s_i < s_j \end{cases}
-- symbols:  P: the number of positives
--           N: the number of negatives
--           s_i: the score of positive i
--           s_j: the score of negative j
--           h: the worth of one pair, 0.5 for a tie
-- source:   Hanley and McNeil, Radiology 1982, doi:10.1148/radiology.143.1.7063747
-- oracle:   sklearn roc_auc_score
-- example:  auc_pairwise() = 0.859259
-- worked:   (115 + 0.5 * 2) / (9 * 15) = 0.8593
-- related:  auc, gini, group_auc, mann_whitney
-- note:     compares every pair, P N pairs in total: for teaching and for checks, on small data
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
