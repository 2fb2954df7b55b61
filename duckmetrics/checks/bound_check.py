"""One check under one binding of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from duckmetrics.compose.composer import Composer

# The column of a check that holds the number of rows it looked at.
TOTAL = "total"
SEGMENT = "segment"


@dataclass(frozen=True)
class BoundCheck:
    """One check under one binding of its parameters."""

    composer: Composer
    name: str
    severity: str
    place: str
    title: str
    advice: str
    offenders: exp.Query
    inputs: Mapping[str, tuple[str, ...]]
    when: tuple[tuple[exp.Query, bool], ...] = ()
