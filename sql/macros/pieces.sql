-- name:     pieces
-- title:    SQL texts of the metrics asked for, separated by commas
-- params:   asked VARCHAR,
--           names VARCHAR,
--           texts VARCHAR
-- note:     names are metrics, with an @ at the end if a cut-off follows; texts has one text per name, or one
--           text for all names. {k} is replaced by the cut-off, {metric} by the metric asked for, {place} by its place
SELECT
    coalesce(array_to_string(list_transform($asked, lambda metric, place: replace(replace(replace(
        list_extract($texts, least(list_position($names, regexp_replace(metric, '@.*', '@')), len($texts))),
        '{k}', coalesce(nullif(split_part(metric, '@', 2), ''), 'NULL')),
        '{metric}', '''' || metric || ''''),
        '{place}', CAST(place AS VARCHAR)
    )), ', '), '') AS value;
