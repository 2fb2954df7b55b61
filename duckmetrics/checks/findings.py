"""Findings about the data, as a table, before any metric is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from duckmetrics.checks.counting import singular
from duckmetrics.inputs.ranking import MEANINGS
from duckmetrics.results.findings import ERROR, NOTE, SEVERITIES, WARNING
from duckmetrics.results.tabular import Shown, Tabular, document, readable, screen_width
from duckmetrics.words.lists import counted
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from duckmetrics.results.findings import Finding

UNITS = {
    "predictions": "predictions", "truth": "judgments", "queries": "queries", "history": "interactions",
    "items": "items of the catalogue", "reference": "rows of the reference run",
}  # fmt: skip
ROWS = "rows"


@dataclass(frozen=True)
class Findings(Tabular):
    """Findings of the checks, the worst first.

    ``findings.errors`` is true if `evaluate` would refuse the data.

    Attributes:
        rows: one for each finding; `count` is the number of occurrences, `examples` names up to three.
        performed: the names of the checks that ran.
        looked_at: the number of rows of each table, and of queries.
    """

    command = "check"

    rows: tuple[Finding, ...]
    performed: frozenset[str] = field(repr=False)
    looked_at: Mapping[str, int] = field(repr=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that make an evaluation impossible."""
        return self._of(ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that can make a number wrong."""
        return self._of(WARNING)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """The findings that help to interpret the numbers."""
        return self._of(NOTE)

    def _of(self, severity: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.rows if finding.severity == severity)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.rows)

    @property
    def summary(self) -> pa.Table:
        """One row per finding.

        (severity, check, table, column, count, of, share, examples, sentence, message, advice), see
        `duckmetrics.results.findings.Finding`.
        """
        import pyarrow as pa

        texts = {name: pa.string() for name in ("severity", "check", "table", "column")}
        types = {**texts, "count": pa.int64(), "of": pa.int64(), "share": pa.float64(),
                 "examples": pa.list_(pa.string()), "sentence": pa.string(), "message": pa.string(),
                 "advice": pa.string()}  # fmt: skip
        rows = [{name: getattr(finding, name) for name in types} for finding in self.rows]
        return readable(pa.Table.from_pylist(rows, pa.schema(types)))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics check`` prints it in JSON, see docs/reference/json.md."""
        known = document(self.command, self.summary.to_pylist(), self.rows, verdict=self.verdict)
        # The rows name them already.
        del known["checks"]
        return known

    @property
    def verdict(self) -> str:
        """One line: the number of findings, of rows and of checks."""
        found = [
            f"{n} {severity}{'s' if n > 1 else ''}"
            for severity in SEVERITIES if (n := len(self._of(severity)))
        ]  # fmt: skip
        told = ", ".join(found) or "nothing found"
        parts = [
            counted(self.looked_at[name], singular(unit), unit)
            for name, unit in self._units() if name in self.looked_at
        ]  # fmt: skip
        checks = counted(len(self.performed), "check")
        return f"{told}; looked at {', '.join(parts) or 'no row'} with {checks}"

    def _units(self) -> list[tuple[str, str]]:
        side = self.looked_at.keys() & MEANINGS
        if "truth" not in self.looked_at and not side:
            return [("predictions", ROWS)]
        return list(UNITS.items())

    def __repr__(self) -> str:
        lines: list[str] = []
        for finding in self.rows:
            lines.append(visible(f"{finding.severity:<9}{finding.check}"))
            lines += _broken(_what(finding), "  ", "  ")
            lines += [*_broken(finding.advice, "  -> ", "     "), ""]
        return "\n".join([*lines, self.verdict])

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{self.verdict}</p>"
        return self.shown().html()

    def shown(self) -> Shown:
        """Return the table for a page."""
        cells = [[found.severity, found.check, _what(found), found.advice] for found in self.rows]
        return Shown(["severity", "check", "message", "advice"], cells, notes=[self.verdict])


def _broken(text: str, first: str, others: str) -> list[str]:
    """Break a text into lines that the terminal holds."""
    return wrap(
        visible(text), screen_width(), initial_indent=first, subsequent_indent=others,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _what(finding: Finding) -> str:
    """Return the message without the advice at its end."""
    return finding.message.removesuffix(f"; {finding.advice}")
