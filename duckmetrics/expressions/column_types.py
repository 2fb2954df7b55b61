"""Types of columns, by their names in SQL."""

from __future__ import annotations

import re

INTEGER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,0\)")
NUMBER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\)|FLOAT|DOUBLE")
# Types with more digits than a DOUBLE: it keeps 53 bits of whole numbers, and 15 digits of decimals.
WIDE = re.compile(r"U?(?:BIGINT|HUGEINT)|DECIMAL\((?:1[6-9]|[23]\d),(?P<scale>\d+)\)")
NARROW = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER)|BIGINT")


def is_wide(type_: str) -> bool:
    """Return whether a DOUBLE may lose digits of the numbers of a type, so that different numbers tie."""
    return WIDE.fullmatch(type_) is not None


def is_zoned(type_: str) -> bool:
    """Return whether values of a type are points in time, whose day depends on a time zone."""
    return type_.startswith("TIMESTAMP") and holds_zoned(type_)


def holds_zoned(type_: str) -> bool:
    """Return whether values of a type are points in time, or have one inside."""
    return "TIMESTAMP WITH" in type_ or "TIMESTAMPTZ" in type_
