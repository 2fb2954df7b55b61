"""Charts with axes: the frame, the names of the lines, and the texts for those who cannot see the chart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckmetrics.charts.marks import text_of
from duckmetrics.charts.numbers import plain
from duckmetrics.charts.scales import Domain, height, place, ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HEIGHT = 250


@dataclass
class Ids:
    """The ids of one page: each is unique, and the same page has the same ids.

    Attributes:
        prefix: what all ids begin with; give each fragment of one page another prefix.
        last: the number of ids that were given.
    """

    prefix: str = "c"
    last: int = 0

    def new(self) -> str:
        """Return the next id: ``c1``, ``c2``."""
        self.last += 1
        return f"{self.prefix}{self.last}"


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Attributes:
        domain: the lowest and the highest number.
        name: the name below the axis, or above the chart.
        text: writes a label.
        labels: where labels stand; None for round numbers.
        about: about how many labels there are.
    """

    domain: Domain
    name: str
    text: Callable[[float], str] = plain
    labels: Sequence[float] | None = None
    about: int = 5

    @property
    def ticks(self) -> Sequence[float]:
        """The numbers with a label."""
        return ticks(*self.domain, self.about) if self.labels is None else self.labels


def figure(
    ids: Ids, title: str, said: str, body: str, x: Axis, y: Axis, key: str = "", height: int = HEIGHT
) -> str:
    """Draw the frame of a chart with axes around its shapes, as a fragment of HTML.

    Args:
        ids: gives the ids of the title and the description.
        title: what is seen, with numbers, as plain text.
        said: the numbers in words, for those who cannot see the chart.
        body: shapes, such as `stretched` returns.
        x: the axis below.
        y: the axis at the left; its name stands below the title.
        key: the names of the lines, such as `key` returns.
        height: the height of the plot in pixels.
    """
    name = ids.new()
    unit = f'<span class="soft">{text_of(y.name)}</span>' if y.name else ""
    return (
        f"<figure><figcaption><b>{text_of(title)}</b>{unit}{key}"
        f'</figcaption><svg class="plot" height="{height}" role="img" aria-labelledby="{name} {name}d">'
        f'<title id="{name}">{text_of(title)}</title><desc id="{name}d">{text_of(said)}</desc>'
        f"{frame(x, y)}{body}</svg></figure>"
    )


def frame(x: Axis, y: Axis) -> str:
    """Draw the grid, the labels and the name of the axis below."""
    parts = []
    for t in y.ticks:
        at = height(t, y.domain)
        parts.append(
            f'<line class="grid" x1="0" x2="100%" y1="{at}" y2="{at}"/>'
            f'<text class="y" x="-7" y="{at}" dy=".32em">{text_of(y.text(t))}</text>'
        )
    for t in x.ticks:
        parts.append(f'<text x="{place(t, x.domain)}" y="100%" dy="17">{text_of(x.text(t))}</text>')
    parts.append(f'<text x="50%" y="100%" dy="34">{text_of(x.name)}</text>')
    return "".join(parts)


def key(entries: Iterable[tuple[str, str]]) -> str:
    """Write the names of lines, bars or marks, each after its swatch.

    Args:
        entries: name, and class of the swatch: s0, s1, ref, pos, neg, ring, dot, up or down.
    """
    names = "".join(f'<span><i class="{kind}"></i>{text_of(name)}</span>' for name, kind in entries)
    return f'<span class="key">{names}</span>'
