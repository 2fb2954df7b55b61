"""The examples of the docs in the page "Try it": each link works there, and a site without it has none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import duckdb
import pytest

from support.cases import ROOT
from support.pages import generated_pages
from support.tab import Tab, script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

# They need Sphinx, which a default run does not have.
pytestmark = pytest.mark.slow

SQL = re.compile(r"^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
MACROS = {"ndcg": {"file": "ndcg.sql", "needs": []}}
SAMPLES = {"all": ["pixels", "qrels", "users"], "digits": ["pixels", "qrels"]}
DOCUMENT = """# Page

```sql
FROM ndcg('data/digits/pixels.parquet', 'data/digits/qrels.parquet', k := 10);
```

<!-- not run: an example -->
```sql
FROM ndcg(a, b);
```

```{try-page}
```
"""


@pytest.fixture(autouse=True, scope="module")
def try_page() -> ModuleType:
    """Return the extension of Sphinx; skip where Sphinx is not installed."""
    pytest.importorskip("sphinx", reason="needs the extra `docs`")
    sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "docs/_ext")]
    return import_module("try_page")


def test_sample_files_become_tables(try_page: ModuleType) -> None:
    (run,) = try_page.runs(["FROM ndcg('data/digits/pixels.parquet', 'data/digits/qrels.parquet');"], MACROS)
    assert run == try_page.Run("FROM ndcg(pixels, qrels);", ("pixels", "qrels"))
    assert parse_qs(run.query(SAMPLES)) == {"sample": ["digits"], "sql": [run.sql]}
    assert parse_qs(run.query({"digits": ["qrels"]})) == {"tables": ["pixels,qrels"], "sql": [run.sql]}
    assert parse_qs(try_page.Run("FROM ndcg(a, b)", ()).query(SAMPLES)) == {"sql": ["FROM ndcg(a, b)"]}
    text = "FROM ndcg('SELECT * FROM ''data/digits/pixels.parquet''', 'data/digits/qrels.parquet')"
    (run,) = try_page.runs([text], MACROS)
    assert run.sql == "FROM ndcg('SELECT * FROM pixels', qrels);"


def test_an_example_brings_what_earlier_blocks_create(try_page: ModuleType) -> None:
    blocks = [
        "CREATE TEMP VIEW users AS FROM 'data/shop/users.parquet';",
        "CREATE TEMP VIEW run AS FROM a;\nCREATE TEMP VIEW a AS FROM 'data/digits/pixels.parquet';",
        "-- How good are users?\nFROM ndcg(run, qrels);",
    ]
    *others, run = try_page.runs(blocks, MACROS)
    assert others == [None, None]
    assert run.tables == ("pixels", "qrels")
    assert "VIEW users" not in run.sql
    assert run.sql.index("VIEW a AS") > 0
    assert run.sql.endswith("-- How good are users?\nFROM ndcg(run, qrels);")
    (_, run) = try_page.runs(
        ["CREATE TEMP VIEW users AS FROM 'data/shop/users.parquet'", "FROM ndcg(users, a)"], MACROS
    )
    assert run.sql.startswith("CREATE TEMP VIEW users AS FROM memory.users;")


@pytest.mark.parametrize(
    "block",
    [
        "SELECT 1;", "FROM other(pixels);", "CREATE VIEW a AS FROM ndcg(b, c);", ".read x\nFROM ndcg(a, b);",
        "FROM ndcg('run.csv', b);", "ATTACH 'x' AS x; FROM ndcg(a, b);", "SELECT $k FROM ndcg(a, b);",
        "FROM ndcg(a, b", "",
    ],
)  # fmt: skip
def test_other_blocks_have_no_link(try_page: ModuleType, block: str) -> None:
    assert try_page.runs([block], MACROS) == [None]


def blocks_of_pages() -> Iterator[tuple[str, list[str]]]:
    """Yield the blocks of SQL of each page that is written or generated."""
    for path in sorted((ROOT / "docs").glob("*/*.md")):
        if path.parent.name in ("tutorials", "howto", "reference", "explanation"):
            yield path.stem, SQL.findall(path.read_text("utf-8"))
    for name, text in generated_pages().items():
        yield name, SQL.findall(text)


@pytest.mark.engine
def test_every_link_works_with_the_files_of_the_page(try_page: ModuleType, tmp_path: Path) -> None:
    """An example of the docs may show a message of ours."""
    script("data").macros(tmp_path / "macros")
    files = {path.stem: path for path in (ROOT / "data").glob("*/*.parquet")}
    wrong, n, refused = [], 0, 0
    for page, blocks in blocks_of_pages():
        for run in filter(None, try_page.runs(blocks, Tab(tmp_path / "macros").index)):
            tab = Tab(tmp_path / "macros")
            for table in run.tables:
                tab.connection.execute(f"CREATE TABLE {table} AS FROM '{files[table]}'")
            n += 1
            try:
                tab.ask(run.sql)
            except duckdb.Error as error:
                refused += 1
                if "duckmetrics: " not in str(error):
                    wrong.append(f"{page}: {run.sql}: {error}")
    assert not wrong, "\n".join(wrong)
    assert n > 130
    assert refused < 5


@pytest.mark.parametrize("is_built", [True, False])
def test_a_site_has_links_if_the_page_is_there(tmp_path: Path, is_built: bool) -> None:
    source, out = tmp_path / "docs", tmp_path / "site"
    (source / "sub").mkdir(parents=True)
    (source / "index.md").write_text("# Home\n\n```{toctree}\nsub/page\n```\n")
    (source / "sub/page.md").write_text(DOCUMENT)
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'docs/_ext')!r})\n"
        "extensions = ['myst_parser', 'try_page']\nexclude_patterns = ['try']\n"
    )
    if is_built:
        (source / "try/dist/macros").mkdir(parents=True)
        (source / "try/dist/index.html").write_text("<!doctype html><title>Try it</title>")
        (source / "try/dist/macros/index.json").write_text(json.dumps(MACROS))
        (source / "try/dist/samples.json").write_text("[]")
    command = [sys.executable, "-m", "sphinx", "-q", "--fail-on-warning", source, out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (out / "sub/page.html").read_text("utf-8")
    links = re.findall(r'href="([^"]*try/index\.html[^"]*)"', page)
    assert (out / "try/index.html").exists() == is_built
    if not is_built:
        assert links == []
        assert "This copy of the site was built without the page" in page
        return
    example, opened = links
    assert opened == "../try/index.html"
    asked = urlsplit(example.replace("&amp;", "&"))
    assert (out / "sub" / asked.path).resolve() == out / "try/index.html"
    assert parse_qs(asked.query)["sql"] == ["FROM ndcg(pixels, qrels, k := 10);"]
