"""The pages that list metrics, presets, checks and statistical tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.api.catalogue import SEVERITIES, checks, family_of, grouped
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.meanings import explanation
from duckmetrics.catalog.presets import page, presets
from pages import check
from pages.calls import usual
from pages.definition_parts import aliases
from pages.markdown import front, names_as_code, paragraphs, table, toctree
from pages.tables import ROLES, needed

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

FAMILIES = {
    "ranking": "Rankings",
    "classification": "Classifiers, CTR and ratings",
    "multiclass": "Several classes",
}
CHECKED = {
    "ranking": "Rankings",
    "classification": "Rows with a label",
    "counts": "Counts of the chi-square tests",
    "statistics": "Tables of statistical tests",
}


def first_sentence(text: str) -> str:
    return text.split(". ")[0].rstrip(".") + "."


def metrics() -> str:
    """Write the list of all metrics and tables by family."""
    description = "All metrics of duckmetrics, with formula, worked example, and the number of other tools."
    text = (
        "Each page has the meaning, the formula, an example by hand, the parameters, the conventions, "
        "and the number that other tools give for the same data. "
        "[Which metric do I need?](../howto/which-metric.md) chooses by question."
    )
    lines = [*front("Metrics", description), *paragraphs(text)]
    for family, title in FAMILIES.items():
        for (of, group), found in grouped().items():
            if of == family:
                topic = f"{title}: {group}" if group else title
                lines += _group(topic, [each for each in found if not each.is_table])
                lines += _group(f"{topic}: curves and tables", [each for each in found if each.is_table])
    return "\n".join(lines)


def _group(title: str, found: list[Definition]) -> list[str]:
    """List metrics or tables of one group below a title."""
    if not found:
        return []
    head = ("metric", "meaning", "better is", *(("needs",) if found[0].family == RANKING else ()))
    rows = table(head, map(_metric, found))
    names = (f"{each.name} <{each.family}/{each.name}>" for each in found)
    return [*paragraphs(f"## {title}"), *rows, *toctree(names, title)]


def _metric(definition: Definition) -> tuple[str, ...]:
    better = definition.header.get("range", ", ").rpartition(", ")[2].removesuffix(" is better")
    names = names_as_code(aliases(definition))
    link = f"[{definition.name}]({definition.family}/{definition.name}.md){', ' if names else ''}{names}"
    known = link, first_sentence(explanation(definition).meaning), better
    if definition.family != RANKING:
        return known
    read = needed(definition, usual(definition))
    return *known, names_as_code(name for name in ROLES if name in read)


def statistics() -> str:
    """Write the list of statistical tests and intervals."""
    found = [definition for _, definition in sorted(catalog().statistics.items())]
    rows = [(f"[{d.name}]({d.name}.md)", first_sentence(explanation(d).meaning)) for d in found]
    text = (
        "`duckmetrics compare` and `duckmetrics ab` run these tests. Each works on tables of yours as well: "
        "[Run a statistical test on your own table](../howto/statistical-tests.md) shows how."
    )
    lines = [
        *front("Statistical tests", "Tests and intervals of duckmetrics as SQL files, for any table."),
        *paragraphs(text),
        *table(("test", "meaning"), rows),
        *toctree(f"{d.name} <{d.name}>" for d in found),
    ]
    return "\n".join(lines)


def all_checks() -> str:
    """Write the list of the checks of data."""
    description = "Every check of the data that duckmetrics runs, with severity, reason and advice."
    text = (
        "`duckmetrics check` runs these checks, and `evaluate` runs those that protect a number: "
        "[Check the data before you trust a number](../howto/check-data.md) shows how to read the findings."
    )
    lines = [*front("Checks", description), *paragraphs(text)]
    for family, title in CHECKED.items():
        found = [each for each in checks() if family_of(each) == family]
        found.sort(key=lambda each: [*SEVERITIES].index(each.header["severity"]))
        rows = [(f"[{c.reported}]({_name(c)}.md)", c.header["title"], c.header["severity"]) for c in found]
        lines += [*paragraphs(f"## {title}"), *table(("check", "finds", "severity"), rows)]
        lines += toctree((f"{c.reported} <{_name(c)}>" for c in found), title)
    return "\n".join(lines)


def _name(definition: Definition) -> str:
    return check.path(definition).partition("/")[2]


def tools() -> str:
    """Write the list of the presets."""
    description = "The tools whose conventions duckmetrics can take, with their versions."
    text = (
        "A preset holds the conventions of a tool: the switches that give its number. "
        "[Get the number that another tool prints](../howto/other-tools.md) shows how to use one. "
        "Tests compare the presets with numbers that these versions of the tools printed."
    )
    rows = [
        (f"[{each.title}]({each.name}.md)", each.version, f'`like="{each.name}"`')
        for each in presets().values()
    ]
    lines = [
        *front("Tools and their conventions", description),
        *paragraphs(text),
        *table(("tool", "version", "write"), rows),
        *toctree(presets()),
    ]
    return "\n".join(lines)


def tool(name: str) -> str:
    """Write the page of a preset."""
    preset = presets()[name]
    description = f"The conventions of {preset.title} {preset.version} in duckmetrics."
    use = (
        f'Write `like="{name}"` in Python, `--like {name}` on the command line, '
        f"`like := '{name}'` in the DuckDB shell."
    )
    _, _, rest = page(preset).partition("\n")
    rest = rest.replace("\n### ", "\n## ")  # below the title of a page, not of a list of tools
    rest = rest.replace("\nBehavior that is not imitated:\n", "\n## Differences that remain\n")
    return "\n".join([*front(preset.title, description), use, rest])
