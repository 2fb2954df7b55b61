-- name:     bad_metrics
-- title:    Metrics that are unreadable or unknown, have a wrong cut-off, or are named twice
-- inputs:   specs (metric, measure, k, has_cutoff), known (name)
-- params:   others VARCHAR DEFAULT ''
-- note:     others are as in other_macro
SELECT
    CASE
        WHEN metric_name(metric) = ''
            THEN '''' || metric
                || ''' cannot be read; write name@k, and give parameters to the call, such as gain := ..., or to the '
                || 'macro of the metric'
        WHEN measure IS NULL THEN '''' || metric || ''' is not a metric here; ' || coalesce(
            other_macro(metric_name(metric), $others), 'did you mean '''
                || (SELECT arg_max(name, jaro_winkler_similarity(name, metric_name(metric))) FROM known) || '''?'
        )
        WHEN k <= 0 THEN '''' || metric || ''': the cut-off must be a positive whole number, such as @10'
        WHEN k IS NOT NULL AND NOT has_cutoff THEN '''' || metric || ''' has no cut-off; drop it'
        ELSE '''' || metric || ''' is asked for twice; name each metric once'
    END AS problem
FROM specs
WHERE measure IS NULL
    OR k <= 0
    OR (k IS NOT NULL AND NOT has_cutoff)
    OR metric IN (SELECT metric FROM specs GROUP BY metric HAVING count(*) > 1);
