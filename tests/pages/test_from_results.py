"""Reports of real evaluations and comparisons: their numbers are those of the results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics.errors import InputError
from duckmetrics.pages.tables import DRAWINGS, in_order
from support.cases import CATALOG
from support.little import little
from support.reports import Page

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics import Comparison

# Two systems on 24 queries: B finds the relevant item one rank earlier, except in JP.
RUNS = """SELECT system, 'q' || q AS user_id, 'i' || i AS item_id,
    CASE WHEN i = 3
         THEN 10 + 3 * (CASE WHEN system = 'A' THEN q % 2 WHEN q % 4 = 0 THEN -1 ELSE 1 + q % 3 END)
         ELSE 12 - i * 0.5 END AS score
    FROM range(24) AS a(q), range(6) AS b(i), (VALUES ('A'), ('B')) AS s(system)"""
QRELS = "SELECT 'q' || q AS user_id, 'i3' AS item_id, 1 AS relevance FROM range(24) AS a(q)"
USERS = """SELECT 'q' || q AS user_id, CASE WHEN q % 4 = 0 THEN 'JP' ELSE 'DE' END AS country
    FROM range(24) AS a(q)"""
CLICKS = """SELECT (i % 3 = 0)::INT AS label, i % 10 AS user_id,
    CASE WHEN i % 2 = 0 THEN 'DE' ELSE 'FR' END AS country,
    (i * 7 % 20 + 1) / 22 AS a, (i * 7 % 20 + 1 + 8 * (i % 3 = 0)::INT) / 30 AS b FROM range(60) AS t(i)"""
METRICS = ["ndcg@3", "mrr", "first_rank"]


@pytest.fixture(scope="module")
def tables() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, query in (("runs", RUNS), ("qrels", QRELS), ("users", USERS), ("clicks", CLICKS)):
        connection.execute(f"CREATE TABLE {name} AS {query}")
    return connection


@pytest.fixture(scope="module")
def ranked(tables: duckdb.DuckDBPyConnection) -> Comparison:
    return duckmetrics.compare(
        "runs", "qrels", METRICS, system="system", baseline="A", queries="users", by="country",
        columns={"query_id": "user_id"}, connection=tables,
    )  # fmt: skip


@pytest.fixture(scope="module")
def clicked(tables: duckdb.DuckDBPyConnection) -> Comparison:
    return duckmetrics.compare(
        "clicks", metrics=["log_loss", "auc", "calibration_ratio"], score={"A": "a", "B": "b"}, by="country",
        cluster="user_id", connection=tables,
    )  # fmt: skip


@pytest.fixture(scope="module")
def pages(ranked: Comparison, clicked: Comparison) -> dict[str, Page]:
    return {"ranked": Page(ranked.report().html), "clicked": Page(clicked.report().html)}


@pytest.fixture(scope="module")
def little_page() -> Page:
    ev = duckmetrics.evaluate("predictions", "truth", ["mrr", "first_rank"], connection=little())
    return Page(ev.report().html)


def rows_of(page: Page) -> list[dict[str, Any]]:
    """Return the rows of the JSON as dictionaries."""
    found = page.numbers
    columns = found["rows"]
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return [
        {**row, "system": found["systems"][row["system"]], "metric": found["metrics"][row["metric"]]["name"],
         **found["slices"][row["slice"]]}
        for row in rows
    ]  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["ranked", "clicked"])
def test_the_json_equals_the_results(
    name: str, pages: dict[str, Page], request: pytest.FixtureRequest
) -> None:
    result = request.getfixturevalue(name)
    rows = rows_of(pages[name])
    assert len(rows) == len(result.rows)
    for row, expected in zip(rows, result.rows, strict=True):
        assert row["segment"] == [str(value) for value in result.evaluation.segment(expected).values()]
        for column, value in row.items():
            if column in expected and column not in ("slice", "n_undefined"):
                known = expected[column]
                approximate = isinstance(known, float)
                assert value == (pytest.approx(known, rel=1e-5) if approximate else known), column


@pytest.mark.slow
def test_the_same_call_gives_the_same_bytes() -> None:
    runs = {"A": "predictions", "B": "SELECT * REPLACE (-score AS score) FROM predictions"}
    connection = little()
    texts = [
        duckmetrics.compare(runs, "truth", ["dcg@2", "mrr"], connection=connection).report().html
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


def test_metrics_know_their_direction_title_and_cutoff(pages: dict[str, Page]) -> None:
    metrics = pages["ranked"].numbers["metrics"]
    assert [metric["better"] for metric in metrics] == ["higher", "higher", "lower"]
    assert [metric["k"] for metric in metrics] == [3, None, None]
    assert metrics[0]["title"] == "Normalized discounted cumulative gain"


def test_the_curve_of_cutoffs_has_the_values_of_an_evaluation(
    pages: dict[str, Page], tables: duckdb.DuckDBPyConnection
) -> None:
    pictures = pages["ranked"].numbers["pictures"]
    assert pictures["at_k_name"] == "ndcg"
    found = {(one["system"], one["k"]): one["value"] for one in pictures["at_k"]}
    # The longest list has six places.
    assert {k for _, k in found} == {1, 2, 3, 5, 6}
    specs = [f"ndcg@{k}" for k in sorted({k for _, k in found})]
    ev = duckmetrics.evaluate(
        "runs", "qrels", specs, system="system", columns={"query_id": "user_id"}, connection=tables
    )
    for (system, k), value in found.items():
        assert value == pytest.approx(ev.value(f"ndcg@{k}", system=system), rel=1e-5)


def test_differences_and_movers_are_those_of_the_comparison(
    ranked: Comparison, pages: dict[str, Page]
) -> None:
    numbers = pages["ranked"].numbers
    expected = ranked.differences("ndcg@3", system="B", points=201)["difference"].to_pylist()
    assert numbers["pictures"]["differences"] == pytest.approx(expected, rel=1e-5)
    movers = [row for row in ranked.movers(5).to_pylist() if row["metric"] == "ndcg@3"]
    assert {one["query"] for one in numbers["movers"]} == {row["query_id"] for row in movers}


@pytest.mark.slow
def test_a_metric_where_lower_is_better_swaps_gain_and_loss(tables: duckdb.DuckDBPyConnection) -> None:
    result = duckmetrics.compare(
        "runs", "qrels", ["first_rank"], system="system", baseline="A", columns={"query_id": "user_id"},
        connection=tables,
    )  # fmt: skip
    movers = Page(result.report().html).numbers["movers"]
    assert {one["direction"] for one in movers if one["difference"] < 0} == {"gain"}
    assert {one["direction"] for one in movers if one["difference"] > 0} <= {"loss"}


def test_units_are_named_after_the_column(pages: dict[str, Page], little_page: Page) -> None:
    units = [page.numbers["unit"] for page in (pages["ranked"], pages["clicked"], little_page)]
    assert units == ["users", "users", "queries"]
    counted = [page.numbers["counted"] for page in (pages["ranked"], pages["clicked"], little_page)]
    assert counted == ["users", "rows", "queries"]


def test_clusters_and_rows_have_their_own_names_on_page_and_screen(
    clicked: Comparison, pages: dict[str, Page]
) -> None:
    page, screen = pages["clicked"].shown, " ".join(clicked.lines(width=100))
    assert "· 10 users, 60 rows" in page
    assert "interval from 10 users" in page
    assert "5 users" in page
    assert "10 users with 60 rows, paired t" in screen
    assert "country  users " in screen
    assert "clusters" not in screen


@pytest.mark.slow
def test_without_clusters_the_units_are_rows_or_queries(tables: duckdb.DuckDBPyConnection) -> None:
    result = duckmetrics.compare(
        "clicks", metrics="log_loss", score={"A": "a", "B": "b"}, by="country", connection=tables
    )
    page, screen = Page(result.report().html), " ".join(result.lines(width=100))
    assert (page.numbers["unit"], page.numbers["counted"]) == ("rows", "rows")
    assert "· 60 rows " in f"{page.shown} "
    assert "60 rows, paired t" in screen
    assert "clusters" not in screen
    assert {row["cluster"] for row in result.rows} == {None}


@pytest.mark.slow
def test_queries_in_clusters_keep_their_name(tables: duckdb.DuckDBPyConnection) -> None:
    users = "SELECT 'q' || q AS user_id, q // 2 AS household_id FROM range(24) AS a(q)"
    result = duckmetrics.compare(
        "runs", "qrels", "mrr", system="system", baseline="A", queries=users, cluster="household_id",
        columns={"query_id": "user_id"}, connection=tables,
    )  # fmt: skip
    page = Page(result.report(otherwise=[{"ties": "pessimistic"}]).html)
    assert (page.numbers["unit"], page.numbers["counted"]) == ("households", "users")
    assert "· 12 households, 24 users" in page.shown
    assert "interval from 12 households" in page.shown
    assert "12 households with 24 queries, paired t" in " ".join(result.lines(width=100))


@pytest.mark.slow
def test_ids_are_left_out_everywhere(ranked: Comparison, pages: dict[str, Page]) -> None:
    ids = re.compile(r"\bq\d+\b|\bi\d\b")
    assert ids.search(pages["ranked"].html)
    page = Page(ranked.report(ids=False).html)
    assert not ids.search(page.html.replace(ranked.sql, ""))
    assert page.numbers["movers"] == []


def test_a_classifier_has_its_charts(clicked: Comparison, pages: dict[str, Page]) -> None:
    numbers = pages["clicked"].numbers
    curves = numbers["pictures"]["curves"]
    assert set(curves) == set(in_order(CATALOG.charts, of_classes=False))
    areas = dict(zip(curves["roc_curve"]["system"], curves["roc_curve"]["area"], strict=True))
    place = numbers["systems"].index("B")
    assert areas[place] == pytest.approx(clicked.row("auc")["value"], rel=1e-5)
    assert sum(curves["calibration_curve"]["n"]) == 2 * 60
    assert numbers["kind"] == "classification"


@pytest.mark.some(0)
@pytest.mark.parametrize("scores", [{"score": {"A": "a", "B": "b"}}, {"columns": {"score": "a"}}])
def test_tables_that_share_a_scan_are_those_of_the_evaluation(
    scores: dict[str, Any], tables: duckdb.DuckDBPyConnection
) -> None:
    ev = duckmetrics.evaluate("clicks", metrics="auc", by="country", connection=tables, **scores)
    curves = Page(ev.report().html).numbers["pictures"]["curves"]
    for name in in_order(CATALOG.charts, of_classes=False):
        drawing, params = CATALOG.charts[name]
        expected = [
            row for row in ev.table(name, **params).to_pylist()  # type: ignore[arg-type]
            if row["slice"] == "" and row.get("system") in (None, "B", "")
        ]  # fmt: skip
        for column in DRAWINGS[drawing].columns:
            known = [
                row[column] if row[column] is None else pytest.approx(row[column], rel=1e-5, nan_ok=True)
                for row in expected
            ]
            assert curves[name][column] == known, (name, column)


def test_rows_with_several_scores_are_counted_once_and_few_units_are_a_warning(
    pages: dict[str, Page],
) -> None:
    page = pages["clicked"]
    assert "looked at 60 rows, 2 scores each." in page.shown
    assert "<b>Warning:</b> intervals: only 10 clusters of user_id for auc, 5 clusters" in page.html
    assert "few units are behind some intervals" in page.shown
    assert "95 % interval" in page.shown
    assert "95% interval" not in page.shown


@pytest.mark.slow
def test_a_condition_of_the_rows_is_named_with_the_data(tables: duckdb.DuckDBPyConnection) -> None:
    result = duckmetrics.evaluate(
        "clicks", metrics="auc", columns={"score": "a"}, where={"predictions": "country = 'DE'"},
        connection=tables,
    )  # fmt: skip
    page = Page(result.report().html)
    expected = "Data: clicks; only the rows where <code>country = &#39;DE&#39;</code> (predictions)."
    assert expected in page.html


def test_scores_that_are_no_probabilities_have_no_calibration() -> None:
    clicks = {"label": [1, 0, 1, 0], "score": [9.0, 4.0, 6.0, 7.0]}
    page = Page(duckmetrics.evaluate(clicks, metrics="auc").report().html)
    assert "calibration_curve" not in page.numbers["pictures"]["curves"]
    assert "roc_curve" in page.numbers["pictures"]["curves"]
    assert any(note.startswith("calibration_curve is left out: ") for note in page.numbers["notes"])


@pytest.mark.slow
def test_the_verdict_is_recounted_under_other_conventions(ranked: Comparison) -> None:
    page = Page(ranked.report(otherwise=[{"ties": "pessimistic"}, {"ties": "sideways"}]).html)
    first, pessimistic, wrong = page.numbers["otherwise"]
    assert (first["name"], first["verdict"]) == ("as it is", ranked.row("ndcg@3")["verdict"])
    assert pessimistic["name"] == "ties=pessimistic"
    assert pessimistic["n"] == 24
    assert "sideways" in wrong["error"]
    assert "Is the verdict the same under other conventions?" in page.shown


def test_findings_come_from_the_complete_check(little_page: Page) -> None:
    page = little_page
    checks = {one["check"] for one in page.numbers["checked"]["problems"]}
    # The evaluation reports the query without predictions as missing_query, the check as unanswered_query.
    assert "unanswered_query" in checks
    assert "missing_query" not in checks
    assert page.numbers["checked"]["looked_at"] == {"predictions": 5, "judgments": 4, "queries": 3}
    assert "1 of 3 (33.3%) queries of the population with no predictions." in page.shown


@pytest.mark.slow
def test_results_of_evaluations_have_no_tables_to_check() -> None:
    connection = little()
    one = duckmetrics.evaluate("predictions", "truth", "mrr", connection=connection)
    two = duckmetrics.evaluate(
        "SELECT * REPLACE (-score AS score) FROM predictions", "truth", "mrr", connection=connection
    )
    page = Page(duckmetrics.compare({"A": one, "B": two}).report().html)
    assert "The data could not be read again" in page.shown
    assert page.numbers["pictures"]["at_k"] == []


def test_a_report_of_values_needs_no_interval(little_page: Page) -> None:
    assert little_page.text("h1") == "mrr is 0.5000."
    assert "no interval" in little_page.shown


def test_queries_without_a_value_are_counted(little_page: Page) -> None:
    assert "1 of 3 queries (33.3%) have no value for first_rank" in little_page.shown


@pytest.mark.slow
def test_a_missing_value_is_shown_as_a_dash() -> None:
    clicks = {"label": [1, 1], "score": [0.9, 0.4]}
    page = Page(duckmetrics.evaluate(clicks, metrics=["auc", "log_loss"]).report().html)
    assert page.text("h1") == "auc has no value."
    assert "None" not in page.shown


@pytest.mark.slow
def test_a_file_is_written_only_over_a_report(tmp_path: Path) -> None:
    ev = duckmetrics.evaluate("predictions", "truth", "mrr", connection=little())
    path = tmp_path / "report.html"
    written = ev.report(path)
    assert path.read_text("utf-8") == written.html
    shown = written._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "sandbox" in shown
    assert "<h1>" not in shown
    assert str(written) == written.html
    ev.report(path, title="again")
    assert "again" in path.read_text("utf-8")
    foreign = tmp_path / "notes.html"
    foreign.write_text("<p>mine</p>")
    with pytest.raises(InputError, match="exists and is not an html file of duckmetrics"):
        ev.report(foreign)
    with pytest.raises(InputError, match="a report is a page of HTML"):
        ev.report(tmp_path / "report.pdf")
    assert foreign.read_text() == "<p>mine</p>"
