-- name:     verdict
-- title:    What a test says about a value next to a baseline
-- params:   is_baseline BOOLEAN, of_means BOOLEAN, p_adjusted DOUBLE, alpha DOUBLE, delta DOUBLE, improvement DOUBLE,
--           wins INT, losses INT
-- formula:  baseline, not tested (no p), unclear (p not below alpha, or no difference), better or worse, or different
--           if nothing says which of the two is better
-- oracle:   plain Python
-- example:  verdict(FALSE, TRUE, 0.01, 0.05, 0.2, 0.2, NULL, NULL) = 'better'
-- note:     a test that does not compare means, such as one of ranks, may find more wins where the mean is lower; then
--           the two are different
SELECT
    CASE
        WHEN $is_baseline THEN 'baseline'
        WHEN $p_adjusted IS NULL THEN 'not tested'
        WHEN $p_adjusted >= $alpha OR ($of_means AND coalesce($delta, 0e0) = 0e0) THEN 'unclear'
        WHEN $improvement IS NULL THEN 'different'
        WHEN NOT $of_means AND $improvement * ($wins - $losses) <= 0 THEN 'different'
        WHEN $improvement > 0e0 THEN 'better'
        ELSE 'worse'
    END AS value;
