"""The list of all macros of the DuckDB shell, from the comments in the file that defines them."""

from __future__ import annotations

import re
from functools import cache

from duckmetrics.shell.shipped import macros_sql
from pages.markdown import front, table

_COMMENT = re.compile(r"COMMENT ON MACRO (?P<table>TABLE )?temp\.(?P<name>\w+) IS '(?P<text>(?:[^']|'')*)';")
KINDS = {
    "Tables": "A table macro stands after `FROM`. It reads tables, views, files and SQL.",
    "Values": "A value macro stands in a SELECT list, under any `GROUP BY`.",
}


def page() -> str:
    """Write the list: name, title and a call of every macro."""
    found = _macros()
    lines = [
        *front("All macros", "Every macro of the DuckDB shell, with a call."),
        "`FROM duckmetrics_help('NAME')` shows the meaning, the parameters and the formula of a macro. "
        "[Macros of the DuckDB shell](macros.md) explains how to use them.",
        "",
    ]
    for kind, text in KINDS.items():
        rows = [(f"`{name}`", title, f"`{call}`") for name, (title, call) in sorted(found[kind].items())]
        lines += [f"## {kind}", "", f"{text} There are {len(rows)}.", ""]
        lines += table(("macro", "result", "call"), rows)
    return "\n".join(lines)


def titles(name: str) -> list[str]:
    """Return the titles of the macros of a name; none if there is no such macro."""
    return [macros[name][0] for macros in _macros().values() if name in macros]


@cache
def _macros() -> dict[str, dict[str, tuple[str, str]]]:
    """Read all macros: kind -> name -> title and call."""
    found: dict[str, dict[str, tuple[str, str]]] = {kind: {} for kind in KINDS}
    for match in _COMMENT.finditer(macros_sql()):
        lines = match["text"].replace("''", "'").splitlines()
        topics = dict(line.split(": ", 1) for line in lines if ": " in line)
        found["Tables" if match["table"] else "Values"][match["name"]] = topics["title"], topics["call"]
    return found
