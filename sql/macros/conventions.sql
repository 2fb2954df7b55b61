-- name:     conventions
-- title:    One metric under the conventions of every tool, with the defaults first and missing values last
-- inputs:   tools (position, tool_key, tool, name, variant, settings, refusal),
--           variants (variant, place, usual_place, order_reason, tie_check, tie_reason),
--           variant_checks (variant, check_place), alone (variant, number, place, setting, needs_order),
--           variant_values (place, v, n, why), told_checks (place, n, message), checked (fine)
-- params:   metric VARCHAR,
--           likes VARCHAR DEFAULT NULL,
--           has_order BOOLEAN DEFAULT FALSE
-- note:     place is the number of a value among the computed values; the defaults are variant 0; alone has each
--           setting of a variant that differs from the defaults, with the value under that setting alone;
--           usual_place: the value in the usual order of ties, if the order of the rows decides and is unknown
WITH failed AS (
    SELECT variant_checks.variant, arg_min(told_checks.message, told_checks.place) AS message
    FROM variant_checks
    JOIN told_checks ON told_checks.place = variant_checks.check_place
    GROUP BY variant_checks.variant
),
found AS (
    SELECT
        variants.variant,
        failed.message,
        CASE WHEN variants.order_reason IS NOT NULL AND NOT $has_order THEN variants.usual_place ELSE variants.place END
            AS place,
        CASE
            WHEN tied.place IS NOT NULL
                OR (NOT $has_order AND variants.order_reason IS NOT NULL AND variants.tie_check IS NOT NULL)
                THEN variants.tie_reason
            WHEN NOT $has_order THEN variants.order_reason
        END AS replaced
    FROM variants
    LEFT JOIN failed ON failed.variant = variants.variant
    LEFT JOIN told_checks AS tied ON tied.place = variants.tie_check
),
usual AS (
    SELECT v FROM variant_values WHERE place = 0
),
effects AS (
    SELECT
        alone.variant,
        array_to_string(list(
            alone.setting || ' (' || format('{:+.4g}', variant_values.v - usual.v) || ')' ORDER BY alone.number
        ), ' ') AS because
    FROM alone
    JOIN variant_values ON variant_values.place = alone.place
    CROSS JOIN usual
    WHERE abs(variant_values.v - usual.v) > 1e-12 AND ($has_order OR NOT alone.needs_order)
    GROUP BY alone.variant
),
compared AS (
    SELECT
        tools.position, tools.tool_key, tools.tool, tools.name, tools.settings, tools.refusal, found.message,
        CASE WHEN found.message IS NULL THEN variant_values.v END AS v,
        CASE WHEN found.message IS NULL THEN variant_values.n END AS n,
        CASE WHEN found.message IS NULL THEN variant_values.v - usual.v END AS difference,
        effects.because,
        nullif(concat_ws('; ', variant_values.why, found.replaced), '') AS reason
    FROM tools
    CROSS JOIN usual
    CROSS JOIN checked
    LEFT JOIN found ON found.variant = tools.variant
    LEFT JOIN variant_values ON variant_values.place = found.place
    LEFT JOIN effects ON effects.variant = tools.variant
    WHERE checked.fine AND (
        $likes IS NULL OR tools.position = 0
        OR list_contains(list_transform(listed_words($likes), lambda word: lower(replace(word, '-', '_'))), tool_key)
    )
)
SELECT
    CAST(NULL AS VARCHAR) AS system,
    CAST($metric AS VARCHAR) AS metric,
    tool_key AS "like",
    tool,
    name,
    v AS value,
    CASE WHEN abs(difference) <= 1e-12 THEN 0e0 ELSE difference END AS difference,
    n,
    settings,
    CASE WHEN abs(difference) > 1e-12 THEN coalesce(because, '') ELSE '' END AS because,
    coalesce(refusal, message, reason) AS reason
FROM compared
ORDER BY refusal IS NOT NULL, position <> 0, v IS NULL, -round(coalesce(v, 0), 12), tool_key;
