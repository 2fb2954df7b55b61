"""Systems, slices and arms without rows: every verb refuses them, or says that they were not tested."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.errors import DuckmetricsError
from duckmetrics.words.verdicts import BASELINE, UNTESTED
from support.command_line import exports, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command_line import Command

__all__ = ["exports", "run"]

# The predictions of a system without evidence.
RANKINGS = {
    "no rows": "FROM good WHERE false",
    "no common query": "SELECT 'z' || query_id AS query_id, item_id, score FROM good",
    "no score": "SELECT query_id, item_id, NULL::DOUBLE AS score FROM good",
    "no id": "SELECT NULL::VARCHAR AS query_id, item_id, score FROM good",
}
CLASSIFIERS = {
    "no rows": "FROM log WHERE false",
    "no label": "SELECT * REPLACE (NULL::INTEGER AS label) FROM log",
    "no score": "SELECT * REPLACE (NULL::DOUBLE AS score) FROM log",
    "no unit": "SELECT * REPLACE (NULL::INTEGER AS user_id) FROM log",
    "one class": "SELECT * REPLACE (1 AS label) FROM log",
}
# Verbs that look at all systems.
OF_RANKINGS: dict[str, Any] = {
    "compare": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c),
    "unpaired": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c, unpaired=True),
    "cluster": lambda c, s: duckmetrics.compare(
        s, "truth", "mrr", connection=c, cluster="c", queries="queries"
    ),
    "margin": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c, margin="5%"),
    "both": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c, population="both"),
    "skip": lambda c, s: duckmetrics.compare(
        s, "truth", "mrr", connection=c, missing="skip", allow_different=True
    ),
    "pairs": lambda c, s: duckmetrics.compare({**s, "C": "good"}, "truth", "mrr", connection=c, pairs=True),
    "always valid": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c, test="always_valid"),
    "leaderboard": lambda c, s: duckmetrics.leaderboard({**s, "C": "good"}, "truth", "mrr", connection=c),
    "plan": lambda c, s: duckmetrics.plan(s, "truth", "mrr", connection=c, difference=0.01),
    "report": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c).report(),
    "chart": lambda c, s: duckmetrics.compare(s, "truth", "mrr", connection=c).chart(),
}
OF_CLASSIFIERS: dict[str, Any] = {
    "cluster": lambda c, s: duckmetrics.compare(s, metrics="auc,log_loss", connection=c, cluster="user_id"),
    "unpaired": lambda c, s: duckmetrics.compare(s, metrics="auc,log_loss", connection=c, unpaired=True),
    "unpaired clusters": lambda c, s: duckmetrics.compare(
        s, metrics="auc,log_loss", connection=c, unpaired=True, cluster="user_id"
    ),
    "margin": lambda c, s: duckmetrics.compare(
        s, metrics="auc,log_loss", connection=c, cluster="user_id", margin="5%"
    ),
    "bootstrap": lambda c, s: duckmetrics.compare(
        s, metrics="auc", connection=c, cluster="user_id", interval_method="bootstrap", resamples=50
    ),
    "leaderboard": lambda c, s: duckmetrics.leaderboard(
        {**s, "C": "log"}, metrics="auc", connection=c, cluster="user_id"
    ),
    "report": lambda c, s: duckmetrics.compare(
        s, metrics="auc,log_loss", connection=c, cluster="user_id"
    ).report(),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("""
            CREATE TABLE truth AS SELECT 'q' || q AS query_id, 'd1' AS item_id FROM range(40) AS t(q);
            CREATE TABLE queries AS SELECT 'q' || q AS query_id, q % 7 AS c FROM range(40) AS t(q);
            CREATE TABLE good AS SELECT 'q' || q AS query_id, 'd' || i AS item_id, 1.0 + (i + q) % 3 AS score
            FROM range(40) AS t(q), range(3) AS u(i);
            CREATE TABLE log AS SELECT i // 4 AS user_id, (hash(i) % 3 = 0)::INTEGER AS label,
                0.05 + (hash(i * 7) % 90) / 100.0 AS score, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END AS c
            FROM range(240) AS t(i)
        """)
        yield connection


def judged(found: Any) -> set[str]:
    """Return the verdicts on B in the rows of a result."""
    rows = [*getattr(found, "rows", ()), *getattr(found, "pairs", ())]
    return {row["verdict"] for row in rows if "B" in (row.get("system"), row.get("against"))} - {None}


def outcome(connection: duckdb.DuckDBPyConnection, verb: Any, systems: dict[str, str]) -> str | set[str]:
    """Return the refusal of a verb, or its verdicts on B."""
    try:
        return judged(verb(connection, systems))
    except DuckmetricsError as error:
        return str(error)


@pytest.mark.some(3)
@pytest.mark.parametrize(("kind", "verb"), [*product(RANKINGS, OF_RANKINGS)])
def test_a_system_of_rankings_without_evidence_gets_no_verdict(
    connection: duckdb.DuckDBPyConnection, kind: str, verb: str
) -> None:
    """A whole system without a common query is refused, as `evaluate` refuses it alone."""
    alone = outcome(connection, lambda c, s: duckmetrics.evaluate(s, "truth", "mrr", connection=c),
                    {"B": RANKINGS[kind]})  # fmt: skip
    found = outcome(connection, OF_RANKINGS[verb], {"A": "good", "B": RANKINGS[kind]})
    assert isinstance(alone, str)
    assert isinstance(found, str)
    words = {"no rows": "no rows", "no common query": "none of them in both tables", "no score": "NULL",
             "no id": "NULL"}[kind]  # fmt: skip
    assert words in alone
    assert words in found


@pytest.mark.some(3)
@pytest.mark.parametrize(("kind", "verb"), [*product(CLASSIFIERS, OF_CLASSIFIERS)])
def test_a_classifier_without_evidence_gets_no_verdict(
    connection: duckdb.DuckDBPyConnection, kind: str, verb: str
) -> None:
    found = outcome(connection, OF_CLASSIFIERS[verb], {"A": "log", "B": CLASSIFIERS[kind]})
    if (kind, verb) == ("no unit", "unpaired"):  # the rows are the units, so nothing is missing
        assert found == outcome(connection, OF_CLASSIFIERS[verb], {"A": "log", "B": "log"}) == {"unclear"}
    elif not isinstance(found, str) and kind != "one class":
        assert found <= {UNTESTED, BASELINE, "no value"}, found


@pytest.mark.parametrize("kind", ["no rows", "no common query"])
def test_check_finds_a_system_without_evidence(connection: duckdb.DuckDBPyConnection, kind: str) -> None:
    mapped = duckmetrics.check({"A": "good", "B": RANKINGS[kind]}, "truth", connection=connection)
    name = {"no rows": "no_rows", "no common query": "no_common_query"}[kind]
    assert name in {finding.check for finding in mapped.errors}
    assert "system B" in mapped.errors[0].message
    if kind == "no common query":
        both = f"SELECT 'A' AS m, * FROM good UNION ALL SELECT 'B', * FROM ({RANKINGS[kind]})"
        assert duckmetrics.check(both, "truth", system="m", connection=connection).errors
        alone = "SELECT 'A' AS m, * FROM good"
        assert not duckmetrics.check(alone, "truth", system="m", connection=connection).errors


def test_a_file_with_a_header_only_has_no_rows(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id,item_id,score\nq1,d1,1.5\nq2,d1,0.5\n", "utf-8")
    (tmp_path / "b.csv").write_text("query_id,item_id,score\n", "utf-8")
    (tmp_path / "t.csv").write_text("query_id,item_id\nq1,d1\nq2,d1\n", "utf-8")
    systems = ["--system", f"A={tmp_path}/a.csv", "--system", f"B={tmp_path}/b.csv"]
    for command in ("evaluate", "compare"):
        found = run(command, *systems, "--truth", f"{tmp_path}/t.csv", "-m", "mrr")
        assert found.code == 2
        assert "b.csv: no rows; check how it was exported" in found.err.replace("\n", " ")


@pytest.mark.some(1)
@pytest.mark.parametrize("lacking", ["A", "B"])
@pytest.mark.parametrize("options", [{"unpaired": True}, {"unpaired": True, "cluster": "user_id"}], ids=str)
def test_a_slice_that_one_side_lacks_is_not_tested(
    connection: duckdb.DuckDBPyConnection, lacking: str, options: dict[str, Any]
) -> None:
    """Other rows on each side: the slice y has rows of one system only."""
    systems = {"A": "log", "B": "FROM log WHERE user_id % 3 > 0"}
    systems[lacking] = "FROM log WHERE c = 'x'"
    found = duckmetrics.compare(systems, metrics="auc,log_loss", by="c", connection=connection, **options)
    assert found.row("auc", "B")["verdict"] != UNTESTED
    of_slice = [row for row in found.rows if row["slice"] and row["c"] == "y"]
    assert {row["system"] for row in of_slice} == ({"B"} if lacking == "A" else {"A"})
    if lacking == "A":
        assert {(row["verdict"], row["reason"]) for row in of_slice} == {
            (UNTESTED, "the baseline has no row in this slice")
        }
    assert found.lines(100)
    assert found.report().html.startswith("<!doctype html>")
