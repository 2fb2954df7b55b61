-- name:     pieces
-- title:    SQL text of every metric asked for, one after the other
-- params:   asked VARCHAR,
--           names VARCHAR,
--           texts VARCHAR
-- note:     names are those of metrics, with an @ at their end where a cut-off follows; {k} in a text stands for the
--           cut-off, {metric} for the metric as asked for, {place} for its place; empty where no text is known
SELECT
    coalesce(array_to_string(list_transform($asked, lambda metric, place: replace(replace(replace(
        list_extract($texts, list_position($names, regexp_replace(metric, '@.*', '@'))),
        '{k}', coalesce(nullif(split_part(metric, '@', 2), ''), 'NULL')),
        '{metric}', '''' || metric || ''''),
        '{place}', CAST(place AS VARCHAR)
    )), ', '), '') AS value;
