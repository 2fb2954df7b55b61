-- name:     ended_numbers
-- title:    The numbers of the rows, and one that is larger than all of them
-- inputs:   predictions (system, segment, label, score)
-- grain:    row
-- note:     so each number is followed by a larger one
SELECT system, segment, number FROM numbered
UNION ALL
SELECT system, segment, 9223372036854775806 AS number FROM segments;
