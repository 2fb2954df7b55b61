"""CI fails if something that its tests need is missing: the option ``--all-must-run`` of the test suite."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FIXTURE = """
import pytest
@pytest.fixture
def server():
    pytest.skip("no server")
def test_of_a_server(server): ...
def test_of_nothing(): ...
"""
MARK = "import pytest\n@pytest.mark.skipif(True, reason='no node')\ndef test_a(): ...\ndef test_b(): ...\n"
PACKAGE = (
    "import pytest\ndef test_of_a_package(): pytest.importorskip('no_such_package')\ndef test_fine(): ...\n"
)
MODULE = "import pytest\npytest.importorskip('no_such_package')\ndef test_of_a_package(): ...\n"
NO_CASE = "from support.must_run import no_case\ndef test_a(): no_case('takes no weights')\n"
FINE = NO_CASE + "def test_b(): ...\n"
EXPECTED = "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False\n"
OK, FAILED, NO_TESTS = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED


def run(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    own = {"PYTHONPATH": str(ROOT / "tests"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    env = {**os.environ, **own}
    command = [sys.executable, "-m", "pytest", "-p", "support.must_run", "--rootdir", str(folder), *options]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.some(3)
@pytest.mark.parametrize(
    ("text", "usual", "wanted", "words"),
    [
        (FIXTURE, OK, FAILED, "did not run: no server"),
        (MARK, OK, FAILED, "did not run: no node"),
        (PACKAGE, OK, FAILED, "did not run: could not import 'no_such_package'"),
        (MODULE, NO_TESTS, pytest.ExitCode.INTERRUPTED, "did not run: could not import 'no_such_package'"),
        (NO_CASE, OK, NO_TESTS, "no test ran"),
        ("", NO_TESTS, NO_TESTS, "no tests ran"),
        (FINE, OK, OK, "1 passed, 1 skipped"),
        (EXPECTED, OK, OK, "1 xfailed"),
    ],
    ids=["fixture", "mark", "package", "module", "all skipped", "none", "no case", "xfail"],
)
def test_a_test_that_did_not_run_fails(
    tmp_path: Path, text: str, usual: int, wanted: int, words: str
) -> None:
    assert run(tmp_path, text).returncode == usual
    done = run(tmp_path, text, "--all-must-run")
    assert (done.returncode, words in done.stdout) == (wanted, True), done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "wanted"), [(FIXTURE, FAILED), (MODULE, FAILED), (NO_CASE, NO_TESTS), (FINE, OK)]
)
def test_processes_of_xdist_report_it(tmp_path: Path, text: str, wanted: int) -> None:
    done = run(tmp_path, text, "--all-must-run", "-p", "xdist", "-n", "2")
    assert done.returncode == wanted, done.stdout
