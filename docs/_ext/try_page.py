"""The page "Try it": copied into the site, with a link below each example of SQL that opens it there.

A link carries the SQL and the names of sample tables. A site that is built without the page has no such link.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import duckdb
from docutils import nodes
from docutils.parsers.rst import Directive

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sphinx.application import Sphinx

PAGE = "try/index.html"
_BUILT = Path("try/dist")
LABEL = "Run it in your browser"
WITHOUT = (
    "This copy of the site was built without the page. In a clone of the repository, ",
    "python docs/try/build.py",
    " builds it, and ",
    "duckmetrics try",
    " opens it.",
)
# A sample file within quotes, which are doubled within a text.
_SAMPLE = re.compile(r"('{1,2})data/\w+/(\w+)\.parquet\1")
# Files and databases that the page does not have, parameters, and commands of the shell.
_ELSEWHERE = re.compile(
    r"\.(parquet|csv|json|duckdb|run|qrels|sql)\b|\$\w|^\.|\b(ATTACH|COPY|INSTALL|LOAD)\b", re.MULTILINE
)
_CREATED = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP\s+)?(?:VIEW|TABLE|MACRO)\s+(\w+)", re.I)
_COMMENT = re.compile(r"--[^\n]*")
_READ = re.compile(r"\b(?:FROM|JOIN)\s+([a-z_]\w*)\b(?!\s*[(.])", re.IGNORECASE)
_STEP = re.compile(r"\b(\w+)\s+AS\s*\(", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_CALL = re.compile(r"\b(\w+)\s*\(")


class Run(NamedTuple):
    """An example as the page runs it: its statements, and the sample tables that they read."""

    sql: str
    tables: tuple[str, ...]

    def query(self, samples: Mapping[str, Collection[str]]) -> str:
        """Return the query of the address that opens the example.

        Args:
            samples: name -> its tables; the address names one that has all tables, or else the tables.
        """
        fitting = [name for name in samples if self.tables and {*self.tables} <= {*samples[name]}]
        sample = min(fitting, key=lambda name: len(samples[name]), default=None)
        named = {"sample": sample} if sample else {"tables": ",".join(self.tables)} if self.tables else {}
        return urlencode({**named, "sql": self.sql})


def runs(blocks: Sequence[str], macros: Collection[str]) -> list[Run | None]:
    """Return each block of SQL of a page as an example to run, None if it is not one.

    Args:
        blocks: in the order of the page; a block may use what an earlier one creates.
        macros: the names of the macros; an example calls one.
    """
    known: dict[str, str] = {}
    found: list[Run | None] = []
    for block in blocks:
        statements = _statements(block)
        called = {name.lower() for name in _CALL.findall(block)}
        found.append(_run(statements, known) if called & set(macros) else None)
        known |= {made[1].lower(): text for text in statements if (made := _CREATED.match(_bare(text)))}
    return found


def _statements(block: str) -> list[str]:
    """Return the statements of a block with sample files as tables; none if the page cannot run them."""
    text = _SAMPLE.sub(r"\2", block)
    if _ELSEWHERE.search(text):
        return []
    try:
        return [statement.query.strip() for statement in duckdb.extract_statements(text)]
    except duckdb.Error:
        return []


def _bare(statement: str) -> str:
    """Return a statement without the comments above it."""
    return re.sub(r"\A(\s*--[^\n]*\n)+", "", statement)


def _run(statements: Sequence[str], known: dict[str, str]) -> Run | None:
    """Return statements after those that create what they use."""
    if not any(not _CREATED.match(_bare(text)) for text in statements):
        return None
    text = "\n".join(_with_ends(statements))
    needed = [name for name in known if name in _words(_needed(text, known))]
    own = {made[1].lower() for each in statements if (made := _CREATED.match(_bare(each)))}
    before = "".join(f"{line}\n" for line in _with_ends(known[name] for name in needed if name not in own))
    sql = _apart(before + text)
    if _read(sql) - _SAMPLES - own - known.keys():
        return None  # the definition of a metric, which reads tables that the page does not have
    return Run(sql, tuple(sorted(_words(sql) & _SAMPLES)))


def _read(sql: str) -> set[str]:
    """Return the tables that SQL reads, without its own steps."""
    text = _COMMENT.sub("", sql).lower()
    return set(_READ.findall(text)) - set(_STEP.findall(text))


def _apart(sql: str) -> str:
    """Name the table of a sample with its database where a view of the same name reads it."""
    for made in _CREATED.finditer(sql):
        if made[1].lower() in _SAMPLES:
            sql = re.sub(rf"({re.escape(made[0])}\b[^;]*?\bFROM ){made[1]}\b", rf"\1memory.{made[1]}", sql)
    return sql


def _with_ends(statements: Iterable[str]) -> Iterator[str]:
    return (text if text.endswith(";") else f"{text};" for text in statements)


def _needed(text: str, known: dict[str, str]) -> str:
    """Return a text with the statements that create what it uses, and what those use."""
    while more := [known[name] for name in known if name in _words(text) and known[name] not in text]:
        text = "\n".join([*more, text])
    return text


def _words(text: str) -> set[str]:
    """Return the words of SQL, without those of comments."""
    return set(map(str.lower, _WORD.findall(_COMMENT.sub("", text))))


_SAMPLES = {path.stem for path in (Path(__file__).parents[2] / "data").glob("*/*.parquet")}


class TryPage(Directive):
    """The link to the page, or how to get it."""

    def run(self) -> list[nodes.Node]:
        """Return one paragraph."""
        env = self.state.document.settings.env
        if env.config.try_page:
            up = "../" * env.docname.count("/")
            link = nodes.reference("", "Open the page", refuri=f"{up}{PAGE}", classes=["primary"])
            return [nodes.container("", nodes.paragraph("", "", link), classes=["actions"])]
        parts = (
            nodes.literal("", text) if place % 2 else nodes.Text(text) for place, text in enumerate(WITHOUT)
        )
        return [nodes.paragraph("", "", *parts)]


def _add_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add a link below each example."""
    if not app.config.try_page or app.builder.format != "html":
        return
    built = Path(app.srcdir) / _BUILT
    macros = json.loads((built / "macros/index.json").read_text("utf-8"))
    samples = {
        sample["name"]: {file["name"] for file in sample["files"]}
        for sample in json.loads((built / "samples.json").read_text("utf-8"))
    }
    blocks = [block for block in doctree.findall(nodes.literal_block) if block.get("language") == "sql"]
    texts = ["" if _is_left_out(block) else block.astext() for block in blocks]
    up = "../" * docname.count("/")
    for block, run in zip(blocks, runs(texts, macros), strict=True):
        if run is not None:
            link = nodes.reference("", LABEL, refuri=f"{up}{PAGE}?{run.query(samples)}")
            paragraph = nodes.paragraph("", "", link, classes=["run"])
            block.parent.insert(block.parent.index(block) + 1, paragraph)


def _is_left_out(block: nodes.Element) -> bool:
    """Return whether the page says that the tests do not run a block."""
    place = block.parent.index(block)
    before = block.parent[place - 1] if place else None
    return isinstance(before, nodes.comment | nodes.raw) and "not run:" in before.astext()


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.config.try_page and app.builder.format == "html":
        target = Path(app.outdir) / Path(PAGE).parent
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Path(app.srcdir) / _BUILT, target)


def _look(app: Sphinx, config: Any) -> None:
    """Find out whether the page was built; a change writes all pages again."""
    config.try_page = (Path(app.srcdir) / _BUILT / "index.html").is_file()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension, and the directive ``try-page``."""
    app.add_config_value("try_page", False, "env")
    app.add_directive("try-page", TryPage)
    app.connect("config-inited", _look)
    app.connect("doctree-resolved", _add_links)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
