"""`check` finds the planted fault, all of it, and finds nothing in clean data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
import sqlglot
from sqlglot import exp

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.checks import counting
from support import faults
from support.cases import CATALOG, ROOT
from support.command_line import Command
from support.faults import assert_found

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics.results.findings import Finding
    from support.faults import Fault

pytestmark = pytest.mark.engine

SHOP = {"columns": {"query_id": "user_id"}, "system": "model"}
CLICKS = {"columns": {"label": "clicked", "score": "pctr", "group_id": "user_id"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    faults.write(folder)
    return folder


def findings(folder: Path, name: str, has_truth: bool = True, **options: Any) -> duckmetrics.Findings:
    truth = folder / f"{name}.truth.parquet" if has_truth else None
    options = {**faults.side_tables(folder, name), **faults.mapped(name), **options}
    return duckmetrics.check(folder / f"{name}.predictions.parquet", truth, **options)


CHECKS = {check.reported for check in CATALOG.checks.values()}
INSPECTIONS = {check.reported for check in CATALOG.inspections.values()}
# The names of the checks that first look at some rows.
IN_STEPS = {
    check.reported for check in (*CATALOG.checks.values(), *CATALOG.inspections.values()) if check.conditions
}
CLEAN = {
    "clean": ("ndcg@10", True),
    "clean ranks": ("ndcg@10,map,mrr@5", True),
    "clean with further tables": (
        "ndcg@10,arp(popularity=users)@10,coverage,ild@10,exposure(category=c0)@10",
        True,
    ),
    "clean rows": ("auc,log_loss,gauc,f1,ece,lift(top=0.1)", False),
}


@pytest.mark.slow
def test_every_inspection_finds_its_fault(folder: Path) -> None:
    """Each inspection has one fault; other tests cover errors and warnings in `evaluate`."""
    first = {fault.check: name for name, fault in reversed(faults.EVERY.items())}
    for check in first.keys() & INSPECTIONS:
        fault = faults.EVERY[first[check]]
        found = findings(folder, first[check], fault.truth is not None, **fault.options)
        assert_found(found, fault)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), faults.EVERY.items(), ids=faults.EVERY)
def test_a_planted_fault_is_found_and_nothing_else(folder: Path, name: str, fault: Fault) -> None:
    """`evaluate` refuses every found error in the same words, and refuses nothing else."""
    found = findings(folder, name, fault.truth is not None, **fault.options)
    assert_found(found, fault)
    tables = folder / f"{name}.predictions.parquet", fault.truth and folder / f"{name}.truth.parquet"
    options = {"metrics": "ndcg@10" if name.startswith("ranking") else "auc", **fault.options}
    options |= faults.side_tables(folder, name) | faults.mapped(name)
    if fault.reference is not None and not faults.AGAINST:
        return  # no metric reads the table
    if found.errors:
        with pytest.raises(InputError) as caught:
            duckmetrics.evaluate(*tables, **options)
        for error in found.errors:
            assert error.check not in CHECKS or error.message in str(caught.value)
    else:
        told = {finding.check for finding in duckmetrics.evaluate(*tables, **options).checks}
        severe = {one.check for one in found if one.check in CHECKS}
        assert severe - {"reversed_score"} <= told


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("name", "fault"),
    [(n, f) for n, f in faults.EVERY.items() if IN_STEPS & {f.check, *f.also}],
    ids=[n for n, f in faults.EVERY.items() if IN_STEPS & {f.check, *f.also}],
)
def test_a_fault_that_the_first_rows_do_not_show_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, fault: Fault
) -> None:
    monkeypatch.setattr(counting, "SAMPLE", 5)
    assert_found(findings(folder, name, fault.truth is not None, **fault.options), fault)


@pytest.mark.parametrize(
    ("rows", "limits"),
    [
        ("predictions", [1, 0]),
        ("predictions JOIN truth ON truth.query_id = predictions.query_id", [2, 1, 0]),
        ("truth JOIN predictions ON truth.query_id = predictions.query_id HAVING count(*) < 9", [1, 0]),
        ("predictions LEFT JOIN truth ON truth.query_id = predictions.query_id", [1, 0]),
        ("predictions ANTI JOIN truth ON truth.query_id = predictions.query_id", [1, 0]),
    ],
)
def test_the_first_rows_are_searched_before_all(rows: str, limits: list[int]) -> None:
    """To leave out rows of a table that need not match could show a row that is not there."""
    condition = sqlglot.parse_one(f"SELECT NOT EXISTS (SELECT 1 FROM {rows})", dialect="duckdb")
    asked = counting.more_and_more_rows(condition)
    assert [len(list(one.find_all(exp.Limit))) for one in asked] == limits


def test_every_check_has_a_fault() -> None:
    told = {name for fault in faults.EVERY.values() for name in (fault.check, *fault.also)}
    # `check` searches all rows for copies; `evaluate` may search those of some queries: test_stacked.py.
    assert (CHECKS | INSPECTIONS) - {"stacked_prediction"} <= told


@pytest.mark.some(1)
@pytest.mark.parametrize("rows", [10_000, 5])
@pytest.mark.parametrize(("name", "asked"), CLEAN.items(), ids=CLEAN)
def test_clean_data_have_no_finding(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, asked: tuple[str, bool], rows: int
) -> None:
    monkeypatch.setattr(counting, "SAMPLE", rows)
    metrics, has_truth = asked
    found = findings(folder, name, has_truth, metrics=metrics)
    assert not found.rows, found
    assert len(found.performed) > 12
    looked_at = {"predictions": 720, "truth": 900, "queries": 60} if has_truth else {"predictions": 400}
    what = "720 predictions, 900 judgments, 60 queries" if has_truth else "400 rows"
    if faults.side_tables(folder, name):
        looked_at |= {"history": 600, "items": 40, "reference": 720}
        what += ", 600 interactions, 40 items of the catalogue, 720 rows of the reference run"
    assert found.looked_at == looked_at
    assert repr(found) == f"nothing found; looked at {what} with {len(found.performed)} checks"


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("tables", "options"),
    [
        (("shop/recommendations", "shop/purchases"), SHOP),
        (("digits/pixels", "digits/qrels"), {"system": "system", "metrics": "map,precision@10"}),
        (("breast_cancer/predictions",), {"metrics": "auc,log_loss", "by": "radius"}),
        (("shop/impressions",), {"metrics": "auc,gauc,log_loss", "by": [["country"], ["device"]], **CLICKS}),
        (
            ("shop/impressions",),
            {"metrics": "ndcg@5", "columns": {**CLICKS["columns"], "query_id": "user_id"}},
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_sample_data_have_no_errors(tables: tuple[str, ...], options: dict[str, Any]) -> None:
    found = duckmetrics.check(*(ROOT / f"data/{table}.parquet" for table in tables), **options)
    assert not found.errors
    assert {one.check for one in found} <= {
        "tied_cutoff", "unanswered_query", "unjudged_item", "unjudged_query", "short_list",
        "clipped_probability",
    }  # fmt: skip


def test_several_faults_are_told_at_once_the_worst_first(folder: Path) -> None:
    """The tables may be unreadable, and every table and its rows may have faults."""
    predictions = f"""SELECT query_id, if(item_id = 'i13', NULL, item_id) AS item_id, score::VARCHAR AS score
        FROM '{folder}/clean.predictions.parquet' WHERE query_id > 'u03'"""
    truth = f"SELECT * REPLACE (-relevance AS relevance) FROM '{folder}/clean.truth.parquet'"
    found = duckmetrics.check(predictions, f"FROM ({truth}) UNION ALL FROM ({truth}) LIMIT 901")
    assert [(one.severity, one.check, one.count) for one in found] == [
        ("error", "score_type", 684), ("error", "duplicate_judgment", 1), ("error", "negative_grade", 541),
        ("error", "predictions_null_item_id", 17), ("warning", "irrelevant_query", 60),
        ("warning", "unanswered_query", 3),
    ]  # fmt: skip
    assert (len(found.errors), len(found.warnings), len(found.notes)) == (4, 2, 0)
    assert repr(found).splitlines()[-1].startswith("4 errors, 2 warnings; looked at 684 predictions")


@pytest.mark.slow
def test_the_summary_is_a_table(folder: Path) -> None:
    found = findings(folder, "ranking, rows exported twice")
    (row,) = found.summary.to_pylist()
    assert found.summary.column_names == [
        "severity", "check", "table", "column", "count", "of", "share", "examples", "sentence", "message",
        "advice",
    ]  # fmt: skip
    assert row["examples"] == ["query_id=u07, item_id=i13", "query_id=u08, item_id=i23"]
    assert row["table"].endswith("twice.predictions.parquet")
    assert (len(found), row["count"], list(found)) == (1, 2, list(found.rows))
    assert found.to_pandas()["check"].item() == found.to_polars()["check"].item() == "duplicate_prediction"
    assert findings(folder, "clean").summary.schema == found.summary.schema
    assert repr(found).splitlines()[0] == "error    duplicate_prediction"
    assert f"  -> {row['advice'].split(',')[0]}" in repr(found)
    assert max(map(len, repr(found).splitlines())) <= 100


def test_a_file_that_cannot_be_read_is_a_finding(folder: Path) -> None:
    whole = (folder / "clean.predictions.parquet").read_bytes()
    (folder / "torn.parquet").write_bytes(whole[: len(whole) // 2])
    (one,) = duckmetrics.check(folder / "torn.parquet", folder / "clean.truth.parquet")
    assert (one.severity, one.check) == ("error", "unreadable")
    assert "torn.parquet: cannot be read" in one.message
    (folder / "late.csv").write_text("query_id,item_id,score\n" + "u1,a,0.5\n" * 30_000 + "u1,a,none\n")
    found = duckmetrics.check(folder / "late.csv", folder / "clean.truth.parquet", duplicates="count")
    (one,) = (finding for finding in found if finding.check == "score_type")
    assert one.severity == "error"
    assert "line 30002: 'none'" in one.message


@pytest.mark.parametrize(
    ("truth", "options", "error", "message"),
    [
        ("nowhere.parquet", {}, InputError, "no such file"),
        (None, {"metrics": "ndgc@10"}, MetricError, "did you mean 'ndcg'"),
        (None, {"tise": "item_desc"}, MetricError, "did you mean 'ties'"),
        (None, {"columns": {"itemid": "sku"}}, InputError, "not a canonical column"),
    ],
)
def test_what_was_typed_wrongly_is_still_an_error(
    folder: Path, truth: str | None, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        duckmetrics.check(
            folder / "clean.predictions.parquet", truth or folder / "clean.truth.parquet", **options
        )


@pytest.mark.slow
def test_both_families_are_checked_and_a_fault_of_both_is_told_once(folder: Path) -> None:
    logs = (
        f"SELECT query_id, item_id, score, item_id < 'i20' AS label FROM '{folder}/clean.predictions.parquet'"
    )
    assert not duckmetrics.check(logs, metrics="recall@10,auc").errors
    text = duckmetrics.check(
        f"SELECT * REPLACE (score::VARCHAR AS score) FROM ({logs})", metrics="recall@10,auc"
    )
    assert [one.check for one in text.errors] == ["score_type"]


def test_a_row_is_counted_once_whatever_the_slices(folder: Path) -> None:
    for call in (duckmetrics.check, duckmetrics.evaluate):
        rows = "SELECT * REPLACE (nullif(score, 0.00125) AS score) "
        rows += f"FROM '{folder}/clean rows.predictions.parquet'"
        options: dict[str, Any] = {
            "metrics": "auc",
            "by": [["country"], ["group_id"], ["country", "group_id"]],
        }
        try:
            told = call(rows, **options).errors[0].message  # type: ignore[operator]
        except InputError as error:
            told = str(error)
        assert "column 'score': 1 row whose score is NULL" in told


# --- messages of evaluate --------------------------------------------------------------------------


def told(folder: Path, name: str) -> dict[str, Finding]:
    fault = faults.EVERY[name]
    truth = folder / f"{name}.truth.parquet" if fault.truth else None
    metric = "ndcg@10" if fault.truth else "auc"
    result = duckmetrics.evaluate(
        folder / f"{name}.predictions.parquet", truth, metric, **faults.mapped(name)
    )
    return {finding.check: finding for finding in result.checks}


def test_ids_that_nearly_match_are_told_where_none_does(folder: Path) -> None:
    found = told(folder, "ranking, ids that were floats once")
    assert list(found) == ["no_common_item", "near_item_id"]
    assert "40 items whose ids match only after ignoring spaces" in found["near_item_id"].message


@pytest.mark.slow
def test_queries_that_nearly_match_are_told_where_some_are_missing(folder: Path) -> None:
    found = told(folder, "ranking, ids with a blank behind")
    assert list(found) == ["unanswered_query", "near_query_id"]
    assert found["near_query_id"].examples[0] == "in_predictions='u07 ', in_truth=u07"
    assert list(told(folder, "ranking, queries without predictions")) == ["unanswered_query"]


def test_queries_that_nearly_match_explain_the_error(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        told(folder, "ranking, all ids in another case")
    first, second = str(caught.value).splitlines()
    assert "none of them in both tables" in first
    assert "60 queries whose ids match only after ignoring spaces" in second


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("ranking, one score for all", "constant_score"),
        ("rows, scores upside down", "reversed_score"),
    ],
)
def test_what_makes_a_number_meaningless_is_a_warning(folder: Path, name: str, check: str) -> None:
    (warning,) = told(folder, name).values()
    assert (warning.check, warning.severity) == (check, "warning")


@pytest.mark.slow
def test_a_score_that_knows_nothing_is_not_called_reversed() -> None:
    """A random score is below 0.5 half of the time, and 3 standard deviations below in 1.3 of a thousand."""
    rows = "SELECT (hash(s, i) % 3 = 0)::INTEGER AS label, sin(i * (s + 1)) AS score FROM range(200) AS _(i)"
    low = 0
    for seed in range(20):
        result = duckmetrics.evaluate(
            rows.replace("s,", f"{seed},").replace("s +", f"{seed} +"), metrics="auc"
        )
        low += (result["auc"] or 0) < 0.5
        assert not result.checks
    assert low


def test_slices_below_half_are_no_finding_where_the_whole_is_above(folder: Path) -> None:
    rows = "SELECT * REPLACE (if(country = 'FR', -score, 3 * score) AS score) "
    rows += f"FROM '{folder}/clean rows.predictions.parquet'"
    result = duckmetrics.evaluate(rows, metrics="auc", by="country")
    assert (result.value("auc", country="FR") or 0) < 0.3 < (result["auc"] or 0)
    assert not result.checks


# --- the command line ------------------------------------------------------------------------------


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(folder)
    return Command(capsys)


def test_the_exit_code_says_whether_there_is_an_error(run: Command) -> None:
    clean = run("check", "clean.predictions.parquet", "clean.truth.parquet", "-m", "ndcg@10,map")
    assert (clean.code, clean.err) == (0, "")
    assert clean.out.startswith("nothing found; looked at 720 predictions, 900 judgments, 60 queries with ")
    warned = run("check", *[f"ranking, short lists.{role}.parquet" for role in ("predictions", "truth")])
    assert (warned.code, warned.out.splitlines()[0]) == (0, "note     short_list")
    wrong = run("check", "rows, no label.predictions.parquet")
    assert (wrong.code, wrong.out.splitlines()[0]) == (1, "error    row_null_label")
    for arguments in (("nowhere.parquet",), ("clean.truth.parquet", "-m", "ndgc"), ()):
        outcome = run("check", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert "Traceback" not in outcome.err


@pytest.mark.slow
def test_every_format_of_evaluate_is_there(run: Command, folder: Path) -> None:
    tables = [f"ranking, rows exported twice.{role}.parquet" for role in ("predictions", "truth")]
    outcome = run("check", *tables, "--format", "json")
    (finding,) = json.loads(outcome.out)["rows"]
    assert (outcome.code, finding["check"], finding["count"]) == (1, "duplicate_prediction", 2)
    assert finding["examples"] == ["query_id=u07, item_id=i13", "query_id=u08, item_id=i23"]
    assert outcome.err.startswith("1 error; looked at 722 predictions")
    assert (
        json.loads(run("check", "clean.predictions.parquet", "clean.truth.parquet", "--format", "json").out)[
            "rows"
        ]
        == []
    )
    header, line = run("check", *tables, "--format", "csv").out.splitlines()
    assert header == "severity,check,table,column,count,of,share,examples,sentence,message,advice"
    assert '"query_id=u07, item_id=i13; query_id=u08, item_id=i23"' in line
    assert run("check", *tables, "--format", "markdown").out.startswith("| severity | check |")
    assert run("check", *tables, "-o", "found.parquet").code == 1
    outcome = run("check", *tables, "-o", "found.txt")
    assert (outcome.code, outcome.out) == (1, "")
    assert len(pq.read_table(folder / "found.parquet")) == 1


@pytest.mark.slow
def test_columns_systems_and_switches_are_those_of_evaluate(run: Command) -> None:
    ranking = ("ranking, rows exported twice.predictions.parquet", "clean.truth.parquet")
    assert run("check", *ranking).code == 1
    assert run("check", *ranking, "--set", "duplicates=first").code == 0
    assert (
        run("check", "clean.truth.parquet", "--system", f"A={ranking[0]}", "--set", "duplicates=first").code
        == 0
    )
    renamed = "SELECT query_id AS who, item_id, score FROM 'clean.predictions.parquet'"
    assert run("check", renamed, "clean.truth.parquet").code == 1
    assert run("check", renamed, "clean.truth.parquet", "--column", "predictions.query_id=who").code == 0
    outcome = run("check", "clean rows.predictions.parquet", "--set", "columns=x")
    assert (outcome.code, "not a switch" in outcome.err) == (2, True)


@pytest.mark.slow
def test_further_tables_have_names_of_their_own(folder: Path) -> None:
    """A name that is mapped for one table is not looked for in the others."""
    tables = [folder / f"clean with further tables.{role}.parquet" for role in ("predictions", "truth")]
    history = f"SELECT * RENAME (timestamp AS seen) FROM ({faults.HISTORY})"
    reference = f"SELECT * RENAME (score AS points) FROM ({faults.REFERENCE})"
    sides = {"history": history, "reference": reference}
    names = {"reference.score": "points", "timestamp": "seen"}
    assert not duckmetrics.check(*tables, **sides, columns=names).rows
    sides["reference"] += " UNION ALL SELECT 'u07', 'i00', NULL"
    sides["history"] += " UNION ALL SELECT 'u07', 'i00', TIMESTAMP '2025-03-01'"
    found = duckmetrics.check(*tables, **sides, columns=names)
    assert [(one.check, one.column) for one in found] == [
        ("reference_null_score", "points"), ("late_interaction", "seen"),
    ]  # fmt: skip
    (missing,) = duckmetrics.check(*tables, **sides, columns={"timestamp": "seen"}).errors
    assert (missing.check, missing.column) == ("missing_column", "score")


@pytest.mark.slow
def test_the_items_of_a_history_are_checked_where_they_are_the_catalogue(folder: Path) -> None:
    predictions = folder / "clean.predictions.parquet"
    history = f"{faults.HISTORY} UNION ALL SELECT 'u07', NULL, NULL"
    with pytest.raises(InputError, match=r"column 'item_id': 1 interaction with no item_id \(query_id=u07\)"):
        duckmetrics.evaluate(predictions, metrics="coverage@10", history=history)
    catalogue = {"history": history, "items": faults.ITEMS}
    assert duckmetrics.evaluate(predictions, metrics="coverage@10", **catalogue)["coverage@10"] == 1
    found = duckmetrics.check(predictions, metrics="coverage@10", history=faults.HISTORY)
    assert not found.rows
    assert repr(found).startswith("nothing found; looked at 720 predictions, 600 interactions with")


def test_next_to_a_catalogue_no_truth_is_needed() -> None:
    run = {"q1": {"a": 0.5, "b": 0.4}, "q2": {"a": 0.9, "x": 0.1}}
    items = "SELECT * FROM (VALUES ('a'), ('b'), ('c')) AS listed(item_id)"
    found = duckmetrics.check(run, items=items)
    assert not found.errors
    assert found.rows == duckmetrics.check(run, None, "personalization@10", items=items).rows
    assert {"unlisted_item", "short_list"} <= {one.check for one in found}
    (missing,) = duckmetrics.check(run).errors
    assert "which ndcg@10 needs" in missing.message


def test_a_truth_of_pairs_is_checked_next_to_a_history() -> None:
    run = {"q1": {"a": 0.5, "b": 0.4}, "q2": {"a": 0.9, "x": 0.1}}
    pairs = "SELECT * FROM (VALUES ('q1', 'b'), ('q1', 'z'), ('q2', 'a')) AS pairs(query_id, item_id)"
    history = "SELECT 'q1' AS query_id, 'b' AS item_id"
    graded = f"SELECT *, 1 AS relevance FROM ({pairs})"
    found, wanted = (
        duckmetrics.check(run, truth, "mrr", history=history, items="SELECT unnest(['a', 'b']) AS item_id")
        for truth in (pairs, graded)
    )
    (leaked,) = (one for one in found if one.check == "leaked_item")
    assert (leaked.count, leaked.of) == (1, 3)
    assert [(one.check, one.count) for one in found] == [(one.check, one.count) for one in wanted]


def test_a_finding_says_how_many_of_how_many() -> None:
    run = {"q1": {"a": 0.5, "b": 0.5, "c": 0.4}, "q2": {"a": 0.9, "x": 0.1}}
    findings = duckmetrics.check(run, {"q1": {"b": 1}, "q2": {"a": 1}, "q3": {"a": 1}}, "ndcg@2")
    (unanswered,) = (finding for finding in findings if finding.check == "unanswered_query")
    assert (unanswered.count, unanswered.of, unanswered.share) == (1, 3, 1 / 3)
    assert unanswered.sentence == "1 of 3 queries of the population with no predictions"
    assert unanswered.message.startswith(f"predictions (dict): column 'query_id': {unanswered.sentence} (")
    table = {row["check"]: row for row in findings.summary.to_pylist()}
    assert table["unanswered_query"]["share"] == pytest.approx(1 / 3)
    for finding in findings:
        assert finding.sentence
        assert (finding.share is None) == (finding.of is None)
        assert finding.advice not in finding.sentence or not finding.advice


def test_an_unknown_category_is_refused_and_a_near_one_is_named() -> None:
    run = {"q1": {"a": 0.5, "b": 0.4}}
    items = "SELECT unnest(['a', 'b']) AS item_id, unnest(['drama', 'comedy']) AS category"
    with pytest.raises(InputError) as caught:
        duckmetrics.evaluate(run, metrics="exposure(category=drma)@2", items=items)
    first, second = str(caught.value).splitlines()
    assert "1 category that no item of the catalogue has (asked=drma, first_category=comedy)" in first
    assert "(asked=drma, known=drama)" in second
    for category in ("drama", "comedy"):
        assert duckmetrics.evaluate(run, metrics=f"exposure(category={category})@2", items=items)
    with pytest.raises(InputError) as caught:
        duckmetrics.evaluate(run, metrics="exposure(category=zzz)@2", items=items)
    assert "asked=zzz" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("role", ["history", "items", "reference", "population"])
def test_frames_are_side_tables(role: str) -> None:
    """The request with a frame is compared with that without it, and a frame has no truth value."""
    frame = pd.DataFrame({"query_id": ["q1", "q2"], "item_id": ["a", "b"], "score": [0.9, 0.5]})
    found = duckmetrics.check(frame, {"q1": {"a": 1}, "q2": {"b": 1}}, **{role: frame})  # type: ignore[arg-type]
    assert not found.errors
