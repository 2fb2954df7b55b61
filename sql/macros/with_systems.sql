-- name:     with_systems
-- title:    SQL text for several systems, or for one
-- params:   text VARCHAR,
--           several BOOLEAN
-- note:     ␜SQL␛other SQL␜ in the text stands for SQL of several systems, or for other SQL of one
SELECT regexp_replace($text, '␜([^␛␜]*)␛([^␜]*)␜', CASE WHEN $several THEN '\1' ELSE '\2' END, 'g') AS value;
