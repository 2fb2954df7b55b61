"""Sources that give other rows at every reading, so the checks and the metrics would see different rows."""

from __future__ import annotations

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError
from duckmetrics.inputs.sources import refuse_volatile

LISTS = "SELECT q AS query_id, i AS item_id, 1 / i AS score FROM range(9) AS _(q), range(1, 9) AS __(i)"
TRUTH = "SELECT q AS query_id, 1 AS item_id FROM range(9) AS _(q)"
VOLATILE = {
    f"SELECT * REPLACE (random() AS score) FROM ({LISTS})": r"random\(\)",
    f"FROM ({LISTS}) WHERE random() < 0.5": r"random\(\)",
    f"FROM (FROM ({LISTS}) ORDER BY random()) LIMIT 20": r"random\(\)",
    f"FROM ({LISTS}) ORDER BY random() LIMIT 20": r"random\(\)",
    f"FROM ({LISTS}) USING SAMPLE 50 ROWS": "a sample without a seed",
    f"FROM ({LISTS}) AS x TABLESAMPLE 50% (bernoulli)": "a sample without a seed",
    f"SELECT * REPLACE (uuid() AS item_id) FROM ({LISTS})": r"uuid\(\)",
    f"SELECT * REPLACE (uuidv7() AS item_id) FROM ({LISTS})": r"uuidv7\(\)",
    f"SELECT * REPLACE (nextval('serial') AS score) FROM ({LISTS})": r"nextval\(\)",
}
STEADY = [
    LISTS, f"FROM ({LISTS}) ORDER BY random()", f"FROM (FROM ({LISTS}) ORDER BY random()) WHERE query_id > 3",
    f"SELECT * REPLACE (hash(item_id) / 2.0 AS score) FROM ({LISTS})",
    f"FROM ({LISTS}) AS x TABLESAMPLE 90% (bernoulli, 3)",
    f"SELECT *, UUID '00000000-0000-0000-0000-000000000000' AS random FROM ({LISTS})",
]  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize(("query", "named"), VOLATILE.items())
def test_rows_that_change_are_refused(query: str, named: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE SEQUENCE serial")
        said = rf"^sql:.*: {named} gives other rows at every reading.*; store the rows first"
        with pytest.raises(InputError, match=said):
            duckmetrics.evaluate(query, TRUTH, "mrr", connection=connection)
        with pytest.raises(InputError, match=said):
            duckmetrics.check(query, TRUTH, "mrr", connection=connection)
        connection.execute(f"CREATE TABLE stored AS {query}")
        if "item_id) FROM" not in query:
            duckmetrics.evaluate("stored", TRUTH, "mrr", connection=connection)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["VIEW", "TEMP VIEW"])
def test_so_are_views_of_such_rows(kind: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE {kind} half AS FROM ({LISTS}) WHERE random() < 0.5")
        connection.execute(f"CREATE {kind} steady AS {LISTS}")
        with pytest.raises(InputError, match=r"^half: random\(\) gives other rows"):
            duckmetrics.evaluate("half", TRUTH, "mrr", connection=connection)
        assert duckmetrics.evaluate("steady", TRUTH, "mrr", connection=connection).rows


@pytest.mark.some(2)
@pytest.mark.parametrize("query", STEADY)
def test_other_rows_are_taken(query: str) -> None:
    assert duckmetrics.evaluate(query, TRUTH, "mrr").rows


def test_spark_writes_them_in_other_words() -> None:
    for text in ("SELECT rand() AS s", "SELECT uuid() AS i", "SELECT * FROM t TABLESAMPLE (50 PERCENT)"):
        with pytest.raises(InputError, match="at every reading"):
            refuse_volatile("sql", text, "spark")
    for text in ("SELECT rand(3) AS s", "SELECT * FROM t TABLESAMPLE (50 PERCENT) REPEATABLE (3)"):
        refuse_volatile("sql", text, "spark")
