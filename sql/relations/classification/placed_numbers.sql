-- name:     placed_numbers
-- title:    Numbers with their places in the order
-- inputs:   predictions (system, segment, label, score)
-- grain:    row
SELECT system, segment, number, row_number() OVER (PARTITION BY system, segment ORDER BY number) AS place
FROM ended_numbers;
