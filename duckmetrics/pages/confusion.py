"""The picture of a confusion matrix: a row for each right class, a column for each predicted one."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duckmetrics.pages.chart import ChartAxis, Panel, Panels, Plot, columns_of, shortened
from duckmetrics.pages.curves import Picture
from duckmetrics.pages.marks import each, percent, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.pages.curves import BySystem, Rows

# A picture shows the classes that are mixed up most; the others are one class together.
MOST_CLASSES = 20
OTHER = "other classes"
# The width that labels have to fit in, of a picture and of a small one; of a letter; the height of a row.
WIDTH, SMALL_WIDTH, LETTER, ROW = 420, 100, 6.7, 28
# A label below with fewer letters is left out.
LEAST_LETTERS = 5
LONGEST_NAME = 14
# The strongest color is light enough for the number on it.
STRONGEST = 0.45


class _Cell(NamedTuple):
    actual: str
    predicted: str
    n: float
    share: float

    @property
    def said(self) -> str:
        """The numbers of the cell in words."""
        return f"{self.actual}, predicted {self.predicted}: {_count(self.n)}, {percent(self.share, False)}"


def confusion(by_system: BySystem) -> Picture:
    """Draw the rows of each right class by the class that is predicted, as a table of colored cells.

    Args:
        by_system: rows with actual, predicted, n and share, the share of the rows of the right class.
    """
    classes = _classes([row for rows in by_system.values() for row in rows])
    cells = {system: _cells(rows, classes) for system, rows in by_system.items()}
    said = {system: "; ".join(cell.said for cell in own) for system, own in cells.items()}
    words = " ".join(f"{'' if name is None else f'{name}: '}{text}." for name, text in said.items())
    shown = list(dict.fromkeys(classes.values()))
    if len(cells) == 1:
        ((system, own),) = cells.items()
        of = "" if system is None else f" of {system}"
        return Picture(f"Confusion matrix{of}: {_seen(by_system[system])}", words, _plot(own, shown, WIDTH))
    wrong = {system: _wrong(rows) for system, rows in by_system.items()}
    panels = [
        Panel(str(name), f"{said[name]}.", _plot(own, shown, SMALL_WIDTH)) for name, own in cells.items()
    ]
    title = f"Confusion matrix: wrong class for {each(wrong, lambda share: percent(share, False))}"
    return Picture(title, words, Panels(panels, small=_height(shown)))


def _classes(rows: Rows) -> dict[str, str]:
    """Return the classes in their order, each with the name that it is shown by."""
    mixed: Counter[str] = Counter()
    for row in rows:
        for name in (row["actual"], row["predicted"]):
            mixed[name] += row["n"] if row["actual"] != row["predicted"] else 0
    shown = {name for name, _ in mixed.most_common(MOST_CLASSES - 1)}
    kept = shown if len(mixed) > MOST_CLASSES else mixed.keys()
    ordered = [name for name in _in_order(mixed) if name in kept]
    return {**dict(zip(ordered, ordered, strict=True)), **{name: OTHER for name in mixed if name not in kept}}


def _in_order(names: Iterable[str]) -> list[str]:
    """Return the names in the order of numbers if all are numbers, else in that of text."""
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names)


def _cells(rows: Rows, classes: dict[str, str]) -> list[_Cell]:
    found: Counter[tuple[str, str]] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        actual, predicted = classes[row["actual"]], classes[row["predicted"]]
        # The cell of the other classes has rows of any of them.
        found[actual, predicted] += row["n"]
        total[actual] += row["n"]
    return [_Cell(*pair, n, n / total[pair[0]] if total[pair[0]] else 0.0) for pair, n in found.items()]


def _wrong(rows: Rows) -> float | None:
    total = sum(row["n"] for row in rows)
    return sum(row["n"] for row in rows if row["actual"] != row["predicted"]) / total if total else None


def _seen(rows: Rows) -> str:
    """Return which share of the rows has a wrong class, and the pair that is mixed up most."""
    wrong = [row for row in rows if row["actual"] != row["predicted"]]
    if not wrong:
        return "every row has its class"
    most = max(wrong, key=lambda row: row["n"])
    share = f"{percent(_wrong(rows), False)} of the rows have a wrong class"
    return f"{share}, most often {most['predicted']} instead of {most['actual']} ({_count(most['n'])})"


def _plot(cells: Sequence[_Cell], names: Sequence[str], width: int) -> Plot:
    n = len(names)
    at = {name: i for i, name in enumerate(names)}
    room = width / n
    body = "".join(_drawn(cell, at[cell.actual], at[cell.predicted], n, room) for cell in cells)
    labels = [i + 0.5 for i in range(n)]
    domain = (0.0, float(n))
    fitting, longest = int(room / LETTER), min(LONGEST_NAME, max(map(columns_of, names)))
    is_fitting = fitting >= min(LEAST_LETTERS, longest)
    x = ChartAxis(
        domain, "predicted class" if is_fitting else "predicted class, in the same order",
        lambda t: shortened(names[int(t)], fitting) if is_fitting else "", labels,
    )  # fmt: skip
    y = ChartAxis(
        domain, "right class at the left; color: share of the rows of the right class",
        lambda t: shortened(names[n - 1 - int(t)], LONGEST_NAME), labels, grid=False,
    )  # fmt: skip
    return Plot(body, x, y, height=_height(names), left=round(longest * LETTER) + 16)


def _height(names: Sequence[str]) -> int:
    return max(4, len(names)) * ROW


def _drawn(cell: _Cell, row: int, column: int, n: int, room: float) -> str:
    """Draw a cell, with its number if there is room for it, and in words where a pointer rests."""
    kind = "better" if row == column else "worse"
    x, y, size = f"{100 * column / n:.2f}%", f"{100 * row / n:.2f}%", f"{100 / n:.2f}%"
    # Few rows of a wrong class are seen, too.
    opacity = f"{STRONGEST * math.sqrt(cell.share):.3f}"
    drawn = (
        f'<rect class="bar {kind}" x="{x}" y="{y}" width="{size}" height="{size}" fill-opacity="{opacity}">'
        f"<title>{text_of(cell.said)}</title></rect>"
    )
    texts = (_count(cell.n), f"{100 * cell.share:.0f}%")
    shown = next((text for text in texts if len(text) * LETTER <= room - 4), "")
    middle = f'x="{100 * (column + 0.5) / n:.2f}%" y="{100 * (row + 0.5) / n:.2f}%" dy=".35em"'
    return drawn + (f'<text class="in" {middle}>{shown}</text>' if shown else "")


def _count(n: float) -> str:
    return f"{n:,.0f}" if float(n).is_integer() else f"{n:,.4g}"
