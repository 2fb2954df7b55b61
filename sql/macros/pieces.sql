-- name:     pieces
-- title:    SQL texts of the metrics asked for, separated by commas
-- params:   asked VARCHAR,
--           names VARCHAR,
--           texts VARCHAR
-- note:     names are keys of metrics; texts has one text per name, or one text for all names, and an empty text is
--           left out. __k__ is replaced by the cut-off, __metric__ by the metric asked for, __place__ by its place
SELECT
    coalesce(array_to_string(list_filter(list_transform($asked, lambda metric, place: replace(replace(replace(
        list_extract($texts, least(list_position($names, metric_key(metric)), len($texts))),
        '__k__', coalesce(metric_cutoff(metric), 'NULL')),
        '__metric__', '''' || metric || ''''),
        '__place__', CAST(place AS VARCHAR)
    )), lambda piece: piece <> ''), ', '), '') AS value;
