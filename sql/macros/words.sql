-- name:     words
-- title:    Texts that many macros have; none where the file of macros does not fill it
-- note:     shell/words.py writes the list into the file of macros; chr(63743) separates the texts
SELECT string_split('', chr(63743)) AS value;
