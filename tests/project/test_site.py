"""The site builds without a warning; a broken link, anchor, image or formula ends the build."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from support.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PLANTED = """# A page

[link](nowhere.md) [anchor](ties.md#nowhere) ![image](nowhere.png)

$$
\\frac{1}{2
$$
"""
WARNINGS = ("nowhere.md", "nowhere'", "nowhere.png", "unbalanced braces", "included in any toctree")
# Words that people search for, as the index writes them, and the page that answers.
SEARCHED = {
    "metric": "howto/which-metric",
    "multiclass": "howto/multiclass",
    "trend": "howto/trends",
    "mlflow": "howto/every-night",
    "llm": "howto/your-own-values",
    "stream": "explanation/limits",
}
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


@pytest.fixture(autouse=True, scope="module")
def sphinx() -> None:
    """Skip where Sphinx is not installed."""
    pytest.importorskip("sphinx", reason="needs the extra `docs`")


def build(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-q", "--fail-on-warning", "--keep-going", source, out]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of docs/ next to links to the rest of the repository."""
    for folder in ("data", "duckmetrics", "sql", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    left_out = shutil.ignore_patterns("_build", "__pycache__", "dist", "node_modules")
    return shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=left_out)


class Page(HTMLParser):
    """The anchors of a page, and what it links or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids.update(value for name, value in attrs if name in ("id", "name") and value)
        self.links += [
            (tag, value) for name, value in attrs if value and (tag, name) in {*LOADED, ("a", "href")}
        ]


def test_the_site_builds_with_all_its_links_and_loads_nothing_from_another_host(copy: Path) -> None:
    site = copy / "_build"
    done = build(copy, site)
    assert done.returncode == 0, done.stderr
    found = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path.resolve(): Page(path.read_text("utf-8")) for path in found}
    assert len(pages) > 200
    assert [fault for path in pages for fault in faults(path, pages)] == []
    copies = {path.with_suffix("") for path in site.rglob("*.md")}
    assert copies >= {
        path.with_suffix("")
        for path in pages
        if path.name not in ("search.html", "genindex.html", "py-modindex.html")
    }
    assert (site / "llms.txt").read_text("utf-8").count("\n- [") == len(copies)
    assert [word for word, page in SEARCHED.items() if page not in titled(site, word)] == []
    assert (site / "_static/report.html").read_text("utf-8").count("candidate is better than baseline") > 0


def titled(site: Path, word: str) -> set[str]:
    """Return the pages that the search finds by a word of a title; the word has the form of the index."""
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    found = index["titleterms"].get(word, [])
    return {index["docnames"][place] for place in ([found] if isinstance(found, int) else found)}


def faults(path: Path, pages: dict[Path, Page]) -> list[str]:
    """Return the links of a page that lead nowhere, and what it loads from another host."""
    found = []
    for tag, link in pages[path].links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if tag != "a":
                found.append(f"{path.name}: <{tag}> comes from {parts.netloc}")
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists():
            found.append(f"{path.name}: no such file: {link}")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            found.append(f"{path.name}: no such anchor: {link}")
    return found


def test_every_planted_fault_ends_the_build(copy: Path) -> None:
    (copy / "howto/planted.md").write_text(PLANTED)
    done = build(copy, copy / "_build")
    assert done.returncode != 0
    for warning in WARNINGS:
        assert warning in done.stderr, done.stderr
    assert done.stderr.count("WARNING") == len(WARNINGS)


def test_stale_numbers_end_the_build(copy: Path) -> None:
    numbers = copy / "numbers.json"
    numbers.write_text(numbers.read_text("utf-8").replace('"key": "', '"key": "0', 1))
    done = build(copy, copy / "_build")
    assert done.returncode != 0
    assert "has changed; run python docs/pages/computed.py" in done.stderr
