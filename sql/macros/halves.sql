-- name:     halves
-- title:    Text before and after a mark that is not within double quotes, NULL without such a mark
-- params:   given VARCHAR,
--           mark VARCHAR
SELECT
    CASE
        WHEN contains(regexp_replace($given, '"([^"]|"")*"', '', 'g'), $mark)
            THEN list_transform(
                [
                    regexp_extract(
                        $given, '(?s)^((?:"(?:[^"]|"")*"|[^' || $mark || '])*)' || $mark || '(.*)$', 1),
                    regexp_extract(
                        $given, '(?s)^((?:"(?:[^"]|"")*"|[^' || $mark || '])*)' || $mark || '(.*)$', 2)
                ],
                lambda side: regexp_replace(side, '^\s+|\s+$', '', 'g')
            )
    END AS value;
