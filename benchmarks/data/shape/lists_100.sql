-- 100 items for each user.
CREATE MACRO lists_of(n) AS TABLE SELECT i // 100 AS u, i % 100 AS place FROM range(n) AS numbers(i);
