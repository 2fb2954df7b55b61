-- name:     verdict_reason
-- title:    Why a value next to a baseline has no p-value, or what to know about the one that it has
-- params:   p DOUBLE, reason VARCHAR, is_constant BOOLEAN, relative_change DOUBLE, value DOUBLE, has_base BOOLEAN,
--           base_value DOUBLE, base_reason VARCHAR, without VARCHAR, units VARCHAR, n_units INT, n_effective DOUBLE,
--           is_sum BOOLEAN
-- formula:  the first of the reasons, NULL if there is nothing to say
-- oracle:   plain Python
-- example:  verdict_reason(NULL, NULL, FALSE, 0.1, 0.5, TRUE, 0.4, NULL, NULL, 'queries', 1, 1, FALSE) =
--           'only one query has a value in both'
-- note:     is_constant: all differences are equal. has_base: the baseline has a row. without: why the metric has no
--           test. units: what the values are of, such as queries or clusters of user_id. is_sum: the value is a
--           function of sums over units, of which some may have no rows that it depends on
SELECT
    CASE
        WHEN $p IS NOT NULL THEN nullif(concat_ws('; ',
            nullif($reason, ''),
            CASE WHEN $is_constant THEN 'all differences are equal; p is that of the sign test' END,
            CASE WHEN $relative_change IS NULL THEN 'the baseline is 0, so there is no relative change' END
        ), '')
        WHEN $value IS NULL THEN coalesce(nullif($reason, ''), 'it has no value')
        WHEN NOT $has_base THEN 'the baseline has no row in this slice'
        WHEN $base_value IS NULL THEN 'the baseline has no value' || coalesce(': ' || nullif($base_reason, ''), '')
        WHEN $without IS NOT NULL THEN $without
        WHEN $n_units > 1 AND $n_effective < 2 THEN 'the ' || $units || ' are worth fewer than two of equal weight'
        WHEN $is_sum THEN 'no more than one unit of the ' || $units || ' has rows that it depends on'
        WHEN $n_units > 0 THEN 'only one ' || CASE
            WHEN $units = 'queries' THEN 'query' ELSE regexp_replace($units, '^clusters', 'cluster')
        END || ' has a value in both'
        ELSE 'no ' || $units || ' have a value in both'
    END AS value;
