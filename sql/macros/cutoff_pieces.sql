-- name:     cutoff_pieces
-- title:    SQL texts of a metric, one for each cut-off asked for
-- params:   metric VARCHAR,
--           asked VARCHAR,
--           text VARCHAR,
--           text_without_cutoff VARCHAR
-- note:     asked is a list of cut-offs, NULL for none; see pieces for the marks in the texts
SELECT
    list_transform($asked, lambda cutoff, place: replace(replace(replace(
        CASE WHEN cutoff IS NULL THEN $text_without_cutoff ELSE $text END,
        '__k__', coalesce(cutoff, 'NULL')),
        '__metric__', '''' || $metric || coalesce('@' || cutoff, '') || ''''),
        '__place__', CAST(place AS VARCHAR)
    )) AS value;
