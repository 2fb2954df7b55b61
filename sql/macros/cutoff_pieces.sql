-- name:     cutoff_pieces
-- title:    SQL texts of a metric at the cut-offs asked for, separated by commas
-- params:   metric VARCHAR,
--           asked VARCHAR,
--           text VARCHAR,
--           text_without_cutoff VARCHAR
-- note:     asked is a list of cut-offs, NULL for none; an empty text is left out;
--           see pieces for the marks in the texts
SELECT
    array_to_string(list_filter(list_transform($asked, lambda cutoff, place: replace(replace(replace(
        CASE WHEN cutoff IS NULL THEN $text_without_cutoff ELSE $text END,
        '__k__', coalesce(cutoff, 'NULL')),
        '__metric__', '''' || $metric || coalesce('@' || cutoff, '') || ''''),
        '__place__', CAST(place AS VARCHAR)
    )), lambda piece: piece <> ''), ', ') AS value;
