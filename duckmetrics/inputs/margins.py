"""The margins of a comparison, read and checked: the largest difference that does not matter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.errors import MetricError, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.measure import Measure

HOW = "write a number above 0 in the units of the metric, such as 0.005, or a share such as '1%'"


class Margin(NamedTuple):
    """The largest difference that does not matter.

    Attributes:
        size: in the units of the metric, or a share such as 0.01.
        is_relative: whether it is a share of the absolute value of the baseline.
    """

    size: float
    is_relative: bool

    def __str__(self) -> str:
        return f"{100 * self.size:.12g}%" if self.is_relative else f"{self.size:.12g}"


@dataclass(frozen=True)
class Margins:
    """The margins of a call.

    Attributes:
        common: the margin of all metrics; None if metrics have margins of their own.
        by_metric: the margins by metric, as typed.
    """

    common: Margin | None = None
    by_metric: Mapping[str, Margin] = field(default_factory=dict)

    def of(self, measures: Sequence[Measure]) -> dict[str, Margin]:
        """Return the margins by the texts of measures.

        Raises:
            MetricError: a margin is of a metric that is not compared, or as large as its range, or larger.
        """
        found = {measure.text: self._own(measure) for measure in measures}
        known = {name for measure in measures for name in (measure.text, str(measure))}
        for name in self.by_metric:
            if name not in known:
                texts = [measure.text for measure in measures]
                raise MetricError(f"margin of {name}", "it is not compared", suggestion(name, texts))
        for measure in measures:
            _refuse_too_large(measure, found[measure.text])
        return {text: margin for text, margin in found.items() if margin is not None}

    def _own(self, measure: Measure) -> Margin | None:
        own = self.by_metric.get(measure.text, self.by_metric.get(str(measure)))
        return self.common if own is None else own


def read_margins(margin: Any) -> Margins | None:
    """Read a margin: a number, a text such as ``"1%"``, or a mapping of metrics to these.

    Raises:
        MetricError: no positive number or share.
    """
    if margin is None:
        return None
    if not isinstance(margin, Mapping):
        return Margins(_read("margin", margin))
    if not margin:
        raise MetricError("margin", "no metric", "write {'ndcg@10': 0.005}, or one margin for all metrics")
    return Margins(None, {str(name): _read(f"margin of {name}", own) for name, own in margin.items()})


def _read(where: str, given: Any) -> Margin:
    text = str(given).strip()
    is_relative = isinstance(given, str) and text.endswith("%")
    try:
        size = math.nan if isinstance(given, bool) else float(text.removesuffix("%") if is_relative else text)
    except ValueError:
        size = math.nan
    if not 0 < size < math.inf:
        raise MetricError(where, f"{given!r} is not a positive number", HOW)
    if is_relative and size >= 100:
        raise MetricError(where, f"{text} is the whole value of the baseline", "write a share such as '1%'")
    return Margin(size / 100 if is_relative else size, is_relative)


def _refuse_too_large(measure: Measure, margin: Margin | None) -> None:
    """Refuse a margin that no difference of two values of a metric can exceed."""
    declared = measure.metric.range
    width = declared.high - declared.low
    if margin is not None and not margin.is_relative and margin.size >= width:
        share = f"; for {margin.size:g} % of the baseline, write '{margin.size:g}%'"
        raise MetricError(
            f"margin of {measure.text}",
            f"{margin.size:g} is as large as the range of the metric, {declared.low:g} to {declared.high:g}",
            f"write a smaller number{share if margin.size < 100 else ''}",
        )
