"""The page of a metric or table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import DIALECT, MULTICLASS, RANKING
from duckmetrics.catalog.meanings import explanation
from duckmetrics.catalog.presets import tools_with
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.portable import reason_against
from pages.calls import calls, has_macro, qualified, sql_call, usual
from pages.definition_parts import (
    NO_CHOICE,
    aliases,
    choices,
    displayed,
    families_of,
    readings,
    sources_section,
    sql_section,
)
from pages.example import example_section
from pages.markdown import (
    dropdown,
    escaped,
    facts,
    fenced,
    front,
    names_as_code,
    paragraphs,
    sentence,
    table,
    tabs,
)
from pages.tables import ROLES, columns_of, needed
from pages.tool_values import tools_section

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.meanings import MetricMeaning
    from pages.computed import Numbers
    from pages.definition_parts import Choice

_INTERVALS = {"logit": "on the logit scale", "proportion": "Wilson's, for proportions"}


def path(definition: Definition) -> str:
    """Return the name of the page, without its ending."""
    return f"metrics/{definition.family}/{definition.name}"


def page(definition: Definition, numbers: Numbers) -> str:
    """Write the page of a metric from its header and its numbers."""
    words = explanation(definition)
    # The search ranks titles first, so that a title has all names that people use.
    is_of_classes = definition.family == MULTICLASS
    name = f"{MULTICLASS}.{definition.name}" if is_of_classes else definition.name
    names = names_as_code([name, *(alias for alias, bound in definition.aliases() if not bound)])
    lines = [
        *front(f"{definition.title} ({names})", f"{definition.title}. {words.meaning}"),
        *paragraphs(words.meaning),
        *_formula(definition, words),
        *facts(_facts(definition, words, numbers)),
        *_compute(definition, numbers),
        *example_section(definition, words, numbers),
        *_own(definition, numbers),
        *_conventions(definition),
        *tools_section(definition, numbers),
        *_sql(definition),
        *_sources(definition, words),
    ]
    return "\n".join(lines)


def _formula(definition: Definition, words: MetricMeaning) -> list[str]:
    """Show the formula as TeX; as text if there is no TeX."""
    if words.tex:
        return displayed(words)
    return paragraphs(f"**Formula.** {escaped(definition.header['formula'])}")


def _facts(definition: Definition, words: MetricMeaning, numbers: Numbers) -> dict[str, str]:
    header = definition.header
    names = names_as_code(aliases(definition))
    also = f"; also as {names}" if names else ""
    bounds = f"{sentence(_range(definition))} " if "range" in header else ""
    return {
        "Write it": f"`{usual(definition)}`{also}",
        "Read it": f"{bounds}{readings(words)}",
        "Use it": sentence(words.use),
        "Beware": sentence(words.beware),
        "It needs": _needs(definition),
        "No value": sentence(header.get("undefined", "")),
        "Interval": _interval(definition, numbers),
        "Runs on": _engines(definition),
        "Note": sentence(header.get("note", "")),
    }


def _range(definition: Definition) -> str:
    bounds, _, better = definition.header["range"].rpartition(", ")
    low, high = bounds.strip("[]()").split(", ")
    return f"{low} to {high}; {better}".replace("inf", "infinity")


def _needs(definition: Definition) -> str:
    if definition.family == RANKING:
        tables = ["predictions", *sorted(needed(definition, usual(definition)), key=ROLES.index)]
        *others, last = [f"{table} ({_columns(definition, table)})" for table in tables]
        return f"{', '.join(others)} and {last}" if others else last
    if definition.family == MULTICLASS:
        classes = "the score of each class, [in columns, a list, a map, a struct or rows]"
        return (
            f"one table (`label`, the right class; {classes}(../../howto/multiclass.md)); optional: `weight`"
        )
    read = definition.inputs["predictions"]
    columns = names_as_code(name for name in ("label", "score", "group_id") if name in read)
    return f"one table ({columns}); optional: `weight`"


def _columns(definition: Definition, table: str) -> str:
    """Name the columns of a table of rankings, and what can stand in for them."""
    columns = names_as_code(columns_of(definition, table))
    if table in ("predictions", "reference"):
        return f"{columns} or `rank`"
    is_list_of_items = table == "items" and "items" in definition.inputs
    return f"{columns}; by default the items of the history" if is_list_of_items else columns


def _interval(definition: Definition, numbers: Numbers) -> str:
    if definition.is_table:
        return ""
    kind, estimates = definition.header.get("interval", ""), definition.header.get("influence") != "none"
    reason = numbers["no_interval"]
    if reason and (kind.startswith("none") or not estimates or definition.family == RANKING):
        return f"none: {reason}"
    more = "see [intervals](../../howto/intervals.md)"
    if reason:
        return f"only with `--interval-method bootstrap`; {more}"
    where = "the units are queries" if definition.family == RANKING else "the units are clusters or rows"
    if definition.is_of_systems:
        where = "the units are lists"
    return f"`--interval 0.95`: {_INTERVALS.get(kind, 'symmetric')}, {where}; {more}"


def _only_duckdb(definition: Definition) -> str | None:
    """Return why no other engine runs the metric; None if one does."""
    if definition.family == MULTICLASS:
        return "no other engine reads the scores of several classes"
    return reason_against(catalog(), definition)


def _engines(definition: Definition) -> str:
    """Name the engines that run the metric; tests run some of them."""
    reason = _only_duckdb(definition)
    if reason is not None:
        return f"DuckDB only: {reason}"
    others = [dialect for dialect in DIALECTS.values() if dialect.name != DIALECT]
    tested = [dialect.engine for dialect in others if "executed" in dialect.tested]
    text = [dialect.engine for dialect in others if "executed" not in dialect.tested]
    return f"DuckDB, {', '.join(tested)}. As SQL that no test runs: {', '.join(text)}."


def _compute(definition: Definition, numbers: Numbers) -> list[str]:
    """Show the call at every door, and its output."""
    output = fenced("text", numbers["printed"].rstrip())
    codes = {**calls(definition), "SQL": sql_call(definition)}
    return [*paragraphs("## Compute it"), *tabs(codes), *output, ""]


def _own(definition: Definition, numbers: Numbers) -> list[str]:
    """Show the parameters of the metric itself, each choice with the value of the example."""
    if not definition.own_params:
        return []
    rows: list[tuple[str, ...]] = []
    values = numbers.get("choices")
    for choice in choices(definition, definition.own_params.values()):
        write = "`@k`" if choice.param.name == "k" else choice.write
        rows.append((write, choice.meaning, _example(choice, values or {})))
    head, text = ("write", "meaning"), "Write parameters in parentheses after the name."
    if not values:
        return [*paragraphs("## Parameters", text), *table(head, [row[:2] for row in rows])]
    text += " The last column is the value of the worked example with this choice."
    return [*paragraphs("## Parameters", text), *table((*head, "example"), rows, right="example")]


def _example(choice: Choice, values: dict[str, float | None]) -> str:
    """Return the value of the worked example with a choice."""
    value = values.get(f"{choice.param.name}={choice.value}")
    return "" if value is None else f"{value:.6g}"


def _conventions(definition: Definition) -> list[str]:
    """Show the switches that the metric shares with others, and the tools that set them."""
    params = catalog().params(definition)
    shared = [param for name, param in params.items() if name not in definition.own_params]
    rows = [
        (choice.write, choice.meaning, ", ".join(_tools(definition, choice)))
        for choice in choices(definition, shared)
    ]
    text = (
        "These switches decide cases that libraries treat differently. Every result names those that it used."
    )
    switches = table(("write", "meaning", "presets"), rows)[:-1]
    lines = dropdown("All switches, and the tools whose preset sets them", switches)
    return [*paragraphs("## Conventions", text), *lines] if shared else []


def _tools(definition: Definition, choice: Choice) -> list[str]:
    """Return the presets that set a choice."""
    if choice.value == NO_CHOICE:
        return []
    return tools_with(definition.family, definition.name, choice.param.name, choice.value)


def _sql(definition: Definition) -> list[str]:
    file = f"sql/{definition.family}/{definition.name}.sql"
    others = names_as_code(sorted(definition.tables - set(definition.inputs)))
    also = f" It reads the steps {others}, which are other files under `sql/`." if others else ""
    doors = ["Python", "the command line"]
    doors += ["the shell"] if has_macro(definition) else []
    doors += ["Spark"] if _only_duckdb(definition) is None else []
    runners = f"{', '.join(doors[:-1])} and {doors[-1]} {'all' if len(doors) > 2 else 'both'}"
    text = (
        f"`{file}` is the definition. {runners} run it.{also} "
        f"`duckmetrics sql {qualified(definition)!r}` prints the whole query."
    )
    return sql_section("Definition in SQL", text, definition)


def _sources(definition: Definition, words: MetricMeaning) -> list[str]:
    header = definition.header
    formula = header["formula"] if words.tex else ""
    links = [*(_link(definition, name) for name in words.related), *_namesakes(definition)]
    related = ", ".join(filter(None, links))
    return sources_section(formula, header.get("source", ""), _oracle(definition), related)


def _oracle(definition: Definition) -> str:
    """Name the implementations that the tests compare with."""
    tool, _, call = definition.header.get("oracle", "reference").partition(" ")
    second = "a second implementation in plain Python, from the formula"
    if tool == "reference":
        return second
    return f"{tool} (`{call}`) and {second}" if call else f"{tool} and {second}"


def _link(definition: Definition, name: str) -> str:
    """Link the page of another metric, of the same family if it has the name, or of a statistic."""
    families = sorted(families_of(name), key=lambda family: family != definition.family)
    if families:
        return f"[{name}](../{families[0]}/{name}.md)"
    return f"[{name}](../../statistics/{name}.md)" if name in catalog().statistics else ""


def _namesakes(definition: Definition) -> list[str]:
    """Link the metrics of the same name in other families."""
    name = definition.name
    others = [family for family in families_of(name) if family != definition.family]
    return [f"[{family}.{name}](../{family}/{name}.md)" for family in others]
