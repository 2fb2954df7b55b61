"""Pieces of MyST Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DOORS = {
    "Python": ("python", "python"),
    "Command line": ("cli", "bash"),
    "DuckDB shell": ("shell", "sql"),
    "SQL": ("sql", "bash"),
}


def front(title: str, description: str) -> list[str]:
    """Return the front matter, with the description that search engines show, and the title."""
    words = description.replace('"', "'")
    return ["---", "myst:", "  html_meta:", f'    description: "{words}"', "---", "", f"# {title}", ""]


def paragraphs(*texts: str) -> list[str]:
    """Return headings and paragraphs, each with an empty line after it."""
    return [line for text in texts for line in (text, "")]


def fenced(language: str, text: str) -> list[str]:
    return [f"```{language}", text.rstrip("\n"), "```"]


def tabs(codes: dict[str, str]) -> list[str]:
    """Return one tab for each door, with its code."""
    lines = ["::::{tab-set}", ":sync-group: door", ""]
    for door, code in codes.items():
        sync, language = DOORS[door]
        lines += [f":::{{tab-item}} {door}", f":sync: {sync}", "", *fenced(language, code), ":::", ""]
    return [*lines[:-1], "::::", ""]


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> list[str]:
    """Return a table.

    Args:
        head: the names of the columns.
        rows: the cells.
        right: the names of the columns that are aligned to the right, separated by blanks.
    """
    aligned = ["--:" if name and name in right.split() else ":--" for name in head]
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(aligned) + "|"]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return [*lines, ""]


def dropdown(title: str, lines: Iterable[str]) -> list[str]:
    """Return lines that a reader opens by their title."""
    return [*paragraphs(f":::{{dropdown}} {title}"), *lines, ":::", ""]


def raw_html(text: str) -> list[str]:
    return ["```{raw} html", text, "```", ""]


def cell(value: object) -> str:
    """Return a value as the text of a cell."""
    return " ".join(str(value).split()).replace("|", "\\|")


def facts(entries: dict[str, str]) -> list[str]:
    """Return a list of names and texts; entries without a text are left out."""
    lines = ["```{list-table}", ":class: facts", ":stub-columns: 1", ""]
    lines += [f"* - {name}\n  - {cell(text)}" for name, text in entries.items() if text]
    return [*lines, "```", ""]


def sentence(text: str) -> str:
    """Return a phrase as a sentence; a name at its start becomes code and keeps its case."""
    if not text:
        return ""
    first, space, rest = text.partition(" ")
    start = f"`{first}`{space}{rest}" if "_" in first or "=" in first else f"{text[0].upper()}{text[1:]}"
    return start + ("" if text.endswith((".", "?")) else ".")


def escaped(text: str) -> str:
    """Escape what Markdown would read as markup in a formula."""
    return re.sub(r"([*_|])", r"\\\1", text).replace("<", "&lt;")


def names_as_code(names: Iterable[str]) -> str:
    """Return names as code, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def with_links(text: str) -> str:
    """Turn DOIs into links."""
    return re.sub(r"doi:([^\s;,]+[^\s;,.])", r"[doi:\1](https://doi.org/\1)", text)


def toctree(names: Iterable[str], caption: str = "") -> list[str]:
    """Return a hidden table of contents."""
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    return [*lines, *names, "```", ""]
