-- name:     brier
-- alias:    brier_score
-- title:    Brier score of several classes
-- meaning:  The Brier score is the average squared distance between the probabilities of the classes and the right
--           class. That is 1 for the right class and 0 for the others.
-- use:      when one number must cover both calibration and separation of the classes
-- beware:   it is the sum over the classes; for two classes, it is twice the usual Brier score
-- reading:  0: the right class of every row has the probability 1
--           1 - 1 / number of classes: as good as the same probability for every class
--           2: a wrong class of every row has the probability 1
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, 2], lower is better
-- formula:  sum over the classes of mean (p - y)^2
-- tex:      \mathrm{BS} = \frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C} (p_{ic} - y_{ic})^2
-- symbols:  n: the number of rows
--           C: the number of classes
--           p_{ic}: the probability of class c for row i
--           y_{ic}: 1 if c is the right class of row i, else 0
-- source:   Brier, Monthly Weather Review 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2
-- oracle:   sklearn brier_score_loss
-- example:  brier() = 0.430000
-- worked:   (0.14 + 0.42 + 0.86 + 0.06 + 0.24 + 0.86) / 6 = 0.4300
-- related:  log_loss, ece
-- note:     in the slice of a class, the value is its part of the sum
SELECT system, segment, sum(squared / nullif(total, 0)) AS value
FROM class_counts
GROUP BY system, segment;
