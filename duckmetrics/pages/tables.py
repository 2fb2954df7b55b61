"""Charts of tables: the drawings that a table can name in its header, and the columns that each needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.pages import curves
from duckmetrics.pages.confusion import confusion
from duckmetrics.pages.curves import calibration, histogram, isotonic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from duckmetrics.pages.curves import BySystem, Picture, Rows

    Charted = Mapping[str, tuple[str, Mapping[str, str]]]


class Drawn(NamedTuple):
    """A drawing of tables.

    Attributes:
        draw: draws the rows of each system.
        columns: the columns that it reads.
        of_classes: whether it is about several classes.
    """

    draw: Callable[[BySystem], Picture]
    columns: tuple[str, ...]
    of_classes: bool = False


# The first one is the usual chart of a classifier, or of several classes.
DRAWINGS = {
    "roc": Drawn(curves.roc, ("fpr", "tpr", "area")),
    "precision_recall": Drawn(curves.precision_recall, ("recall", "precision", "area")),
    "gains": Drawn(curves.gains, ("share", "gain")),
    "calibration": Drawn(
        calibration, ("lo", "hi", "n", "mean_score", "mean_label", "lower", "upper", "gap")
    ),
    "cumulative": Drawn(curves.cumulative, ("share", "score", "deviation", "lower", "upper")),
    "isotonic": Drawn(isotonic, ("lo", "hi", "n", "mean_score", "mean_label", "gap")),
    "histogram": Drawn(
        histogram,
        ("lo", "hi", "n", "positives", "negatives", "positive_share", "negative_share"),
    ),
    "confusion": Drawn(confusion, ("actual", "predicted", "n", "share"), of_classes=True),
}  # fmt: skip


def in_order(charted: Charted, *, of_classes: bool) -> list[str]:
    """Return the tables with a chart in the order of the drawings: those of several classes, or of two."""
    order = [name for name, drawn in DRAWINGS.items() if drawn.of_classes == of_classes]
    return sorted(
        (table for table, (drawing, _) in charted.items() if drawing in order),
        key=lambda table: order.index(charted[table][0]),
    )


def by_system(rows: Rows) -> BySystem:
    """Return the rows of each system, in their order."""
    found: dict[str | None, list[Mapping[str, object]]] = {}
    for row in rows:
        found.setdefault(row.get("system"), []).append(row)
    return found


def has_numbers(drawing: str, own: Iterable[Rows]) -> bool:
    """Return whether each system has a row with all numbers; without positives, a curve has none."""
    columns = DRAWINGS[drawing].columns
    return all(any(all(row.get(name) is not None for name in columns) for row in rows) for rows in own)
