"""Measures: metrics with all their parameters bound, written ``ndcg(gain=exp2)@10``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.catalog import Alias, Catalog
from duckmetrics.catalog.definition import RANKING, Definition, Param, substituted
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION, Measure
from duckmetrics.catalog.parameters import CUTOFF, check_value, is_violated, typed_value, written
from duckmetrics.catalog.signature import AGGREGATION
from duckmetrics.errors import MetricError, UnknownNameError, UnsupportedError, suggestion, unknown
from duckmetrics.expressions.folding import Value, constant
from duckmetrics.presets.presets import presets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from duckmetrics.presets.presets import Entry, Preset

    Meant = Callable[[], str | None]

PER_CALL = ("population",)

_SPEC = re.compile(
    r"\s*(?:(?P<family>\w+)\.)?(?P<name>[\w-]+)\s*"
    r"(?:\((?P<args>(?:[^()']|'(?:[^']|'')*')*)\))?\s*(?:@\s*(?P<k>[^@()\s]+))?\s*"
)
_ARGUMENT = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>'(?:[^']|'')*'|[^',=]+?)\s*(?:,|$)")


def read_specs(metrics: str | Sequence[str]) -> list[str]:
    """Read the metrics of a call: one text or several, each of one spec or of several.

    Raises:
        MetricError: one of them is not a text.
    """
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(text, str) for text in texts):
        raise MetricError("metrics", f"{metrics!r} are no specs", "write them as text, such as 'ndcg@10'")
    return [spec for text in texts for spec in split_specs(text)]


def split_specs(text: str) -> list[str]:
    """Split ``ndcg@10,map(norm=min_k, rel=2)@5`` at the commas outside parentheses and quotes."""
    parts, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == "'"
        depth += 0 if quoted else (character == "(") - (character == ")")
        if character == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def parse_measures(
    catalog: Catalog,
    specs: Sequence[str],
    switches: Mapping[str, object] | None = None,
    meant: Meant = lambda: None,
    like: Preset | None = None,
) -> list[Measure]:
    """Read specs and apply the switches of the call to those that declare and allow them.

    Args:
        meant: asked for the family where a name belongs to several.
        like: the tool whose conventions stand in for the defaults.
    Raises:
        UnsupportedError: the tool has no such metric, or in a way that is not imitated.
        MetricError: an unknown metric, parameter or switch, a value that is not allowed,
            the same spec twice, or a switch that no metric takes.
    """
    if not specs:
        raise MetricError("", "no metric", "name at least one, such as 'ndcg@10'")
    measures = [parse_measure(catalog, spec, switches, meant, like) for spec in specs]
    for name, value in (switches or {}).items():
        refusals = [_refusal(catalog, measure, name, value) for measure in measures]
        if None not in refusals:
            known = {n for m in measures for n in m.values} | {AGGREGATION for m in measures if m.aggregation}
            if name not in known:
                raise MetricError(
                    f"switch {name!r}", "no metric asked for takes it", suggestion(name, known - {CUTOFF})
                )
            raise next(filter(None, refusals)).within(f"switch {name}={value}")
    twice = {m.text for i, m in enumerate(measures) if m.text in [n.text for n in measures[:i]]}
    if twice:
        raise MetricError(sorted(twice)[0], "asked for twice", "name each metric once")
    return measures


def parse_measure(
    catalog: Catalog,
    spec: str,
    switches: Mapping[str, object] | None = None,
    meant: Meant = lambda: None,
    like: Preset | None = None,
) -> Measure:
    """Read ``[family.]name[(param=value, ...)][@k]``; the inverse of ``str(measure)``."""
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise MetricError(spec, "cannot be read", "write name(param=value)@k, such as ndcg@10")
    ranked = match["k"] is not None
    if match["family"] is not None and match["family"].lower() not in {family for family, _ in catalog.names}:
        raise _of_no_family(catalog, spec.strip(), match)
    try:
        alias = catalog.find(
            match["name"].replace("-", "_"), match["family"], (lambda: RANKING) if ranked else meant
        )
    except UnknownNameError as error:
        raise _called_elsewhere(spec.strip()) or error.within(spec.strip()) from None
    except MetricError as error:
        raise error.within(spec.strip()) from None
    entry = None if like is None else like.entry(alias.metric.family, alias.metric.name, ranked)
    return _read(catalog, spec, match, alias, switches or {}, entry=entry)


def _of_no_family(catalog: Catalog, spec: str, match: re.Match[str]) -> MetricError:
    """Return the error for ``rbp.95``: the word before the point is not a family."""
    said = _called_elsewhere(spec)
    if said is not None:
        return said
    before = match["family"]
    params = next(
        (alias.metric.own_params for (_, n), alias in catalog.names.items() if n == before.lower()), {}
    )
    if (name := next(iter(params.keys() - {CUTOFF}), None)) is not None:
        return MetricError(
            spec, "cannot be read", f"a parameter stands in parentheses, as in {before}({name}=...)"
        )
    families = " or ".join(sorted({f"{family}.{match['name']}" for family, _ in catalog.names}))
    return MetricError(
        spec, f"there is no family {before!r} of metrics", f"write {families}, or the name alone"
    )


def _called_elsewhere(spec: str) -> MetricError | None:
    """Say what a metric is called here that another tool calls so, such as P_10 or R@10."""
    for tool in presets().values():
        for metric, entry in tool.families[RANKING].metrics.items() if RANKING in tool.families else ():
            for name in entry.name.split(", "):
                bare, mark, _ = name.partition("@k") if "@k" in name else name.partition(".k")
                cutoff = rf"{re.escape(bare)}[@._](\d+)" if mark else re.escape(bare)
                found = re.fullmatch(cutoff, spec)
                if found:
                    here = f"{metric}@{found[1]}" if mark else metric
                    return MetricError(spec, "unknown metric", f"{tool.tool} calls {here} so, write that")
    if found := re.fullmatch(r"iprec_at_recall_([01]\.\d+)", spec):
        here = f"iprec(recall={float(found[1]):g})"
        return MetricError(spec, "unknown metric", f"trec_eval calls iprec so, write {here}")
    return None


def parse_table(
    catalog: Catalog,
    spec: str,
    params: Mapping[str, object] | None = None,
    switches: Mapping[str, object] | None = None,
) -> Measure:
    """Read the spec of a table such as ``roc_curve(points=100)``.

    Args:
        params: more parameters of the table.
        switches: those of the call; the table takes what it declares.
    Raises:
        MetricError: no such table, or a parameter that cannot be read.
    """
    match = _SPEC.fullmatch(spec)
    if match is None or match["k"] is not None:
        raise MetricError(spec, "cannot be read", "write name(param=value)")
    table = catalog.find_table(match["name"].replace("-", "_"), match["family"])
    return _read(catalog, spec, match, Alias(table, {}), switches or {}, params)


def is_of_table(catalog: Catalog, spec: str) -> bool:
    """Say whether a spec names a table, such as a curve, rather than a metric."""
    match = _SPEC.fullmatch(spec)
    return match is not None and any(name == match["name"].lower() for _, name in catalog.tables)


def parse_statistic(catalog: Catalog, name: str, params: Mapping[str, object]) -> Measure:
    """Bind the parameters of a statistic, which is called by its name or an alias alone.

    Raises:
        MetricError: no such statistic, or a parameter that cannot be read.
    """
    alias = catalog.find_statistic(name)
    match = _SPEC.fullmatch(name)
    if match is None:
        raise MetricError(name, "cannot be read", "write the name alone")
    return _read(catalog, name, match, alias, {}, params)


def _read(
    catalog: Catalog,
    spec: str,
    match: re.Match[str],
    alias: Alias,
    switches: Mapping[str, object],
    params: Mapping[str, object] | None = None,
    entry: Entry | None = None,
) -> Measure:
    """Bind the arguments of a spec whose metric is known, and the parameters given separately."""
    declared = catalog.params(alias.metric)
    given = _given(spec, match, alias, declared, params or {})
    aggregation: str | None = None
    if alias.metric.family == RANKING:
        aggregation = str(given.pop(AGGREGATION, switches.get(AGGREGATION, DEFAULT_AGGREGATION)))
        if aggregation not in catalog.aggregation_names:
            raise MetricError(spec, *unknown("agg", aggregation, catalog.aggregation_names))
    for name in given:
        if name not in declared:
            known = {*declared, AGGREGATION} if aggregation else declared.keys()
            raise MetricError(spec, *unknown("parameter", name, known))
        if name in PER_CALL:
            raise MetricError(spec, f"{name} is common to all metrics", "set it for the whole call")
    if entry:
        _refuse_not_imitated(spec, entry, {*given, *switches})
    usual = entry.settings(match["k"] is not None) if entry else {}
    values = _values(catalog, alias.metric, spec.strip(), declared, given, switches, usual)
    name = alias.metric.name
    families = [family for family, known in catalog.names if known == name]
    if len(families) > 1 and values.get(CUTOFF) is None:
        name = f"{alias.metric.family}.{name}"
    return Measure(
        alias.metric, spec.strip(), name, tuple(values.items()), aggregation, tuple(declared.values()),
        entry.requires if entry else "", bool(entry and entry.untied),
    )  # fmt: skip


def _given(
    spec: str,
    match: re.Match[str],
    alias: Alias,
    declared: Mapping[str, Param],
    params: Mapping[str, object],
) -> dict[str, object]:
    """Return the parameters that a spec, its metric's alias or a call gives a value; each only once."""
    given: dict[str, object] = dict(_arguments(spec, match["args"] or ""))
    for name, value in params.items():
        if name in given:
            raise MetricError(spec, f"{name} is given twice", "keep one of them")
        given[name] = value
    if twice := given.keys() & alias.bound.keys():
        raise MetricError(
            spec, f"{match['name']} fixes {sorted(twice)[0]} already", f"write {alias.metric.name}(...)"
        )
    given |= alias.bound
    if match["k"] is not None:
        if CUTOFF in given:
            raise MetricError(spec, "the cut-off is given twice", "write it after @ only")
        if CUTOFF not in declared:
            raise MetricError(spec, f"{alias.metric.name} has no cut-off", f"drop @{match['k']}")
        given[CUTOFF] = match["k"]
    return given


def _refuse_not_imitated(spec: str, entry: Entry, given: Collection[str]) -> None:
    """Refuse parameters that a tool does not have, or not in a way that is imitated."""
    for name in entry.otherwise:
        if name in given:
            raise UnsupportedError(
                spec.strip(),
                f"{name} is not imitated of {entry.name}: {entry.otherwise[name]}",
                f"leave {name} or like= out",
            )


def _values(
    catalog: Catalog,
    metric: Definition,
    spec: str,
    declared: Mapping[str, Param],
    given: Mapping[str, object],
    switches: Mapping[str, object],
    usual: Mapping[str, Value],
) -> dict[str, Value]:
    """Return the value of every parameter: the spec's own, the call's, the usual one, or the default."""
    values: dict[str, Value] = {}
    for name, param in declared.items():
        if name in given or name in usual:
            values[name] = typed_value(spec, param, given.get(name, usual.get(name)))
        elif param.required:
            raise MetricError(spec, f"{name} is missing", f"write {metric.name}({name}=...)")
        else:
            values[name] = param.default
    for name, value in switches.items():
        if name in declared and name not in given:
            typed = typed_value(f"switch {name}", declared[name], value)
            changed = {**values, name: typed}
            if not any(is_violated(c, changed) for c in declared[name].checks):
                values = changed
    for param in declared.values():
        check_value(spec, param, values)
    for name in declared:
        if values[name] != declared[name].default and _is_idle(catalog, metric, name, values):
            if name in given:
                raise MetricError(spec, *_changes_nothing(catalog, metric, name, values[name]))
            values[name] = declared[name].default
    return values


def _is_idle(catalog: Catalog, metric: Definition, name: str, values: Mapping[str, Value]) -> bool:
    """Say whether a parameter changes nothing under the values of the others."""
    condition = catalog.idle(metric).get(name)
    return condition is not None and constant(substituted(condition, values)) is True


def _changes_nothing(catalog: Catalog, metric: Definition, name: str, value: Value) -> tuple[str, str]:
    condition = catalog.idle(metric)[name]
    where = "" if isinstance(condition, exp.Boolean) else f" where {condition.sql(dialect='duckdb')}"
    advice = "leave it out" if not where else "change that, or leave it out"
    return f"{name}={written(value)} changes nothing{where}", advice


def _refusal(catalog: Catalog, measure: Measure, name: str, value: object) -> MetricError | None:
    """Return why a measure does not take a switch; None when it does."""
    if name == AGGREGATION and measure.aggregation is not None:
        return None
    declared = catalog.params(measure.metric)
    if name not in declared:
        return MetricError("", f"{measure.metric.name} has no parameter {name!r}", "leave it out")
    changed = {**measure.values, name: typed_value(f"switch {name}", declared[name], value)}
    try:
        check_value(str(measure.text), declared[name], changed)
    except MetricError as error:
        return error
    if changed[name] != declared[name].default and _is_idle(catalog, measure.metric, name, changed):
        return MetricError(measure.text, *_changes_nothing(catalog, measure.metric, name, changed[name]))
    return None


def _arguments(spec: str, text: str) -> Iterator[tuple[str, str]]:
    position, seen = 0, set()
    while position < len(text.rstrip()):
        match = _ARGUMENT.match(text, position)
        if match is None:
            raise MetricError(spec, f"cannot read {text[position:]!r}", "write param=value")
        if match["name"] in seen:
            raise MetricError(spec, f"{match['name']} is given twice", "keep one of them")
        seen.add(match["name"])
        yield match["name"], match["value"]
        position = match.end()
