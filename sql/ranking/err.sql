-- name:     err
-- title:    Expected reciprocal rank
-- group:    Accuracy
-- meaning:  ERR models a user who reads from the top and stops at the first satisfying item. It is the expected value
--           of 1 / rank at that stop, or 0 without a stop.
-- use:      when one good item is enough for the user, and relevance has grades
-- beware:   max_grade sets the scale: with grades 0 and 1 and the default of 4, every value is below 0.2
-- reading:  1: out of reach; on the default scale, even a list with grade 4 at every rank stays below 0.97
--           0.9375: the first item has grade 4 of 4, and no other item is relevant
--           0: no relevant item is among the first k
-- inputs:   predictions (system, query_id, item_id, score, position), truth (query_id, item_id, relevance),
--           population (query_id)
-- params:   max_grade DOUBLE DEFAULT 4 CHECK (max_grade > 0),
--           k INTEGER DEFAULT NULL CHECK (k > 0)
-- switches: rel DOUBLE DEFAULT NULL CHECK (rel IS NULL)
-- values:   max_grade: the highest grade of the scale; a higher one in the truth is an error
--           k: as in recall
--           rel: not used: every grade above 0 counts
-- requires: truth (relevance <= max_grade)
-- depth:    k
-- grain:    system, query_id
-- range:    [0, 1], higher is better
-- formula:  sum over ranks i <= k of 1/i * R_i * product over j < i of (1 - R_j), R = (2^grade - 1) / 2^max_grade
-- tex:      \mathrm{ERR}_k = \sum_{i=1}^{k} \frac{R_i}{i} \prod_{j=1}^{i-1} (1 - R_j) \qquad
--           R_i = \frac{2^{\mathit{rel}_i} - 1}{2^g}
-- symbols:  k: the cut-off, the number of top ranks that count
--           R_i: the probability that the item at rank i satisfies the user
--           \mathit{rel}_i: the grade of the item at rank i, 0 if it is not judged
--           g: the highest grade of the scale, max_grade
-- source:   Chapelle, Metzler, Zhang and Grinspan, CIKM 2009, doi:10.1145/1645953.1646033
-- oracle:   ir_measures ERR@{k}
-- example:  err() = 0.211589
-- worked:   q1: 1 / 1 * 3 / 16 + 1 / 3 * (1 - 3 / 16) * 1 / 16 = 0.2044
--           q2: 1 / 2 * 7 / 16 = 0.2188
-- related:  reciprocal_rank, ndcg, rbp
WITH stops AS (
    SELECT system, query_id, item, place, rank, (power(2e0, relevance) - 1) / power(2e0, $max_grade) AS stop
    FROM relevant
),
cascade AS (
    SELECT
        system,
        query_id,
        item,
        place,
        rank,
        stop,
        exp(coalesce(sum(ln(1 - stop)) OVER (
            PARTITION BY system, query_id
            ORDER BY coalesce(rank, 2147483647) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0)) AS reached
    FROM stops
)
SELECT
    system,
    query_id,
    coalesce(sum(reached * stop / rank) FILTER (WHERE rank <= coalesce($k, rank)), 0) AS value
FROM cascade
GROUP BY system, query_id;
