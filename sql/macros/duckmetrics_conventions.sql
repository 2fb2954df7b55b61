-- name:     duckmetrics_conventions
-- title:    Conventions of each tool, for like :=
-- inputs:   told (tool_key, tool, family, metric, name, parameter, value, note)
-- params:   pattern VARCHAR DEFAULT ''
-- note:     a pattern is a part of the name of a tool or of a metric; an unknown one gives one row with similar names
WITH found AS (
    SELECT tool_key, tool, family, metric, name, parameter, value, note
    FROM told
    WHERE contains(tool_key, lower($pattern)) OR contains(metric, lower($pattern))
        OR contains(lower(name), lower($pattern))
),
names AS (
    SELECT tool_key AS known FROM told
    UNION
    SELECT metric AS known FROM told
),
alike AS (
    SELECT known, jaro_winkler_similarity(known, lower($pattern)) AS similarity
    FROM names
    WHERE jaro_winkler_similarity(known, lower($pattern)) > 0.8
    ORDER BY similarity DESC, known ASC
    LIMIT 3
)
SELECT tool_key, tool, family, metric, name, parameter, value, note FROM found
UNION ALL
SELECT
    $pattern AS tool_key, NULL AS tool, NULL AS family, NULL AS metric, NULL AS name, NULL AS parameter, NULL AS value,
    'unknown: no tool and no metric has this name; ' || coalesce(
        'did you mean ' || (SELECT string_agg(known, ', ' ORDER BY similarity DESC, known) FROM alike) || '?',
        'FROM duckmetrics_conventions() lists them all'
    ) AS note
WHERE NOT EXISTS (SELECT 1 FROM found);
