"""Lists of several systems in one table."""

from __future__ import annotations

TRUTH = "SELECT q AS query_id, 1000 * q + i AS item_id FROM range(50) AS _(q), range(3) AS __(i)"
# The systems have different items.
APART = """SELECT 'AB'[m + 1] AS {name}, q AS query_id, 1000 * q + i + 100 * m AS item_id,
    1 / (i + 1) + 0.01 * m AS score FROM range(50) AS _(q), range(30) AS __(i), range(2) AS ___(m)"""
# They share items, but those of the last have by far the largest scores, like the most popular ones.
SHARED = """SELECT ['als', 'svd', 'pop'][m + 1] AS {name}, q AS query_id,
    1000 * q + (i + 5 * m) % 40 AS item_id, 1 / (i + 1) + 5 * m AS score
    FROM range({n}) AS _(q), range(30) AS __(i), range(3) AS ___(m)"""
