"""Numbers with a fixed number of digits, in a sentence or a table of text."""

from __future__ import annotations

# A smaller number would be written as 0.0000.
TINY = 5e-5
MINUS = "−"


def four_decimals(value: float, sign: str = "") -> str:
    """Write a number with four decimals; a small one keeps its size.

    Args:
        sign: ``+`` for a plus before a positive number.
    """
    return f"{value:{sign}.1e}" if 0 < abs(value) < TINY else f"{value:{sign}.4f}"


def with_minus(text: str) -> str:
    """Write a hyphen before a number as a minus sign, which is as wide as a plus sign."""
    return MINUS + text[1:] if text.startswith("-") else text
