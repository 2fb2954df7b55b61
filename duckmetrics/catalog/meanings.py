"""The words of headers: what the values of parameters do, and what a metric means, in words and in TeX.

A file explains the parameters that it declares. It leaves the others to a file that it reads, or to one that
it refers to: ``k: as in recall``, ``beta: as in ranking/f_beta``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from duckmetrics.errors import DefinitionError

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition, Param


_LINE = re.compile(r"(?P<name>\w+)(?:=(?P<value>\w+))?: (?P<sentence>\S.*)")
_REFERENCE = re.compile(r"as in (?P<file>[\w/]+)")
FORM = "write 'name=value: sentence', or 'name: sentence' for a parameter without choices"


def meanings(catalog: Catalog, definition: Definition, param: Param) -> dict[str, str]:
    """Return the sentence for each choice of a parameter, or one for "" if it has no choices."""
    values = [str(choice) for choice in param.choices] or [""]
    found = {value: _sentence(catalog, definition, param.name, value) for value in values}
    return {value: sentence for value, sentence in found.items() if sentence}


@cache
def sentences(definition: Definition) -> dict[tuple[str, str], str]:
    """Read the sentences in the header of a file: (parameter, value or "") -> sentence or reference.

    Raises:
        DefinitionError: a line cannot be read, is repeated, or explains what the file does not declare.
    """
    found: dict[tuple[str, str], str] = {}
    for line in filter(None, definition.header.get("values", "").split("\n")):
        entry = _LINE.fullmatch(line)
        if entry is None:
            raise DefinitionError(definition.path, f"cannot read the values line {line!r}", FORM)
        key = entry["name"], entry["value"] or ""
        if key in found:
            raise DefinitionError(definition.path, f"{line!r} explains a value again", "keep one sentence")
        found[key] = entry["sentence"]
        if not _is_declared(definition, *key, is_reference=bool(_REFERENCE.fullmatch(entry["sentence"]))):
            raise DefinitionError(definition.path, f"{line!r} explains what is not declared here", FORM)
    return found


def _is_declared(definition: Definition, name: str, value: str, is_reference: bool) -> bool:
    """Return whether the header has such a value; only a reference may stand for all choices at once."""
    param = {**definition.switches, **definition.own_params}.get(name)
    if param is None:
        return False
    choices = {str(choice) for choice in param.choices}
    return value in choices if value else is_reference or not choices


def _sentence(catalog: Catalog, definition: Definition, name: str, value: str) -> str:
    """Return the sentence of the nearest file that explains a value; empty if there is none."""
    for file in (definition, *catalog.foundations(definition), *catalog.around(definition)):
        known = sentences(file)
        found = known.get((name, value), known.get((name, "")))
        if found is not None:
            reference = _REFERENCE.fullmatch(found)
            if reference is None:
                return found
            return _sentence(catalog, _referred(catalog, file, reference["file"]), name, value)
    return ""


def _referred(catalog: Catalog, file: Definition, name: str) -> Definition:
    """Return the file that a reference means: one in the same folder, or a path below sql/."""
    for folder in file.path.parents:
        if (path := folder / f"{name}.sql") in catalog.files:
            return catalog.files[path]
    raise DefinitionError(file.path, f"there is no {name}.sql to refer to", "name a file in the same folder")


NONE = "none, "
_STEP = re.compile(r"(?:(?P<of>\w+): )?(?P<expression>.+) = (?P<value>-?[\d.]+)")


@dataclass(frozen=True)
class Step:
    """One line of the example by hand: an expression in SQL and the number that it equals."""

    of: str  # the query; empty for a metric of rows
    expression: str
    value: str


@dataclass(frozen=True)
class MetricMeaning:
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


def explanation(definition: Definition) -> MetricMeaning:
    """Read the plain words in the header of a definition.

    Raises:
        DefinitionError: a line of a list cannot be read.
    """
    header = definition.header
    worked = header.get("worked", "")
    reason = worked.removeprefix(NONE) if worked.startswith(NONE) else ""
    return MetricMeaning(
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
