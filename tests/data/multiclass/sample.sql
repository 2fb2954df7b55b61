-- Six pictures of three animals: the numbers of the headers' examples.
CREATE TABLE predictions AS FROM (VALUES
    (1, 'cat', 0.7, 0.2, 0.1), (2, 'cat', 0.5, 0.4, 0.1), (3, 'dog', 0.6, 0.3, 0.1),
    (4, 'dog', 0.1, 0.8, 0.1), (5, 'fox', 0.2, 0.2, 0.6), (6, 'fox', 0.1, 0.6, 0.3)
) AS _(picture, label, cat, dog, fox);
