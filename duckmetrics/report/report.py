"""The report as an object: the page, and the data that it shows."""

from __future__ import annotations

import html as escaping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from duckmetrics.report.page import render
from duckmetrics.report.reading import Reading
from duckmetrics.report.verdict import verdict

if TYPE_CHECKING:
    from duckmetrics.report.model import ReportData

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
