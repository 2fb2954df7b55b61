"""Small reports made up by hand, and their pages parsed."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from duckmetrics.pages.report_model import (
    AtCutoff,
    Checked,
    Metric,
    Pictures,
    Problem,
    ReportCurve,
    ReportData,
    Row,
)
from duckmetrics.pages.tables import DRAWINGS
from support.cases import CATALOG

# Elements without an end.
VOID = {"meta", "br", "wbr", "link", "input", "hr", "img"}
# Names that would break a page if they were not escaped.
HOSTILE = (
    "<script>alert(1)</script>", "</title></style></script><b>", 'a&b "c" \'d\'', "模型甲", "x" * 200,
    "run\u202egnp\x1b[31m\x00", "{{ 7 * 7 }}{% raw %}",
)  # fmt: skip
NDCG = Metric("ndcg@10", "Normalized discounted cumulative gain", "higher", None, 0.0, 1.0, 10)
LOSS = Metric("log_loss", "Logarithmic loss", "lower", None, 0.0, None)
RATIO = Metric("calibration_ratio", "Predicted over observed positives", "target", 1.0, 0.0, None)
SIZE = Metric("n_returned", "Returned items", None)


def row(
    system: str = "new", metric: Metric = NDCG, verdict: str = "better", before: float | None = 0.20,
    value: float | None = 0.25, by: tuple[str, ...] = (), segment: tuple[str, ...] = (), n: int = 100,
    half: float | None = 0.01,
) -> Row:  # fmt: skip
    """Return a row with an interval of a given half width."""
    if before is None or value is None:
        return Row(system, metric.name, by, segment, value, n=n, verdict=verdict, reason="nothing returned")
    delta = value - before
    known = half is not None and verdict != "not tested"
    ends = (delta - half, delta + half) if known and half is not None else (None, None)
    scaled = [None if end is None or not before else end / abs(before) for end in (delta, *ends)]
    return Row(
        system, metric.name, by, segment, value, n=n, n_units=n, delta=delta, delta_lower=ends[0],
        delta_upper=ends[1], relative_change=scaled[0], relative_lower=scaled[1], relative_upper=scaled[2],
        p=0.0001 if known else None, p_adjusted=0.0001 if known else None, verdict=verdict,
        wins=60, ties=10, losses=30,
    )  # fmt: skip


def base(metric: Metric = NDCG, value: float | None = 0.20, **where: Any) -> Row:
    """Return a row of the baseline."""
    return Row("old", metric.name, value=value, n=100, verdict="baseline", **where)


def compared(*rows: Row, metrics: tuple[Metric, ...] = (NDCG,), **more: Any) -> ReportData:
    """Return the data of a comparison with the system `old`; its rows are added for each row."""
    known = {metric.name: metric for metric in metrics}
    first = {(one.metric, one.key): one for one in reversed(rows)}
    old = [
        base(known[metric], None if one.value is None or one.delta is None else one.value - one.delta,
             by=one.by, segment=one.segment)
        for (metric, _), one in reversed(first.items())
    ]  # fmt: skip
    systems = ("old", *dict.fromkeys(one.system for one in rows))
    given = {
        "title": "Report",
        "kind": "ranking",
        "version": "0",
        "unit": "users",
        "counted": "users",
        "level": 0.95,
        **more,
    }
    return ReportData(systems=systems, metrics=metrics, rows=(*old, *rows), baseline="old", **given)


def in_slice(name: str, verdict: str, value: float, **more: Any) -> Row:
    """Return a row in a country."""
    return row(verdict=verdict, value=value, by=("country",), segment=(name,), **more)


def large(systems: int, metrics: int, slices: int, names: tuple[str, ...] = ()) -> ReportData:
    """Return a comparison of many systems, metrics and slices."""
    called = [names[i % len(names)] + (str(i) if i >= len(names) else "") if names else f"system {i}"
              for i in range(systems - 1)]  # fmt: skip
    known = tuple(replace(NDCG, name=f"ndcg@{k + 1}", k=k + 1) for k in range(metrics))
    verdicts = ("better", "worse", "unclear")
    rows = [
        row(system, metric, verdicts[(i + j) % 3], 0.2, 0.2 + 0.01 * ((i + j) % 3 - 1) + i / 1e6 / 3,
            by=("country",) if j else (), segment=(f"c{j}",) if j else ())
        for i, system in enumerate(called) for metric in known for j in range(slices + 1)
    ]  # fmt: skip
    return compared(*rows, metrics=known, sql="SELECT 1 < 2;\n" * 3000)


def with_charts(data: ReportData) -> ReportData:
    """Return the data with numbers for every chart, findings and examples."""
    ks = [AtCutoff(name, k, 0.1 * k + i / 9, 0.1 * k, 0.1 * k + 0.2) for i, name in enumerate(data.systems)
          for k in (1, 2, 3)]  # fmt: skip
    pictures = Pictures(tuple(ks), "ndcg", (-0.5, -0.1, 0.0, 0.2, 0.6), curves(data.systems))
    problem = Problem("warning", "3 of 10 rows are <odd>", "odd", "p.parquet", 0.3, ("q=1", "q=2"), "look")
    return replace(data, pictures=pictures, checked=Checked((problem,), 12, {"predictions": 10}))


def curves(systems: tuple[str, ...]) -> tuple[ReportCurve, ...]:
    """Return the tables of a classifier."""
    numbers = {
        "roc": ((0.0, 0.0, 0.0), (0.1, 0.5, 0.1), (1.0, 1.0, 0.8)),
        "precision_recall": ((0.5, 0.7, 0.3), (1.0, 0.4, 0.6)),
        "gains": ((0.0, 0.0), (0.2, 0.5), (1.0, 1.0)),
        "calibration": (
            (0.0, 0.4, 5, 0.2, 0.1, 0.0, 0.15, 0.1), (0.4, 0.6, 0, *[None] * 5),
            (0.6, 1.0, 5, 0.8, 0.7, 0.5, 0.9, 0.1),
        ),
        "cumulative": (
            (0.0, None, 0.0, -0.05, 0.05), (0.5, 0.3, 0.1, -0.05, 0.05), (1.0, 0.9, 0.0, -0.05, 0.05),
        ),
        "isotonic": ((0.1, 0.3, 5, 0.2, 0.1, 0.1), (0.5, 0.9, 5, 0.7, 0.8, -0.1)),
        "histogram": tuple((i / 4, (i + 1) / 4, 4, i, 4 - i, i / 6, (4 - i) / 10) for i in range(4)),
        "confusion": (("cat", "cat", 4, 0.8), ("cat", "dog", 1, 0.2), ("dog", "dog", 3, 1.0)),
    }  # fmt: skip
    return tuple(
        ReportCurve(table, drawing, tuple(
            {"system": system, **dict(zip(DRAWINGS[drawing].columns, row, strict=True))}
            for system in systems for row in numbers[drawing]
        ))
        for table, (drawing, _) in CATALOG.charts.items()
    )  # fmt: skip


class Page(HTMLParser):
    """A parsed page: its elements in order, and the text of each.

    Attributes:
        elements: name and attributes.
        texts: element -> the texts directly within it.
        open: the elements that are not closed.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def text(self, tag: str) -> str:
        """Return the text directly within all elements of a name."""
        return " ".join(" ".join(self.texts.get(tag, [])).split())

    @property
    def shown(self) -> str:
        """All text that a reader sees."""
        hidden = ("script", "style", "pre", "title", "desc")
        return " ".join(" ".join(t) for tag, t in self.texts.items() if tag not in hidden)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of all elements of a name."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def numbers(self) -> dict[str, Any]:
        """The JSON of the page, parsed as strictly as the standard defines it."""

        def refuse(constant: str) -> None:
            raise ValueError(constant)

        found: dict[str, Any] = json.loads("".join(self.texts["script"]), parse_constant=refuse)
        return found

    def drawings(self) -> list[ElementTree.Element]:
        """Parse every SVG as XML, the outermost ones."""
        found, at = [], 0
        while (start := self.html.find("<svg", at)) >= 0:
            depth, end = 0, start
            while True:
                opening, closing = self.html.find("<svg", end), self.html.find("</svg>", end)
                if 0 <= opening < closing:
                    depth, end = depth + 1, opening + 4
                else:
                    depth, end = depth - 1, closing + 6
                if not depth:
                    break
            found.append(ElementTree.fromstring(self.html[start:end]))
            at = end
        return found
