-- 1 to 199 items for each user, 100 in the mean.
CREATE MACRO lists_of(n) AS TABLE
    SELECT u, unnest(range(1 + u * 7919 % 199)) AS place FROM range(n // 100) AS users(u);
