-- name:     parted
-- title:    Parts of a text, or of the texts of a list, between commas that are not within double quotes
-- params:   given VARCHAR
SELECT
    coalesce(
        list_filter(
            list_transform(
                flatten(list_transform(
                    listed($given), lambda text: regexp_extract_all(coalesce(text, ''), '("([^"]|"")*"|[^,])+')
                )),
                lambda part: regexp_replace(part, '^\s+|\s+$', '', 'g')
            ),
            lambda part: part <> ''
        ),
        CAST([] AS VARCHAR[])
    ) AS value;
