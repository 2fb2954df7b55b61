-- name:     repeated_units
-- title:    Doubts about the rows of an A/B test: units in several variants, units with several rows, rows that are
--           copies
-- inputs:   unit_rows (arm, unit, unit_name, fingerprint)
-- params:   cure VARCHAR, shared_cure VARCHAR
-- values:   cure: how to get one row per unit; {unit} stands for its column
--           shared_cure: the same, where units are in several variants
-- grain:    place
-- source:   users in several variants: Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments, 2020,
--           doi:10.1017/9781108653985; units of randomization and of analysis: Deng, Knoblich and Lu, KDD 2018,
--           doi:10.1145/3219819.3219919
-- note:     is_withheld says whether no verdict is given: from 1 % of such units or rows on. Rows without a unit, and
--           columns with fewer than three units, are not looked at. Without a column of units, rows are copies if each
--           of 20 or more different ones is there an even number of times
WITH copies AS (
    SELECT arm, unit, unit_name, fingerprint, count(*) AS n
    FROM unit_rows
    GROUP BY arm, unit, unit_name, fingerprint
),
unit_counts AS (
    SELECT
        unit,
        min(unit_name) AS name,
        sum(n) AS n,
        count(*) AS versions,
        count(DISTINCT arm) AS arms
    FROM copies
    WHERE unit IS NOT NULL AND arm IS NOT NULL
    GROUP BY unit
),
counted AS (
    SELECT
        min(name) AS name,
        CAST(count(*) AS BIGINT) AS units,
        CAST(sum(n) AS BIGINT) AS n,
        CAST(sum(arms) AS BIGINT) AS arms,
        max(versions - arms) > 0 AS varies,
        count(*) FILTER (WHERE arms > 1) AS shared,
        array_to_string(list_slice(list(unit ORDER BY unit ASC) FILTER (WHERE arms > 1), 1, 3), ', ') AS examples
    FROM unit_counts
    HAVING count(*) > 2
),
doubled AS (
    SELECT CAST(count(*) AS BIGINT) AS units, CAST(sum(n) AS BIGINT) AS n
    FROM copies
    HAVING count(*) FILTER (WHERE unit IS NOT NULL) = 0 AND count(*) FILTER (WHERE n % 2 = 1) = 0 AND count(*) >= 20
),
found AS (
    SELECT
        1 AS place,
        shared >= 0.01e0 * units AS is_withheld,
        'units are in several variants' AS why,
        format('{:,}', shared) || ' of ' || format('{:,}', units) || ' values of ' || name
            || CASE WHEN shared = 1 THEN ' is' ELSE ' are' END
            || ' in several variants, such as ' || examples || '; leave them out, and find out why' AS problem,
        name
    FROM counted
    WHERE shared > 0
    UNION ALL
    SELECT
        2 AS place,
        n - arms >= 0.01e0 * units AS is_withheld,
        CASE WHEN varies THEN 'rows are not units' ELSE 'rows are copies' END AS why,
        name || ' has ' || format('{:.2f}', CAST(n AS DOUBLE) / nullif(units, 0)) || ' rows per value ('
            || format('{:,}', units) || ' values)'
            || CASE
                WHEN varies THEN '; rows of one unit are correlated, and count as independent'
                ELSE '; rows of one unit are copies of each other, and count as independent'
            END AS problem,
        name
    FROM counted
    WHERE n > arms
    UNION ALL
    SELECT
        3 AS place,
        TRUE AS is_withheld,
        'rows are copies' AS why,
        'each of ' || format('{:,}', units) || ' different rows is there an even number of times; check whether the '
            || 'table was loaded twice' AS problem,
        NULL AS name
    FROM doubled
)
SELECT
    place, is_withheld, why,
    why || ': ' || problem
        || CASE WHEN name IS NULL THEN '' ELSE '; give one row per unit, as in '
            || replace(
                CASE WHEN place = 1 THEN $shared_cure ELSE $cure END, '{unit}', '"' || replace(name, '"', '""') || '"'
            )
        END
        || CASE WHEN is_withheld THEN '. No verdict is given' ELSE '' END AS problem
FROM found;
