"""The page of a statistical test or interval."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.explanation import explanation
from duckmetrics.statistics.inputs import called_columns
from pages.definition_parts import choices, displayed, families_of, readings, sources_section, sql_section
from pages.markdown import facts, fenced, front, names_as_code, paragraphs, sentence, table

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.explanation import Explanation

_EXAMPLE = re.compile(r"\w+\(VALUES (?P<rows>.*?)(?:; (?P<given>[^;]*))?\) = ")
_FROM_EVALUATE = ["system", "metric", "query_id", "value"]
_CALL = '''\
import duckmetrics

rows = """
    SELECT * FROM (VALUES
        {rows}
    ) AS _({columns})
"""
print(duckmetrics.run_test("{name}", rows{given}))
'''


def path(definition: Definition) -> str:
    return f"statistics/{definition.name}"


def page(definition: Definition) -> str:
    """Write the page of a statistic from its header."""
    words = explanation(definition)
    file = f"sql/statistics/{definition.name}.sql"
    lines = [
        *front(f"{definition.title} (`{definition.name}`)", words.meaning),
        *paragraphs(words.meaning),
        *displayed(words),
        *facts(_facts(definition, words)),
        *_compute(definition),
        *_parameters(definition),
        *sql_section("Definition in SQL", f"`{file}` is the definition.", definition),
        *_sources(definition, words),
    ]
    return "\n".join(lines)


def _facts(definition: Definition, words: Explanation) -> dict[str, str]:
    header, columns = definition.header, names_as_code(called_columns(definition))
    return {
        "Use it": sentence(words.use),
        "Beware": sentence(words.beware),
        "Read it": readings(words).replace("<", "&lt;"),
        "It reads": f"a table with {columns}; optional columns stand in brackets",
        "Result": sentence(header["grain"]),
        "Warning": sentence(header.get("warning", "")),
        "Note": sentence(header.get("note", "")),
    }


def _compute(definition: Definition) -> list[str]:
    """Show the example of the header, as a call in Python."""
    example = _EXAMPLE.match(definition.header["example"])
    if example is None:
        return []
    name, read = definition.name, [column.strip("[]") for column in called_columns(definition)]
    where = (
        "The table may be any table with these columns, such as the values per query that "
        "`duckmetrics evaluate --per-query FILE` writes."
        if read == _FROM_EVALUATE
        else "The table may be a file, a table, a frame or SQL."
    )
    text = (
        f"{where} On the command line, write `duckmetrics test {name} TABLE`; "
        f"in the DuckDB shell, `FROM {name}(…)`."
    )
    code = _call(name, read, example["rows"], example["given"] or "")
    return [*paragraphs("## Compute it", text), *fenced("python", code), ""]


def _call(name: str, columns: list[str], rows: str, given: str) -> str:
    """Write the example of a header, with its rows and parameters in SQL, in Python."""
    width = rows.split("),")[0].count(",") + 1
    lines = rows.replace("), (", "),\n        (")
    pairs = [pair.replace(" := ", "=") for pair in filter(None, given.split(", "))]
    keywords = re.sub(r"'([^']*)'", r'"\1"', "".join(f", {pair}" for pair in pairs))
    return _CALL.format(rows=lines, columns=", ".join(columns[:width]), name=name, given=keywords)


def _parameters(definition: Definition) -> list[str]:
    rows = [(choice.write, choice.meaning) for choice in choices(definition, definition.own_params.values())]
    return [*paragraphs("## Parameters"), *table(("write", "meaning"), rows)] if rows else []


def _sources(definition: Definition, words: Explanation) -> list[str]:
    header = definition.header
    related = ", ".join(f"[{name}]({_page_of(name)})" for name in words.related)
    return sources_section(header["formula"], header["source"], f"`{header['oracle']}`", related)


def _page_of(name: str) -> str:
    """Return the relative path of the page of a statistic or metric."""
    if name in catalog().statistics:
        return f"{name}.md"
    return f"../metrics/{families_of(name)[0]}/{name}.md"
