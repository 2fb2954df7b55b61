-- name:     sized_bins
-- title:    Bins of the probability, with the number of independent rows that each is worth
-- inputs:   predictions (system, segment, label, score, weight)
-- grain:    system, segment, bin
-- note:     rows are independent here; clustered_bins stands for this relation where rows of one unit are correlated
SELECT system, segment, bin, n, total AS worth, mean_score, mean_label, lowest, highest
FROM bins;
