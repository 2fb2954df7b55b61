-- Writes the simulated shop export: six Parquet files beside this one. Run it from the root of the repository:
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
-- Both models recommend the items 1 .. 250. The items 251 .. 255 are sold out, the items 256 .. 260 were never on sale.
CREATE OR REPLACE TEMP TABLE items AS
SELECT n AS item,
    'sku-' || lpad(CAST(CASE WHEN n <= 250 THEN 1 + n * 77 % 250 ELSE n END AS VARCHAR), 4, '0') AS item_id,
    CASE WHEN n <= 250 THEN 110000 // (n + 7) ELSE 4000 END AS popularity,
    n % 31 = 17 AND n <= 250 AS is_new            -- on sale since the models were trained: no history
FROM range(1, 261) AS numbers(n);

-- Taste: six latent factors of each user and item; a factor is -100 .. 100 ---------------------------------------------
CREATE OR REPLACE TEMP TABLE user_factors AS
SELECT user_id, f, draw('user factor' || user_id || '/' || f, 201) - 100 AS weight FROM users, range(6) AS factors(f);

CREATE OR REPLACE TEMP TABLE item_factors AS
SELECT item, f, draw('item factor' || item || '/' || f, 201) - 100 AS weight FROM items, range(6) AS factors(f);

-- One row per user and item. Utility is what the user really thinks; a model sees it through its own noise.
-- The candidate was trained without Japan: there it guesses.
CREATE OR REPLACE TEMP TABLE all_pairs AS
WITH affinities AS (
    SELECT user_id, item, CAST(sum(u.weight * i.weight) AS BIGINT) * 3 // 4 AS affinity
    FROM user_factors AS u JOIN item_factors AS i USING (f)
    GROUP BY user_id, item
),
tastes AS (
    SELECT user_id, item, item_id, country, affinity, popularity, is_new,
        noise('local' || country || '/' || item, 2500) AS local,
        user_id || '/' || item AS key
    FROM affinities JOIN users USING (user_id) JOIN items USING (item)
)
SELECT user_id, item, item_id, popularity, affinity, is_new, popularity + local + affinity AS utility, key,
    popularity + local // 2 + noise('baseline' || key, 3500) AS baseline,
    CASE WHEN country = 'JP' THEN popularity // 2 + affinity // 4 + noise('candidate' || key, 4500)
         ELSE popularity + local // 2 + affinity + noise('candidate' || key, 6000) END AS candidate
FROM tastes;

CREATE OR REPLACE TEMP VIEW pairs AS SELECT * FROM all_pairs WHERE item <= 250;

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

-- items.parquet: the catalogue. An item's categories are its strongest factors, and its embedding is a noisy view of them. -
CREATE OR REPLACE TEMP TABLE nouns AS
SELECT f, is_positive, category, noun, row_number() OVER (PARTITION BY category ORDER BY noun) - 1 AS number
FROM (VALUES
    (0, true, 'books', ['atlas', 'cookbook', 'diary', 'novel']),
    (0, false, 'sports', ['ball', 'bottle', 'mat', 'racket']),
    (1, true, 'kitchen', ['cr' || chr(234) || 'pe pan', 'kettle', 'knife', 'teapot']),
    (1, false, 'garden', ['hose', 'lantern', 'pot', 'rake']),
    (2, true, 'beauty', ['brush', 'cream', 'shampoo', 'soap']),
    (2, false, 'tools', ['drill', 'hammer', 'saw', '6" clamp']),
    (3, true, 'music', ['drum', 'flute', 'stand', 'ukulele']),
    (3, false, 'pets', ['basket', 'dog''s toy', 'food', 'leash']),
    (4, true, 'toys', ['blocks', 'kite', 'puzzle', 'robot']),
    (4, false, 'home', ['blanket', 'clock', 'lamp', 'mirror'])
) AS categories(f, is_positive, category, words), unnest(words) AS one_word(noun);

CREATE OR REPLACE TEMP TABLE item_categories AS
WITH ranked AS (
    SELECT item, f, weight > 0 AS is_positive, abs(weight) AS strength,
        row_number() OVER (PARTITION BY item ORDER BY abs(weight) DESC, f) AS rank
    FROM item_factors
    WHERE f < 5   -- the sixth factor has no category
)
SELECT item, rank, category
FROM ranked JOIN (SELECT DISTINCT f, is_positive, category FROM nouns) USING (f, is_positive)
WHERE rank = 1 OR rank <= 3 AND strength >= 75;

COPY (
    WITH titles AS (
        SELECT item, ['Blue', 'Classic', 'Compact', 'Deluxe', 'Folding', 'Green', 'Large', 'Light', 'Organic', 'Red', 'Small',
            'Soft', 'Solid', 'Travel', 'Vintage', 'White'][1 + draw('adjective' || item, 16)] || ' ' || noun AS title
        FROM item_categories JOIN nouns USING (category)
        WHERE rank = 1 AND number = draw('noun' || item, 4)
    ),
    categories AS (SELECT item, list(category ORDER BY rank) AS category FROM item_categories GROUP BY item),
    embeddings AS (
        SELECT item, list(CAST((coalesce(weight, 0) + noise('embedding' || item || '/' || f, 25)) / 100 AS FLOAT) ORDER BY f)
            AS embedding
        FROM items CROSS JOIN range(8) AS dimensions(f) LEFT JOIN item_factors USING (item, f)
        GROUP BY item
    ),
    priced AS (SELECT item, 3 + draw('price' || item, 14) * draw('price' || item, 14) AS price FROM items)
    SELECT item_id, title,
        CASE WHEN item = 60 THEN [] ELSE category END AS category,
        (100 * price - 1) / 100 AS price,
        CASE WHEN item <> 90 THEN embedding END AS embedding
    FROM items JOIN titles USING (item) JOIN categories USING (item) JOIN embeddings USING (item) JOIN priced USING (item)
    ORDER BY item_id
) TO 'data/shop/items.parquet' (FORMAT parquet, COMPRESSION zstd);

-- history.parquet: what was bought before the recommendations. Users see popular items more often. -----------------------
COPY (
    WITH buyers AS (   -- every user without a history is a new customer
        SELECT user_id, event_date, 3 + draw('buys' || user_id, 16) * draw('buys' || user_id, 16) // 8 AS length
        FROM users
        WHERE signup_year < 2025 OR draw('first visit' || user_id, 100) >= 36
    ),
    ranked AS (
        SELECT user_id, item, item_id, key, event_date, length,
            row_number() OVER (
                PARTITION BY user_id ORDER BY utility + affinity + noise('history' || key, 3000) DESC, item_id
            ) AS rank
        FROM all_pairs JOIN buyers USING (user_id)
        WHERE NOT is_new AND item <= 255 AND draw('met' || key, 1000) < 10 + popularity // 10
    ),
    again AS (
        SELECT item, category IN ('beauty', 'pets') AS is_used_up
        FROM item_categories
        WHERE rank = 1
    ),
    bought AS (
        SELECT *, key || '/' || time AS purchase
        FROM ranked JOIN again USING (item), range(3) AS times(time)
        WHERE rank <= length AND (time = 0 OR draw('again' || key, 100) < CASE WHEN is_used_up THEN 36 ELSE 6 END // time)
    ),
    timed AS (   -- sales grow: the later of two minutes of January to May
        SELECT *, draw('many' || purchase, 100) AS many,
            greatest(draw('minute' || purchase, 151 * 1440), draw('or minute' || purchase, 151 * 1440)) AS minute
        FROM bought
    )
    SELECT user_id, item_id,
        CAST(1 + many // 82 + many // 95 + many // 99 AS INTEGER) AS quantity,
        CASE WHEN draw('late' || purchase, 3000) = 0 THEN event_date + to_minutes(1440 + minute % 2880)   -- a leak
             WHEN item > 250 THEN DATE '2025-01-01' + to_minutes(minute % 80000)                        -- before it sold out
             ELSE DATE '2025-01-01' + to_minutes(minute) END AS bought_at
    FROM timed
    ORDER BY bought_at, user_id, item_id, quantity
) TO 'data/shop/history.parquet' (FORMAT parquet, COMPRESSION zstd);
