"""A user's table as the statistics read it: canonical columns, and the words for messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp


@dataclass(frozen=True)
class CanonicalTable:
    """A table with canonical columns.

    Attributes:
        table: its name in the files of the statistics.
        label: its name in messages.
        query: the canonical columns.
        names: canonical column -> the user's.
    """

    table: str
    label: str
    query: exp.Select
    names: Mapping[str, str]
