"""Printed text: names of others forge nothing, and a command ends well on closed or narrow streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.cli.output import csv_text, markdown_text
from support.little import PREDICTIONS, TRUTH, evaluation, little

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = [
    "\x1b[31mRED",
    "\x1b]0;title\x07",
    "a\nFAKE  mrr  0.99",
    "b\rmrr 0.99",
    "\u202emrr",
    "c\u2028d",
    "\x9b2J",
]


def hidden(text: str) -> set[str]:
    return {c for c in text if c != "\n" and (not c.isprintable())}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_forges_nothing(name: str) -> None:
    by = pa.table({"query_id": ["q1", "q2", "q3"], "country": [name, "DE", None]})
    options: dict[str, Any] = {"queries": by, "by": "country", "connection": little()}
    reverse = "SELECT * REPLACE (-score AS score) FROM predictions"
    found = duckmetrics.evaluate(None, "truth", "rr", system={name: "predictions", "B": reverse}, **options)
    compared = duckmetrics.compare({name: "predictions", "B": reverse}, "truth", "rr", **options)
    texts = [
        repr(found),
        markdown_text(found),
        markdown_text(found, wide=False),
        "\n".join(compared.lines(whole=True)),
        repr(compared),
        "\n".join(compared.failures("rr by country < 2")),
    ]
    gates = found.failures(["rr < 2", "rr by country < 2"])
    for text in (*texts, *gates):
        assert not hidden(text)
    assert len(markdown_text(found, wide=False).splitlines()) == 2 + len(found.rows)
    assert all("\n" not in gate for gate in gates)
    assert name in {row["system"] for row in found.to_dict()["rows"]}
    assert name in csv_text(found) or '"' in csv_text(found)


def test_an_empty_slice_is_no_overall_row() -> None:
    by = pa.table({"query_id": ["q1", "q2"], "country": ["", "DE"]})
    found = evaluation("predictions", queries=by, by="country")
    lines = repr(found).splitlines()
    assert [line.split()[0] for line in lines[2:6]] == ["(all)", "''", "DE", "NULL"]
    assert "| '' | rr |" in markdown_text(found, wide=False)
    assert any("country=''" in line for line in found.failures("rr by country < 2"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM {PREDICTIONS}) TO '{tmp_path}/p.csv'")
        connection.execute(f"COPY (FROM {TRUTH}) TO '{tmp_path}/t.csv'")
    return tmp_path


def shell(folder: Path, tail: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    call = (
        f"{sys.executable} -m duckmetrics evaluate --system 'Ärger😀=p.csv' t.csv -m rr --format json {tail}"
    )

    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", call], cwd=folder, capture_output=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.slow
def test_streams_that_are_closed_are_fine(folder: Path) -> None:
    done = shell(folder, "2>&-")
    assert (done.returncode, json.loads(done.stdout)["rows"][0]["system"]) == (0, "Ärger😀")
    assert shell(folder, ">&-").returncode == 0


@pytest.mark.slow
def test_a_closed_pipe_is_no_failed_gate(folder: Path) -> None:
    done = shell(folder, "| true")
    assert done.returncode in (0, 141)  # 0 if the command wrote everything before the pipe closed
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    done = shell(folder, "> >(exec 0<&-; sleep 3)")
    assert done.returncode == 141


@pytest.mark.slow
def test_ascii_is_enough(folder: Path) -> None:
    done = shell(folder, "", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert json.loads(done.stdout.decode("ascii"))["rows"][0]["system"] == "Ärger😀"


def test_tab_completion_shows_the_public_names() -> None:
    assert dir(duckmetrics) == sorted(duckmetrics.__all__)
    assert {"evaluate", "compare", "check"} <= {*dir(duckmetrics)}
