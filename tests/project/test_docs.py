"""The SQL on the pages of docs/ runs in the DuckDB shell, and prints what the pages show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from duckmetrics.macros.shell import find
from support.cases import ROOT

PAGES = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
SQL = re.compile(r"```sql\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
COLORS = re.compile(r"\x1b\[[0-9;]*m")
MARK = "next block"


def sql_blocks(page: str) -> list[tuple[str, str | None]]:
    """Return the blocks of SQL of a page, each with the output shown below it, if any."""
    return [(match[1], match[2]) for match in SQL.finditer(page)]


def printed(blocks: list[str]) -> list[str]:
    """Run blocks in one session of the real DuckDB shell; return the output of each, errors included."""
    script = "".join(f".print {MARK}\n{block}" for block in blocks)
    done = subprocess.run(
        [find(), "-init", "sql/duckmetrics.sql"], input=script, cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return [COLORS.sub("", part) for part in done.stdout.split(f"{MARK}\n")[1:]]


def shown(page: str, everything: bool) -> tuple[list[str], list[str]]:
    """Return what the page says that its blocks print, and what they print.

    Args:
        page: name of the page.
        everything: also run the blocks that neither prepare others nor have an output to compare.
    """
    blocks = [
        (sql, output) for sql, output in sql_blocks(PAGES[page])
        if everything or output is not None or sql.startswith("CREATE")
    ]  # fmt: skip
    found = printed([sql for sql, _ in blocks])
    for (sql, output), text in zip(blocks, found, strict=True):
        assert output is not None or "Error: " not in text, f"{sql}\n{text}"
    wanted = [output for _, output in blocks if output is not None]
    return wanted, [text for (_, output), text in zip(blocks, found, strict=True) if output is not None]


def test_the_page_about_the_shell_shows_what_its_sql_prints() -> None:
    wanted, found = shown("duckdb_shell.md", everything=False)
    assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if sql_blocks(text)])
def test_all_sql_of_a_page_runs_and_prints_what_the_page_shows(page: str) -> None:
    wanted, found = shown(page, everything=True)
    assert found == wanted


@pytest.mark.slow
def test_the_commands_on_the_page_about_the_shell_run(tmp_path: Path) -> None:
    folder = f"{Path(sys.executable).parent}{os.pathsep}{Path(find()).parent}"
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    # The next commands write a database, which takes minutes; `macros/test_file.py` does it.
    commands, *_ = re.findall(r"```bash\n(.*?)```", PAGES["duckdb_shell.md"], re.DOTALL)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Normalized discounted cumulative gain" in done.stdout


@pytest.mark.slow
def test_the_python_for_other_clients_prints_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    ((code, output),) = re.findall(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGES["sql_clients.md"], re.DOTALL
    )
    exec(compile(code, "sql_clients.md", "exec"), {})
    assert capsys.readouterr().out == output


def test_links_lead_somewhere() -> None:
    for text in PAGES.values():
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert (ROOT / "docs" / target).exists(), target


def test_twenty_questions_are_answered() -> None:
    numbers = re.findall(r"^\*\*(\d+)\. ", PAGES["twenty_questions.md"], re.MULTILINE)
    assert numbers == [str(number) for number in range(1, 21)]
