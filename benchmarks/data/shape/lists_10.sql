-- 10 items for each user.
CREATE MACRO lists_of(n) AS TABLE SELECT i // 10 AS u, i % 10 AS place FROM range(n) AS numbers(i);
