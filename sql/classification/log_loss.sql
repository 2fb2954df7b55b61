-- name:     log_loss
-- alias:    logloss, cross_entropy
-- title:    Logarithmic loss
-- meaning:  Log loss measures how well the predicted probabilities agree with the labels. A wrong prediction costs
--           more if its probability is closer to certainty.
-- use:      when the probabilities themselves matter, as in auctions and expected values
-- beware:   it depends on the base rate: with rare positives, a useless model has a small loss, too; compare models
--           on the same rows
-- reading:  0: every prediction is certain and right
--           0.6931: as good as a probability of 0.5 for every row
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   eps DOUBLE DEFAULT 1e-15 CHECK (eps >= 0 AND eps < 0.5)
-- idle:     undefined WHEN TRUE
-- grain:    system, segment
-- range:    [0, inf], lower is better
-- infinite: a wrong probability is 0 or 1, with eps=0
-- formula:  -mean(y ln p + (1 - y) ln(1 - p)), natural logarithm, p clipped to [eps, 1 - eps]
-- tex:      L = -\frac{1}{n} \sum_{i=1}^{n} (y_i \ln p_i + (1 - y_i) \ln(1 - p_i))
-- symbols:  y_i: the label of row i, 0 or 1
--           p_i: the predicted probability of row i, clipped to [eps, 1 - eps]
--           n: the number of rows
-- source:   Good, Journal of the Royal Statistical Society B 1952, doi:10.1111/j.2517-6161.1952.tb00104.x
-- oracle:   sklearn log_loss
-- example:  log_loss() = 0.459810
-- worked:   -(ln(0.72) + ln(1 - 0.15) + ln(1 - 0.4) + ln(1 - 0.08) + ln(0.33) + ln(1 - 0.4) + ln(1 - 0.05) +
--           ln(1 - 0.22) + ln(1 - 0.31) + ln(1 - 0.12) + ln(0.55) + ln(0.61) + ln(1 - 0.55) + ln(0.28) +
--           ln(1 - 0.09) + ln(0.9) + ln(0.45) + ln(0.77) + ln(1 - 0.18) + ln(1 - 0.03) + ln(0.18) + ln(1 - 0.52) +
--           ln(1 - 0.27) + ln(1 - 0.11)) / 24 = 0.4598
-- related:  normalized_entropy, rig, brier, base_entropy, ece
-- note:     a note in the result reports the number of clipped rows; with eps=0, nothing is clipped, and one
--           prediction that is certain and wrong makes the loss infinite
SELECT
    system,
    segment,
    -sum(
        weight * CASE
            WHEN label = 1 AND p > 0 THEN ln(p)
            WHEN label = 0 AND p < 1 THEN ln(1 - p) + ((1 - (1 - p)) - p) / (1 - p)  -- the rounding of 1 - p, put right
            ELSE CAST('-Infinity' AS DOUBLE)
        END
    ) / nullif(sum(weight), 0) AS value
FROM clipped
GROUP BY system, segment;
