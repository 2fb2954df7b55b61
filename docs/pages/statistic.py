"""The page of a statistical test or interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.meanings import explanation
from duckmetrics.statistics.inputs import called_columns
from pages.definition_parts import choices, displayed, families_of, readings, sources_section, sql_section
from pages.markdown import facts, fenced, front, names_as_code, paragraphs, sentence, table, tabs
from pages.statistic_calls import statistic_calls

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.meanings import MetricMeaning
    from pages.computed import Numbers

_FROM_EVALUATE = ["system", "metric", "query_id", "value"]


def path(definition: Definition) -> str:
    return f"statistics/{definition.name}"


def page(definition: Definition, numbers: Numbers) -> str:
    """Write the page of a statistic from its header and its numbers."""
    words = explanation(definition)
    file = f"sql/statistics/{definition.name}.sql"
    lines = [
        *front(f"{definition.title} (`{definition.name}`)", words.meaning),
        *paragraphs(words.meaning),
        *displayed(words),
        *facts(_facts(definition, words)),
        *_compute(definition, numbers),
        *_parameters(definition),
        *sql_section("Definition in SQL", f"`{file}` is the definition.", definition),
        *_sources(definition, words),
    ]
    return "\n".join(lines)


def _facts(definition: Definition, words: MetricMeaning) -> dict[str, str]:
    header, columns = definition.header, called_columns(definition)
    needed = names_as_code(column for column in columns if not column.startswith("["))
    optional = names_as_code(column.strip("[]") for column in columns if column.startswith("["))
    return {
        "Use it": sentence(words.use),
        "Beware": sentence(words.beware),
        "Read it": readings(words).replace("<", "&lt;"),
        "It reads": f"a table with {needed}" + (f"; optional: {optional}" if optional else ""),
        "Result": sentence(header["grain"]),
        "Warning": sentence(header.get("warning", "")),
        "Note": sentence(header.get("note", "")),
    }


def _compute(definition: Definition, numbers: Numbers) -> list[str]:
    """Show the calls on the sample data, with their output."""
    read = [column.strip("[]") for column in called_columns(definition)]
    where = (
        "The table has a value for each query, as `duckmetrics evaluate --per-query FILE` writes it."
        if read == _FROM_EVALUATE
        else "The table may be a file, a table of a database, a frame or SQL."
    )
    text = f"{where} In the DuckDB shell, `FROM duckmetrics_help('{definition.name}')` shows the call."
    return [
        *paragraphs("## Compute it", text),
        *tabs(statistic_calls(definition)),
        *fenced("text", numbers["printed"].rstrip()),
        "",
    ]


def _parameters(definition: Definition) -> list[str]:
    rows = [(choice.write, choice.meaning) for choice in choices(definition, definition.own_params.values())]
    return [*paragraphs("## Parameters"), *table(("write", "meaning"), rows)] if rows else []


def _sources(definition: Definition, words: MetricMeaning) -> list[str]:
    header = definition.header
    related = ", ".join(f"[{name}]({_page_of(name)})" for name in words.related)
    return sources_section(header["formula"], header["source"], f"`{header['oracle']}`", related)


def _page_of(name: str) -> str:
    """Return the relative path of the page of a statistic or metric."""
    if name in catalog().statistics:
        return f"{name}.md"
    return f"../metrics/{families_of(name)[0]}/{name}.md"
