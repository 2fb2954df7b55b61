"""The numbers that a report needs beyond the results, from the tables of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duckmetrics.report.model import AtCutoff, Metric, Mover


@dataclass(frozen=True)
class Inspected:
    """The result of the complete check of the data.

    Attributes:
        findings: findings of the checks.
        performed: the names of the checks.
        looked_at: the number of rows by table.
    """

    findings: tuple[Any, ...]
    performed: frozenset[str]
    looked_at: Mapping[str, int]


class Material(Protocol):
    """Computes numbers from the tables of an evaluation, which are still attached."""

    def metrics(self) -> Sequence[tuple[Metric, str]]:
        """Return each metric with its family."""
        ...

    def unit(self) -> str:
        """Return the units of the first metric in the plural, such as "users"."""
        ...

    def sources(self) -> Sequence[str]:
        """Return the names of the tables."""
        ...

    def inspected(self) -> Inspected | None:
        """Check the data completely; None if the data cannot be read again."""
        ...

    def at_cutoffs(self, metric: str) -> tuple[str, Sequence[AtCutoff]]:
        """Return the name of a metric without its cut-off, and its values at several cut-offs."""
        ...

    def movers(self, metric: str, system: str, baseline: str, n: int) -> Sequence[Mover]:
        """Return the queries that gain and lose most by one metric."""
        ...

    def differences(self, metric: str, system: str, baseline: str) -> Sequence[float]:
        """Return quantiles of the differences of the queries, the smallest first."""
        ...

    def curve(self, table: str, **params: Any) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a table of a classifier over all rows, such as its ROC curve."""
        ...

    def write(self, path: str | Path, text: str) -> None:
        """Write a page to a file, which must be new or an output of ours."""
        ...
