"""The rows of a comparison for a screen: both values, the direction of the metric, and the slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from duckmetrics.expressions.visible import hashable, visible, visible_key
from duckmetrics.sentences.changes import LOWER, gain_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Row = Mapping[str, Any]

HIGHER, TARGET = "higher", "target"


class Values(Protocol):
    """The parts of an evaluation that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def by(self) -> Sequence[str]: ...
    @property
    def metrics(self) -> Sequence[str]: ...
    @property
    def higher_is_better(self) -> frozenset[str]: ...
    @property
    def lower_is_better(self) -> frozenset[str]: ...
    def segment(self, row: dict[str, Any]) -> dict[str, Any]: ...


class Sliced(Protocol):
    """The results of all slices together."""

    @property
    def heterogeneity(self) -> Sequence[dict[str, Any]]: ...


class Result(Protocol):
    """The parts of a comparison that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def baseline(self) -> str: ...
    @property
    def adjust(self) -> str: ...
    @property
    def alpha(self) -> float: ...
    @property
    def level(self) -> float: ...
    @property
    def test(self) -> str: ...
    @property
    def evaluation(self) -> Values: ...
    @property
    def sliced(self) -> Sliced: ...


class Line(NamedTuple):
    """A row of the table: the value of a system, with that of the baseline.

    Attributes:
        row: the row of the comparison.
        base: the value of the baseline in the same slice.
        better: the direction of the metric: "higher", "lower", "target", or None.
        segment: the slice, as text by column.
    """

    row: Row
    base: float | None
    better: str | None
    segment: dict[str, str]

    @property
    def is_relative(self) -> bool:
        """Whether the change is shown as a share of the value of the baseline.

        A change without a better direction is the difference of the values, as one without such an interval.
        """
        if self.better not in (HIGHER, LOWER):
            return False
        return self.row.get("relative_lower") is not None and self.row.get("relative_upper") is not None

    @property
    def gain(self) -> float:
        """The change, higher for better; the place of the line where the worst comes first."""
        target = self.target if self.better == TARGET else None
        found = gain_of(self.row, self.base, self.better, target)
        return float("inf") if found is None else found

    @property
    def target(self) -> float:
        """The value that the metric aims at."""
        found = self.row.get("target")
        return 1.0 if found is None else float(found)


def lines_of(result: Result) -> list[Line]:
    """Return the lines of all systems but the baseline."""
    values = result.evaluation
    key = _key_in(values)
    bases = {key(row): row["value"] for row in result.rows if row["system"] == result.baseline}
    return [
        Line(row, bases.get(key(row)), direction_of(values, row), _segment(values, row))
        for row in result.rows if row["system"] != result.baseline
    ]  # fmt: skip


def _key_in(values: Values) -> Callable[[Row], tuple[Any, ...]]:
    return lambda row: (row["metric"], row["slice"], *(hashable(row.get(column)) for column in values.by))


def _segment(values: Values, row: dict[str, Any]) -> dict[str, str]:
    return {visible(name): visible_key(value) for name, value in values.segment(row).items()}


def direction_of(values: Values, row: Row) -> str | None:
    """Return the direction of a metric."""
    if row.get("better") is not None:
        return str(row["better"])
    if row["metric"] in values.lower_is_better:
        return LOWER
    return HIGHER if row["metric"] in values.higher_is_better else None
