-- Writes the simulated shop export: four Parquet files beside this one. Run it from the root of the repository:
--     duckdb < data/shop/generate.sql
--     python -c "import duckdb; duckdb.connect().execute(open('data/shop/generate.sql').read())"
--
-- Equal values on every DuckDB from 1.4 on, machine and number of threads: chance is the md5 of a key (hash() and random()
-- differ between versions), arithmetic is on integers except +, -, *, / and sqrt, nothing sums doubles, every order is total.

CREATE OR REPLACE TEMP MACRO digits(key, start) AS CAST('0x' || substr(md5(key), start, 4) AS BIGINT);   -- 0 .. 65535
-- uniform on 0 .. n - 1
CREATE OR REPLACE TEMP MACRO draw(key, n) AS (digits(key, 1) * 65536 + digits(key, 5)) % n;
-- bell-shaped (the sum of four uniform numbers) around 0 with standard deviation sd, never beyond 3.46 sd
CREATE OR REPLACE TEMP MACRO noise(key, sd) AS
    (digits(key, 1) + digits(key, 5) + digits(key, 9) + digits(key, 13) - 131070) * sd // 37837;
-- a smooth step from 0 to 1 without exp(), whose last bit differs between machines
CREATE OR REPLACE TEMP MACRO step(z) AS 0.5e0 + 0.5e0 * z / sqrt(1e0 + z * z);

-- Who -----------------------------------------------------------------------------------------------------------------
CREATE OR REPLACE TEMP TABLE users AS
WITH drawn AS (
    SELECT CAST(10000 + n AS BIGINT) AS user_id, draw('country' || n, 100) AS c, draw('device' || n, 100) AS d, n
    FROM range(1, 2401) AS numbers(n)
)
SELECT user_id,
    CASE WHEN c < 38 THEN 'US' WHEN c < 60 THEN 'DE' WHEN c < 76 THEN 'FR' WHEN c < 90 THEN 'JP' ELSE 'BR' END AS country,
    CASE WHEN d < 55 THEN 'phone' WHEN d < 88 THEN 'desktop' ELSE 'tablet' END AS device,
    CAST(2019 + draw('year' || n, 7) AS INTEGER) AS signup_year,
    DATE '2025-06-02' + CAST(draw('date' || n, 7) AS INTEGER) AS event_date,
    draw('answered' || n, 1000) AS answered,      -- < 40: by no model, < 80: by the baseline only, < 110: by the candidate only
    draw('in truth' || n, 1000) >= 30 AS in_truth,
    draw('browses' || n, 1000) < 50 AS browses,   -- looks, never clicks: no positive item
    draw('patience' || n, 8) AS patience          -- how far the user scrolls, 0 .. 7
FROM drawn;

-- What: popularity falls with the rank; the catalogue numbers are in no order of popularity ----------------------------
CREATE OR REPLACE TEMP TABLE items AS
SELECT n AS item, 'sku-' || lpad(CAST(1 + n * 77 % 250 AS VARCHAR), 4, '0') AS item_id, 110000 // (n + 7) AS popularity
FROM range(1, 251) AS numbers(n);

-- Taste: six latent factors of each user and item; a factor is -100 .. 100 ---------------------------------------------
CREATE OR REPLACE TEMP TABLE user_factors AS
SELECT user_id, f, draw('user factor' || user_id || '/' || f, 201) - 100 AS weight FROM users, range(6) AS factors(f);

CREATE OR REPLACE TEMP TABLE item_factors AS
SELECT item, f, draw('item factor' || item || '/' || f, 201) - 100 AS weight FROM items, range(6) AS factors(f);

-- One row per user and item. Utility is what the user really thinks; a model sees it through its own noise.
-- The candidate was trained without Japan: there it guesses.
CREATE OR REPLACE TEMP TABLE pairs AS
WITH affinities AS (
    SELECT user_id, item, CAST(sum(u.weight * i.weight) AS BIGINT) * 3 // 4 AS affinity
    FROM user_factors AS u JOIN item_factors AS i USING (f)
    GROUP BY user_id, item
),
tastes AS (
    SELECT user_id, item, item_id, country, affinity, popularity,
        noise('local' || country || '/' || item, 2500) AS local,
        user_id || '/' || item AS key
    FROM affinities JOIN users USING (user_id) JOIN items USING (item)
)
SELECT user_id, item_id, popularity + local + affinity AS utility, key,
    popularity + local // 2 + noise('baseline' || key, 3500) AS baseline,
    CASE WHEN country = 'JP' THEN popularity // 2 + affinity // 4 + noise('candidate' || key, 4500)
         ELSE popularity + local // 2 + affinity + noise('candidate' || key, 6000) END AS candidate
FROM tastes;

-- recommendations.parquet: the top 20 of both models (some lists are shorter) -------------------------------------------
COPY (
    WITH answers AS (
        SELECT user_id, item_id, 'baseline' AS model, CAST(baseline // 100 AS DOUBLE) / 100 AS score   -- rounded: ties
        FROM pairs JOIN users USING (user_id)
        WHERE answered >= 110 OR answered BETWEEN 40 AND 79
        UNION ALL
        SELECT user_id, item_id, 'candidate' AS model, CAST(candidate AS DOUBLE) / 10000 AS score
        FROM pairs JOIN users USING (user_id)
        WHERE answered >= 80
    ),
    ranked AS (
        SELECT user_id, item_id, model, score,
            row_number() OVER (PARTITION BY user_id, model ORDER BY score DESC, item_id) AS rank,
            CASE WHEN draw('short' || user_id || model, 100) < 6 THEN 1 + draw('length' || user_id || model, 15) ELSE 20 END
                AS length
        FROM answers
    )
    SELECT user_id, item_id, score, model, country, event_date
    FROM ranked JOIN users USING (user_id)
    WHERE rank <= length
    ORDER BY model, user_id, rank
) TO 'data/shop/recommendations.parquet' (FORMAT parquet, COMPRESSION zstd);

-- purchases.parquet: what became of the items a user came across, wherever that was -------------------------------------
COPY (
    WITH interests AS (
        SELECT user_id, item_id, key, browses, utility + noise('mood' || key, 3500) AS interest
        FROM pairs JOIN users USING (user_id)
        WHERE in_truth
    ),
    ranked AS (
        SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY interest DESC, item_id) AS rank
        FROM interests
    )
    SELECT user_id, item_id,
        CAST(CASE WHEN browses OR interest < 11500 THEN 0 WHEN interest < 16500 THEN 1 WHEN interest < 20000 THEN 2 ELSE 3 END
            AS INTEGER) AS relevance
    FROM ranked
    WHERE draw('seen' || key, 1000) < CASE WHEN rank <= 12 THEN 600 WHEN rank <= 50 THEN 200 ELSE 30 END
    ORDER BY user_id, item_id
) TO 'data/shop/purchases.parquet' (FORMAT parquet, COMPRESSION zstd);

COPY (SELECT user_id, country, device, signup_year FROM users ORDER BY user_id)
TO 'data/shop/users.parquet' (FORMAT parquet, COMPRESSION zstd);

-- impressions.parquet: a page of up to 50 items per user, what was clicked, and the click probability by each model --------
COPY (
    WITH pages AS (
        SELECT user_id, item_id, country, device, browses, patience, key, utility, baseline, candidate,
            row_number() OVER (PARTITION BY user_id ORDER BY utility // 3 + noise('page' || key, 6000) DESC, item_id) AS position
        FROM pairs JOIN users USING (user_id)
    ),
    shown AS (   -- the models know the position but not that tablets click less; their constants are fitted outside Japan
        SELECT *,
            CAST(utility - 14500 - 250 * position - CASE device WHEN 'tablet' THEN 2500 ELSE 0 END AS DOUBLE) / 6000 AS true_z,
            CAST(8 * candidate - 147000 - 4700 * position AS DOUBLE) / 100000 AS candidate_z,
            CAST(7 * baseline - 86000 - 5700 * position AS DOUBLE) / 100000 AS baseline_z
        FROM pages
        WHERE position <= 1 + patience * patience
    )
    SELECT user_id, item_id, country, device, CAST(position AS INTEGER) AS position,
        CAST(NOT browses AND draw('click' || key, 65536) < step(true_z) * 65536 AS INTEGER) AS clicked,
        -- rounded: ties; never 0 or 1
        greatest(1, CAST(step(candidate_z) * 1000 AS INTEGER)) / 1000e0 AS pctr,
        greatest(1, CAST(step(baseline_z) * 200 AS INTEGER)) / 200e0 AS pctr_baseline
    FROM shown
    ORDER BY user_id, position
) TO 'data/shop/impressions.parquet' (FORMAT parquet, COMPRESSION zstd);
