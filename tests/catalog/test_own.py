"""Metrics of users: files and folders next to those of the package, with all that ours have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import DefinitionError, DuckmetricsError
from duckmetrics.api.definitions import new_definition, tried
from duckmetrics.catalog import catalog as own
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING
from support.command_line import exports, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command_line import Command

__all__ = ["exports", "run"]

HEADER = """-- name:   {name}
-- inputs: predictions (query_id, item_id, score), truth (query_id, item_id, relevance{more})
-- params: k INTEGER DEFAULT NULL CHECK (k > 0)
-- range:  [0, 1], higher is better
"""
REVENUE = (
    HEADER.format(name="revenue", more=", price")
    + """SELECT
    queries.system,
    queries.query_id,
    coalesce(sum(truth.price) FILTER (WHERE ranked.rank <= coalesce($k, ranked.rank)), 0)
        / nullif(sum(truth.price), 0) AS value
FROM queries
JOIN truth ON truth.query_id = queries.query_id
LEFT JOIN ranked
    ON ranked.system = queries.system AND ranked.query_id = truth.query_id AND ranked.item_id = truth.item_id
GROUP BY queries.system, queries.query_id;
"""
)
PROFIT = """-- name:   profit
-- inputs: predictions (label, score, margin)
-- params: threshold DOUBLE DEFAULT 0.5
-- range:  (-inf, inf), higher is better
SELECT
    system,
    segment,
    sum(CASE WHEN score >= $threshold THEN label * margin - 0.1 ELSE 0 END) / count(*) AS value
FROM predictions
GROUP BY system, segment;
"""
RUN = {"q1": {"a": 0.9, "b": 0.5, "c": 0.1}, "q2": {"a": 0.2, "b": 0.8}}
TRUTH = {
    "query_id": ["q1", "q1", "q2", "q3"], "item_id": ["a", "c", "b", "a"], "relevance": [1, 1, 1, 1],
    "price": [10.0, 30.0, 5.0, 7.0], "country": ["JP", "JP", "DE", "DE"],
}  # fmt: skip
ROWS = {
    "label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7], "margin": [2.0, 1.0, 3.0, 1.0],
    "country": ["a", "a", "b", "b"], "user_id": [1, 2, 1, 2],
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder, and forget the metrics of a test at its end."""
    monkeypatch.chdir(tmp_path)
    known = catalog()
    before = dict(known.files), dict(known.metrics)
    yield tmp_path
    known.files, known.metrics = before
    known.has_own = False
    known.__dict__.pop("names", None)
    known._placeholders.clear()
    known._foundations.clear()
    own._of_packages.cache_clear()


def write(name: str, text: str) -> str:
    Path(f"{name}.sql").write_text(text, "utf-8")
    return f"{name}.sql"


# --- the same as ours --------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["ranking", "classification"])
def test_a_copy_of_each_metric_has_its_values(family: str, folder: Path) -> None:
    """Whatever a file of ours does, a file of a user does: more than a hundred metrics, two numbers each."""
    copied = 0
    for (of, name), metric in sorted(catalog().metrics.items()):
        if of != family or metric.is_own:
            continue
        text = metric.text.replace(f"name:     {name}", f"name:     my_{name}", 1)
        text = re.sub(r"(?m)^-- (alias|macro|usual|alone):.*\n(--      +.*\n)*", "", text)
        write(f"my_{name}", text)
        copied += 1
    lines = [line for line, works in tried(folder) if works and " = " in line]
    assert len(lines) > 0.8 * copied  # others ask for a parameter
    for line in lines:
        spec, values = line.split(": ", 1)[1].split(" = ", 1)
        theirs = spec.removeprefix("my_")
        write(spec.partition("@")[0], catalog().find(spec.partition("@")[0]).metric.text)
        assert values == ours(theirs, family), spec


def ours(spec: str, family: str) -> str:
    """Return the values of a metric of the package as the trial writes them."""
    from duckmetrics.api import definitions

    name = spec.partition("@")[0]
    metric = catalog().metrics[family, name]
    (line,) = definitions._tried(metric)
    return line.split(" = ", 1)[1]


def test_a_file_works_wherever_a_name_does() -> None:
    write("revenue", REVENUE)
    specs = ["revenue.sql@1", "ndcg@10"]
    found = duckmetrics.evaluate(RUN, TRUTH, specs, by="country", interval=0.9, missing="skip")
    assert found.metrics == ("revenue@1", "ndcg@10")
    assert found.value("revenue@1") == pytest.approx((10 / 40 + 1) / 2)
    assert found.value("revenue@1", country="JP") == 0.25
    other = {"q1": {"a": 0.1, "b": 0.5, "c": 0.9}, "q2": {"a": 0.9, "b": 0.8}, "q3": {"a": 1.0}}
    compared = duckmetrics.compare({"A": RUN, "B": other}, TRUTH, "revenue@1")
    assert compared.row("revenue@1")["delta"] == pytest.approx((0.75 + 0 + 1) / 3 - (0.25 + 1 + 0) / 3)
    ranked = duckmetrics.leaderboard({"A": RUN, "B": other}, TRUTH, "revenue@1")
    assert ranked.rows[0]["system"] == "B"
    assert found.report().html.startswith("<!doctype html>")
    assert "revenue" in duckmetrics.sql("revenue@1", "spark")
    assert "ranking.revenue: Revenue" in duckmetrics.describe("revenue.sql")
    assert "revenue" in duckmetrics.metrics()["name"].to_pylist()
    assert not duckmetrics.check(RUN, TRUTH, "revenue@1", missing="skip").errors


def test_rows_of_classifiers_with_columns_of_their_own() -> None:
    path = write("profit", PROFIT)
    value = (2 - 0.1 + 3 - 0.1 + 0 - 0.1) / 4
    found = duckmetrics.evaluate(ROWS, metrics=[path, "auc"], by="country", interval=0.9)
    assert found["profit"] == pytest.approx(value)
    assert found.value("profit", country="a") == pytest.approx((2 - 0.1) / 2)
    other = {**ROWS, "score": [0.1, 0.6, 0.6, 0.4]}
    compared = duckmetrics.compare({"A": ROWS, "B": other}, metrics="profit", cluster="user_id")
    assert compared.row("profit")["delta"] == pytest.approx((-0.1 + 3 - 0.1) / 4 - value)
    data = duckmetrics.data(pa.table(ROWS).rename_columns(["label", "score", "eur", "country", "user_id"]),
                            columns={"predictions.margin": "eur"}, definitions=path)  # fmt: skip
    assert data.evaluate("profit")["profit"] == pytest.approx(value)
    assert data.evaluate("profit(threshold=0.95)")["profit(threshold=0.95)"] == 0


def test_a_file_that_changes_is_read_again() -> None:
    text = HEADER.format(name="mine", more="") + "SELECT system, query_id, {} * max(m) AS value FROM relevant"
    for factor in (1, 3):
        write("mine", f"{text.format(factor)} GROUP BY system, query_id")
        assert duckmetrics.evaluate(RUN, TRUTH, "mine.sql", missing="skip")["mine"] == 1.5 * factor
    assert duckmetrics.evaluate(RUN, TRUTH, "mine", missing="skip")["mine"] == 4.5


def test_folders_and_the_environment_name_metrics(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "team").mkdir()
    write("team/revenue", REVENUE)
    found = duckmetrics.evaluate(RUN, TRUTH, "revenue@1", definitions="team", missing="skip")
    assert found["revenue@1"] == 0.625
    monkeypatch.setenv(own.VARIABLE, str(folder / "team"))
    own._of_packages.cache_clear()
    assert duckmetrics.evaluate(RUN, TRUTH, "REVENUE@1", missing="skip")["REVENUE@1"] == 0.625


def test_an_installed_package_brings_metrics(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its entry point names a folder inside it."""
    made = folder / "site/our_metrics"
    (made / "sql").mkdir(parents=True)
    (made / "__init__.py").touch()
    (made / "sql/revenue.sql").write_text(REVENUE, "utf-8")
    about = folder / "site/our_metrics-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: our-metrics\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[{own.GROUP}]\nours = our_metrics:sql\n", "utf-8")
    monkeypatch.syspath_prepend(str(folder / "site"))
    assert duckmetrics.evaluate(RUN, TRUTH, "revenue@1", missing="skip")["revenue@1"] == 0.625


# --- mistakes ----------------------------------------------------------------------------------------

PLAIN = HEADER.format(name="wrong", more="")
GROUPED = "GROUP BY system, query_id"
WRONG = {
    "SELECT 1": "wrong.sql:1: the name must be 'wrong', as the file is called",
    "-- name: wrong\n-- range: [0, 1]\nSELECT 1 AS value": "the header has no line 'inputs'; write ",
    f"{PLAIN}SELECT system, query_id, max(m) AS share FROM relevant {GROUPED}":
        "the query returns system, query_id, share; return system, query_id, value, in any order",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevnt {GROUPED}":
        "wrong.sql:5: unknown table 'relevnt'; did you mean 'relevant'?",
    f"{PLAIN}SELECT system, query_id,\n  max(grade) AS value\nFROM relevant {GROUPED}":
        "wrong.sql:6: Referenced column \"grade\" not found in FROM clause!",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevant WHERE rank < $n {GROUPED}":
        "wrong.sql:5: $n is no parameter; declare it: -- params: n INTEGER DEFAULT NULL",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevant WHERE":
        "wrong.sql:5: the query cannot be read",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevant {GROUPED}, rank":
        "2 rows for query_id=q",
    f"{PLAIN}SELECT system, query_id, m AS value FROM relevant": "no GROUP BY; aggregate by system, query_id",
    f"{PLAIN}-- rang: [0, 1]\nSELECT 1 AS value": "unknown key 'rang'; did you mean 'range'?",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_a_file_is_told_with_its_line(text: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(WRONG[text])):
        duckmetrics.evaluate(RUN, TRUTH, write("wrong", text), missing="skip")


def test_names_that_are_taken_are_refused(folder: Path) -> None:
    for name in ("ndcg", "map", "relevant", "truth"):
        text = (
            HEADER.format(name=name, more="")
            + f"SELECT system, query_id, max(m) AS value FROM relevant {GROUPED}"
        )
        with pytest.raises(DefinitionError, match=f"'{name}' is a (metric|relation) of duckmetrics"):
            duckmetrics.evaluate(RUN, TRUTH, write(name, text))
    (folder / "other").mkdir()
    for place in ("revenue", "other/revenue"):
        write(place, REVENUE)
    duckmetrics.evaluate(RUN, TRUTH, "revenue.sql", missing="skip")
    with pytest.raises(
        DefinitionError, match=r"'revenue' is defined in .*/revenue.sql too; rename one of them"
    ):
        duckmetrics.evaluate(RUN, TRUTH, "other/revenue.sql", missing="skip")


def test_mistakes_with_data_and_names() -> None:
    write("revenue", REVENUE)
    lists = {"query_id": ["q1"], "relevant": [["a"]], "price": [1.0]}
    unpriced = {**TRUTH, "price": [1.0, None, 2.0, 3.0]}
    Path("empty").mkdir()
    for message, truth, spec, options in (
        ("no such file or folder of metrics; did you mean 'revenue.sql'?", TRUTH, "revenu.sql", {}),
        ("no column 'price', which revenue reads; found", {"q1": {"a": 1}}, "revenue.sql@1", {}),
        ("column 'price' is NULL in 1 row, and revenue reads it; fill it", unpriced, "revenue@1", {}),
        ("lists the items of a query, and revenue reads the column 'price'", lists, "revenue@1", {}),
        ("revenue@1 is your own metric, and has no second definition", TRUTH, "revenue@1", {"verify": 2}),
        ("did you mean 'revenue'", TRUTH, "revenu@1", {}),
        ("has no file .sql; write one with: duckmetrics metrics", TRUTH, "ndcg", {"definitions": "empty"}),
    ):  # fmt: skip
        with pytest.raises(DuckmetricsError, match=re.escape(message)):
            duckmetrics.evaluate(RUN, truth, spec, missing="skip", **options)  # type: ignore[arg-type]


# --- the command line --------------------------------------------------------------------------------


def test_a_new_file_runs_as_it_is(run: Command) -> None:
    made = run("metrics", "--new", "big_hit", "--like", "hit_rate")
    assert made.out.startswith("big_hit.sql: edit it, then try it: duckmetrics metrics --check ")
    tried_out = run("metrics", "--check", "big_hit.sql")
    assert tried_out.code == 0
    assert tried_out.out.startswith("big_hit.sql: big_hit@2 = 1, q1 1, q2 1\n")
    assert run("metrics", "--new", "big_hit").err.startswith("duckmetrics: big_hit.sql: there is such a file")
    assert new_definition("other", "mrr").read_text("utf-8").startswith("-- name:     other\n")


def test_a_file_that_does_not_work_ends_with_1(run: Command) -> None:
    write("wrong", f"{PLAIN}SELECT system, query_id, max(grade) AS value FROM relevant {GROUPED}")
    found = run("metrics", "--check", "wrong.sql")
    assert (found.code, "Referenced column" in found.out) == (1, True)


@pytest.mark.parametrize(
    "given", [("-m", "revenue.sql@1"), ("-m", "revenue@1", "--definitions", "revenue.sql")]
)
def test_the_command_line_takes_files(run: Command, given: tuple[str, ...]) -> None:
    write("revenue", REVENUE)
    pa_csv(RUN, Path("run.csv"))
    Path("truth.csv").write_text(
        "query_id,item_id,relevance,price\nq1,a,1,10\nq1,c,1,30\nq2,b,1,5\n", "utf-8"
    )
    found = run("evaluate", "run.csv", "truth.csv", *given, "--fail-if", "revenue@1 < 0.7", "--set",
                "missing=skip", "--format", "csv")  # fmt: skip
    assert (found.code, "0.625" in found.out) == (1, True)


def pa_csv(lists: dict[str, dict[str, float]], path: Path) -> None:
    rows = [f"{query},{item},{score}" for query, items in lists.items() for item, score in items.items()]
    path.write_text("\n".join(["query_id,item_id,score", *rows]) + "\n", "utf-8")


def test_nothing_of_ours_knows_metrics_of_users() -> None:
    """A file of a user changes no name, relation or page of the package."""
    before = set(catalog().metrics)
    write("revenue", REVENUE)
    duckmetrics.evaluate(RUN, TRUTH, "revenue.sql", missing="skip")
    assert set(catalog().metrics) - before == {(RANKING, "revenue")}
