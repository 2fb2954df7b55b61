-- name:     coverage
-- alias:    item_coverage, catalog_coverage
-- title:    Item coverage
-- group:    All lists of a system
-- meaning:  Coverage is the share of the catalogue that the system recommends to at least one user.
-- use:      to find out how much of the catalogue users can discover through recommendations
-- beware:   one list with an item is enough, so it grows with the number of users; gini also says how evenly
-- reading:  1: every item of the catalogue is in a list
--           0.1: nine of ten items are in no list
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id), items (item_id)
-- params:   k INTEGER DEFAULT NULL CHECK (k > 0),
--           over VARCHAR DEFAULT 'catalog' CHECK (over IN ('catalog', 'recommended')),
--           scale VARCHAR DEFAULT 'share' CHECK (scale IN ('share', 'count')),
--           padding INTEGER DEFAULT 0 CHECK (padding >= 0)
-- switches: missing VARCHAR DEFAULT 'undefined' CHECK (missing IN ('undefined', 'skip', 'error')),
--           rel DOUBLE DEFAULT NULL CHECK (rel IS NULL),
--           no_relevant VARCHAR DEFAULT 'keep' CHECK (no_relevant IN ('keep'))
-- values:   k: as in recall
--           over=catalog: an item in a list counts if the catalogue has it
--           over=recommended: every item in a list counts, so that the value can exceed 1
--           scale: as in relations/ranking/covered
--           padding: as in relations/ranking/exposures
--           missing: as in average_popularity
--           rel: as in average_popularity
--           no_relevant: as in judged
-- idle:     padding WHEN scale = 'count'; ties WHEN k IS NULL; scores WHEN k IS NULL
-- depth:    k
-- grain:    system, segment
-- range:    [0, inf), higher is better
-- formula:  the number of distinct items in the first k of all lists / the number of items of the catalogue
-- tex:      \frac{|\bigcup_u L_u|}{|I|}
-- symbols:  L_u: the first k items of user u
--           I: the items of the catalogue; without one, the items of the history
-- source:   Ge, Delgado-Battenfeld and Jannach, RecSys 2010, doi:10.1145/1864708.1864761
-- oracle:   reference
-- example:  coverage(k := 2) = 0.5
-- worked:   3 / 6 = 0.5
-- interval: none, an item that few lists have is in fewer resamples, so that each would have a lower coverage
-- related:  gini, user_coverage
SELECT
    system,
    segment,
    CAST(max(n_covered) AS DOUBLE) / nullif(max(n_catalog), 0) AS value
FROM covered
GROUP BY system, segment;
