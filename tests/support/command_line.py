"""The command line in process, in a folder of small exports: its output and exit codes."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

from duckmetrics.cli.main import main
from duckmetrics.results.tabular import KEYS
from support.little import PREDICTIONS, TRUTH

if TYPE_CHECKING:
    from pathlib import Path

REVERSE = f"SELECT * REPLACE (-score AS score) FROM {PREDICTIONS}"
MODELS = f"SELECT 'A' AS model, * FROM {PREDICTIONS} UNION ALL SELECT 'B', * FROM ({REVERSE})"
USERS = """SELECT * FROM (VALUES ('q1', 'DE', 1.5::DOUBLE, 'x'), ('q2', 'FR', 'nan', 'y'))
    AS u(query_id, country, age, plan)"""
EXPORTS = {
    "p.parquet": f"FROM {PREDICTIONS}",
    "t.parquet": f"FROM {TRUTH}",
    "models.parquet": MODELS,
    "users.parquet": USERS,
    "reverse.parquet": REVERSE,
    "renamed.parquet": f"SELECT query_id AS user, item_id AS sku, score AS estimate FROM {PREDICTIONS}",
    "none.parquet": "SELECT 'q1' AS query_id, 'z' AS item_id, 0 AS relevance",
}
RESULT = ["system", "metric", "slice", "value", "lower", "upper", "reason", "n", "n_missing", "n_no_relevant",
          "n_undefined", "n_positive", "signature"]  # fmt: skip
CHECK = [
    "check",
    "severity",
    "table",
    "column",
    "count",
    "examples",
    "message",
    "advice",
    "of",
    "sentence",
    "share",
]


class Outcome(NamedTuple):
    """The result of a command: its exit code, stdout and stderr."""

    code: int
    out: str
    err: str


class Command:
    """Runs ``duckmetrics ...`` in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self.capture = capture

    def __call__(self, *arguments: object) -> Outcome:
        code: Any = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        return Outcome(code, *self.capture.readouterr())


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(f"CREATE TABLE p AS FROM {PREDICTIONS}; CREATE TABLE t AS FROM {TRUTH}")
        for name, query in EXPORTS.items():
            connection.execute(f"COPY ({query}) TO '{folder}/{name}'")
    return folder


@pytest.fixture
def run(exports: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(exports)
    return Command(capsys)


def results(outcome: Outcome) -> list[dict[str, Any]]:
    """Return the rows that ``duckmetrics evaluate --format json`` prints."""
    assert outcome.code == 0, outcome.err
    found = document(outcome.out)
    assert list(found) == [*KEYS, "checks", "verified"]
    for row in found["rows"]:
        by = set(next(csv.reader([row["slice"]]), []))
        assert by <= set(row)
        assert set(RESULT) <= set(row)
    assert all(list(check) == CHECK for check in found["checks"])
    return found["rows"]  # type: ignore[no-any-return]


def document(text: str) -> dict[str, Any]:
    """Parse the JSON of a command as strictly as the standard defines it."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    assert tuple(found)[: len(KEYS)] == KEYS
    return found
