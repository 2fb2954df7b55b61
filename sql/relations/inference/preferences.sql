-- name:     preferences
-- title:    Preference of each impression of mixed lists: 1/2 for a win of the system over the baseline, 0 for a tie
-- inputs:   impressions (impression_id, system, clicked, rank, place, cluster_id)
-- params:   method VARCHAR DEFAULT 'team_draft' CHECK (method IN ('team_draft', 'balanced')),
--           unclicked VARCHAR DEFAULT 'tie' CHECK (unclicked IN ('tie', 'skip'))
-- switches: baseline VARCHAR
-- values:   baseline: as in relations/inference/differences
--           method=team_draft: a row is an item that was shown, system is its team; each click is a credit
--           method=balanced: a row is an item and a system that ranks it; credit if rank <= k
--           unclicked=tie: an impression without a click is a tie
--           unclicked=skip: an impression without a click is left out
-- grain:    system, cluster_id, alone
-- formula:  preference = sign(credits of the system - credits of the baseline) / 2; balanced: k = the best rank that a
--           system gives to the clicked item of the last place
-- source:   Radlinski, Kurup and Joachims, CIKM 2008, doi:10.1145/1458082.1458092; Chapelle, Joachims, Radlinski and
--           Yue, ACM Transactions on Information Systems 2012, doi:10.1145/2094072.2094078
-- note:     alone is the impression if it has no cluster, else NULL. For balanced, an impression without ranks or
--           places is left out
WITH clicks AS (
    SELECT
        impression_id, system, cluster_id, rank, place, coalesce(clicked, 0) AS clicked,
        max(CASE WHEN clicked > 0 THEN place END) OVER (PARTITION BY impression_id) AS last_place
    FROM impressions
    WHERE impression_id IS NOT NULL
),
limited AS (
    SELECT
        impression_id, system, cluster_id, rank, place, clicked,
        min(CASE WHEN clicked > 0 AND place = last_place THEN rank END)
            OVER (PARTITION BY impression_id) AS deepest
    FROM clicks
),
credits AS (
    SELECT
        impression_id, system,
        CAST(sum(CASE
            WHEN $method = 'team_draft' THEN clicked
            WHEN clicked > 0 AND rank <= deepest THEN 1
            ELSE 0
        END) AS DOUBLE) AS credit
    FROM limited
    GROUP BY impression_id, system
),
shown AS (
    SELECT
        impression_id, max(cluster_id) AS cluster_id,
        CASE WHEN max(cluster_id) IS NULL THEN impression_id END AS alone
    FROM limited
    GROUP BY impression_id
    HAVING ($unclicked = 'tie' OR max(clicked) > 0)
        AND ($method = 'team_draft' OR (count(rank) > 0 AND count(place) > 0))
),
systems AS (
    SELECT system, (SELECT count(DISTINCT system) FROM credits) AS n_systems
    FROM credits
    WHERE system <> $baseline AND $baseline IN (SELECT system FROM credits)
    GROUP BY system
)
SELECT
    systems.system, shown.cluster_id, shown.alone,
    CASE
        WHEN coalesce(own.credit, 0e0) > coalesce(other.credit, 0e0) THEN 0.5e0
        WHEN coalesce(own.credit, 0e0) < coalesce(other.credit, 0e0) THEN -0.5e0
        ELSE 0e0
    END AS preference
FROM systems
CROSS JOIN shown
LEFT JOIN credits AS own ON own.impression_id = shown.impression_id AND own.system = systems.system
LEFT JOIN credits AS other ON other.impression_id = shown.impression_id AND other.system = $baseline
WHERE own.system IS NOT NULL OR systems.n_systems = 2;
