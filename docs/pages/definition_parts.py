"""The parts that the pages of metrics, tables, statistics and checks share, from their headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import body
from duckmetrics.catalog.meanings import meanings
from duckmetrics.catalog.measure import written
from pages.markdown import escaped, fenced, paragraphs, with_links

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duckmetrics.catalog.definition import Definition, Param
    from duckmetrics.catalog.meanings import MetricMeaning
    from duckmetrics.expressions.folding import Value

NO_CHOICE = ""  # the choice of a parameter that takes any value
_NOT_RUN = "<!-- not run: it reads the tables of other files -->"


@dataclass(frozen=True)
class Choice:
    """One row of a table of parameters: a choice, or a parameter that takes any value."""

    param: Param
    value: Value
    write: str
    meaning: str


def aliases(definition: Definition) -> list[str]:
    """Return the other names of a definition; one that sets parameters shows them: ``gmap (agg=gmean)``."""
    return [
        name + (f" ({', '.join(f'{key}={value}' for key, value in bound.items())})" if bound else "")
        for name, bound in definition.aliases()
    ]


def choices(definition: Definition, params: Iterable[Param]) -> Iterator[Choice]:
    """Yield the rows of a table of parameters."""
    for param in params:
        said = meanings(catalog(), definition, param)
        for value in param.choices or (NO_CHOICE,):
            meaning = said.get(str(value), "") + _mark(param, value)
            yield Choice(param, value, f"`{param.name}={_shown(value)}`", meaning)


def _shown(value: Value) -> str:
    return "…" if value == NO_CHOICE else str(value)


def _mark(param: Param, value: Value) -> str:
    """Return the note on a default or a required parameter; empty for other choices."""
    if param.choices:
        return " (default)" if value == param.default else ""
    if param.required:
        return " (required)"
    return f" (default {written(param.default)})" if param.default else ""


def displayed(words: MetricMeaning) -> list[str]:
    """Show the formula, with its symbols below it."""
    symbols = "; ".join(f"${symbol}$: {meaning}" for symbol, meaning in words.symbols.items())
    formula = ["$$", words.tex, "$$", ""] if words.tex else []
    return [*formula, *(["```{div} symbols", f"{symbols}.", "```", ""] if symbols else [])]


def readings(words: MetricMeaning) -> str:
    """Return the values of a metric or test and their meanings."""
    return " ".join(f"**{value}**: {meaning}." for value, meaning in words.reading.items())


def sql_section(title: str, text: str, definition: Definition) -> list[str]:
    """Show the query of a file below a heading and a paragraph."""
    query = fenced("sql", body(definition.text).strip())
    return [*paragraphs(f"## {title}", text), _NOT_RUN, *query, ""]


def sources_section(formula: str, source: str, checked: str, related: str) -> list[str]:
    """List the formula, its source, the second implementation and the related pages.

    Args:
        formula: the formula as text; empty if the page already shows it as text.
        source: where the formula comes from; may be empty.
        checked: the name of the second implementation, as Markdown.
        related: links to other pages.
    """
    lines = [
        f"- Formula: {escaped(formula)}" if formula else "",
        f"- Source: {with_links(source)}" if source else "",
        f"- Checked against {checked}.",
        f"- See also: {related}",
    ]
    return [*paragraphs("## Sources and checks"), *filter(None, lines), ""]


def families_of(name: str) -> list[str]:
    """Return the families that have a metric or table of this name."""
    return [family for family, known in {**catalog().metrics, **catalog().tables} if known == name]
