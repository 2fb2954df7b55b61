-- name:     binned
-- title:    Rows, or rows of equal probability together, with the bin of their probability
-- inputs:   predictions (system, segment, label, score, weight)
-- params:   bins INTEGER DEFAULT 10 CHECK (bins > 0),
--           binning VARCHAR DEFAULT 'width' CHECK (binning IN ('width', 'mass')),
--           edges DOUBLE[] DEFAULT NULL CHECK (list_extract(edges, 1) = 0 AND list_extract(edges, -1) = 1
--               AND list_sort(list_distinct(edges)) = edges)
-- idle:     bins WHEN edges IS NOT NULL; binning WHEN edges IS NOT NULL
-- values:   bins: the number of bins of the probability
--           binning=width: all bins have the same width
--           binning=mass: all bins have about the same number of rows
--           edges: the edges of the bins, from 0 to 1; they replace bins and binning
-- grain:    row
-- note:     width: bin b is [b / bins, (b + 1) / bins), and the last bin includes 1; if rounding moves p * bins
--           across an edge, the bin is corrected; mass: all bins have the same number of rows, or the first bins one
--           more; rows of equal probability stay together; edges: a bin includes its lower edge, and the last one
--           both, as with width
WITH places AS (
    SELECT
        system, segment, p, size, weight, positives, place,
        floor(total / CAST($bins AS DOUBLE)) AS few,
        total - $bins * floor(total / CAST($bins AS DOUBLE)) AS wide
    FROM mass_places
)
SELECT
    system, segment, p, 1e0 AS size, weight, weight * label AS positives,
    CASE
        WHEN $edges IS NOT NULL
            THEN CAST(least(length(list_filter($edges, lambda edge: edge <= p)), length($edges) - 1) AS DOUBLE) - 1
        ELSE least(
            CASE
                WHEN p >= (floor(p * $bins) + 1) / $bins THEN floor(p * $bins) + 1
                WHEN p < floor(p * $bins) / $bins THEN floor(p * $bins) - 1
                ELSE floor(p * $bins)
            END, $bins - 1
        )
    END AS bin
FROM probabilities
WHERE $binning = 'width' OR $edges IS NOT NULL
UNION ALL
SELECT
    system, segment, p, size, weight, positives,
    CASE
        WHEN place < wide * (few + 1) THEN floor(place / (few + 1))
        ELSE wide + floor((place - wide * (few + 1)) / nullif(few, 0))
    END AS bin
FROM places
WHERE $binning = 'mass' AND $edges IS NULL;
