-- name:     other_macro
-- title:    Call of the macro of a metric that this macro does not take; NULL if there is none
-- params:   name VARCHAR,
--           others VARCHAR
-- note:     others is a text such as |coverage=coverage|auc=evaluate_classification|
SELECT
    'call FROM ' || list_extract(string_split(
        list_extract(string_split($others, '|' || $name || '='), 2), '|'
    ), 1) || '(...)' AS value;
