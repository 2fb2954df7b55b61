-- name:     score_psi
-- alias:    psi
-- title:    Population stability index of the scores
-- group:    Against another run
-- meaning:  The population stability index reports how far the scores of the first k items have moved away from those
--           of a reference run. The reference run is, for example, that of the release before.
-- use:      to notice that a model, or its inputs, changed before users do
-- beware:   scores of two models can differ while the rankings are the same
-- reading:  0: both runs have the same share of scores in each bin
--           0.25: by a common rule, the scores have changed much
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), reference (query_id, score)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           bins INTEGER DEFAULT 10 CHECK (bins > 1),
--           smallest DOUBLE DEFAULT 0.0001 CHECK (smallest > 0 AND smallest < 1)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           unjudged VARCHAR DEFAULT 'nonrelevant' CHECK (unjudged IN ('nonrelevant')),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           bins: as in relations/ranking/score_bins
--           smallest: the share of an empty bin, because its logarithm is infinite
--           missing: as in average_popularity
--           rel: as in average_popularity
--           unjudged=nonrelevant: all scores count
--           no_relevant: as in judged
-- idle:     ties WHEN TRUE
-- depth:    k
-- grain:    system, segment
-- range:    [0, inf), lower is better
-- formula:  sum over bins of (a - b) ln(a / b)
-- tex:      \sum_j (a_j - b_j) \ln \frac{a_j}{b_j}
-- symbols:  a_j: the share of the scores of the lists in bin j
--           b_j: the share of the scores of the reference run in bin j
-- source:   Siddiqi, Credit Risk Scorecards, Wiley 2006
-- oracle:   reference
-- example:  score_psi(k := 2, bins := 2) = 0.274653
-- worked:   (3/4 - 2/4) * ln((3/4) / (2/4)) + (1/4 - 2/4) * ln((1/4) / (2/4)) = 0.274653
-- interval: none, the value is above 0 by chance even for equal distributions, and resamples have a higher one
-- related:  overlap, rbo
SELECT
    system,
    segment,
    sum(
        CASE
            WHEN new_share IS NOT NULL AND old_share IS NOT NULL
                THEN (greatest(new_share, $smallest) - greatest(old_share, $smallest))
                    * ln(greatest(new_share, $smallest) / greatest(old_share, $smallest))
        END
    ) AS value
FROM score_bins
GROUP BY system, segment;
