-- name:     gini
-- alias:    accuracy_ratio
-- title:    Gini coefficient of a score
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment
-- range:    [-1, 1], higher is better
-- interval: logit
-- formula:  2 AUC - 1
-- source:   Hand and Till, Machine Learning 2001, doi:10.1023/A:1010920819831
-- oracle:   reference
-- example:  gini() = 0.718519
SELECT system, segment, 2 * auc.value - 1 AS value
FROM auc;
