-- 1000 items for each user.
CREATE MACRO lists_of(n) AS TABLE SELECT i // 1000 AS u, i % 1000 AS place FROM range(n) AS numbers(i);
