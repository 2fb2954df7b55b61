"""A certain but wrong prediction makes the log loss infinite without a clip, everywhere, with a reason."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn

import duckdb
import pytest

import duckmetrics
from duckmetrics.reference import classification
from duckmetrics.reference.observation import Observation
from support.cases import ROOT
from support.command_line import Command
from support.intervals import drawing

if TYPE_CHECKING:
    from pathlib import Path

FILE = (ROOT / "sql/duckmetrics.sql").read_text("utf-8")
METRICS = {"log_loss": math.inf, "normalized_entropy": math.inf, "rig": -math.inf}
WHY = "a wrong probability is 0 or 1, with eps=0"
WRONG = (
    "SELECT i AS id, i % 2 AS label, CASE WHEN i = {} THEN {} ELSE 0.5 END AS score FROM range(60) AS _(i)"
)
# A certain but wrong prediction of each class.
ROWS = {"positive": WRONG.format(7, "0.0"), "negative": WRONG.format(8, "1.0")}
RIGHT = ROWS["positive"].replace("i = 7", "i IN (6, 8)")


@pytest.mark.slow
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize(("metric", "value"), METRICS.items())
def test_every_door_says_that_the_loss_is_infinite(metric: str, value: float, rows: str) -> None:
    (found,) = duckmetrics.evaluate(rows, metrics=f"{metric}(eps=0)", verify=60).rows
    assert found["value"] == value
    assert found["reason"].startswith(WHY)
    with duckdb.connect() as shell:
        shell.execute(FILE)
        shell.execute(f"CREATE TABLE rows AS {rows}")
        query = f"SELECT value, reason FROM {metric}('rows', label, score, eps := 0)"
        (of_table,) = shell.execute(query).fetchall()
        assert of_table == (value, found["reason"])
        scalar = f"SELECT {metric}(label, score, eps := 0) FROM rows"
        assert shell.execute(scalar).fetchall() == [(value,)]
        observed = [Observation(*row, 1.0, None) for row in shell.execute(
            "SELECT label, score FROM rows").fetchall()]  # fmt: skip
    assert getattr(classification, metric)(observed, eps=0) == value


@pytest.mark.some(1)
@pytest.mark.parametrize("spec", METRICS)
def test_right_certainties_and_clipped_ones_are_finite(spec: str) -> None:
    for rows, asked in ((RIGHT, f"{spec}(eps=0)"), (ROWS["positive"], spec)):
        (found,) = duckmetrics.evaluate(rows, metrics=asked, verify=60).rows
        assert math.isfinite(found["value"])
        assert found["reason"] is None


@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_an_infinite_loss_has_no_interval(method: str) -> None:
    """Most samples lack the one row, so their percentiles would be finite."""
    options: dict[str, Any] = {"interval": 0.95, "interval_method": method, **drawing(method, 2000)}
    found = duckmetrics.evaluate(ROWS["positive"], metrics="log_loss(eps=0)", **options).rows[0]
    assert (found["value"], found["lower"], found["upper"], found["reason"]) == (math.inf, None, None, WHY)


def no_json(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is not JSON")


def test_the_command_line_writes_infinity_so_that_json_is_valid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Command(capsys)
    rows = tmp_path / "rows.parquet"
    duckdb.execute(f"COPY ({ROWS['positive']}) TO '{rows}' (FORMAT parquet)")
    asked = ("evaluate", rows, "-m", "log_loss(eps=0)", "--format")
    (found,) = json.loads(run(*asked, "json").out, parse_constant=no_json)["rows"]
    assert (found["value"], found["reason"]) == ("inf", WHY)
    assert f',inf,,,"{WHY}",' in run(*asked, "csv").out
    assert run(*asked, "json", "--fail-if", "log_loss(eps=0) > 1").code == 1


def test_a_value_that_overflows_is_still_none() -> None:
    rows = "SELECT 1e200 * i AS label, 0 AS score FROM range(3) AS _(i)"
    found: dict[str, Any] = duckmetrics.evaluate(rows, metrics="rmse").rows[0]
    assert (found["value"], found["reason"]) == (None, "the values overflow")
