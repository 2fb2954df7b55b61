-- name:     pieces
-- title:    SQL texts of the metrics asked for, one for each
-- params:   asked VARCHAR,
--           names VARCHAR,
--           texts VARCHAR
-- note:     names has the keys of each metric that can be asked for, such as |mrr@|rr@|, with ␝ between metrics; texts
--           has a text for each. __k__ is replaced by the cut-off, __metric__ by the metric asked for, __place__ by its
--           place
SELECT
    list_transform($asked, lambda metric, place: replace(replace(replace(
        list_extract($texts, len(string_split(split_part($names, '|' || metric_key(metric) || '|', 1), '␝'))),
        '__k__', coalesce(metric_cutoff(metric), 'NULL')),
        '__metric__', '''' || metric || ''''),
        '__place__', CAST(place AS VARCHAR)
    )) AS value;
