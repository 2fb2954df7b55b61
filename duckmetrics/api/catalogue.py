"""The public functions that explain metrics, statistics and checks; every word comes from their files."""

from __future__ import annotations

from itertools import groupby
from textwrap import fill
from typing import TYPE_CHECKING

from duckmetrics.catalog.catalog import catalog, known_everywhere
from duckmetrics.catalog.definition import CLASSIFICATION, METRIC_FAMILIES, MULTICLASS, body
from duckmetrics.catalog.meanings import meanings
from duckmetrics.catalog.measure import written
from duckmetrics.catalog.names import of_tools
from duckmetrics.catalog.presets import tools_with
from duckmetrics.catalog.spec_paths import SUFFIX
from duckmetrics.catalog.spec_text import SPEC, read_specs
from duckmetrics.errors import UnknownNameError, suggestion
from duckmetrics.results.findings import ERROR, NOTE, WARNING
from duckmetrics.results.tabular import readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from duckmetrics.catalog.definition import Definition, Param

WIDTH = 100
TOPICS = (
    "meaning", "use", "beware", "reading", "alias", "formula", "range", "undefined", "note", "warning",
    "source",
)  # fmt: skip
SEVERITIES = {
    ERROR: "the data cannot be evaluated as they are",
    WARNING: "a number can be wrong or misleading",
    NOTE: "helps to read the numbers",
}
# The functions that run the checks of a folder.
RUN_BY = {
    "checks": "evaluate, compare and check",
    "inspections": "check; by evaluate and compare only to explain what another check found",
}
TESTS = "test"
# The input of a family whose headers do not say how a call names it.
NEEDS = {
    MULTICLASS: "a score for each class; name them with classes= in Python, --classes on the command line"
}


def metrics() -> pa.Table:
    """Return the catalogue: one row per metric with family, group, aliases, parameters, range and source.

    A table, such as a curve, has no range. Metrics of classifiers have no group.

    Example:
        names = duckmetrics.metrics()["name"].to_pylist()
        "ndcg" in names  # True
    """
    import pyarrow as pa

    return readable(pa.Table.from_pylist([
        {
            "family": metric.family,
            "name": metric.name,
            "aliases": [alias for alias, _ in metric.aliases()],
            "title": metric.title,
            "group": metric.group or None,
            "params": list(catalog().params(metric)),
            "range": metric.header.get("range"),
            "formula": metric.header["formula"],
            "source": metric.header["source"],
        }
        for found in grouped().values() for metric in found
    ]))  # fmt: skip


def grouped() -> dict[tuple[str, str], list[Definition]]:
    """Return all metrics and tables by family and group, in the order of their names."""

    def topic(definition: Definition) -> tuple[str, str]:
        return definition.family, definition.group

    known_everywhere()
    every = [*catalog().metrics.values(), *catalog().tables.values()]
    every.sort(key=lambda definition: (*topic(definition), definition.name))
    return {of: list(found) for of, found in groupby(every, topic)}


def describe(name: str) -> str:
    """Explain a metric, table, statistic or check: its meaning, parameters, the choices of each, and SQL.

    A name of several families is explained for each of them.

    Args:
        name: as `duckmetrics metrics` and `duckmetrics test` list it, an alias, ``"family.name"``, or a spec
            such as ``"ndcg@10"``.

    Raises:
        MetricError: nothing has this name.

    Example:
        text = duckmetrics.describe("mrr")
        text.splitlines()[0]  # 'ranking.reciprocal_rank: Reciprocal rank of the first relevant item'
    """
    known_everywhere()
    name = read_specs(name)[0] if SUFFIX in name else name
    spec = SPEC.fullmatch(name.lower())  # a cut-off and parameters are of no interest here
    family, bare = (spec["family"] or "", spec["name"]) if spec else ("", name.strip().lower())
    known = {f: metric for (f, n), metric in catalog().tables.items() if n == bare}
    known |= {f: alias.metric for (f, n), alias in catalog().names.items() if n == bare}
    chosen = [metric for f, metric in known.items() if family in ("", f)]
    if chosen:
        return "\n\n".join(map(_metric, chosen))
    if not family and bare in catalog().statistic_names:
        return _statistic(catalog().statistic_names[bare].metric)
    found = [c for c in checks() if bare in (c.name, c.reported) and family in ("", family_of(c))]
    if found:
        return "\n\n".join(map(_check, found))
    others = suggestion(bare, {*catalog().statistic_names, *(check.reported for check in checks())})
    try:
        return _metric(catalog().find(bare, family or None).metric)
    except UnknownNameError as error:
        if (foreign := of_tools(catalog(), name.strip(), None)) is not None:
            raise foreign from None
        if not error.advice.startswith("did") and others.startswith("did"):
            raise UnknownNameError("", f"nothing is called {bare!r}", others) from None
        raise


def checks() -> list[Definition]:
    """Return the checks of data, by family and name."""
    shelves = (
        catalog().checks, catalog().inspections, catalog().count_checks, catalog().statistic_checks
    )  # fmt: skip
    return sorted((c for shelf in shelves for c in shelf.values()), key=lambda c: (family_of(c), c.reported))


def family_of(check: Definition) -> str:
    """Return the subject of a check: rankings, classifiers, counts or other tables of statistics."""
    return check.path.parent.name


def _metric(metric: Definition) -> str:
    params = "\n".join(_parameters(metric, catalog().params(metric)))
    needs = [_line("needs", NEEDS[metric.family])] if metric.family in NEEDS else []
    return "\n".join([_head(f"{metric.family}.{metric.name}", metric), *needs, "", params, "", _sql(metric)])


def _statistic(statistic: Definition) -> str:
    params = "\n".join(_parameters(statistic, statistic.own_params))
    return "\n".join([_head(statistic.name, statistic), "", params, "", _sql(statistic)])


def _sql(definition: Definition) -> str:
    """Return the query of a file, below its path; the lines above it show what its header says."""
    return f"-- {'/'.join(definition.path.parts[-3:])}\n{body(definition.text).lstrip()}"


def _head(name: str, definition: Definition) -> str:
    topics = [
        _line(topic if place == 0 else "", text)
        for topic in TOPICS if topic in definition.header
        for place, text in enumerate(definition.header[topic].splitlines())
    ]  # fmt: skip
    return "\n".join([_title(name, definition), "", *topics])


def _title(name: str, definition: Definition) -> str:
    return fill(f"{name}: {definition.title}", WIDTH)


def _line(topic: str, text: str) -> str:
    return fill(text, WIDTH, initial_indent=f"{topic:<10}", subsequent_indent=" " * 10)


def _parameters(definition: Definition, params: dict[str, Param]) -> Iterator[str]:
    """Yield the parameters with their choices; in brackets the tools whose preset sets a choice."""
    lines = [line for param in params.values() for line in _parameter(definition, param)]
    has_tools = any(said.endswith("]") for _, said in lines)
    yield "parameters" + ("; in brackets: the tools that set a value, for --like" if has_tools else "")
    width = max((len(start) for start, _ in lines), default=0) + 2
    for start, said in lines:
        indent = " " * width
        yield (
            fill(said, WIDTH, initial_indent=f"{start:<{width}}", subsequent_indent=indent).rstrip() or start
        )


def _parameter(definition: Definition, param: Param) -> Iterator[tuple[str, str]]:
    """Yield the lines of one parameter, each as its start and the rest."""
    said = meanings(catalog(), definition, param)
    if not param.choices:
        usual = "" if param.default is None else f"; default {written(param.default)}"
        yield f"  {param.name}", said.get("", "") + ("; required" if param.required else usual)
        return
    yield f"  {param.name}", ""
    for choice in param.choices:
        tools = tools_with(definition.family, definition.name, param.name, choice)
        mark = " (default)" if choice == param.default else ""
        shown = f" [{', '.join(tools)}]" if tools else ""
        yield f"    {choice}", f"{said.get(str(choice), '')}{mark}{shown}"


def _check(check: Definition) -> str:
    header = check.header
    severity = header["severity"]
    topics = {
        "severity": f"{severity}: {SEVERITIES[severity]}",
        "why": header["why"],
        "looks at": header.get("column", "") or ", ".join(check.inputs),
        "metrics": _protected(check),
        "when": header.get("when", ""),
        "advice": header["advice"],
        "note": header.get("note", ""),
        "run by": RUN_BY.get(check.family, TESTS),
    }
    lines = [_line(topic, text) for topic, text in topics.items() if text]
    title = _title(f"{family_of(check)}.{check.reported}", check)
    return "\n".join([title, "", *lines, "", check.text])


def _protected(check: Definition) -> str:
    """Name the metrics that a check is run for."""
    subjects = set(filter(None, check.header.get("for", "").split(", ")))
    families = [f"all of {family}" for family in METRIC_FAMILIES if family in subjects]
    own = family_of(check)
    readers = (own, MULTICLASS) if own == CLASSIFICATION else (own,)  # the rows of classes are checked, too
    single = [
        (family != own, name if family == own else f"{family}.{name}")
        for (family, name), metric in {**catalog().metrics, **catalog().tables}.items()
        if family in readers
        and subjects & {name, *(source.name for source in catalog().foundations(metric))}
    ]  # fmt: skip
    return ", ".join(families or [name for _, name in sorted(single)])
