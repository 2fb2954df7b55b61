"""Measures: metrics with all their parameters bound, written ``ndcg(gain=exp2)@10``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.catalog import RANKING, Alias, Catalog, Definition, Param, required, substituted
from duckmetrics.catalog.signature import AGGREGATION, Signature
from duckmetrics.errors import MetricError, UnsupportedError, suggestion, unknown
from duckmetrics.expressions.folding import Value, constant
from duckmetrics.presets.presets import presets
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duckmetrics.presets.presets import Entry, Preset

    Meant = Callable[[], str | None]

DEFAULT_AGGREGATION = "mean"
CUTOFF = "k"
LOWER = "lower is better"
PER_CALL = ("population",)

_SPEC = re.compile(
    r"\s*(?:(?P<family>\w+)\.)?(?P<name>[\w-]+)\s*"
    r"(?:\((?P<args>(?:[^()']|'(?:[^']|'')*')*)\))?\s*(?:@\s*(?P<k>[^@()\s]+))?\s*"
)
_ARGUMENT = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>'(?:[^']|'')*'|[^',=]+?)\s*(?:,|$)")
_DIGITS = re.compile(r"-?[0-9]+")
_WORD = re.compile(r"[A-Za-z_][\w.-]*")


@dataclass(frozen=True)
class Measure:
    """What ``ndcg@10`` means: a metric, a value for each parameter, and an aggregation.

    Attributes:
        text: the measure as typed; results show it.
        name: the metric, with its family where the name alone would not tell.
        params: name and value of every parameter, the switches included, in a fixed order.
        aggregation: from per-query values to one number; None where a metric is one number already.
        needed: what a preset asks of the rows, ``predictions (score > 0)``.
        untied: whether a preset asks that no scores of a query are equal.
    """

    metric: Definition
    text: str
    name: str
    params: tuple[tuple[str, Value], ...]
    aggregation: str | None
    declared: tuple[Param, ...]
    needed: str = ""
    untied: bool = False

    @property
    def family(self) -> str:
        return self.metric.family

    @property
    def values(self) -> dict[str, Value]:
        return dict(self.params)

    @property
    def requires(self) -> Mapping[str, exp.Expr]:
        """What is asked of every row of an input, by the metric and by the preset: table -> condition."""
        needed, own = required(self.needed), self.metric.requires
        both = {table: exp.and_(needed[table], own[table]) for table in needed.keys() & own.keys()}
        return {**needed, **own, **both}

    @property
    def lower_is_better(self) -> bool:
        return LOWER in self.metric.header.get("range", "")

    @property
    def depth(self) -> int | None:
        """The deepest rank the measure looks at, None for all of them."""
        return self.metric.depth(self.values)

    def __str__(self) -> str:
        """Write the canonical text: what differs from the defaults, and the cut-off."""
        changed = [
            f"{param.name}={written(value)}"
            for param, (_, value) in zip(self.declared, self.params, strict=True)
            if param.name != CUTOFF and (param.required or value != param.default)
        ]
        if self.aggregation not in (None, DEFAULT_AGGREGATION):
            changed.append(f"{AGGREGATION}={self.aggregation}")
        arguments = f"({', '.join(changed)})" if changed else ""
        return f"{self.name}{arguments}{self._cutoff}"

    @property
    def signature(self) -> str:
        """Every convention behind the number: ``ndcg@10|gain:linear|...|agg:mean``.

        Two results of equal signatures on equal data are equal.
        """
        params = tuple((name, written(value)) for name, value in self.params if name != CUTOFF)
        k = self._cutoff[1:]
        return str(Signature(self.name, int(k) if k else None, params, self.aggregation, __version__))

    def bound(self, **values: Value) -> Measure:
        """Return the measure with these values, where it declares them."""
        params = tuple((name, values.get(name, value)) for name, value in self.params)
        return replace(self, params=params)

    @property
    def _cutoff(self) -> str:
        k = self.values.get(CUTOFF)
        return "" if k is None else f"@{k}"


def read_specs(metrics: str | Sequence[str]) -> list[str]:
    """Read the metrics of a call: one text or several, each of one spec or of several.

    Raises:
        MetricError: one of them is no text.
    """
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(text, str) for text in texts):
        raise MetricError(f"metrics: {metrics!r} are no specs; write them as text, such as 'ndcg@10'")
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
        raise MetricError("no metric; name at least one, such as 'ndcg@10'")
    measures = [parse_measure(catalog, spec, switches, meant, like) for spec in specs]
    for name, value in (switches or {}).items():
        refusals = [_refusal(catalog, measure, name, value) for measure in measures]
        if None not in refusals:
            known = {n for m in measures for n in m.values} | {AGGREGATION for m in measures if m.aggregation}
            if name not in known:
                raise MetricError(
                    f"switch {name!r}: no metric asked for takes it; {suggestion(name, known - {CUTOFF})}"
                )
            raise MetricError(f"switch {name}={value}: {next(r for r in refusals if r)}")
    twice = {m.text for i, m in enumerate(measures) if m.text in [n.text for n in measures[:i]]}
    if twice:
        raise MetricError(f"{sorted(twice)[0]}: asked for twice; name each metric once")
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
        raise MetricError(f"{spec}: cannot be read; write name(param=value)@k, such as ndcg@10")
    ranked = match["k"] is not None
    if match["family"] is not None and match["family"].lower() not in {family for family, _ in catalog.names}:
        raise MetricError(_of_no_family(catalog, spec.strip(), match))
    try:
        alias = catalog.find(
            match["name"].replace("-", "_"), match["family"], (lambda: RANKING) if ranked else meant
        )
    except MetricError as error:
        said = _called_elsewhere(spec.strip()) if str(error).startswith("unknown") else None
        raise MetricError(said or f"{spec.strip()}: {error}") from None
    entry = None if like is None else like.entry(alias.metric.family, alias.metric.name, ranked)
    return _read(catalog, spec, match, alias, switches or {}, entry=entry)


def _of_no_family(catalog: Catalog, spec: str, match: re.Match[str]) -> str:
    """What is said of ``rbp.95``: what stands before the point is no family."""
    said = _called_elsewhere(spec)
    if said is not None:
        return said
    before = match["family"]
    params = next(
        (alias.metric.own_params for (_, n), alias in catalog.names.items() if n == before.lower()), {}
    )
    if (name := next(iter(params.keys() - {CUTOFF}), None)) is not None:
        return f"{spec}: cannot be read; a parameter stands in parentheses, as in {before}({name}=...)"
    families = " or ".join(sorted({f"{family}.{match['name']}" for family, _ in catalog.names}))
    return f"{spec}: there is no family {before!r} of metrics; write {families}, or the name alone"


def _called_elsewhere(spec: str) -> str | None:
    """Say what a metric is called here that another tool calls so, such as P_10 or R@10."""
    for tool in presets().values():
        for metric, entry in tool.families[RANKING].metrics.items() if RANKING in tool.families else ():
            for name in entry.name.split(", "):
                bare, mark, _ = name.partition("@k") if "@k" in name else name.partition(".k")
                cutoff = rf"{re.escape(bare)}[@._](\d+)" if mark else re.escape(bare)
                found = re.fullmatch(cutoff, spec)
                if found:
                    here = f"{metric}@{found[1]}" if mark else metric
                    return f"{spec}: unknown metric; {tool.tool} calls {here} so, write that"
    if found := re.fullmatch(r"iprec_at_recall_([01]\.\d+)", spec):
        return f"{spec}: unknown metric; trec_eval calls iprec so, write iprec(recall={float(found[1]):g})"
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
        raise MetricError(f"{spec}: cannot be read; write name(param=value)")
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
        raise MetricError(f"{name}: cannot be read; write the name alone")
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
    """Bind the arguments of a spec whose metric is known, and parameters given beside it."""
    declared = catalog.params(alias.metric)
    given: dict[str, object] = dict(_arguments(spec, match["args"] or ""))
    for name, value in (params or {}).items():
        if name in given:
            raise MetricError(f"{spec}: {name} is given twice; keep one of them")
        given[name] = value
    if twice := given.keys() & alias.bound.keys():
        raise MetricError(
            f"{spec}: {match['name']} fixes {sorted(twice)[0]} already; write {alias.metric.name}(...)"
        )
    given |= alias.bound
    if match["k"] is not None:
        if CUTOFF in given:
            raise MetricError(f"{spec}: the cut-off is given twice; write it after @ only")
        if CUTOFF not in declared:
            raise MetricError(f"{spec}: {alias.metric.name} has no cut-off; drop @{match['k']}")
        given[CUTOFF] = match["k"]
    aggregation: str | None = None
    if alias.metric.family == RANKING:
        aggregation = str(given.pop(AGGREGATION, switches.get(AGGREGATION, DEFAULT_AGGREGATION)))
        if aggregation not in catalog.aggregation_names:
            raise MetricError(f"{spec}: {unknown('agg', aggregation, catalog.aggregation_names)}")
    for name in given:
        if name not in declared:
            known = {*declared, AGGREGATION} if aggregation else declared.keys()
            raise MetricError(f"{spec}: {unknown('parameter', name, known)}")
        if name in PER_CALL:
            raise MetricError(f"{spec}: {name} is common to all metrics; set it for the whole call")
    usual = entry.settings(match["k"] is not None) if entry else {}
    for name in entry.otherwise if entry else ():
        if entry and (name in given or name in switches):
            raise UnsupportedError(
                f"{spec.strip()}: {name} is not imitated of {entry.name}: {entry.otherwise[name]}; "
                f"leave {name} or like= out"
            )
    params = _values(catalog, alias.metric, spec.strip(), declared, given, switches, usual)
    name = alias.metric.name
    families = [family for family, known in catalog.names if known == name]
    if len(families) > 1 and params.get(CUTOFF) is None:
        name = f"{alias.metric.family}.{name}"
    return Measure(
        alias.metric, spec.strip(), name, tuple(params.items()), aggregation, tuple(declared.values()),
        entry.requires if entry else "", bool(entry and entry.untied),
    )  # fmt: skip


def _values(
    catalog: Catalog,
    metric: Definition,
    spec: str,
    declared: Mapping[str, Param],
    given: Mapping[str, object],
    switches: Mapping[str, object],
    usual: Mapping[str, Value],
) -> dict[str, Value]:
    """The value of every parameter: the spec's own, the call's, the one that is usual, the default."""
    values: dict[str, Value] = {}
    for name, param in declared.items():
        if name in given or name in usual:
            values[name] = _typed(spec, param, given.get(name, usual.get(name)))
        elif param.required:
            raise MetricError(f"{spec}: {name} is missing; write {metric.name}({name}=...)")
        else:
            values[name] = param.default
    for name, value in switches.items():
        if name in declared and name not in given:
            typed = _typed(f"switch {name}", declared[name], value)
            changed = {**values, name: typed}
            if not any(_violated(c, changed) for c in declared[name].checks):
                values = changed
    for param in declared.values():
        _check(spec, param, values)
    for name in declared:
        if values[name] != declared[name].default and _is_idle(catalog, metric, name, values):
            if name in given:
                raise MetricError(f"{spec}: {_changes_nothing(catalog, metric, name, values[name])}")
            values[name] = declared[name].default
    return values


def _is_idle(catalog: Catalog, metric: Definition, name: str, values: Mapping[str, Value]) -> bool:
    """Say whether a parameter changes nothing under the values of the others."""
    condition = catalog.idle(metric).get(name)
    return condition is not None and constant(substituted(condition, values)) is True


def _changes_nothing(catalog: Catalog, metric: Definition, name: str, value: Value) -> str:
    condition = catalog.idle(metric)[name]
    where = "" if isinstance(condition, exp.Boolean) else f" where {condition.sql(dialect='duckdb')}"
    advice = "leave it out" if not where else "change that, or leave it out"
    return f"{name}={written(value)} changes nothing{where}; {advice}"


def _refusal(catalog: Catalog, measure: Measure, name: str, value: object) -> str | None:
    """Say why a measure does not take a switch; None when it does."""
    if name == AGGREGATION and measure.aggregation is not None:
        return None
    declared = catalog.params(measure.metric)
    if name not in declared:
        return f"{measure.metric.name} has no parameter {name!r}; leave it out"
    changed = {**measure.values, name: _typed(f"switch {name}", declared[name], value)}
    try:
        _check(str(measure.text), declared[name], changed)
    except MetricError as error:
        return str(error)
    if changed[name] != declared[name].default and _is_idle(catalog, measure.metric, name, changed):
        return f"{measure.text}: {_changes_nothing(catalog, measure.metric, name, changed[name])}"
    return None


def _arguments(spec: str, text: str) -> Iterator[tuple[str, str]]:
    position, seen = 0, set()
    while position < len(text.rstrip()):
        match = _ARGUMENT.match(text, position)
        if match is None:
            raise MetricError(f"{spec}: cannot read {text[position:]!r}; write param=value")
        if match["name"] in seen:
            raise MetricError(f"{spec}: {match['name']} is given twice; keep one of them")
        seen.add(match["name"])
        yield match["name"], match["value"]
        position = match.end()


def _typed(where: str, param: Param, value: object) -> Value:
    """Read a value as the type that the parameter declares."""
    if param.default is None and not param.required and (
        value is None or str(value).lower() in ("null", "none")
    ):  # fmt: skip
        return None
    try:
        return _READERS[param.type](value)
    except (ValueError, TypeError, OverflowError):
        wanted = {int: "a whole number", float: "a number", bool: "true or false"}
        raise MetricError(
            f"{where}: {param.name} must be {wanted.get(param.type, 'a word')}, got {value!r}; "
            f"write {_sample(param)}"
        ) from None


def _sample(param: Param) -> str:
    if param.name == CUTOFF:
        return "a positive number after @, such as @10"
    return f"{param.name}={written(param.default if param.default is not None else 1)}"


def _whole(value: object) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise ValueError
    return int(value if isinstance(value, int | float) else str(value))


def _real(value: object) -> float:
    number = float(value if isinstance(value, int | float) else str(value))
    if isinstance(value, bool) or not math.isfinite(number):
        raise ValueError
    return number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value[1:-1].replace("''", "'") if value[:1] == "'" else value


def _flag(value: object) -> bool:
    return {"true": True, "false": False, "True": True, "False": False}[str(value)]


_READERS: dict[type, Callable[[object], Value]] = {int: _whole, float: _real, str: _text, bool: _flag}


def _violated(check: exp.Expr, values: Mapping[str, Value]) -> bool:
    """A CHECK is violated when it is false; NULL passes, as in SQL."""
    return constant(substituted(check, values)) is False


def _check(spec: str, param: Param, values: Mapping[str, Value]) -> None:
    value = values[param.name]
    for check in param.checks:
        if not _violated(check, values):
            continue
        if isinstance(check, exp.In):
            options = [str(choice) for choice in param.choices]
            close = suggestion(str(value), options) if value is not None else ""
            hint = close if close.startswith("did") else f"choose {' or '.join(options)}"
            raise MetricError(f"{spec}: {param.name} cannot be {str(value)!r}; {hint}")
        if (needed := _needs(check)) is not None:
            raise MetricError(f"{spec}: {param.name}={written(value)} needs {needed}; write it as in @10")
        raise MetricError(
            f"{spec}: {param.name} is {written(value)}, but must satisfy "
            f"{check.sql(dialect='duckdb')}; {_share_of(param, value) or 'change it'}"
        )


def is_share(param: Param) -> bool:
    """Say whether a parameter is above 0 and below 1, so that people may think of percent."""
    return {f"{param.name} > 0", f"{param.name} < 1"} <= {check.sql() for check in param.checks}


def _share_of(param: Param, value: Value) -> str | None:
    """How to write a percentage as the share that is wanted."""
    if not is_share(param) or not isinstance(value, int | float) or not 2 <= value < 100:
        return None
    return f"write {value / 100:.15g}"


def _needs(check: exp.Expr) -> str | None:
    """Read ``norm <> 'k' OR k IS NOT NULL``: the value needs another parameter."""
    if isinstance(check, exp.Paren):
        return _needs(check.this)
    if isinstance(check, exp.Or) and isinstance(check.expression, exp.Not):
        columns = [column.name for column in check.expression.find_all(exp.Column)]
        return columns[0] if columns else None
    return None


def written(value: Value) -> str:
    """Write a value the way a spec has it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    text = str(value)
    return (
        text if isinstance(value, int) or _WORD.fullmatch(text) else f"'{text.replace(chr(39), 2 * chr(39))}'"
    )
