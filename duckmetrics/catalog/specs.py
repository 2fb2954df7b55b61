"""Measures: metrics with all their parameters bound, written ``ndcg(gain=exp2)@10``."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog.catalog import Alias, Catalog, catalog
from duckmetrics.catalog.definition import CLASSIFICATION, MULTICLASS, RANKING, Definition, Param
from duckmetrics.catalog.measure import (
    AGGREGATION,
    CUTOFF,
    DEFAULT_AGGREGATION,
    PER_CALL,
    Measure,
    check_value,
    is_violated,
    refuse_several,
    typed_value,
)
from duckmetrics.catalog.names import USUAL, advice_for, expanded, meant_by, of_tools, once
from duckmetrics.catalog.presets import presets
from duckmetrics.catalog.spec_text import SPEC, arguments, read_specs, with_cutoffs
from duckmetrics.catalog.switches import (
    changes_nothing,
    is_idle,
    is_without_effect,
    named_after_cutoff,
    refusal,
)
from duckmetrics.errors import DuckmetricsError, MetricError, UnknownNameError, suggestion, unknown
from duckmetrics.words.lists import joined, verb

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.catalog.names import Meaning
    from duckmetrics.catalog.presets import Preset, PresetEntry
    from duckmetrics.expressions.folding import Value

    Meant = Callable[[], str | None]


def parse_measures(
    catalog: Catalog,
    specs: Sequence[str],
    switches: Mapping[str, object] | None = None,
    meant: Meant = lambda: None,
    like: Preset | None = None,
) -> list[Measure]:
    """Read specs and apply the switches of the call to those that declare and allow them.

    Args:
        meant: returns the family if a name belongs to several.
        like: the tool whose conventions replace the defaults.
    Raises:
        UnsupportedError: the tool has no such metric, or its way is not imitated.
        MetricError: an unknown metric, parameter or switch, a value that is not allowed,
            the same spec twice, or a switch that no metric takes.
    """
    if not specs:
        raise MetricError("", "no metric", "name at least one, such as 'ndcg@10'")
    switches = dict(switches or {})
    if isinstance(switches.get(CUTOFF), list | tuple | range):
        specs = with_cutoffs(specs, cast("Sequence[object]", switches.pop(CUTOFF)))
    measures = [
        replace(parse_measure(catalog, spec, switches, meant, like), member_of=of)
        for spec, of in once(expanded(catalog, specs, like))
    ]
    without_effect = []
    for name, value in switches.items():
        refusals = [refusal(catalog, measure, name, value) for measure in measures]
        if None not in refusals:
            known = {n for m in measures for n in m.values} | {AGGREGATION for m in measures if m.aggregation}
            if name not in known:
                advice = suggestion(name, known - {CUTOFF})
                raise MetricError(f"switch {name!r}", "no metric asked for takes it", advice)
            first = next(filter(None, refusals))
            if like is None or not any(is_without_effect(catalog, m, name, value) for m in measures):
                raise first.within(f"switch {name}={value}")
            without_effect.append(str(first.what))
    if CUTOFF in switches:
        measures = [named_after_cutoff(measure) for measure in measures]
    measures[0] = replace(measures[0], without_effect=tuple(without_effect))
    refuse_several(measures, PER_CALL)
    if twice := {m.text for i, m in enumerate(measures) if m.text in [n.text for n in measures[:i]]}:
        raise MetricError(sorted(twice)[0], "asked for twice", "name each metric once")
    return measures


def parse_measure(
    catalog: Catalog,
    spec: str,
    switches: Mapping[str, object] | None = None,
    meant: Meant = lambda: None,
    like: Preset | None = None,
) -> Measure:
    """Read ``[family.]name[(param=value, ...)][@k]``; the inverse of ``str(measure)``.

    Names of other tools are read, too: first those of `like`, then those of all tools if the name is not
    ours and means one metric.
    """
    known = {} if like is None else meant_by(catalog, spec, [like])
    if known:
        return _called_so(catalog, spec.strip(), switches, meant, like, known)
    try:
        match, alias = _found(catalog, spec, meant)
    except UnknownNameError as error:
        return _called_elsewhere(catalog, spec, switches, meant, like, error)
    entry = _entry(like, alias, match)
    try:
        return _read(catalog, spec, match, alias, switches or {}, entry=entry)
    except MetricError as error:
        return _called_elsewhere(catalog, spec, switches, meant, like, error)


def _called_elsewhere(
    catalog: Catalog,
    spec: str,
    switches: Mapping[str, object] | None,
    meant: Meant,
    like: Preset | None,
    error: MetricError,
) -> Measure:
    """Read a spec that is not one of ours as a name of any tool.

    Raises:
        MetricError: no tool has this name (the error of our own reading), or the tool in `like` does not.
    """
    known = meant_by(catalog, spec, presets().values())
    if not known and isinstance(error, UnknownNameError):
        raise of_tools(catalog, spec, like) or error
    if not known or (like is not None and not isinstance(error, UnknownNameError)):
        raise error
    try:
        measure = _called_so(catalog, spec.strip(), switches if like is None else {}, meant, None, known)
    except MetricError:
        if isinstance(error, UnknownNameError):
            raise
        raise error from None
    if like is not None:
        tool = presets()[measure.tools[0]].tool
        raise MetricError(
            spec.strip(), f"unknown metric of {like.title}", f"{tool} calls {measure} so, write that"
        )
    return measure


def _entry(like: Preset | None, alias: Alias, match: re.Match[str]) -> PresetEntry | None:
    """Return the entry of a tool for the metric of a spec."""
    return (
        None if like is None else like.entry(alias.metric.family, alias.metric.name, match["k"] is not None)
    )


def _found(catalog: Catalog, spec: str, meant: Meant) -> tuple[re.Match[str], Alias]:
    """Return the parts of a spec, and its metric.

    Raises:
        UnknownNameError: there is no such metric.
    """
    match = SPEC.fullmatch(spec)
    if match is None:
        raise UnknownNameError(spec, "cannot be read", advice_for(catalog, spec) or USUAL)
    if match["family"] is not None and match["family"].lower() not in {family for family, _ in catalog.names}:
        raise _of_no_family(catalog, spec.strip(), match)
    chosen: Meant = meant if match["k"] is None else lambda: RANKING
    try:
        return match, catalog.find(match["name"].replace("-", "_"), match["family"], chosen)
    except MetricError as error:
        if isinstance(error, UnknownNameError):
            error.advice = advice_for(catalog, spec) or error.advice
        raise error.within(spec.strip()) from None


def _called_so(
    catalog: Catalog,
    spec: str,
    switches: Mapping[str, object] | None,
    meant: Meant,
    like: Preset | None,
    known: Mapping[Meaning, tuple[str, ...]],
) -> Measure:
    """Read a name of other tools as the metric that it means there.

    Raises:
        MetricError: it means several.
    """
    families = {meaning.family for meaning in known}
    family = families.pop() if len(families) == 1 else meant()
    measures: dict[str, Measure] = {}
    for meaning, tools in known.items():
        if family in (None, meaning.family):
            match, alias = _found(catalog, meaning.spec, meant)
            entry = _entry(like, alias, match)
            try:
                common = {n: v for n, v in meaning.of_call.items() if like and n not in (switches or {})}
                read = _read(catalog, meaning.spec, match, alias, switches or {}, common, entry)
            except MetricError as error:
                raise error.within(spec) from None
            same = measures.get(str(read), read)
            named = (*same.tools, *tools) if like is None else ()
            measures[str(read)] = replace(same, text=spec, tools=named)
    if len(measures) > 1:
        several = (f"{name} ({', '.join(one.tools)})" for name, one in measures.items())
        raise MetricError(spec, "means several metrics to other tools", f"write {' or '.join(several)}")
    (measure,) = measures.values()
    return measure


def _of_no_family(catalog: Catalog, spec: str, match: re.Match[str]) -> UnknownNameError:
    """Return the error for ``rbp.q``: the word before the point is not a family."""
    before = match["family"]
    params = next(
        (alias.metric.own_params for (_, n), alias in catalog.names.items() if n == before.lower()), {}
    )
    if (name := next(iter(params.keys() - {CUTOFF}), None)) is not None:
        return UnknownNameError(
            spec, "cannot be read", f"a parameter stands in parentheses, as in {before}({name}=...)"
        )
    families = " or ".join(sorted({f"{family}.{match['name']}" for family, _ in catalog.names}))
    return UnknownNameError(
        spec, f"there is no family {before!r} of metrics", f"write {families}, or the name alone"
    )


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
    match = SPEC.fullmatch(spec)
    if match is None or match["k"] is not None:
        raise MetricError(spec, "cannot be read", "write name(param=value)")
    table = catalog.find_table(match["name"].replace("-", "_"), match["family"])
    return _read(catalog, spec, match, Alias(table, {}), switches or {}, params)


def has_several(catalog: Catalog, spec: str, name: str, value: object) -> bool:
    """Return whether a parameter of a table has several values, each of which gives rows of its own.

    A parameter that takes a list of numbers has several values if they are lists themselves.
    """
    if not isinstance(value, list | tuple):
        return False
    match = SPEC.fullmatch(spec)
    table = match and catalog.find_table(match["name"].replace("-", "_"), match["family"])
    param = catalog.params(table).get(name) if table else None
    takes_list = param is not None and param.type is tuple
    return not takes_list or any(isinstance(one, list | tuple) for one in value)


def is_of_table(catalog: Catalog, spec: str) -> bool:
    """Return whether a spec names a table, such as a curve, rather than a metric."""
    match = SPEC.fullmatch(spec)
    return match is not None and any(name == match["name"].lower() for _, name in catalog.tables)


def parse_statistic(catalog: Catalog, name: str, params: Mapping[str, object]) -> Measure:
    """Bind the parameters of a statistic, which is called by its name or an alias alone.

    Raises:
        MetricError: no such statistic, or a parameter that cannot be read.
    """
    alias = catalog.find_statistic(name)
    match = SPEC.fullmatch(name)
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
    entry: PresetEntry | None = None,
) -> Measure:
    """Bind the arguments of a spec whose metric is known, and the parameters given separately."""
    declared = catalog.params(alias.metric)
    given = _given(spec, match, alias, declared, params or {})
    stated = [*given]
    usual = entry.settings(match["k"] is not None) if entry else {}
    aggregation: str | None = None
    if alias.metric.is_of_systems and AGGREGATION in given:
        what = f"agg combines values of queries, and {alias.metric.name} has one value for all lists"
        raise MetricError(spec, what, "leave it out")
    if alias.metric.family == RANKING and not alias.metric.is_of_systems:
        said = switches.get(AGGREGATION, usual.get(AGGREGATION, DEFAULT_AGGREGATION))
        aggregation = str(given.pop(AGGREGATION, said))
        if aggregation not in catalog.aggregation_names:
            raise MetricError(spec, *unknown("agg", aggregation, catalog.aggregation_names))
    for name in given:
        if name not in declared:
            known = {*declared, AGGREGATION} if aggregation else declared.keys()
            raise MetricError(spec, *unknown("parameter", name, known))
        if name in PER_CALL and name not in (params or {}):
            raise MetricError(spec, f"{name} is common to all metrics", "set it for the whole call")
    if entry:
        entry.refuse_other_ways(spec.strip(), {*given, *switches})
    shared = entry.shared if entry else frozenset()
    values = _values(catalog, alias.metric, spec.strip(), declared, given, switches, usual, shared)
    name = alias.metric.name
    families = [f for f, known in catalog.names if known == name and f in (RANKING, CLASSIFICATION)]
    if alias.metric.family == MULTICLASS or (len(families) > 1 and values.get(CUTOFF) is None):
        name = f"{alias.metric.family}.{name}"
    return Measure(
        alias.metric, spec.strip(), name, tuple(values.items()), aggregation, tuple(declared.values()),
        entry.requires if entry else "", bool(entry and entry.untied), given=frozenset(stated),
    )  # fmt: skip


def _given(
    spec: str,
    match: re.Match[str],
    alias: Alias,
    declared: Mapping[str, Param],
    params: Mapping[str, object],
) -> dict[str, object]:
    """Return the parameters that a spec, its metric's alias or a call gives a value; each only once."""
    given: dict[str, object] = dict(arguments(spec, match["args"] or ""))
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


def _values(
    catalog: Catalog,
    metric: Definition,
    spec: str,
    declared: Mapping[str, Param],
    given: Mapping[str, object],
    switches: Mapping[str, object],
    usual: Mapping[str, Value],
    shared: frozenset[str],
) -> dict[str, Value]:
    """Return the value of every parameter: the spec's own, the call's, the usual one, or the default.

    Args:
        shared: the usual values that the metric need not allow.
    """
    values: dict[str, Value] = {}
    for name, param in declared.items():
        if name in given or name in usual:
            values[name] = typed_value(spec, param, given.get(name, usual.get(name)), declared.values())
        elif param.required:
            raise MetricError(spec, f"{name} is missing", f"write {metric.name}({name}=...)")
        else:
            values[name] = param.default
    for name in shared & declared.keys() - given.keys():
        if any(is_violated(check, values) for check in declared[name].checks):
            values[name] = declared[name].default
    for name, value in switches.items():
        if name in declared and name not in given:
            typed = typed_value(f"switch {name}", declared[name], value, declared.values())
            changed = {**values, name: typed}
            if not any(is_violated(c, changed) for c in declared[name].checks):
                values = changed
            elif name in usual:
                # The call overrides the value of the tool, but the metric refuses the value of the call.
                values[name] = declared[name].default
    for param in declared.values():
        check_value(spec, param, values)
    for name in declared:
        if values[name] != declared[name].default and is_idle(catalog, metric, name, values):
            if name in given:
                raise MetricError(spec, *changes_nothing(catalog, metric, name, values[name]))
            values[name] = declared[name].default
    return values


def refuse_metrics_as_truth(truth: Any, metrics: Any, connection: Any) -> None:
    """Refuse specs of metrics as the second argument, which is the truth, if they name no file or table.

    Raises:
        MetricError: says how to pass them.
    """
    texts = [truth] if isinstance(truth, str) else truth
    if metrics is not None or connection is not None or not isinstance(texts, list | tuple) or not texts:
        return
    if not all(isinstance(text, str) and not os.path.exists(text) for text in texts):
        return
    try:
        parse_measures(catalog(), read_specs(texts), {}, lambda: RANKING)
    except DuckmetricsError:
        return
    given = f"{joined([*map(repr, texts)])} {verb(len(texts), 'is a metric', 'are metrics')}"
    raise MetricError("truth", f"{given}, and the second argument is the truth", f"write metrics={texts!r}")
