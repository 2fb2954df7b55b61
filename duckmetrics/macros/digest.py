"""A digest of everything that the text of the macros is written from."""

from __future__ import annotations

import ast
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import sql_root

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = Path(__file__).parents[1]
# The module that writes the text.
_WRITERS = ("macros.script",)
# Packages that show results, of which macros take words only: the slow tests compare these.
_SHOWING = ("charts", "engines", "explanations", "pictures", "results", "screens", "sentences")
# Folders of files that the writers read: names, values and layouts of tools.
_TABLES = ("presets", "layouts")


def digest() -> str:
    """Return the digest of the definitions, the presets and the modules, without comments and docstrings."""
    whole = sha256()
    for path in sorted(_definitions()):
        whole.update(path.read_bytes())
    for path in sorted(_modules()):
        whole.update("\n".join(_code(path.read_text("utf-8"))).encode())
    return whole.hexdigest()[:16]


def _definitions() -> Iterator[Path]:
    yield from (path for path in sql_root().rglob("*.sql") if path.parent != sql_root())
    for folder in _TABLES:
        yield from (_PACKAGE / folder).glob("*.toml")


def _modules() -> set[Path]:
    """Return the modules that the writers import, directly or not."""
    found: set[Path] = set()
    waiting = [_PACKAGE / f"{name.replace('.', '/')}.py" for name in _WRITERS]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path)
    return found


def _imported(path: Path) -> Iterator[Path]:
    """Yield the modules of ours that a module imports at its head."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("duckmetrics."):
            continue
        room, *rest = str(node.module).split(".")[1:]
        if room in _SHOWING:
            continue
        names = [[room, *rest], *([room, *rest, alias.name] for alias in node.names)]
        paths = (_PACKAGE.joinpath(*name).with_suffix(".py") for name in names)
        yield from (found for found in paths if found.is_file())


def _code(text: str) -> Iterator[str]:
    """Yield the lines of a module that are neither blank nor comments nor docstrings."""
    alone = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    words = [node for node in alone if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    said = {line for one in words for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#") and number not in said:
            yield line
