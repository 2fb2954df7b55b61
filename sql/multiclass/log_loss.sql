-- name:     log_loss
-- alias:    logloss, cross_entropy
-- title:    Logarithmic loss of several classes
-- meaning:  Log loss measures how much probability the model gives to the right class of each row. A wrong prediction
--           costs more if it is closer to certainty.
-- use:      when the probabilities themselves matter
-- beware:   it depends on how common the classes are; compare models on the same rows
-- reading:  0: the right class of every row has the probability 1
--           ln(number of classes): as good as the same probability for every class
-- inputs:   predictions (system, segment, label, score, weight, class, actual, place)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5)
-- values:   eps: as in relations/classification/clipped
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf], lower is better
-- infinite: a right class has the probability 0, with eps=0
-- formula:  -mean(ln p), p is the probability of the right class, clipped to [eps, 1 - eps]
-- tex:      L = -\frac{1}{n} \sum_{i=1}^{n} \ln p_i
-- symbols:  n: the number of rows
--           p_i: the probability of the right class of row i, clipped to [eps, 1 - eps]
-- source:   Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
-- oracle:   sklearn log_loss
-- example:  log_loss() = 0.698623
-- worked:   -(ln(0.7) + ln(0.5) + ln(0.3) + ln(0.8) + ln(0.6) + ln(0.3)) / 6 = 0.6986
-- related:  brier, ece, accuracy
-- note:     in the slice of a class, the value is the mean of its own rows
SELECT
    system,
    segment,
    sum(
        weight * label * CASE
            WHEN label = 1 AND greatest(p, $eps) > 0 THEN -ln(least(greatest(p, $eps), 1 - $eps))
            WHEN label = 1 THEN CAST('Infinity' AS DOUBLE)
            ELSE 0e0
        END
    ) / nullif(sum(weight * label), 0) AS value
FROM class_probabilities
GROUP BY system, segment;
