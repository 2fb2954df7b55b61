"""The tab of a browser, played by DuckDB: a session that loads only the macros that a question needs."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import duckdb

from support.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType
    from typing import Any

FOLDER = ROOT / "docs/try"
_CALL = re.compile(r"\b(\w+)\s*\(")


def script(name: str) -> ModuleType:
    """Import a script of the page's folder."""
    sys.path.insert(0, str(FOLDER))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(FOLDER))


class Tab:
    """A session that reads the files of macros as the page does.

    Attributes:
        loaded: the files in the order in which they were read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index: dict[str, dict[str, Any]] = json.loads((folder / "index.json").read_text("utf-8"))
        self.connection = duckdb.connect(config={"threads": 1})
        self.loaded: list[str] = []
        self._load("base.sql")

    def _load(self, file: str) -> None:
        if file not in self.loaded:
            self.connection.execute((self.folder / file).read_text("utf-8"))
            self.loaded.append(file)

    def load(self, name: str) -> None:
        """Load a macro with all that it needs."""
        for file in [*self.index[name]["needs"], self.index[name]["file"]]:
            self._load(file)

    def files_of(self, sql: str) -> list[str]:
        """Return the files that a question needs, in the order in which they must be read."""
        called = [self.index[name.lower()] for name in _CALL.findall(sql) if name.lower() in self.index]
        return [file for known in called for file in [*known["needs"], known["file"]]]

    def ask(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows of a question, after the macros that it calls were loaded."""
        for file in self.files_of(sql):
            self._load(file)
        result = self.connection.execute(sql)
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
