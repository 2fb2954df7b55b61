"""The page "Try it" in Firefox: the numbers, the SQL tab, files, and an engine that starts again."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import duckmetrics
from support import dropped as made
from support.tab import FOLDER

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DRIVER = Path(__file__).with_name("firefox.mjs")
SQL = (
    "SELECT round(value, 4) AS value FROM ndcg('pixels', 'qrels', k := 10, system := 'system') ORDER BY ALL",
    "LOAD icu",
    "FROM read_csv('https://example.com/a.csv')",
)


@pytest.fixture(scope="module")
def firefox() -> str:
    """Return the path of Firefox; skip if something is not there."""
    found = next((path for name in ("firefox", "firefox-esr") if (path := shutil.which(name))), None)
    if found is None or shutil.which("node") is None:
        pytest.skip("the page is not driven in Firefox: firefox or node is not installed")
    if not (FOLDER / "dist/main.js").exists() or not (FOLDER / "node_modules/puppeteer-core").exists():
        pytest.skip("the page is not driven in Firefox: 'python docs/try/build.py' has not built it")
    return found


def test_the_page_works_in_firefox(firefox: str, page: str, tmp_path: Path) -> None:
    files = made.pair(tmp_path)
    told = {
        "page": page, "firefox": firefox, "modules": FOLDER / "package.json", "sql": SQL, "files": files,
    }  # fmt: skip
    done = subprocess.run(
        ["node", str(DRIVER), json.dumps(told, default=str)], capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["errors"] == []
    assert found["outside"] == []
    assert len(found["blocked"]) == 2
    assert "0.7816 → 0.9745" in found["digits"]
    assert "Checks:" in found["checks"]
    assert "ndcg@7" in found["again"]
    assert "0.7816" in found["sql"][0]
    assert "0.9745" in found["sql"][0]
    for blocked in found["sql"][1:]:
        assert "This page reaches no other host" in blocked
    expected = duckmetrics.evaluate(*files, ["ndcg@10"])["ndcg@10"]
    assert f"{expected:.4f}" in found["files"]
