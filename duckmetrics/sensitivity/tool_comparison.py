"""One metric as several tools compute it: the rows, and how they look on a terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.parameters import written
from duckmetrics.expressions.visible import visible
from duckmetrics.results.notebook import readable
from duckmetrics.results.tabular import Printed, Shown, aligned, screen_width, table_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

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
