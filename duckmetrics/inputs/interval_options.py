"""Options of intervals, tests and margins, read and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.errors import MetricError, suggestion, unknown
from duckmetrics.words.rounding import whole_number
from duckmetrics.words.verdicts import ALPHA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value


# The usual test of a comparison with a baseline.
PAIRED = "paired_t"
LEVEL = 0.95
RESAMPLES, SEED = 10_000, 42
# Each of these costs as much as the metric itself.
SAMPLES = 1000
# A family of many comparisons takes more than usual, but never more than these.
MOST_RESAMPLES, MOST_SAMPLES = 100_000, 10_000
# With fewer than 30 units, large-sample approximations are unreliable.
FEW_UNITS = 30
# The file under sql/statistics that makes the interval of a mean. For t, evaluations use unit_intervals.
USUAL_METHOD, BOOTSTRAP = "t", "bootstrap"
INTERVALS: Mapping[str, str] = {USUAL_METHOD: "mean_interval", BOOTSTRAP: "bootstrap_interval"}


@dataclass(frozen=True)
class Inference:
    """Options of intervals and tests.

    Attributes:
        level: the share of intervals that hold the true value, such as 0.95.
        method: t, or bootstrap.
        cluster: the user's column that identifies independent units, None to look for one.
        resamples: the number of resamples of a bootstrap, and of tests that resample.
        samples: the number of resamples for metrics that are computed again as a whole on each.
        seed: another seed draws other resamples.
        fixed: whether somebody chose the number of resamples, so that it is not raised.
        alpha: the error rate; an adjusted p below it gives a verdict.
        adjusted: whether the p-values of all comparisons are adjusted together, which takes more resamples.
        measures: the number of measures that are evaluated together.
        pairs: whether all pairs of systems are compared, not only each with a baseline.
        resampling: whether the test or its adjustment resamples.
        compares: whether systems are compared, so that each of them needs rows.
    """

    level: float = LEVEL
    method: str = USUAL_METHOD
    cluster: str | None = None
    resamples: int = RESAMPLES
    samples: int = SAMPLES
    seed: int = SEED
    fixed: bool = False
    alpha: float = ALPHA
    adjusted: bool = False
    measures: int = 0
    pairs: bool = False
    resampling: bool = False
    compares: bool = False

    def enough(self, comparisons: int, usual: int, most: int) -> int:
        """Return the number of resamples at which the adjusted p of these comparisons can be below alpha."""
        if self.fixed:
            return usual
        return min(max(usual, math.ceil(2 * comparisons / self.alpha)), most)

    def refuse_idle(self, sampled: bool) -> None:
        """Refuse options of resampling where nothing is resampled.

        Args:
            sampled: whether a metric is computed again on each resample.

        Raises:
            MetricError: names the option.
        """
        if sampled or self.resampling or self.method == BOOTSTRAP:
            return
        option = "resamples" if self.fixed else "seed" if self.seed != SEED else ""
        if option:
            raise MetricError(
                option, "changes nothing, because nothing is resampled in this call",
                "leave it out, or add interval_method='bootstrap' (--interval-method bootstrap)",
            )  # fmt: skip

    def values(self) -> dict[str, Value]:
        """Return the parameters of the files under sql/statistics."""
        return {"level": self.level, "resamples": self.resamples, "seed": self.seed}


def read_inference(
    level: Any,
    method: str = USUAL_METHOD,
    cluster: str | None = None,
    resamples: int | None = None,
    seed: int = SEED,
) -> Inference:
    """Read the options of intervals.

    Raises:
        MetricError: a level outside (0, 1), an unknown method, or no whole number of resamples.
    """
    if cluster is not None and not isinstance(cluster, str):
        raise MetricError(
            f"cluster={cluster!r}", "is not the name of a column",
            "write one, or several that form a key, such as cluster='user_id+device'",
        )  # fmt: skip
    if method not in INTERVALS:
        raise MetricError("interval_method", *unknown("method", str(method), INTERVALS))
    if resamples is not None and whole_number(resamples) < 1:
        raise MetricError(
            f"resamples={resamples!r}", "no number of resamples", "write a whole number such as 10000"
        )
    if seed != 0 and whole_number(seed) == 0:
        raise MetricError(f"seed={seed!r}", "no whole number", "write one such as 42")
    drawn = (RESAMPLES, SAMPLES) if resamples is None else (whole_number(resamples),) * 2
    fixed = resamples is not None
    return Inference(read_level(level), method, cluster, *drawn, whole_number(seed), fixed)


def read_intervals(
    level: float | bool | None, method: str, cluster: str | None, resamples: int | None, seed: int
) -> Inference | None:
    """Read the options of the intervals of an evaluation; None if it has no intervals.

    Raises:
        MetricError: as in `read_inference`, or options of intervals without intervals.
    """
    if level is not None and level is not False:
        return read_inference(level, method, cluster, resamples, seed)
    given = {
        "cluster": cluster is not None, "interval_method": method != USUAL_METHOD,
        "resamples": resamples is not None, "seed": seed != SEED,
    }  # fmt: skip
    if idle := [name for name, is_given in given.items() if is_given]:
        raise MetricError(
            " and ".join(idle), "without effect, because no interval is asked for",
            "add interval=0.95 (--interval)",
        )  # fmt: skip
    return None


def read_flag(name: str, value: object) -> bool:
    """Read an option that is on or off.

    Raises:
        MetricError: it is something else, such as a word.
    """
    if not isinstance(value, bool):
        raise MetricError(f"{name}={value!r}", "is neither true nor false", f"write {name}=True")
    return value


def read_probability(name: str, value: object, usual: float) -> float:
    """Read an error rate or a power.

    Raises:
        MetricError: no number between 0 and 1.
    """
    if not isinstance(value, bool):
        try:
            return read_level(value)
        except MetricError:
            pass
    raise MetricError(f"{name}={value!r}", "no probability between 0 and 1", f"write {usual}")


def read_level(level: Any) -> float:
    """Read a level of confidence; True stands for the usual one."""
    if level is True:
        return LEVEL
    try:
        read = math.nan if isinstance(level, bool) else float(level)
    except (TypeError, ValueError):
        read = math.nan
    if not 0 < read < 1:
        raise MetricError(f"interval={level!r}", "no level of confidence between 0 and 1", "write 0.95")
    return read


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
