"""Numbers that a caller gives, read before they are used; and how exact numbers are."""

from __future__ import annotations

import operator

from duckmetrics.errors import MetricError

# Numbers of about 1 that differ by less are equal but for rounding.
ROUNDING = 1e-12


def whole_number(value: object) -> int:
    """Return the whole number that a value of any integer type is; 0 for True and for anything else."""
    try:
        return 0 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return 0


def positive_number(option: str, asked: object, kind: str, example: int) -> int:
    """Read a number of things that an option asks for.

    Raises:
        MetricError: it is not a positive whole number.
    """
    number = whole_number(asked)
    if number < 1:
        raise MetricError(
            option, f"{asked!r} is not a number of {kind}", f"write a whole number, as in {option}={example}"
        )
    return number
