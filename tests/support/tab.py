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
# Macros that call the macro of each metric by the text of the question.
BY_NAME = ("evaluate", "conventions")


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

    def load(self, *names: str) -> None:
        """Load macros with all that they need; other names are left alone."""
        for name in names:
            known = self.index.get(name.lower())
            for file in [*known["needs"], known["file"]] if known else []:
                self._load(file)

    def ask(self, sql: str) -> list[dict[str, Any]]:
        """Return the rows of a question, after the macros that it calls were loaded."""
        self.load(*_CALL.findall(sql))
        result = self.connection.execute(sql)
        names = [column[0] for column in result.description]
        return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
