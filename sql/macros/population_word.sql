-- name:     population_word
-- title:    Source of the population: a word, or else a table
-- params:   population VARCHAR DEFAULT 'truth'
SELECT
    CASE
        WHEN lower(CAST($population AS VARCHAR)) IN ('truth', 'predictions', 'both')
            THEN lower(CAST($population AS VARCHAR))
        ELSE 'table'
    END AS value;
