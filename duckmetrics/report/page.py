"""One HTML file from the data of a report. It loads nothing and runs no script."""

from __future__ import annotations

import html as escaping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from duckmetrics.charts.figures import Ids
from duckmetrics.charts.marks import breakable
from duckmetrics.charts.style import style
from duckmetrics.expressions.visible import visible
from duckmetrics.report.figures import figures
from duckmetrics.report.legend import legend, untested
from duckmetrics.report.method import embedded, explanations, sql_title
from duckmetrics.report.model import CLASSIFICATION
from duckmetrics.report.movers import movers_section
from duckmetrics.report.reading import Reading
from duckmetrics.report.sections import metrics_section, systems_section
from duckmetrics.report.slices import shown_slices, slices_section
from duckmetrics.report.tiles import tiles
from duckmetrics.report.trust import trust_section
from duckmetrics.report.verdict import verdict

if TYPE_CHECKING:
    from jinja2 import Environment

    from duckmetrics.report.model import ReportData

ROOM = "duckmetrics.report"
# The frame of a page in a notebook.
LOOK = "width:100%;height:80vh;border:0"


@dataclass(frozen=True)
class Report:
    """A report: one HTML page, which a notebook shows in a frame.

    Attributes:
        html: the page.
        data: what it shows.
    """

    html: str = field(repr=False)
    data: ReportData = field(repr=False)

    @classmethod
    def of(cls, data: ReportData) -> Report:
        """Render the page."""
        return cls(render(data), data)

    @property
    def verdict(self) -> str:
        """The headline of the page."""
        return verdict(Reading(self.data)).head

    def __str__(self) -> str:
        return self.html

    def _repr_html_(self) -> str:
        page = escaping.escape(self.html)
        return f'<iframe srcdoc="{page}" title="report" style="{LOOK}" sandbox></iframe>'


def render(data: ReportData) -> str:
    """Return the report as HTML; the same data give the same bytes."""
    reading = Reading(data)
    return _environment().get_template("page.html").render(**_parts(reading))


def _parts(reading: Reading) -> dict[str, Any]:
    """Return what the template shows, section by section."""
    from markupsafe import Markup

    data, ids = reading.data, Ids("c")
    is_classifier = data.kind == CLASSIFICATION
    many = len(reading.others) > 1
    sections = [systems_section(reading), metrics_section(reading)] if many else [metrics_section(reading)]
    return {
        "data": data,
        "style": Markup(style() + _text("style.css")),
        "verdict": verdict(reading),
        "tiles": tiles(reading),
        "total": reading.total,
        "legend": legend(reading),
        "untested": untested(reading),
        "sections": [*sections, slices_section(reading)],
        "figures_title": "How good the scores are" if is_classifier else _about_lists(reading),
        "figures_text": _about_figures(reading),
        "figures": [Markup(one.drawing.html(ids, one.title, one.said)) for one in figures(reading)],
        "movers": movers_section(reading),
        "trust": trust_section(reading),
        "explain": explanations(data),
        "sql_title": sql_title(data.sql),
        "json": Markup(embedded(data, {row.key for row in shown_slices(reading)})),
    }


def _about_lists(reading: Reading) -> str:
    """Return the heading of the charts of rankings."""
    return "How good the lists are" if reading.data.baseline is None else "How the lists differ"


def _about_figures(reading: Reading) -> str:
    """Return what all charts show."""
    if reading.data.kind == CLASSIFICATION:
        return "All rows, aggregated."
    return f"All {reading.top.n or 0 if reading.top else 0:,} {reading.data.counted}."


@cache
def _environment() -> Environment:
    """Return the templates, which escape all texts."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(ROOM), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_shown,
    )  # fmt: skip
    environment.filters["breakable"] = lambda name: _markup(breakable(name))
    environment.filters["markup"] = _markup
    environment.filters["lines"] = _lines
    environment.filters["thousands"] = "{:,}".format
    return environment


def _text(name: str) -> str:
    return files(ROOM).joinpath("templates", name).read_text("utf-8").replace("\n", "")


def _shown(value: Any) -> Any:
    """Write control characters of names as escapes; what is HTML already stays as it is."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _whole(visible(value))


def _whole(text: str) -> str:
    """Write lone halves of characters, which no file can hold, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _markup(drawn: str) -> Any:
    """Mark a drawing of ours as HTML."""
    from markupsafe import Markup

    return Markup(drawn)


def _lines(text: str) -> Any:
    """Escape a text of several lines, and keep its lines."""
    from markupsafe import Markup, escape

    return Markup("\n").join(escape(_whole(visible(line))) for line in text.split("\n"))
