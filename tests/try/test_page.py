"""The page "Try it" in headless Chromium: Python's numbers, nothing leaves, every fault has a way out."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.errors import InputError
from support import dropped as made
from support.cases import ROOT
from support.copied import ELSEWHERE, key_of
from support.door_tables import CASES, refusal, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Browse = Callable[..., dict[str, Any]]
    Row = Mapping[str, Any]

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOLDER = ROOT / "docs/try"
SHOP = ROOT / "data/shop"
DIGITS = ROOT / "data/digits"
TOLERANCE = 1e-9
NUMBERS = ("value", "lower", "upper", "delta", "delta_lower", "delta_upper", "p", "p_adjusted")
SLICED = {"by": ["country"]}
OWN_BYTES = 100_000


def shop() -> duckmetrics.Comparison:
    """Return what Python computes for the sample of two recommenders."""
    return duckmetrics.compare(
        SHOP / "recommendations.parquet", SHOP / "purchases.parquet",
        metrics=["ndcg@10", "map@10", "hit_rate@5", "recall@20", "mrr"], system="model", baseline="baseline",
        columns={"query_id": "user_id"}, queries=SHOP / "users.parquet", **SLICED,
    )  # fmt: skip


def clicks() -> duckmetrics.Comparison:
    """Return what Python computes for the sample of two click models."""
    return duckmetrics.compare(
        SHOP / "impressions.parquet", metrics=["auc", "log_loss", "calibration_ratio"],
        columns={"label": "clicked"}, score={"pctr_baseline": "pctr_baseline", "pctr": "pctr"},
        baseline="pctr_baseline", cluster="user_id", **SLICED,
    )  # fmt: skip


def digits() -> duckmetrics.Comparison:
    """Return what Python computes for the sample of two search systems."""
    return duckmetrics.compare(
        DIGITS / "pixels.parquet", DIGITS / "qrels.parquet",
        metrics=["ndcg@10", "map", "precision@10", "mrr"], system="system", baseline="blocks",
    )  # fmt: skip


def assert_same_headline(found: Mapping[str, Any], expected: duckmetrics.Comparison) -> None:
    """Compare the headline with the sentence of Python."""
    assert found["headline"] == f"{expected.verdict}."


def assert_equal(found: list[Row], expected: list[Row]) -> None:
    """Compare rows by system, metric and slice, in all numbers and in the verdict."""

    def key(row: Row) -> tuple[object, ...]:
        return row["system"], row["metric"], row["slice"], row.get("country")

    known = {key(row): row for row in expected}
    assert len(found) == len(expected)
    assert {key(row) for row in found} == set(known)
    for row in found:
        other = known[key(row)]
        assert row["verdict"] == other["verdict"], key(row)
        for name in NUMBERS:
            value, wanted = row[name], other[name]
            if row["verdict"] == "baseline" and name.startswith(("delta", "p")):
                continue
            assert (value is None) == (wanted is None), (key(row), name)
            assert value is None or abs(value - wanted) <= TOLERANCE * max(1, abs(wanted)), (key(row), name)


def test_digits_prints_the_numbers_of_the_readme(browse: Browse) -> None:
    found = browse("sample", sample="digits")
    assert "0.7816 → 0.9745" in found["text"]
    assert_same_headline(found, digits())
    assert "2 systems (blocks and pixels) · 200 queries with judgments" in found["found"]


def test_the_comparison_of_recommenders_equals_python(browse: Browse) -> None:
    found = browse("sample", sample="shop")
    assert len(found["rows"]) == 60
    expected = shop()
    assert_equal(found["rows"], expected.summary.to_pylist())
    assert "candidate is better than baseline, but worse in country JP." in found["text"]
    assert_same_headline(found, expected)


def test_click_models_equal_python_with_clusters(browse: Browse) -> None:
    found = browse("sample", sample="clicks")
    expected = clicks()
    assert_equal(found["rows"], expected.summary.to_pylist())
    assert_same_headline(found, expected)
    assert "44,974 rows of 2,400 users" in found["text"]


@pytest.mark.parametrize("sample", ["digits", "shop", "clicks", "cancer"])
def test_the_copied_texts_give_the_numbers_of_the_page(browse: Browse, tmp_path: Path, sample: str) -> None:
    found = browse("sample", sample=sample)
    for described in json.loads((FOLDER / "dist/samples.json").read_text("utf-8")):
        if described["name"] == sample:
            for file in described["files"]:
                shutil.copy(ROOT / file["path"], tmp_path)
    expected = {key_of(row): row["value"] for row in found["rows"]}
    for name, run in ELSEWHERE.items():
        rows = run(found["texts"][name], tmp_path)
        values = {key_of(row): row["value"] for row in rows}
        if sample == "cancer":  # of one model, only the page has a name
            values = {("score", *key[1:]): value for key, value in values.items()}
        assert values == pytest.approx(expected, abs=TOLERANCE), name


@pytest.mark.parametrize("sample", ["shop", "clicks"])
def test_the_answer_is_saved_as_one_file_of_html(browse: Browse, tmp_path: Path, sample: str) -> None:
    found = browse("standalone", search=f"?sample={sample}", folder=tmp_path)
    assert found["name"] == "duckmetrics-answer.html"
    expected = {"shop": shop, "clicks": clicks}[sample]()
    assert f"{expected.verdict}." in found["seen"]
    for row in expected.summary.to_pylist():
        if not row["slice"] and row["verdict"] != "baseline":
            assert f"→ {row['value']:,.4f}" in found["seen"]
    assert "duckmetrics report" in found["seen"]
    assert "Can the data be trusted?" in found["seen"]
    assert found["charts"] > 10
    assert found["elements"] == 0
    assert found["overflow"] <= 0
    assert len(found["requests"]) == 1  # the file itself


def test_markup_in_ids_is_text_in_the_saved_file(browse: Browse, tmp_path: Path) -> None:
    found = browse("standalone", files=made.planted(tmp_path), folder=tmp_path)
    assert made.MARKUP in found["seen"]
    assert made.MARKUP not in found["text"]
    assert found["elements"] == 0


def test_metrics_of_rows_have_their_parameters(browse: Browse, tmp_path: Path) -> None:
    """The macros of rows take parameters as arguments; a metric that is not compared has its own macro."""
    metrics = ["auc", "f_beta(beta=2)", "precision_at_recall(recall=0.9)", "ece(bins=5)"]
    cancer = ROOT / "data/breast_cancer/predictions.parquet"
    expected = [row["value"] for row in duckmetrics.evaluate(cancer, None, metrics).rows]
    found = browse("sample", sample=f"cancer&by=&metrics={quote(','.join(metrics))}")
    assert [row["value"] for row in found["rows"]] == pytest.approx(expected, abs=1e-12)
    shutil.copy(cancer, tmp_path)
    for name, run in ELSEWHERE.items():
        values = [row["value"] for row in run(found["texts"][name], tmp_path)]
        assert values == pytest.approx(expected, abs=1e-12), name


def test_a_column_of_weights_counts_as_in_python(browse: Browse, tmp_path: Path) -> None:
    """The page takes it for its name, and names it in the SQL that it shows."""
    cancer = ROOT / "data/breast_cancer/predictions.parquet"
    weighted = duckdb.sql(
        f"SELECT *, 1 + row_number() OVER () % 7 AS Weight FROM '{cancer}'"
    ).to_arrow_table()
    (file,) = made.parquet(tmp_path, weighted=weighted)
    expected = duckmetrics.evaluate(file, None, ["auc", "log_loss", "spiegelhalter_z"])
    plain = duckmetrics.evaluate(cancer, None, ["auc", "log_loss"])
    assert expected["auc"] != plain["auc"]
    found = browse("files", files=[file], search="?metrics=auc,log_loss,spiegelhalter_z", texts=True)
    values = {row["metric"]: row["value"] for row in found["rows"]}
    assert values == pytest.approx({row["metric"]: row["value"] for row in expected.rows}, abs=1e-12)
    assert "spiegelhalter_z has no weighted form and counts every row as 1" in found["all"]
    for name, run in ELSEWHERE.items():
        again = [row["value"] for row in run(found["texts"][name], tmp_path)]
        assert again == pytest.approx([row["value"] for row in expected.rows], abs=1e-12), name


READABLE = {
    "parquet": made.pair, "csv": made.text, "index": made.indexed, "TREC": made.trec, "JSON": made.as_json,
    "lists": made.lists, "200 columns": made.dictionaries, "timestamps": made.timestamps, "big": made.big,
    "tsv": lambda folder: made.text(folder, ".tsv", "\t"),
    "gzip": lambda folder: made.text(folder, ".csv.gz"),
    "Spark": made.of_spark, "Polars": made.of_polars, "pandas": made.of_pandas, "brackets": made.bracketed,
}  # fmt: skip


@pytest.mark.parametrize("kind", READABLE)
def test_each_kind_of_file_gives_the_same_number(browse: Browse, tmp_path: Path, kind: str) -> None:
    run, truth = made.ranking()
    expected = duckmetrics.evaluate(run, truth, ["ndcg@10"])["ndcg@10"]
    found = browse("files", files=READABLE[kind](tmp_path))
    assert not found["problem"]["text"]
    value = next(row["value"] for row in found["rows"] if row["metric"] == "ndcg@10")
    assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.days(4)
def test_metrics_one_after_another_are_adjusted_together(browse: Browse, tmp_path: Path) -> None:
    """Above eight million rows, the page computes the metrics of a question one after another."""
    run, truth = made.many(tmp_path)
    metrics = ["ndcg@10", "mrr"]
    expected = duckmetrics.compare(run, truth, metrics=metrics, system="system", baseline="a")
    found = browse("files", files=[run, truth], search="?metrics=ndcg@10,mrr")
    assert_equal(found["rows"], expected.summary.to_pylist())
    assert {row["n_tests"] for row in found["rows"] if row["system"] == "b"} == {2}


def test_the_checks_of_large_files_look_at_a_part(browse: Browse, tmp_path: Path) -> None:
    """Above six million rows, the checks look at a part of the queries, and the page says which."""
    found = browse("files", files=made.very_many(tmp_path), search="?metrics=ndcg@10")
    assert "The checks looked at one in 2 queries" in found["all"]
    lists = re.search(r"([\d,]+) lists whose scores are the numbers", found["all"])
    assert lists is not None
    assert 30_000 < int(lists[1].replace(",", "")) < 32_000  # of 62,000


@pytest.mark.parametrize("name", ["rating", "score", "label", "relevance"])
def test_the_truth_has_the_grades_that_python_reads(browse: Browse, tmp_path: Path, name: str) -> None:
    """A column that only looks like grades is not read, and both say so."""
    columns = {"user_id": ["a", "a", "b", "b"], "item_id": ["x", "y", "x", "z"]}
    run = pa.table({**columns, "score": [3.0, 2.0, 2.0, 1.0]})
    truth = pa.table({**columns, name: [1, 5, 4, 2]})
    files = made.parquet(tmp_path, run=run, truth=truth)
    expected = duckmetrics.evaluate(*files, ["ndcg@10"])
    found = browse("files", files=files, search="?metrics=ndcg@10")
    assert [row["value"] for row in found["rows"]] == pytest.approx([expected["ndcg@10"]], abs=1e-12)
    is_read = name in ("label", "relevance")
    assert ("not read, so that every item of the truth has grade 1" in found["all"]) == (not is_read)


def test_several_files_of_predictions_are_several_systems(browse: Browse, tmp_path: Path) -> None:
    run, truth = made.ranking()
    old, new, judged = made.parquet(tmp_path, old=run, new=run, truth=truth)
    found = browse("files", files=[old, new, judged], texts=True)
    assert {row["system"] for row in found["rows"]} == {"old", "new"}
    assert "new does not clearly differ from old" in found["text"]
    expected = {key_of(row): row["value"] for row in found["rows"]}
    for name, run_text in ELSEWHERE.items():
        rows = run_text(found["texts"][name], tmp_path)
        assert {key_of(row): row["value"] for row in rows} == pytest.approx(expected, abs=TOLERANCE), name


# Where the other doors refuse a table, the page chooses and says so, or lets the reader choose.
CHOSEN = {
    "labels of text": {"positive": "yes"},
    "no query of predictions": "choose it in the card of the file",
    "no query of judgments": "choose the column that holds the label",
    "no item of predictions": "The predictions are missing",
    "no item of judgments": "The truth is missing",
    "neither score nor rank": "The predictions are missing",
}


@pytest.mark.parametrize("part", range(4))
def test_a_table_means_the_same_as_at_the_other_doors(browse: Browse, tmp_path: Path, part: int) -> None:
    """The number of Python, or its refusal; tests/inputs/test_each_door.py has the other doors."""
    names = list(CASES)[part::4]
    files = {name: written(name, tmp_path / str(place)) for place, name in enumerate(names)}
    differing = []
    for (name, own), found in zip(files.items(), browse("tables", cases=list(files.values())), strict=True):
        chosen = CHOSEN.get(name, {})
        if isinstance(chosen, str):
            differing += [] if chosen in found["refused"] else [(name, found)]
            continue
        metrics = [row["metric"] for row in found.get("rows", ())] or ["auc" if len(own) == 1 else "ndcg"]
        try:
            rows = duckmetrics.evaluate(*own, metrics=metrics, **chosen).rows
            expected = {row["metric"]: row["value"] for row in rows}
        except InputError as error:
            said = [refusal(line) for line in found.get("refused", "").split("\n") if line]
            differing += [] if refusal(error) in said else [(name, error, found)]
        else:
            values = {row["metric"]: row["value"] for row in found["rows"]}
            same = values == pytest.approx(expected, abs=TOLERANCE)
            differing += [] if same else [(name, values, expected)]
    assert differing == []


FAULTS = {
    "NaN": ("run", "SELECT * REPLACE (if(score = 3, 'nan'::DOUBLE, score) AS score) FROM run", "is NaN"),
    "NULL": ("run", "SELECT * REPLACE (if(score = 3, NULL, score) AS score) FROM run", "is NULL"),
    "no rows": ("run", "FROM run WHERE false", "no rows"),
    "duplicates": ("run", "FROM run UNION ALL (FROM run LIMIT 3)", "Set duplicates=first"),
    "unknown names": ("run", "SELECT query_id AS a, item_id AS b, score AS c FROM run", "choose it in"),
    "kinds of ids": ("truth", "SELECT * REPLACE (hash(query_id) AS query_id) FROM truth", "one kind"),
    "other queries": ("truth", "SELECT * REPLACE ('x' || query_id AS query_id) FROM truth", "none of them"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_one_message_with_a_way_out(browse: Browse, tmp_path: Path, fault: str) -> None:
    table, query, words = FAULTS[fault]
    found = browse("files", files=made.changed(tmp_path, table, query))
    assert words in found["problem"]["text"]
    assert found["problem"]["alerts"] <= 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (made.cut_off, "export it again"), (made.picture, "not a table"),
        (made.letor, "duckmetrics evaluate test.txt"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused(
    browse: Browse, tmp_path: Path, make: Callable[[Path], list[Path]], words: str
) -> None:
    found = browse("files", files=make(tmp_path))
    assert words in found["problem"]["text"]


def test_stacked_systems_are_told_apart_by_a_button(browse: Browse, tmp_path: Path) -> None:
    found = browse("files", files=made.stacked(tmp_path), press="Treat arm as the system")
    assert "arm has the values new and old" in found["problem"]["text"]
    assert {row["system"] for row in found["after"]["rows"]} == {"old", "new"}


def test_markup_in_ids_is_text(browse: Browse, tmp_path: Path) -> None:
    found = browse("files", files=made.planted(tmp_path))
    assert found["markup"] == 0
    assert made.MARKUP in found["all"]


@pytest.mark.parametrize("sql", ["LOAD icu", "FROM read_csv('https://example.com/a.csv')"])
def test_no_statement_reaches_another_host(browse: Browse, sql: str) -> None:
    found = browse("sql", sql=f"SELECT 1 AS before; {sql}; SELECT 2 AS afterwards")
    assert "This page reaches no other host" in found["text"]
    assert found["results"] == 2
    assert "afterwards" not in found["text"]


def test_a_link_of_the_docs_loads_the_tables_that_it_names(browse: Browse) -> None:
    found = browse(
        "sql", sample="digits&tables=history", sql="SELECT count(*) AS n FROM history, qrels LIMIT 1"
    )
    assert "1094689536" in found["text"]
    assert "tables=history" in found["address"]


def test_the_sql_tab_runs_several_statements_over_the_files(browse: Browse) -> None:
    call = "ndcg('recommendations', 'purchases', k := 10, system := 'model', query_id := 'user_id')"
    asked = f"-- a comment; with a semicolon\nSELECT ';' AS mark; SELECT round(value, 4) AS value FROM {call}"
    found = browse("sql", sample="shop", sql=asked)
    assert found["results"] == 2
    assert "0.2168\n0.2656" in found["text"]
    assert "sql=" in found["address"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_state_has_a_barrier(browse: Browse, tmp_path: Path, width: int, scheme: str) -> None:
    (tmp_path / "broken").mkdir()
    found = browse(
        "states", width=width, scheme=scheme, broken=made.picture(tmp_path / "broken"),
        stacked=made.stacked(tmp_path),
    )  # fmt: skip
    assert len(found) == 10
    for state, seen in found.items():
        assert seen["axe"] == [], state
        assert seen["overflow"] <= 0, state


def test_the_keyboard_is_enough(browse: Browse) -> None:
    found = browse("keyboard")
    assert found["focused"] == "sample-digits"
    assert "pixels is better than blocks" in found["said"]
    assert found["isOld"]
    assert "hit_rate@5" in found["text"]
    assert found["tab"] == ["way-sql", False]


def test_a_cancelled_question_can_be_asked_again(browse: Browse) -> None:
    found = browse("cancel")
    assert "cancelled" in found["text"]
    assert "ndcg@7" in found["after"]


def test_the_page_works_without_a_network_after_the_first_answer(browse: Browse) -> None:
    """Another question, all tools, a cancel, a download and SQL need nothing that is not in memory."""
    named = "system := 'model', query_id := 'user_id'"
    call = f"evaluate('recommendations', 'purchases', 'map(missing=skip), rbp', {named})"
    found = browse("offline", sql=f"SELECT count(*) AS n_metrics FROM {call}; FROM duckmetrics_help('auc')")
    assert found["first"]  # the number is there before the rest is fetched
    assert "ndcg@7" in found["text"]
    assert "trec_eval" in found["tools"]
    assert "ndcg@8" in found["again"]
    assert "Checks:" in found["checks"]
    assert found["rows"] == 60
    assert "n_metrics\n4" in found["sql"]
    assert "area under" in found["sql"].lower()
    assert "connect to it, and try again" in found["unreachable"]
    assert "recommendations.parquet" in found["cards"]


def test_a_crashed_engine_is_replaced(browse: Browse) -> None:
    found = browse(
        "crash", before="SET VARIABLE mark = 42; SELECT getvariable('mark') AS mark",
        crashed="SELECT length(repeat(chr(97), 4000000000))",
        after="SELECT getvariable('mark') AS mark, count(*) AS n FROM pixels",
    )  # fmt: skip
    assert "42" in found["before"]
    assert "was replaced" in found["crashed"]
    assert "NULL\t20000" in found["after"]
    assert "ndcg@7" in found["text"]


def test_own_javascript_is_small_and_clean() -> None:
    if not (FOLDER / "node_modules").is_dir():
        pytest.skip("the packages of docs/try are not installed")
    lint = subprocess.run(
        ["npm", "run", "--silent", "lint"], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert lint.returncode == 0, lint.stdout
    bundle = ["npx", "esbuild", "src/main.js", "--bundle", "--minify", "--packages=external", "--format=esm"]
    done = subprocess.run(bundle, cwd=FOLDER, capture_output=True, check=True)
    assert 10_000 < len(done.stdout) < OWN_BYTES
