"""Every check finds its fault in files of other programs, whatever their statistics claim.

The statistics of Parquet files leave NaN out, so a filter that trusts them misses NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duckmetrics
from duckmetrics import InputError
from support import faults
from support.cases import ROOT
from support.duckdb_shell import refusal
from support.faults import assert_found
from support.writers import LISTS, NAN, ROWS, WANTED, WRITERS, with_nan, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The file that people load; another test checks that it is fresh.
FILE = (ROOT / "sql/duckmetrics.sql").read_text("utf-8")
ROLES = ("predictions", "truth")
# Checks that find rows by a comparison, which an engine may answer from the statistics.
COMPARED = {"nan_score", "infinite_score", "nan_relevance", "negative_grade", "row_nan_score",
            "row_nan_label", "not_a_probability", "unknown_label", "wrong_weight"}  # fmt: skip
NUMBERS = [name for name, fault in faults.EVERY.items() if fault.check in COMPARED]
# One writer whose statistics leave NaN out is enough for every run; the others are slow.
FEW = [writer if writer == "pyarrow" else pytest.param(writer, marks=pytest.mark.slow) for writer in WRITERS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    faults.write(folder)
    return folder


def rewritten(folder: Path, name: str, writer: str) -> list[Path | None]:
    """Rewrite the tables of a fault as another program does."""
    paths: list[Path | None] = []
    for role in ROLES:
        path = folder / f"{name}.{role}.parquet"
        if path.exists():
            again = folder / f"{name}.{role} by {writer}.parquet"
            WRITERS[writer](pq.read_table(path), again)
            paths.append(again)
        else:
            paths.append(None)
    return paths


@pytest.mark.some(1)
@pytest.mark.parametrize("name", NUMBERS)
def test_a_wrong_number_is_found_in_files_of_pyarrow(folder: Path, name: str) -> None:
    fault = faults.EVERY[name]
    assert_found(
        duckmetrics.check(*rewritten(folder, name, "pyarrow"), **faults.mapped(name), **fault.options), fault
    )


@pytest.mark.some(0)
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", faults.EVERY)
def test_a_planted_fault_is_found_in_the_files_of_every_program(folder: Path, name: str, writer: str) -> None:
    fault = faults.EVERY[name]
    options = {**faults.side_tables(folder, name), **faults.mapped(name), **fault.options}
    assert_found(duckmetrics.check(*rewritten(folder, name, writer), **options), fault)


# --- NaN, door by door -----------------------------------------------------------------------------

COUNTED = {"row": ["a", "b", "a", "b"], "column": ["x", "y", "y", "x"], "n": [3.0, 4.0, 5.0, 6.0],
           "observed": [3.0, 4.0, 5.0, 6.0], "expected": [0.1, 0.2, 0.3, 0.4]}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("writer", FEW)
def test_no_ranking_is_evaluated_with_a_score_or_grade_of_nan(tmp_path: Path, writer: str) -> None:
    scores, grades = written(tmp_path, writer, LISTS), written(tmp_path, writer, WANTED)
    for systems, truth in (
        (scores, grades),
        ({"A": scores, "B": scores}, grades),
        (f"FROM '{scores}'", f"SELECT query_id, item_id FROM '{grades}'"),
    ):
        with pytest.raises(InputError, match=r"1 row whose score is NaN|2 rows whose score is NaN"):
            duckmetrics.evaluate(systems, truth, "ndcg@10")
        (found,) = duckmetrics.check(systems, truth, "map").errors
        assert found.check == "nan_score"
        assert found.examples[0].endswith("query_id=1, item_id=2")
    fine = written(tmp_path, writer, {**LISTS, "score": [0.1, 0.2, 0.5, 0.2, 0.1]})
    for bad in (NAN, math.inf):
        grades = written(tmp_path, writer, {**WANTED, "relevance": [1.0, bad]})
        with pytest.raises(InputError, match="relevance is NaN or infinite"):
            duckmetrics.evaluate(fine, grades, "ndcg@10,map")


@pytest.mark.some(2)
@pytest.mark.parametrize("writer", FEW)
@pytest.mark.parametrize("column", ["label", "score", "weight"])
def test_no_classifier_is_evaluated_with_nan(tmp_path: Path, writer: str, column: str) -> None:
    rows = written(tmp_path, writer, with_nan(ROWS, column))
    with pytest.raises(InputError, match="NaN"):
        duckmetrics.evaluate(rows, metrics="auc,log_loss")
    with pytest.raises(InputError, match="NaN"):
        duckmetrics.curve(rows, "roc_curve")
    assert duckmetrics.check(rows).errors


def test_values_that_metrics_cannot_have_are_found_beside_nan(tmp_path: Path) -> None:
    """If a file has both faults, the statistics show only one of them."""
    rows = written(tmp_path, "pyarrow", {**ROWS, "score": [0.1, 1.5, 0.3, NAN]})
    found = {one.check: one.count for one in duckmetrics.check(rows, metrics="log_loss").errors}
    assert found == {"row_nan_score": 1, "not_a_probability": 1}


@pytest.mark.parametrize("writer", FEW)
def test_no_statistic_is_computed_of_nan(tmp_path: Path, writer: str) -> None:
    for column in ("observed", "expected"):
        table = {c: v for c, v in with_nan(COUNTED, column).items() if c in ("observed", "expected")}
        with pytest.raises(InputError, match=rf"column '{column}': 1 .*NaN.* \(.*nan"):
            duckmetrics.run_test("chi_square", written(tmp_path, writer, table))
    cells = {c: v for c, v in with_nan(COUNTED, "n").items() if c in ("row", "column", "n")}
    with pytest.raises(InputError, match=r"column 'n': 1 .*NaN.* \(.*nan"):
        duckmetrics.run_test("chi_square_independence", written(tmp_path, writer, cells))
    values = {"arm": ["a", "a", "b", "b"], "value": [1.0, 2.0, 3.0, NAN]}
    with pytest.raises(InputError, match=r"column 'value': 1 row with NaN"):
        duckmetrics.run_test("welch_t", written(tmp_path, writer, values), control="a")


@pytest.fixture(scope="module")
def shell() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(FILE)
        yield connection


@pytest.mark.slow
@pytest.mark.parametrize("writer", FEW)
def test_the_macros_refuse_nan(shell: duckdb.DuckDBPyConnection, tmp_path: Path, writer: str) -> None:
    scores, grades = written(tmp_path, writer, LISTS), written(tmp_path, writer, WANTED)
    fine = written(tmp_path, writer, {**LISTS, "score": [0.1, 0.2, 0.5, 0.2, 0.1]})
    bad = written(tmp_path, writer, with_nan(WANTED, "relevance"))
    calls = [f"FROM ndcg('{scores}', '{grades}', k := 10)", f"FROM evaluate('{fine}', '{bad}', ['map'])"]
    for column in ("label", "score", "weight"):
        table = with_nan(ROWS, column)
        if column == "weight":
            rows = written(tmp_path, writer, table)
            calls.append(f"FROM log_loss('{rows}', label, score, weight := weight)")
        else:
            # Next to a column of weights that the call does not name, because that is refused first.
            del table["weight"]
            rows = written(tmp_path, writer, table)
            calls += [f"FROM roc_auc('{rows}', label, score)", f"SELECT log_loss(label, score) FROM '{rows}'",
                      f"SELECT roc_auc(label, score) FROM '{rows}'"]  # fmt: skip
    cells = written(tmp_path, writer, with_nan(COUNTED, "n"))
    calls.append(f'FROM chi_square_independence(\'{cells}\', "row", "column", n := n)')
    for query in calls:
        assert "NaN" in refusal(shell, query), query
    found = shell.execute(f"FROM inspect('{scores}', '{grades}')").fetchall()
    assert ("error", "nan_score") in [row[:2] for row in found]


# --- random tables ---------------------------------------------------------------------------------

Table = dict[str, list[Any]]
# A fault of a ranking: the check, the table, the column, and its value.
RANKING_FAULTS = {
    ("nan_score", 0, "score"): [NAN], ("null_score", 0, "score"): [None],
    ("infinite_score", 0, "score"): [math.inf, -math.inf],
    ("predictions_null_query_id", 0, "query_id"): [None], ("predictions_null_item_id", 0, "item_id"): [None],
    ("nan_relevance", 1, "relevance"): [NAN, math.inf, -math.inf],
    ("null_relevance", 1, "relevance"): [None], ("negative_grade", 1, "relevance"): [-1.0, -0.001],
    ("truth_null_query_id", 1, "query_id"): [None], ("truth_null_item_id", 1, "item_id"): [None],
}  # fmt: skip
ROW_FAULTS = {
    ("row_nan_score", 0, "score"): [NAN], ("row_null_score", 0, "score"): [None],
    ("not_a_probability", 0, "score"): [-0.01, 1.01, math.inf, -math.inf],
    ("row_nan_label", 0, "label"): [NAN, math.inf], ("row_null_label", 0, "label"): [None],
    ("unknown_label", 0, "label"): [2.0, 0.5], ("mixed_label", 0, "label"): [-1.0],
    ("null_weight", 0, "weight"): [None], ("wrong_weight", 0, "weight"): [NAN, -1.0, math.inf],
}  # fmt: skip
UNIT = st.floats(0, 1, allow_subnormal=False)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def rankings(draw: st.DrawFn) -> list[Table]:
    """Return predictions and truth of some queries, each with one item that is relevant and found."""
    lengths = draw(st.lists(st.integers(3, 9), min_size=2, max_size=6))
    keys = [(q, i) for q, length in enumerate(lengths) for i in range(length)]
    scores = draw(st.lists(UNIT, min_size=len(keys), max_size=len(keys)))
    grades = draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=len(lengths), max_size=len(lengths)))
    predictions = {"query_id": [q for q, _ in keys], "item_id": [i for _, i in keys], "score": scores}
    truth = {"query_id": [*range(len(lengths))], "item_id": [0] * len(lengths), "relevance": grades}
    return [predictions, truth]


@st.composite
def observations(draw: st.DrawFn) -> list[Table]:
    n = draw(st.integers(4, 40))
    # Weights from 0 to 1e-150 are refused.
    known = {"score": UNIT, "weight": UNIT.filter(lambda one: one == 0 or one >= 1e-150)}
    columns = {name: st.lists(values, min_size=n, max_size=n) for name, values in known.items()}
    return [{"label": [float(i % 2) for i in range(n)], **{c: draw(v) for c, v in columns.items()}}]


@pytest.mark.some(1)
@pytest.mark.parametrize("examples", [2, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("tables", "planted", "metrics"),
    [(rankings(), RANKING_FAULTS, "ndcg@3,map"), (observations(), ROW_FAULTS, "auc,log_loss")],
    ids=["rankings", "rows"],
)
def test_one_fault_is_found_in_any_file_and_none_in_clean_ones(
    tmp_path: Path,
    tables: st.SearchStrategy[list[Table]],
    planted: dict[Any, list[Any]],
    metrics: str,
    examples: int,
) -> None:
    @settings(QUICK, max_examples=examples)
    @given(st.data())
    def hold(data: st.DataObject) -> None:
        clean = data.draw(tables)
        writer, rows = data.draw(st.sampled_from(sorted(WRITERS))), data.draw(st.integers(1, 12))
        files = [written(tmp_path, writer, table, rows) for table in clean]
        found = {one.check for one in duckmetrics.check(*files, metrics=metrics)}
        assert not found & {check for check, *_ in planted}
        (check, at, column), values = data.draw(st.sampled_from(sorted(planted.items())))
        place = data.draw(st.integers(0, len(clean[at][column]) - 1))
        column_of = [*clean[at][column]]
        column_of[place] = data.draw(st.sampled_from(values))
        files[at] = written(tmp_path, writer, {**clean[at], column: column_of}, rows)
        told = {one.check: one for one in duckmetrics.check(*files, metrics=metrics)}
        assert check in told, (check, [*told])
        assert told[check].count == 1 or check == "mixed_label"
        if told[check].severity == "error":
            with pytest.raises(InputError):
                duckmetrics.evaluate(*files, metrics=metrics)

    hold()
