"""One metric under the conventions of every tool, with the settings that make each number differ."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.measure import CUTOFF, PER_CALL, POSITIONS, holds, parameter_of, written
from duckmetrics.catalog.names import name_of
from duckmetrics.catalog.presets import preset, presets
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.engines.engine import Memory
from duckmetrics.errors import DuckmetricsError, UnsupportedError
from duckmetrics.inputs.systems import Systems
from duckmetrics.results.findings import ERROR
from duckmetrics.results.tabular import Printed, Shown, aligned, readable, screen_width, table_width
from duckmetrics.version import __version__
from duckmetrics.words.rounding import ROUNDING
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.session import Session
    from duckmetrics.expressions.folding import Value


COLUMNS = (
    "system", "metric", "like", "tool", "name", "value", "difference", "n", "settings", "because", "reason",
)  # fmt: skip
SHOWN = ("metric", "like", "name", "value", "difference", "n")
NUMERIC = ("value", "difference", "n")
# The width of the reasons: with the names of the metrics next to them, and at least.
ENOUGH, LEAST = 38, 24
# Columns in which tools that agree still differ.
_OF_TOOL = ("like", "name")
# A reason that is the same for several tools but for their names.
_NONE = re.compile(r".* has (no .* that is known here).*")
# The examples in a reason: (query_id=1).
_EXAMPLES = re.compile(r" \((?=\w+=)")
# Stands for a blank inside of a setting, which is not broken.
_JOINED = "\x00"


@dataclass(frozen=True)
class Convention:
    """A metric as one tool computes it.

    Attributes:
        like: the preset; ``duckmetrics`` for the defaults.
        tool: its name and the version that was looked at.
        name: its name for the metric.
        value: None where `reason` says why.
        difference: from the value under the defaults.
        settings: the parameters that differ from the defaults.
        effects: of those, the ones that alone change the value of the defaults, and by how much.
        reason: why there is no value, or the replacement of a setting that the data do not allow.
    """

    system: str | None
    metric: str
    like: str
    tool: str
    name: str
    value: float | None
    difference: float | None
    n: int | None
    settings: Mapping[str, Value]
    effects: Mapping[str, float]
    reason: str | None

    @property
    def why(self) -> str:
        """The reason for the value, for a person."""
        return "; ".join(part for part in (self.row["because"], self.reason) if part)

    @property
    def why_in_short(self) -> str:
        """The reason for the value, with two digits for each effect."""
        return "; ".join(part for part in (self._because(2), self.reason) if part)

    def _because(self, digits: int) -> str:
        return " ".join(f"{name}={written(self.settings[name])} ({effect:+.{digits}g})"
                        for name, effect in self.effects.items())  # fmt: skip

    @property
    def row(self) -> dict[str, Any]:
        """The cells of a table."""
        settings = " ".join(f"{name}={written(value)}" for name, value in self.settings.items())
        values = {**self.__dict__, "settings": settings, "because": self._because(4)}
        return {column: values[column] for column in COLUMNS}


@dataclass(frozen=True, repr=False)
class ToolComparison(Printed):
    """The same metrics under the conventions of several tools.

    Attributes:
        rows: one for each system, metric and tool.
    """

    command = "conventions"

    rows: tuple[Convention, ...]

    @property
    def summary(self) -> pa.Table:
        """One row per system, metric and preset."""
        import pyarrow as pa

        types = {"value": pa.float64(), "difference": pa.float64(), "n": pa.int64()}
        schema = pa.schema([(column, types.get(column, pa.string())) for column in COLUMNS])
        return readable(pa.Table.from_pylist([row.row for row in self.rows], schema))

    def shown(self) -> Shown:
        """Return the rows, with the reason in the last column."""
        header = [*(["system"] if self.rows[0].system else []), *SHOWN, "why"]
        cells = [[_cell(row.row.get(column, row.why)) for column in header] for row in self.rows]
        return Shown(header, cells, NUMERIC)

    def __repr__(self) -> str:
        """Return lines that a terminal holds: reasons are broken, and tools without a value stand below."""
        width = screen_width()
        rows = [row for row in self.rows if row.value is not None]
        header = [*_common(rows), *(name for name in SHOWN if name != "metric")]
        if width - 2 - _width(rows, header) < ENOUGH:
            header.remove("name")
        room = max(width - 2 - _width(rows, header), LEAST)
        alike: dict[tuple[str, ...], list[Convention]] = {}
        for row in rows:
            own = ("like",) if row.why_in_short else ()
            key = [_cell(row.row[name]) for name in header if name not in own]
            alike.setdefault((*key, row.why_in_short), []).append(row)
        cells = [line for group in alike.values() for line in _lines(group, header, room)]
        below = [shorten(line, width, placeholder=" ...") for line in self._without_value(width)]
        return "\n".join([*aligned([*header, "why"], cells, NUMERIC), *([""] if below else []), *below])

    def _without_value(self, width: int) -> list[str]:
        """Return a line for each reason why tools have no value."""
        found: dict[str, dict[str, None]] = {}
        told: set[tuple[str, str]] = set()
        for row in self.rows:
            if row.value is None and (row.like, row.metric) not in told:
                told.add((row.like, row.metric))
                # Examples and counts are of the first system, and other settings of a tool are in the files.
                reason = _EXAMPLES.split(_NONE.sub(r"\1", row.reason or ""))[0]
                found.setdefault(reason, {})[row.like] = None
        return [_refusal([*tools], reason, width) for reason, tools in found.items()]


def _refusal(tools: Sequence[str], reason: str, width: int) -> str:
    """Return the tools and their reason in one line: of many tools, as many as there is room for."""
    for n in range(len(tools), 0, -1):
        rest = len(tools) - n
        others = f" and {rest} other{'s' if rest > 1 else ''}" if rest else ""
        line = visible(f"{', '.join(tools[:n])}{others}: {reason}")
        if len(line) <= width:
            return line
    return visible(f"{', '.join(tools)}: {reason}")


def _common(rows: Sequence[Convention]) -> list[str]:
    """Return the first columns: the system where there is one, the metric where there are several."""
    several = len({row.metric for row in rows}) > 1
    return [*(["system"] if any(row.system for row in rows) else []), *(["metric"] if several else [])]


def _width(rows: Sequence[Convention], header: Sequence[str]) -> int:
    return table_width(header, [[_cell(row.row[name]) for name in header] for row in rows])


def _lines(group: Sequence[Convention], header: Sequence[str], room: int) -> Iterator[list[str]]:
    """Yield the lines of tools that agree: each tool on a line of its own, next to those of the reason."""
    settings = group[0].why_in_short.replace(" (", f"{_JOINED}(")
    why = [line.replace(_JOINED, " ") for line in wrap(settings, room, break_on_hyphens=False)]
    for i in range(max(len(group), len(why))):
        shown = header if i == 0 else _OF_TOOL if i < len(group) else ()
        cells = [_cell(group[i].row[name]) if name in shown else "" for name in header]
        yield [*cells, why[i] if i < len(why) else ""]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


Key = tuple[str, str, bool]
DEFAULTS = "duckmetrics"


def tools_side_by_side(session: Session, specs: Sequence[str], names: Sequence[str]) -> ToolComparison:
    """Compute metrics under the conventions of tools, see `conventions`.

    Args:
        names: the presets, all of them if there are none.

    Raises:
        MetricError: a metric or switch cannot be read.
        InputError: the data cannot be evaluated under the defaults either.
    """
    systems = _systems(session)
    # A tool evaluates one run, so the queries of other systems decide nothing.
    alone = [session.of_system(name) for name in sorted(systems)] if len(systems) > 1 else [session]
    rows: dict[str, list[Convention]] = {spec: [] for spec in specs}
    for one in alone:
        with session.engine.remembering(session.engine.memory or Memory()):
            one.measures(specs)  # without a truth, the queries are those that were answered
            for spec in specs:
                metric = _Metric(one, spec, names or list(presets()))
                rows[spec] += metric.rows() + (metric.refusals() if one is alone[-1] else [])
    return ToolComparison(tuple(row for of_spec in rows.values() for row in of_spec))


def _systems(session: Session) -> list[str]:
    """Return the names of the systems; none where nothing distinguishes them.

    Raises:
        InputError: there is no table, or no column that names the systems.
    """
    request = session.request
    found = Systems(request.predictions, request.system, session.attach, request.scores)
    query = found.listing()
    names = list(found.names or ()) if query is None else [row[0] for row in session.engine.rows(query)]
    return [] if None in names else names  # such rows are refused where they are read


class _Metric:
    """One spec under all presets; conventions that two of them share are evaluated once."""

    def __init__(self, session: Session, spec: str, names: Iterable[str]) -> None:
        self.session = session
        self.spec = spec
        (self.default,) = session.measures([spec])
        # A name of one tool is not known to the others, and may mean a metric of the other family there.
        ours = str(self.default) if self.default.tools else spec
        ours = ours if "." in ours.partition("(")[0] else f"{self.default.family}.{ours}"
        self.measures: dict[str, Measure] = {}
        self.refused: dict[str, str] = {}
        for name in names:
            try:
                self.measures[name] = parse_measure(
                    session.catalog, ours, session.request.switches, lambda: self.default.family, preset(name)
                )
            except UnsupportedError as error:
                self.refused[name] = error.reason
        self.results: dict[Key, Mapping[str | None, Mapping[str, Any]] | DuckmetricsError] = {}
        self.replaced: dict[Key, str] = {}

    def rows(self) -> list[Convention]:
        """Return the values: the defaults first, equal values together, unavailable ones last."""
        changes = (measure.differing(self.default) for measure in self.measures.values())
        alone = [self._alone(name, value) for change in changes for name, value in change.items()]
        self._evaluate([self.default, *self.measures.values(), *alone])
        if isinstance(found := self.results[self.default.key], DuckmetricsError):
            raise found
        rows = [
            self._row(system, name, measure)
            for system in found for name, measure in {DEFAULTS: self.default, **self.measures}.items()
        ]  # fmt: skip
        rows.sort(key=lambda row: (row.system or "", row.like != DEFAULTS, row.value is None,
                                   -round(row.value or 0, 12), row.like))  # fmt: skip
        return rows

    def refusals(self) -> list[Convention]:
        """Return a row for each tool that lacks the metric, whatever the system."""
        return [
            Convention(None, self.spec, name, preset(name).tool, "", None, None, None, {}, {}, reason)
            for name, reason in self.refused.items()
        ]

    def _row(self, system: str | None, like: str, measure: Measure) -> Convention:
        tool, name = _named(like, measure)
        settings = measure.differing(self.default)
        found = self.results[measure.key]
        if isinstance(found, DuckmetricsError):
            why = str(found).splitlines()[0]
            return Convention(system, self.spec, like, tool, name, None, None, None, settings, {}, why)
        row, usual = found[system], self._value(self.default, system)
        value = row["value"]
        difference = value - usual if value is not None and usual is not None else None
        if difference is not None and abs(difference) <= ROUNDING:
            difference = 0.0
        effects = self._effects(settings, system, usual) if difference else {}
        reason = "; ".join(t for t in (row["reason"], self.replaced.get(measure.key)) if t) or None
        return Convention(
            system, self.spec, like, tool, name, value, difference, row["n"], settings, effects, reason
        )

    def _effects(
        self, settings: Mapping[str, Value], system: str | None, usual: float | None
    ) -> dict[str, float]:
        """Return the change of the default value by each setting, without settings that change nothing."""
        effects = {}
        for name, value in settings.items():
            changed = self._value(self._alone(name, value), system)
            if changed is not None and usual is not None and abs(changed - usual) > ROUNDING:
                effects[name] = changed - usual
        return effects

    def _value(self, measure: Measure, system: str | None) -> float | None:
        found = self.results[measure.key]
        return None if isinstance(found, DuckmetricsError) else found[system]["value"]

    def _alone(self, name: str, value: Value) -> Measure:
        return self.default.bound(**{name: value})

    def _evaluate(self, measures: Iterable[Measure]) -> None:
        """Evaluate measures together that cannot stop each other; a batch that is stopped, one by one."""
        distinct = {measure.key: measure for measure in measures}
        batches: dict[tuple[Value, ...], list[Measure]] = {}
        decisive = _decisive()
        for measure in distinct.values():
            apart = tuple(measure.values.get(name) for name in decisive)
            batches.setdefault((measure.needed, measure.untied, *apart), []).append(measure)
        for batch in batches.values():
            if len(batch) > 1 and self._is_run(batch):
                continue
            for measure in batch:
                self._run_alone(measure)

    def _is_run(self, batch: Sequence[Measure]) -> bool:
        """Evaluate measures together, and return whether nothing stopped them."""
        try:
            self._run(batch)
        except DuckmetricsError:
            return False
        return True

    def _run_alone(self, measure: Measure) -> None:
        """Evaluate one measure; if its order of ties is unknown, that of the defaults is used."""
        order = parameter_of(catalog(), POSITIONS)
        usual = self.default.values.get(order)
        try:
            self._run([measure])
        except DuckmetricsError as error:
            self.results[measure.key] = error
            if measure.untied:
                self._stand_in(
                    measure, replace(measure, untied=False), f"{order}={usual} stands in for its order"
                )
            elif holds(catalog(), POSITIONS, measure) and not holds(catalog(), POSITIONS, self.default):
                why = f"{order}={usual} stands in for {order}={measure.values[order]}"
                self._stand_in(measure, measure.bound(**{order: usual}), f"no order of rows: {why}")

    def _stand_in(self, measure: Measure, other: Measure, why: str) -> None:
        self._run_alone(other)
        self.results[measure.key] = self.results[other.key]
        if not isinstance(self.results[other.key], DuckmetricsError):
            self.replaced[measure.key] = why

    def _run(self, batch: Sequence[Measure]) -> None:
        names = [f"{self.spec}{' ' * i}" for i in range(len(batch))]
        named = [replace(measure, text=name) for name, measure in zip(names, batch, strict=True)]
        rows = [row for row in self.session.evaluation(named).rows if row["slice"] == ""]
        for name, measure in zip(names, batch, strict=True):
            of_measure = {row["system"]: row for row in rows if row["metric"] == name}
            self.results[measure.key] = of_measure


def _decisive() -> tuple[str, ...]:
    """Return the parameters with which one measure can stop the others that are evaluated with it.

    They decide which rows are refused and in which order rows are read, or are common to all measures.
    """
    refusing = [one.placeholders for one in catalog().checks.values() if one.header["severity"] == ERROR]
    return tuple({*PER_CALL, parameter_of(catalog(), POSITIONS)}.union(*refusing))


def _named(like: str, measure: Measure) -> tuple[str, str]:
    """Return the tool with its version, and its name of the metric."""
    if like == DEFAULTS:
        return f"{DEFAULTS} {__version__}", measure.metric.name
    cutoff = measure.values.get(CUTOFF)
    entry = preset(like).entry(measure.family, measure.metric.name, cutoff is not None)
    usual = measure.metric.own_params.get(CUTOFF)
    values = measure.values
    if usual is not None and cutoff == usual.default:  # accuracy of the first class is that without a cut-off
        values = {name: value for name, value in values.items() if name != CUTOFF}
    return preset(like).tool, name_of(entry.name, values)
