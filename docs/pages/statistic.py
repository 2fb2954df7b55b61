"""The page of a statistical test or interval."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.explanation import explanation
from duckmetrics.catalog.header import body
from duckmetrics.catalog.meanings import meanings
from duckmetrics.catalog.parameters import written
from duckmetrics.statistics.run import called_columns
from pages.markdown import facts, fenced, front, sentence, table, with_links

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

_EXAMPLE = re.compile(r"\w+\(VALUES (?P<rows>.*?)(?:; (?P<given>[^;]*))?\) = ")
_FROM_EVALUATE = ["system", "metric", "query_id", "value"]


def path(definition: Definition) -> str:
    return f"statistics/{definition.name}"


def page(definition: Definition) -> str:
    """Write the page of a statistic from its header."""
    words, header = explanation(definition), definition.header
    formula = (
        header["formula"].replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;").replace("|", "\\|")
    )
    symbols = "; ".join(f"${symbol}$: {meaning}" for symbol, meaning in words.symbols.items())
    reading = " ".join(
        f"**{value.replace('<', '&lt;')}**: {meaning}." for value, meaning in words.reading.items()
    )
    lines = [
        *front(f"{definition.title} (`{definition.name}`)", words.meaning), words.meaning, "",
        *(["$$", words.tex, "$$", ""] if words.tex else []),
        *(["```{div} symbols", f"{symbols}.", "```", ""] if symbols else []),
        *facts({
            "Use it": sentence(words.use),
            "Beware": sentence(words.beware),
            "Read it": reading,
            "It reads": f"a table with {', '.join(f'`{name}`' for name in called_columns(definition))}; optional "
            "columns stand in brackets",
            "Result": sentence(header["grain"]),
            "Warning": sentence(header["warning"]) if "warning" in header else "",
            "Note": sentence(header["note"]) if "note" in header else "",
        }),
        *_calls(definition), *_parameters(definition),
        "## Definition in SQL", "",
        f"`sql/statistics/{definition.name}.sql` is the definition.", "",
        "<!-- not run: it reads the tables of other files -->", *fenced("sql", body(definition.text).strip()), "",
        "## Sources and checks", "",
        f"- Formula: {formula}",
        f"- Source: {with_links(header['source'])}",
        f"- Checked against `{header['oracle']}`.",
        f"- See also: {', '.join(f'[{name}]({_page_of(name)})' for name in words.related)}", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _page_of(name: str) -> str:
    if name in catalog().statistics:
        return f"{name}.md"
    family = next(family for family, other in {**catalog().metrics, **catalog().tables} if other == name)
    return f"../metrics/{family}/{name}.md"


def _calls(definition: Definition) -> list[str]:
    """Show the example of the header, as a call in Python."""
    match = _EXAMPLE.match(definition.header["example"])
    if match is None:
        return []
    read = [name.strip("[]") for name in called_columns(definition)]
    rows = re.sub(r"\), \(", "),\n        (", match["rows"])
    given = "".join(
        f", {pair.replace(' := ', '=')}" for pair in filter(None, (match["given"] or "").split(", "))
    )
    given = re.sub(r"'([^']*)'", r'"\1"', given)
    width = rows.split("),")[0].count(",") + 1
    code = (
        f'import duckmetrics\n\nrows = """\n    SELECT * FROM (VALUES\n        {rows}\n'
        f'    ) AS _({", ".join(read[:width])})\n"""\nprint(duckmetrics.run_test("{definition.name}", rows{given}))\n'
    )
    where = (
        "The table may be any table with these columns, such as the values per query that `duckmetrics evaluate "
        "--per-query FILE` writes."
        if read == _FROM_EVALUATE else "The table may be a file, a table, a frame or SQL."
    )  # fmt: skip
    return ["## Compute it", "", f"{where} On the command line, write `duckmetrics test {definition.name} TABLE`; in "
            f"the DuckDB shell, `FROM {definition.name}(…)`.", "", *fenced("python", code), ""]  # fmt: skip


def _parameters(definition: Definition) -> list[str]:
    rows = []
    for param in definition.own_params.values():
        said = meanings(catalog(), definition, param)
        for choice in param.choices or ("",):
            required = (
                " (required)"
                if param.required
                else f" (default {written(param.default)})"
                if param.default
                else ""
            )
            mark = required if not param.choices else " (default)" if choice == param.default else ""
            name = f"`{param.name}={choice}`" if choice != "" else f"`{param.name}=…`"
            rows.append((name, f"{said.get(str(choice), '')}{mark}"))
    return ["## Parameters", "", *table(("write", "meaning"), rows)] if rows else []
