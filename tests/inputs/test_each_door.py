"""Every table means the same at each door: the number is the same, or the refusal is, in the same words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from click.testing import CliRunner

import duckmetrics
from duckmetrics.cli.main import cli
from duckmetrics.errors import DuckmetricsError
from support.door_tables import CASES, RANKINGS, ROWS, refusal, written
from support.duckdb_shell import connected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METRICS = {True: ["ndcg", "map"], False: ["auc", "log_loss"]}
# What a macro says where Python reads more: columns that no argument names, and layouts.
OF_MACROS = {
    **dict.fromkeys(
        [name for name in ROWS if name.startswith("rows with") and " weight" in name.lower()],
        "is not used, because no argument names it",
    ),
    "users": "no column 'query_id'", "lists of items": "no column 'item_id'",
}  # fmt: skip


def answered(ask: Callable[[], dict[str, Any]]) -> Any:
    """Return the values by metric, or what the refusal says."""
    try:
        return ask()
    except (DuckmetricsError, duckdb.Error) as error:
        return refusal(error)


def of_command(files: list[str], metrics: list[str], target: Path) -> dict[str, Any]:
    asked = [text for metric in metrics for text in ("-m", metric)]
    done = CliRunner().invoke(cli, ["evaluate", *files, *asked, "-o", str(target)])
    if done.exception is not None:
        raise done.exception
    rows = json.loads(target.read_text("utf-8"))["rows"]
    return {row["metric"]: row["value"] for row in rows}


def of_macro(files: list[str], metrics: list[str]) -> dict[str, Any]:
    tables = ", ".join(f"'{file}'" for file in files)
    macro = "evaluate" if len(files) == 2 else "evaluate_classification"
    columns = "" if len(files) == 2 else ", label, score"
    with connected() as session:
        query = f"SELECT metric, value FROM {macro}({tables}{columns}, '{', '.join(metrics)}')"
        return dict(session.execute(query).fetchall())


@pytest.mark.some(40)
@pytest.mark.parametrize("name", CASES)
def test_a_table_means_the_same_at_each_door(name: str, tmp_path: Path) -> None:
    files, metrics = written(name, tmp_path), METRICS[name in RANKINGS]
    of_python = answered(
        lambda: {row["metric"]: row["value"] for row in duckmetrics.evaluate(*files, metrics=metrics).rows}
    )
    found = of_python if isinstance(of_python, str) else pytest.approx(of_python, abs=1e-12)
    assert answered(lambda: of_command(files, metrics, tmp_path / "found.json")) == found
    assert answered(lambda: of_macro(files, metrics)) == OF_MACROS.get(name, found)


def test_the_cases_differ() -> None:
    """At least 40 tables, and both numbers and refusals among them."""
    assert len(CASES) >= 40
    assert len(set(map(str, CASES.values()))) == len(CASES)
