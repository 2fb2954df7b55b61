"""The metrics of an experiment, read from texts such as ``revenue`` and ``clicks/sessions``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import InputError, MetricError, UnsupportedError, suggestion, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.inputs.sources import Source

# Between numerator and denominator.
OVER = "/"


@dataclass(frozen=True)
class Outcome:
    """A metric of an experiment.

    Attributes:
        name: the text as typed.
        value: the user's column; of a ratio, that of the numerator.
        denominator: of a ratio, the column of the denominator.
        before: the column with the same quantity from before the experiment, for CUPED.
        lower_is_better: whether a lower value is better.
    """

    name: str
    value: str
    denominator: str | None = None
    before: str | None = None
    lower_is_better: bool = False

    @property
    def columns(self) -> list[str]:
        """The user's columns that a unit needs to count."""
        return [self.value] if self.denominator is None else [self.value, self.denominator]


def read_outcomes(source: Source, metrics: Any, pre: Any, lower_is_better: Any) -> list[Outcome]:
    """Find the columns that the metrics of a call mean.

    Raises:
        MetricError: there is no metric, or an option names none of them.
        InputError: there is no such column.
        UnsupportedError: CUPED of a ratio.
    """
    read: dict[str, list[str]] = {}
    for text in _texts("metrics", metrics):
        read |= _columns(source, text)
    if not read:
        raise MetricError("metrics", "none given", "name columns, such as revenue or clicks/sessions")
    before = _before(source, pre, read)
    lower = [name for text in _texts("lower_is_better", lower_is_better)
             for name in ([text] if text in read else map(str.strip, text.split(",")))]  # fmt: skip
    for name in lower:
        if name not in read:
            raise MetricError("lower_is_better", *unknown("metric", name, read))
    return [
        Outcome(name, value, next(iter(denominator), None), before.get(name), name in lower)
        for name, (value, *denominator) in read.items()
    ]


def find_column(source: Source, name: str, what: str, taken: Sequence[str] = ()) -> str:
    """Return the column that a name means.

    Args:
        taken: columns that it cannot mean.

    Raises:
        InputError: there is none.
    """
    found = source.find(name)
    if found is None:
        others = [column for column in source.columns if column not in taken]
        raise InputError(source.label, f"no column {name!r} for {what}", suggestion(name, others))
    return found


def _texts(option: str, given: Any) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given or ())
    if not all(isinstance(text, str) for text in texts):
        raise MetricError(option, f"{given!r} names no columns", "write text, such as 'revenue'")
    return texts


def _columns(source: Source, text: str) -> dict[str, list[str]]:
    """Return the columns by metric: of the text as a whole, else of its parts between commas."""
    whole = _meant(source, text)
    if whole:
        return {text: whole}
    read = {}
    for part in (part.strip() for part in text.split(",")):
        if part:
            read[part] = _meant(source, part) or _refused(source, part)
    return read


def _meant(source: Source, text: str) -> list[str]:
    """Return the column of that name, or numerator and denominator around one of the slashes."""
    column = source.find(text)
    if column is not None:
        return [column]
    places = [place for place, character in enumerate(text) if character == OVER]
    for place in places:
        pair = [source.find(part.strip()) for part in (text[:place], text[place + 1 :])]
        known = [name for name in pair if name is not None]
        if len(known) == 2:
            return known
    return []


def _refused(source: Source, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(OVER)]
    if len(parts) > 2 and source.find(parts[0]) is None:  # a name with slashes
        parts = [text]
    if not all(parts) or len(parts) > 2:
        raise MetricError(text, "is not a ratio of two columns", "write numerator/denominator")
    missing = next(part for part in parts if source.find(part) is None)
    whose = "" if missing == text else f" of the metric {text!r}"
    raise InputError(
        source.label, f"no column {missing!r}{whose}", suggestion(missing, [*source.columns, *source.renamed])
    )


def _before(source: Source, pre: Any, read: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the column from before the experiment by metric."""
    if pre is not None and not isinstance(pre, Mapping):
        raise MetricError("pre", f"{pre!r} maps no metric", "write {'revenue': 'revenue_before'}")
    found = {}
    for name, column in (pre or {}).items():
        if name not in read:
            raise MetricError("pre", *unknown("metric", str(name), read))
        if len(read[name]) > 1:
            raise UnsupportedError(f"pre {name}", "there is no CUPED of a ratio", "leave it out")
        found[name] = find_column(source, str(column), f"pre {name}", read[name])
        if found[name] == read[name][0]:
            raise MetricError(
                f"pre {name}", "is the metric itself", "name a column from before the experiment"
            )
    return found
