-- name:     can_be_written
-- title:    Whether every metric asked for is known, has a cut-off only if it takes one, and is asked for once
-- params:   asked VARCHAR,
--           names VARCHAR
-- note:     names are as in pieces
SELECT
    coalesce(
        list_bool_and(list_transform($asked, lambda metric:
            contains($names, '|' || metric_key(metric) || '|')
            AND (metric_cutoff(metric) IS NULL
                OR (regexp_full_match(metric_cutoff(metric), '\d+')
                    AND coalesce(TRY_CAST(metric_cutoff(metric) AS INTEGER), 0) > 0))))
        AND len(list_distinct($asked)) = len($asked),
        FALSE
    ) AS value;
