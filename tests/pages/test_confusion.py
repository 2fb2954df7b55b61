"""The picture of a confusion matrix: its cells, their numbers and colors, many classes, several systems."""

from __future__ import annotations

import re
from typing import Any

import pytest

from duckmetrics.pages.chart import Ids
from duckmetrics.pages.confusion import MOST_CLASSES, OTHER, STRONGEST, confusion
from support.drawings import of_class, parsed, texts


def row(actual: str, predicted: str, n: float) -> dict[str, Any]:
    return {"actual": actual, "predicted": predicted, "n": n}


ROWS = [row("cat", "cat", 9), row("cat", "dog", 3), row("dog", "dog", 4), row("ant", "cat", 1)]


def drawn(rows: list[dict[str, Any]]) -> Any:
    """Return the parsed picture of one system; the picture alone."""
    picture = confusion({None: rows})
    (found,) = re.findall(r"<svg.*</svg>", picture.drawing.html(Ids(), picture.title, picture.said))
    return parsed(found)


def test_each_cell_has_its_count_and_place() -> None:
    page = drawn(ROWS)
    cells = of_class(page, "rect", "bar")
    places = {(cell.get("x"), cell.get("y")): (cell.get("class"), "".join(cell.itertext())) for cell in cells}
    assert places == {
        ("33.33%", "33.33%"): ("bar better", "cat, predicted cat: 9, 75.0%"),
        ("66.67%", "33.33%"): ("bar worse", "cat, predicted dog: 3, 25.0%"),
        ("66.67%", "66.67%"): ("bar better", "dog, predicted dog: 4, 100%"),
        ("33.33%", "0.00%"): ("bar worse", "ant, predicted cat: 1, 100%"),
    }
    opacities = [float(cell.get("fill-opacity", "")) for cell in cells]
    assert opacities == [pytest.approx(STRONGEST * share**0.5, abs=6e-4) for share in (0.75, 0.25, 1, 1)]
    shown = [found for found in texts(page) if found.isdecimal()]
    assert shown == ["9", "3", "4", "1"]
    assert [found for found in texts(page) if found in ("ant", "cat", "dog")] == [
        "dog", "cat", "ant", "ant", "cat", "dog"
    ]  # fmt: skip


def test_the_title_names_the_pair_that_is_mixed_up_most() -> None:
    of_one = confusion({"net": ROWS}).title
    assert of_one == (
        "Confusion matrix of net: 23.5% of the rows have a wrong class, most often dog instead of cat (3)"
    )
    assert confusion({None: ROWS[2:3]}).title == "Confusion matrix: every row has its class"
    assert confusion({None: [row("a", "b", 0.25)]}).title.endswith("most often b instead of a (0.25)")
    of_two = confusion({"tree": ROWS, "net": ROWS[2:3]})
    assert of_two.title == "Confusion matrix: wrong class for 0.0% of net, 23.5% of tree"
    page = of_two.drawing.html(Ids(), of_two.title, of_two.said)
    assert page.count('class="bar worse"') == 2
    assert page.count('class="bar better"') == 3


def test_of_many_classes_those_that_are_mixed_up_most_are_shown() -> None:
    names = [str(i) for i in range(40)]
    rows = [row(name, name, 10.0) for name in names]
    rows += [row(names[i], names[(i + 1) % 40], float(i + 1)) for i in range(40)]
    picture = confusion({None: rows})
    page = picture.drawing.html(Ids(), picture.title, picture.said)
    shown = re.findall(r'<text class="y"[^>]*>([^<]*)</text>', page)[::-1]
    mixed = sorted(range(40), key=lambda i: -(i + 1 + (i or 40)))[: MOST_CLASSES - 1]
    # Numbers are in their own order, and the other classes come last.
    assert shown == [*map(str, sorted(mixed)), OTHER]
    total = sum(one["n"] for one in rows)
    counts = [float(n) for n in re.findall(r"predicted [\w ]+: (\d+),", picture.said)]
    assert sum(counts) == total
    # The title is about classes, not about those that are shown as one.
    assert "most often 0 instead of 39 (40)" in picture.title
    assert f"{sum(range(41)) / total:.1%} of the rows" in picture.title


def test_names_of_classes_are_text() -> None:
    picture = confusion({None: [row("<b>", "a&b", 2)]})
    page = picture.drawing.html(Ids(), picture.title, picture.said)
    assert "<b>&lt;b&gt;" not in page
    assert "&lt;b&gt;, predicted a&amp;b: 2, 100%" in page
