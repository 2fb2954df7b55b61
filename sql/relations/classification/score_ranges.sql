-- name:     score_ranges
-- title:    Ranges of scores, with the weight above them
-- inputs:   predictions (system, segment, label, score, weight, group_id)
-- grain:    system, segment, score_range
-- note:     the sums of a range are the last of its running sums, so that the last recall is exactly 1
WITH sums AS (
    SELECT system, segment, score_range, max(tp) AS tp, max(fp) AS fp, max(reached) AS reached
    FROM ranged_scores
    GROUP BY system, segment, score_range
),
above AS (
    SELECT
        system, segment, score_range, tp, fp, reached,
        coalesce(sum(tp) OVER higher, 0) AS tp_above,
        coalesce(sum(fp) OVER higher, 0) AS fp_above,
        coalesce(sum(reached) OVER higher, 0) AS reached_above
    FROM sums
    WINDOW higher AS (
        PARTITION BY system, segment ORDER BY score_range DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
)
SELECT
    system, segment, score_range, tp_above, fp_above, reached_above,
    max(tp_above + tp) OVER (PARTITION BY system, segment) AS p,
    max(fp_above + fp) OVER (PARTITION BY system, segment) AS n,
    max(reached_above + reached) OVER (PARTITION BY system, segment) AS reached_all
FROM above;
