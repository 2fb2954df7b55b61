"""The label that counts as 1, where the user names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from duckmetrics.inputs.sources import Source
    from duckmetrics.layouts.layouts import Fit

# The number of a class, also as Spark writes labels.
_CLASS = re.compile(r"\d+(\.0)?")


def refuse_no_label(source: Source, name: str | None) -> None:
    """Refuse a positive label for a table without labels.

    Args:
        name: the column of the labels.

    Raises:
        InputError: names the table.
    """
    if name is None and source.positive is not None:
        raise InputError(
            f"positive={source.positive}",
            f"names a label, and {source.label} has none that is read",
            "leave it out, or map the labels with columns={'label': ...} (--column label=...)",
        )


def positive_of(asked: str | None, usual: str, source: Source, fit: Fit) -> str:
    """Return the label, or the number of the class, whose score a layout computes.

    Args:
        usual: the number of the positive class if none is named; empty if the labels are no numbers.

    Raises:
        InputError: none is named, or it is not the number of a class.
    """
    positive = asked or usual
    if not positive:
        raise InputError(
            source.label,
            f"labels are text, and the positive one is not named; read ({fit})",
            "name it with positive='yes' (on the command line --positive yes)",
        )
    if not usual:
        return positive
    if not _CLASS.fullmatch(positive):
        raise InputError(
            source.label,
            f"the score is one entry for each class 0, 1, ..., and {positive!r} is not the number of one; "
            f"read ({fit})",
            "name the number of the class, as in positive=1 (--positive 1), or map the scores",
        )
    return str(int(float(positive)))
