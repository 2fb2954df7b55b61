"""Systems and slices in the macros of rows: the rows of Python's summary, conventions included."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from shell.test_systems import rows

import duckmetrics
from support.duckdb_shell import connected, refusal, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

pytestmark = pytest.mark.engine

# Scores have ties. System C has no rows in FR, one label in US and no weight in DE; some countries are NULL.
TABLES = """
    CREATE TABLE clicks AS
    SELECT
        model, country, day, user_id, score, "is new",
        CASE WHEN model = 'C' AND country = 'US' THEN 1 ELSE label END AS label,
        CASE WHEN model = 'C' AND country = 'DE' THEN 0 ELSE 1 + id % 3 END AS w
    FROM (
        SELECT
            id, ['A', 'BB', 'C'][1 + id % 3] AS model, id % 7 AS user_id, id % 5 = 0 AS "is new",
            CASE WHEN id % 11 <> 0 THEN ['DE', 'US', 'FR'][1 + (id // 3) % 3] END AS country,
            DATE '2026-01-01' + (id % 2)::INTEGER AS day,
            (hash(id) % 20)::DOUBLE / 20 AS score, (hash(id * 31) % 20 < hash(id) % 25)::INTEGER AS label
        FROM range(600) AS ids(id)
    )
    WHERE NOT (model = 'C' AND country = 'FR')
"""
METRICS = ["roc_auc", "log_loss", "rmse", "ece", "f1", "pr_auc", "spiegelhalter_z"]
# Columns of results that rows do not have.
OF_RANKINGS = ("n_missing", "n_no_relevant")


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(TABLES)
        yield connection


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(found, float):
        return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)
    return type(found) is type(wanted) and bool(found == wanted)


def wanted_rows(
    session: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    by: Any = None,
    columns: dict[str, str] | None = None,
    data: str = "clicks",
    **options: Any,
) -> list[dict[str, Any]]:
    """Return the rows of Python, without the columns of rankings."""
    by = [name.strip() for name in by.split(",")] if isinstance(by, str) else by
    mapped = columns or {}
    if "weight" not in mapped:
        options["weighted"] = False
    found = duckmetrics.evaluate(
        data, None, list(metrics), connection=session, by=by and [by], columns=mapped, **options
    )
    return [{k: v for k, v in row.items() if k not in OF_RANKINGS} for row in found.summary.to_pylist()]


def assert_same(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    assert [list(row) for row in found] == [list(row) for row in wanted]
    for row, other in zip(found, wanted, strict=True):
        wrong = {name: (row[name], other[name]) for name in row if not same(row[name], other[name])}
        assert not wrong, (other["system"], other["metric"], other["slice"], wrong)


def assert_agrees(
    session: duckdb.DuckDBPyConnection,
    metrics: Sequence[str],
    weight: str | None = None,
    group: str | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Check that every row of the macro equals that of Python, with the same order and columns."""
    told = {**options, **({"weight": None} if weight else {})}
    given = "".join(f', "{n}" := {weight if n == "weight" else written(v)}' for n, v in told.items())
    given += f", group_id := {group}" if group else ""
    found = rows(
        session, f"FROM evaluate_classification(clicks, label, score, {written(list(metrics))}{given})"
    )
    columns = {**({"weight": weight} if weight else {}), **({"group_id": group} if group else {})}
    assert_same(found, wanted_rows(session, metrics, columns=columns, **options))
    return found


@pytest.mark.parametrize("weight", [None, "w"])
def test_one_system(session: duckdb.DuckDBPyConnection, weight: str | None) -> None:
    found = assert_agrees(session, METRICS, weight)
    assert {(row["system"], row["slice"]) for row in found} == {(None, "")}


@pytest.mark.some(0)
@pytest.mark.parametrize("weight", [None, "w"])
def test_several_systems(session: duckdb.DuckDBPyConnection, weight: str | None) -> None:
    found = assert_agrees(session, METRICS, weight, system="model")
    assert [row["system"] for row in found[:3]] == ["A", "BB", "C"]


@pytest.mark.some(1)
@pytest.mark.parametrize("by", ["country", "country, is new", ["day", "country"], ["day", "day"], []])
def test_slices(session: duckdb.DuckDBPyConnection, by: Any) -> None:
    found = assert_agrees(session, METRICS[:3], by=by)
    slices = {(row["slice"], row.get("country"), row.get("is new"), row.get("day")) for row in found}
    assert len(slices) > 2 or by == []


@pytest.mark.some(1)
@pytest.mark.parametrize("weight", [None, "w"])
def test_slices_of_several_systems(session: duckdb.DuckDBPyConnection, weight: str | None) -> None:
    """Some slices have no rows, some have one class only, and some have no weight."""
    found = assert_agrees(session, METRICS, weight, system="model", by="country")
    of_c = {
        row["country"]: row["reason"] for row in found if row["system"] == "C" and row["metric"] == "roc_auc"
    }
    assert "FR" not in of_c
    assert of_c["US"] == "one class only: no negative row"
    assert (of_c["DE"] == "no row has a weight") == (weight is not None)


@pytest.mark.slow
def test_groups(session: duckdb.DuckDBPyConnection) -> None:
    assert_agrees(session, ["gauc", "auc"], None, "user_id", system="model", by="country")
    assert_agrees(session, ["gauc"], "w", "user_id", system="model", by="country")


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("metrics", "switches"),
    [
        (["ece", "ace"], {"bins": 5}), (["accuracy", "log_loss"], {"threshold": 0.25}),
        (["roc_auc"], {"approx": 50}), (["auc", "log_loss"], {"undefined": "zero"}),
        (["rig", "auc"], {"base_rate": 0.25, "undefined": "one"}), (["log_loss"], {"eps": 1e-7}),
        (["pr_auc"], {"interpolation": "trapezoid"}),
    ],
)  # fmt: skip
def test_parameters(session: duckdb.DuckDBPyConnection, metrics: list[str], switches: dict[str, Any]) -> None:
    found = assert_agrees(session, metrics, system="model", by="country", **switches)
    name, value = next(iter(switches.items()))
    assert any(f"{name}:{'1e-07' if value == 1e-7 else value}" in row["signature"] for row in found)


@pytest.mark.slow
def test_the_macro_of_a_metric_takes_them_too(session: duckdb.DuckDBPyConnection) -> None:
    for metric, weight in (("roc_auc", "w"), ("roc_auc", None), ("log_loss", "w"), ("spiegelhalter_z", None)):
        passed = f", weight := {weight}" if weight else ""
        found = rows(
            session,
            f"FROM {metric}(clicks, label, score, system := 'model', \"by\" := ['country', 'day']{passed})",
        )
        columns = {"weight": weight} if weight else {}
        assert_same(
            found,
            wanted_rows(session, [metric], by=["country", "day"], system="model", columns=columns),
        )


def test_names_may_stand_without_quotes(session: duckdb.DuckDBPyConnection) -> None:
    found = rows(session, 'FROM roc_auc(clicks, label, score, system := model, "by" := [country, day])')
    assert_same(found, wanted_rows(session, ["roc_auc"], by=["country", "day"], system="model"))


@pytest.mark.slow
def test_per_is_a_slice_called_segment(session: duckdb.DuckDBPyConnection) -> None:
    """Its rows are those of the slices alone."""
    for system, name in (("", None), (", system := 'model'", "model")):
        for weight, columns in (("", {}), (", weight := w", {"weight": "w"})):
            found = rows(
                session,
                "FROM evaluate_classification(clicks, label, score, 'auc, rmse', per := upper(country) "
                f"{system}{weight})",
            )
            wanted = wanted_rows(
                session, ["auc", "rmse"], by=["upper(country) AS segment"], system=name, columns=columns
            )
            assert_same(found, [row for row in wanted if row["slice"]])


def test_rows_of_several_systems_are_taken_together_where_none_is_named(
    session: duckdb.DuckDBPyConnection,
) -> None:
    """As in Python, and unlike rankings, rows of several systems count as rows of one."""
    assert len(assert_agrees(session, ["auc"])) == 1


def test_columns_of_any_name(session: duckdb.DuckDBPyConnection) -> None:
    """Names contain quotes and brackets, or are names of the parameters."""
    session.execute("""CREATE OR REPLACE TABLE odd AS SELECT
        label, score, model AS "the 'model' (x)", country AS "it's {""a""}", day AS per FROM clicks""")
    found = rows(
        session,
        """FROM rmse(odd, label, score, system := 'the ''model'' (x)', "by" := ['it''s {"a"}', 'per'])""",
    )
    names = ['it\'s {"a"}', "per"]
    assert_same(found, wanted_rows(session, ["rmse"], by=names, system="the 'model' (x)", data="odd"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("system := 'sistem'", "data: no column 'sistem'; name it with system := ..."),
        ("system := 'model', \"by\" := 'land'", "by: data has no column 'land'; name columns of the data"),
        ("\"by\" := 'country, land'", "by: data has no column 'land'; name columns of the data"),
        ("\"by\" := 'year(day)'", "or slice by an expression with per := ..."),
        ("\"by\" := 'value'", "results have a column 'value'"),
        ("\"by\" := 'country', per := country", "by: per := slices the rows too; give one of the two"),
        ("system := 'country'", "predictions.system: rows with no system"),
    ],
)
def test_mistakes(session: duckdb.DuckDBPyConnection, options: str, said: str) -> None:
    for called in ("evaluate_classification(clicks, label, score, 'auc', ", "roc_auc(clicks, label, score, "):
        assert said in refusal(session, f"FROM {called}{options})")


@pytest.mark.parametrize("call", [
    "gauc(clicks, label, score, 'user_id')",
    "gauc(clicks, label, score, 'USER_ID')",
    "gauc(clicks, label, score, 'is new')",
    "roc_auc(clicks, label, score, per := 'country')",
    "evaluate_classification(clicks, label, score, 'gauc', group_id := 'user_id', system := 'model')",
])  # fmt: skip
def test_the_name_of_a_column_as_a_text_is_refused(session: duckdb.DuckDBPyConnection, call: str) -> None:
    """Otherwise all rows would be in one group, and the metric would still have a value."""
    assert "the name of a column; write the column without quotes" in refusal(session, f"FROM {call}")


def test_other_texts_are_groups_and_slices(session: duckdb.DuckDBPyConnection) -> None:
    """A constant that names no column, and columns of text with any values, are valid."""
    plain = rows(session, "FROM roc_auc(clicks, label, score)")
    assert same(rows(session, "FROM gauc(clicks, label, score, 'all')")[0]["value"], plain[0]["value"])
    named = "CASE WHEN user_id = 1 THEN 'country' ELSE user_id::VARCHAR END"
    found = rows(session, f"FROM gauc(clicks, label, score, {named})")
    wanted = rows(session, "FROM gauc(clicks, label, score, user_id)")
    assert same(found[0]["value"], wanted[0]["value"])
