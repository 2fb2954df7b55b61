"""The page of a metric or table."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.catalog.explanation import explanation
from duckmetrics.catalog.header import body
from duckmetrics.catalog.meanings import meanings
from duckmetrics.catalog.parameters import written
from duckmetrics.dialects import DIALECTS
from duckmetrics.dialects.portable import reason_against
from duckmetrics.presets.presets import preset, tools_with
from pages.calls import arguments, calls, spec, usual
from pages.computed import ROOT
from pages.markdown import facts, fenced, front, sentence, table, tabs, with_links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.definition import Definition, Param
    from duckmetrics.catalog.explanation import Explanation, Step

OURS = "duckmetrics"
VISIBLE = 5e-5
TITLES = {"ranking": "rankings", "classification": "rows with a label"}
SAMPLES = {"ranking": "the shop's model `candidate`", "classification": "the shop's impressions"}


def path(definition: Definition) -> str:
    """Return the name of the page, without its ending."""
    return f"metrics/{definition.family}/{definition.name}"


def page(definition: Definition, numbers: dict[str, Any]) -> str:
    """Write the page of a metric from its header and its numbers."""
    words = explanation(definition)
    lines = [
        *front(f"{definition.title} (`{definition.name}`)", f"{definition.title}. {words.meaning}"),
        words.meaning,
        "",
        *_formula(definition, words),
        *facts(_facts(definition, words)),
        "## Compute it",
        "",
        *tabs(calls(definition)),
        *fenced("text", numbers["printed"].rstrip()),
        "",
        *_worked(definition, words, numbers),
        *_own(definition, numbers),
        *_conventions(definition),
        *_tools(definition, numbers),
        *_sql(definition),
        *_sources(definition, words),
    ]
    return "\n".join(lines)


def _formula(definition: Definition, words: Explanation) -> list[str]:
    """Show the formula; its symbols stand below it."""
    if not words.tex:
        return [f"**Formula.** {cell_of_formula(definition)}", ""]
    symbols = "; ".join(f"${symbol}$: {meaning}" for symbol, meaning in words.symbols.items())
    return ["$$", words.tex, "$$", "", *(["```{div} symbols", f"{symbols}.", "```", ""] if symbols else [])]


def cell_of_formula(definition: Definition) -> str:
    return (
        definition.header["formula"]
        .replace("*", "\\*")
        .replace("_", "\\_")
        .replace("|", "\\|")
        .replace("<", "&lt;")
    )


def _facts(definition: Definition, words: Explanation) -> dict[str, str]:
    names = [alias for alias, _ in definition.aliases()]
    also = f"; also as {', '.join(f'`{name}`' for name in names)}" if names else ""
    reading = " ".join(f"**{value}**: {meaning}." for value, meaning in words.reading.items())
    return {
        "Write it": f"`{usual(definition)}`{also}",
        "Read it": f"{sentence(_range(definition))} {reading}" if "range" in definition.header else reading,
        "Use it": sentence(words.use),
        "Beware": sentence(words.beware),
        "It needs": _needs(definition),
        "No value": sentence(definition.header["undefined"]) if "undefined" in definition.header else "",
        "Interval": _interval(definition),
        "Runs on": _engines(definition),
        "Note": sentence(definition.header["note"]) if "note" in definition.header else "",
    }


def _range(definition: Definition) -> str:
    bounds, _, better = definition.header["range"].rpartition(", ")
    low, high = bounds.strip("[]()").split(", ")
    return f"{low} to {high}; {better}".replace("inf", "infinity")


def _needs(definition: Definition) -> str:
    if definition.family == RANKING:
        return "predictions (`query_id`, `item_id`, `score` or `rank`) and truth (`query_id`, `item_id`, `relevance`)"
    read = definition.inputs["predictions"]
    columns = [name for name in ("label", "score", "group_id") if name in read]
    return (
        f"one table ({', '.join(f'`{name}`' for name in columns)}); a column `weight` counts if there is one"
    )


def _interval(definition: Definition) -> str:
    if definition.is_table:
        return ""
    kind, _, why = definition.header.get("interval", "").partition(", ")
    if kind == "none":
        return f"none: {why}" if why else "none"
    if definition.header.get("influence") == "none":
        return "only by bootstrap" if definition.family != RANKING else "none"
    named = {"logit": "on the logit scale", "proportion": "Wilson's, for proportions"}
    where = "over queries" if definition.family == RANKING else "over clusters or rows"
    return f"`--interval 0.95`: {named.get(kind, 'symmetric')}, {where}"


def _engines(definition: Definition) -> str:
    tested, text = [], []
    for dialect in (d for d in DIALECTS.values() if d.name != DIALECT):
        if reason_against(catalog(), definition) is None:
            (tested if "executed" in dialect.tested else text).append(dialect.engine)
    if not tested:
        return f"DuckDB only: {reason_against(catalog(), definition)}"
    return f"DuckDB, {', '.join(tested)}. As SQL text that no test runs: {', '.join(text)}."


def _worked(definition: Definition, words: Explanation, numbers: dict[str, Any]) -> list[str]:
    """Show the example by hand, next to the rows that it is about."""
    if definition.is_table:
        return []
    asked = spec(definition, arguments(definition, sample=True))
    if not words.worked:
        value = f"{numbers['sample']:.6f}".rstrip("0")
        return ["## Example", "", f"`{asked}` of the sample below is **{value}**. {sentence(words.not_worked)}", "",
                *sample_rows(definition), ""]  # fmt: skip
    lines = ["## Worked example", "", f"`{asked}`, by hand:", "", *sample_rows(definition)]
    for step in words.worked:
        lines += _step(step)
    mean = f"{numbers['sample']:.4f}"
    if definition.family == RANKING:
        lines += [f"The value of the system is the mean over the queries: **{mean}**.", ""]
    return [*lines, "A test computes each line, and compares it with the SQL.", ""]


def _step(step: Step) -> list[str]:
    of = f"Query {step.of}:" if step.of else "All rows:"
    return [of, "", *fenced("console", f"  {_wrapped(step.expression)}\n= {step.value}"), ""]


def _wrapped(expression: str, width: int = 76) -> str:
    """Break a long sum before its plus signs."""
    lines, line = [], ""
    for part in re.split(r" (?=\+ )", expression):
        if line and len(line) + len(part) > width:
            lines.append(line)
            line = part
        else:
            line = f"{line} {part}".strip()
    return "\n  ".join([*lines, line])


@cache
def _sample(family: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute((ROOT / f"tests/data/{family}/sample.sql").read_text("utf-8"))
    return connection


def sample_rows(definition: Definition) -> list[str]:
    """Return the rows of the sample as a table."""
    connection = _sample(definition.family)
    if definition.family == RANKING:
        rows = connection.execute(
            "SELECT query_id, row_number() OVER (PARTITION BY query_id ORDER BY score DESC), item_id, relevance"
            " FROM predictions LEFT JOIN truth USING (query_id, item_id) ORDER BY ALL"
        ).fetchall()
        missed = connection.execute(
            "SELECT query_id, '', item_id, relevance FROM truth ANTI JOIN predictions USING (query_id, item_id)"
        ).fetchall()
        cells = [
            (query, rank or "not returned", item, "not judged" if grade is None else f"{float(grade):g}")
            for query, rank, item, grade in sorted([*rows, *missed], key=lambda row: (row[0], row[1] or 99))
        ]
        return table(("query", "rank", "item", "grade"), cells, right="rank grade")
    rows = connection.execute(
        "SELECT group_id, string_agg(format('{:.2f}', score), ', ' ORDER BY score DESC) FILTER (WHERE label = 1),"
        " string_agg(format('{:.2f}', score), ', ' ORDER BY score DESC) FILTER (WHERE label = 0)"
        " FROM predictions GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    cells = [(group, ones or "none", zeros or "none") for group, ones, zeros in rows]
    return table(("user", "scores of rows with label 1", "scores of rows with label 0"), cells)


def _own(definition: Definition, numbers: dict[str, Any]) -> list[str]:
    """Show the parameters of the metric itself, each choice with the value of the example."""
    if not definition.own_params:
        return []
    has_example = "choices" in numbers
    rows = [row for param in definition.own_params.values() for row in _choices(definition, param, numbers)]
    head = ("write", "meaning", "example") if has_example else ("write", "meaning")
    text = "Write parameters in parentheses after the name."
    if has_example:
        text += " The last column is the value of the worked example with this choice."
    return ["## Parameters", "", text, "", *table(head, (row[: len(head)] for row in rows), right="example")]


def _choices(definition: Definition, param: Param, numbers: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    said = meanings(catalog(), definition, param)
    if not param.choices:
        usual_ = (
            " (required)"
            if param.required
            else f" (default {written(param.default)})"
            if param.default
            else ""
        )
        yield f"`{param.name}=…`" if param.name != "k" else "`@k`", f"{said.get('', '')}{usual_}", ""
    for choice in param.choices:
        value = numbers.get("choices", {}).get(f"{param.name}={choice}")
        mark = " (default)" if choice == param.default else ""
        yield (
            f"`{param.name}={choice}`",
            f"{said[str(choice)]}{mark}",
            "" if value is None else f"{value:.4f}",
        )


def _conventions(definition: Definition) -> list[str]:
    """Show the switches that the metric shares with others: the default, the other choices, and who sets them."""
    shared = {n: p for n, p in catalog().params(definition).items() if n not in definition.own_params}
    if not shared:
        return []
    rows = []
    for name, param in shared.items():
        said = meanings(catalog(), definition, param)
        for choice in param.choices or ("",):
            tools = (
                ", ".join(tools_with(definition.family, definition.name, name, choice))
                if choice != ""
                else ""
            )
            mark = " (default)" if choice == param.default else ""
            rows.append(
                (f"`{name}={choice if choice != '' else '…'}`", f"{said.get(str(choice), '')}{mark}", tools)
            )
    return [
        "## Conventions", "",
        "These switches decide cases that libraries treat differently. Every result names those that it used.", "",
        ":::{dropdown} All switches, and the tools whose preset sets them", "",
        *table(("write", "meaning", "presets"), rows)[:-1], ":::", "",
    ]  # fmt: skip


def _tools(definition: Definition, numbers: dict[str, Any]) -> list[str]:
    """Show the value under the conventions of every tool, as bars and as a table."""
    rows = [row for row in numbers.get("tools", []) if row["value"] is not None]
    if len(rows) < 2:
        return []
    values = [row["value"] for row in rows]
    tools = len({row["like"] for row in rows}) - 1
    low, high = min(values), max(values)
    if high - low < VISIBLE:
        text = f"All {tools} tools that have this metric agree: {usual(definition)} is **{low:.4f}**."
    else:
        text = (
            f"The same predictions, the conventions of {tools} tools: {usual(definition)} is **{low:.4f}** to "
            f"**{high:.4f}**."
        )
    lines = ["## The same name in other tools", "", f"{text} The data are {SAMPLES[definition.family]}.", ""]
    if high - low >= VISIBLE:
        lines += ["```{raw} html", bars(rows), "```", ""]
    lines += [":::{dropdown} Which setting makes the difference", "", *_settings(rows),
              "The number after a setting is the change that this setting makes alone. Settings interact, so the "
              "changes need not add up.", ":::", "", *_refused(numbers["tools"])]  # fmt: skip
    name = next((row["like"] for row in rows if row["like"] != OURS), None)
    return [
        *lines,
        f'To use a tool\'s conventions, add `like="{name}"` in Python, `--like {name}` on the command line.',
        "",
    ]


def bars(rows: list[dict[str, Any]]) -> str:
    """Return a bar chart in plain HTML; it takes the colors of the theme and folds on a phone."""
    rows = [row for row in rows if row["value"] is not None]
    top = max(row["value"] for row in rows) or 1
    lines = ['<div class="bars" role="list" aria-label="value under the conventions of each tool">']
    for value, found in _grouped(rows):
        ours = " ours" if any(row["like"] == OURS for row in found) else ""
        label = ", ".join(html.escape(_title(row["like"])) for row in found)
        lines.append(
            f'<div role="listitem" class="bar{ours}"><span class="who">{label}</span>'
            f'<span class="track" aria-hidden="true"><span style="width:{100 * value / top:.1f}%"></span></span>'
            f'<span class="num">{value:.4f}</span></div>'
        )
    return "\n".join([*lines, "</div>"])


def _grouped(rows: list[dict[str, Any]]) -> list[tuple[float, list[dict[str, Any]]]]:
    """Return the tools with the same value together, the highest value first."""
    groups: dict[float, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[round(row["value"], 7)].append(row)
    return sorted(groups.items(), key=lambda group: -group[0])


def _title(like: str) -> str:
    return like if like == OURS else preset(like).title


def _settings(rows: list[dict[str, Any]]) -> list[str]:
    cells = []
    for value, found in _grouped(rows):
        for row in found:
            if row["like"] == OURS:
                cells.append((f"**{OURS}**", f"`{row['name']}`", f"**{value:.4f}**", "the defaults"))
                continue
            why = ", ".join(
                f"`{setting}` {effect:+.4f}".replace("-", "−")
                for setting, effect in row["effects"].items() if abs(effect) >= VISIBLE
            )  # fmt: skip
            tool = (
                f"[{preset(row['like']).title} {preset(row['like']).version}](../../presets/{row['like']}.md)"
            )
            cells.append((tool, f"`{row['name']}`", f"{value:.4f}", why))
    return table(("tool", "its name", "value", "settings that make a difference"), cells, right="value")


def _refused(rows: list[dict[str, Any]]) -> list[str]:
    """Say which tools have the metric in a way that has no number here."""
    reasons = [
        f"- [{_title(row['like'])}](../../presets/{row['like']}.md): {row['reason']}" for row in rows
        if row["value"] is None and row["reason"]
    ]  # fmt: skip
    return ["These tools have the metric, but give no number here:", "", *reasons, ""] if reasons else []


def _sql(definition: Definition) -> list[str]:
    others = sorted(definition.tables - set(definition.inputs))
    also = (
        f" It reads {', '.join(f'`{name}`' for name in others)}, which are files of their own."
        if others
        else ""
    )
    file = f"sql/{definition.family}/{definition.name}.sql"
    return [
        "## Definition in SQL", "",
        f"`{file}` is the definition. Python, the command line, the shell and Spark all run it.{also} "
        f"`duckmetrics sql {usual(definition)!r}` prints the whole query.", "",
        "<!-- not run: it reads the tables of other files -->", *fenced("sql", body(definition.text).strip()), "",
    ]  # fmt: skip


def _sources(definition: Definition, words: Explanation) -> list[str]:
    tool, _, call = definition.header.get("oracle", "reference").partition(" ")
    second = "a second implementation in plain Python, from the formula"
    checked = (
        second
        if tool == "reference"
        else f"{tool} (`{call}`) and {second}"
        if call
        else f"{tool} and {second}"
    )
    related = ", ".join(filter(None, map(_link(definition), words.related)))
    return [
        "## Sources and checks", "",
        *([f"- Formula: {cell_of_formula(definition)}"] if words.tex else []),
        *([f"- Source: {with_links(definition.header['source'])}"] if "source" in definition.header else []),
        f"- Checked against {checked}.",
        f"- See also: {related}", "",
    ]  # fmt: skip


def _link(definition: Definition) -> Any:
    """Return a function that links the page of another metric, of the same family if both have it."""

    def link(name: str) -> str:
        known = {**catalog().metrics, **catalog().tables}
        families = [definition.family, *(family for family, other in known if other == name)]
        for family in families:
            if (family, name) in known and (family, name) != (definition.family, definition.name):
                return f"[{name}](../{family}/{name}.md)"
        return f"[{name}](../../statistics/{name}.md)" if name in catalog().statistics else ""

    return link
