"""The plain words of a header: meaning, extreme values, formula as TeX, and an example by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from duckmetrics.errors import DefinitionError

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

NONE = "none, "
_STEP = re.compile(r"(?:(?P<of>\w+): )?(?P<expression>.+) = (?P<value>-?[\d.]+)")


@dataclass(frozen=True)
class Step:
    """One line of the example by hand: an expression in SQL and the number that it equals."""

    of: str  # the query; empty for a metric of rows
    expression: str
    value: str


@dataclass(frozen=True)
class Explanation:
    """The words that explain a definition to its users; a key that a header lacks is empty."""

    meaning: str
    use: str
    beware: str
    reading: dict[str, str]  # value -> what it says about the predictions
    tex: str
    symbols: dict[str, str]  # TeX -> meaning
    worked: tuple[Step, ...]
    not_worked: str  # why there is no example by hand
    related: tuple[str, ...]


def explanation(definition: Definition) -> Explanation:
    """Read the plain words in the header of a definition.

    Raises:
        DefinitionError: a line of a list cannot be read.
    """
    header = definition.header
    worked = header.get("worked", "")
    reason = worked.removeprefix(NONE) if worked.startswith(NONE) else ""
    return Explanation(
        meaning=header.get("meaning", ""),
        use=header.get("use", ""),
        beware=header.get("beware", ""),
        reading=_pairs(definition, "reading"),
        tex=header.get("tex", ""),
        symbols=_pairs(definition, "symbols"),
        worked=() if reason else _steps(definition, worked),
        not_worked=reason,
        related=tuple(filter(None, header.get("related", "").split(", "))),
    )


def _pairs(definition: Definition, key: str) -> dict[str, str]:
    """Read the lines ``name: words`` of a key."""
    found = {}
    for line in definition.header.get(key, "").splitlines():
        name, colon, words = line.partition(": ")
        if not colon or not words or name in found:
            raise DefinitionError(
                definition.path, f"cannot read the {key} line {line!r}", "write 'name: words' once"
            )
        found[name] = words
    return found


def _steps(definition: Definition, text: str) -> tuple[Step, ...]:
    """Read ``q1: 1 / 2 = 0.5``, or ``1 / 2 = 0.5`` for a metric of rows; several lines may form one."""
    steps, rest = [], ""
    for line in text.splitlines():
        rest = f"{rest} {line}".strip()
        if found := _STEP.fullmatch(rest):
            steps.append(Step(found["of"] or "", found["expression"], found["value"]))
            rest = ""
    if rest:
        raise DefinitionError(
            definition.path, f"cannot read the worked line {rest!r}", "write 'expression = number'"
        )
    return tuple(steps)
