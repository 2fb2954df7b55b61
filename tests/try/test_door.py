"""Each metric of the catalogue in the browser: the macros that the page loads give the rows of Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics.catalog.definition import MULTICLASS
from support.cases import CATALOG
from support.door import differences, dumped, questions
from support.tab import FOLDER, Tab, script

if TYPE_CHECKING:
    from support.door import Question

ENGINE = FOLDER / "node_modules/@duckdb/duckdb-wasm"
ASK = Path(__file__).with_name("ask.cjs")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the files of macros."""
    path = tmp_path_factory.mktemp("page") / "macros"
    script("data").macros(path)
    return path


@pytest.fixture(scope="module")
def every() -> list[Question]:
    """Return the questions: each metric and each table once."""
    found = list(questions())
    known = (*CATALOG.metrics, *CATALOG.tables)
    names = {f"{family}.{name}" for family, name in known if family != MULTICLASS}
    assert {question.name for question in found} == names
    assert len(found) == len(names) > 100
    return found


@pytest.mark.slow
@pytest.mark.engine
def test_each_metric_equals_python_with_the_files_of_the_page(folder: Path, every: list[Question]) -> None:
    tab = Tab(folder)
    tab.connection.execute(dumped())
    wrong = [line for question in every for line in differences(question, tab.ask(question.sql))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.browser
@pytest.mark.skipif(not ENGINE.is_dir(), reason="no docs/try/node_modules: the engine is not installed")
@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_each_metric_equals_python_in_webassembly(folder: Path, every: list[Question]) -> None:
    """The engine of the page has other mathematics than the native one, and no extensions."""
    tab = Tab(folder)
    asked = [{"files": tab.files_of(question.sql), "sql": question.sql} for question in every]
    job = {"engine": str(ENGINE), "folder": str(folder), "tables": dumped(), "asked": asked}
    done = subprocess.run(
        ["node", str(ASK)], input=json.dumps(job), capture_output=True, encoding="utf-8", timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout, object_hook=_number)
    wrong = []
    for question, answer in zip(every, answers, strict=True):
        error = answer.get("error")
        wrong += [f"{question.name}: {error}"] if error else differences(question, answer["rows"])
    assert not wrong, "\n".join(wrong)


def _number(read: dict[str, Any]) -> Any:
    """Return a number that JSON does not have, such as Infinity; other objects stay."""
    return float(read["number"]) if read.keys() == {"number"} else read
