-- name:     numbered_scores
-- title:    Scores of positives: the place of the first one, and the rows of each class with that score
-- inputs:   predictions (system, segment, label, score)
-- portable: no, other engines count pairs from grouped scores
-- grain:    system, segment, number
-- note:     a score is in doubt if both classes have its number, and the number is rounded
WITH followed AS (
    SELECT
        system, segment, number, place,
        lag(number) OVER (PARTITION BY system, segment ORDER BY place) AS number_before
    FROM placed_numbers
),
first_rows AS (
    SELECT
        system, segment, number, place, number_before,
        lag(place) OVER (PARTITION BY system, segment ORDER BY place) AS place_before
    FROM followed
    WHERE number_before IS NULL OR number <> number_before
),
ended AS (
    SELECT
        system,
        segment,
        number_before AS number,
        place_before AS place,
        place AS next_place,
        lag(number_before) OVER (PARTITION BY system, segment ORDER BY place) AS number_before,
        lag(place_before) OVER (PARTITION BY system, segment ORDER BY place) AS place_before
    FROM first_rows
)
SELECT
    system,
    segment,
    number,
    place,
    next_place - place AS positives,
    CASE WHEN number_before = number - 1 THEN place - place_before ELSE 0 END AS negatives,
    number_before = number - 1
    AND (abs(number - 1) < 9007199254740992 OR abs(number - 1) >= 4611686018427387904) AS is_doubtful
FROM ended
WHERE number & 1 = 1;
