"""Layouts: how tools call the columns of predictions and truth, one declarative file each.

A section ``[predictions]``, ``[truth]`` or ``[values]`` (values per query) is a shape of that table,
``[[predictions]]`` one of several. Its keys:

- ``columns``: a canonical column -> the tool's name for it, or the names of which a table has one. A name
  may hold a part that is the user's own, as in ``predicted_{name}``; ``*`` is the only other column.
- ``types``: a column -> the pattern of its type in DuckDB, where the name alone is not certain.
- ``computed``: a canonical column -> SQL over the columns; ``$positive`` is the positive label.
- ``positive``: the number of the class that is positive unless the user names another one, where the labels
  are the numbers 0, 1, ... of the classes.
- ``numbered``: the canonical column that lists columns such as rec_1, rec_2, ...
- ``exact = true``: recognized only if the table has no other column.
- ``certain = false``: never recognized, only read if the user names the layout.
- ``note``: information for the user about the numbers.

``[text]`` describes text files that are recognized by name: patterns (``files``), the ``delimiter``, and
whether they have a ``header``. ``[lines]`` describes files that are known by their content.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


CANONICAL_LAYOUT = "canonical"
# The tables that a layout describes.
ROLES = ("predictions", "truth", "values")
# Of a ranking, either of these orders the items; a layout says which.
ORDERS = ("score", "rank")
_OWN = "{name}"
_ONLY_OTHER = "*"
_NUMBERED = re.compile(r"(?P<stem>.*?)_?(?P<number>\d+)")


@dataclass(frozen=True)
class Fit:
    """How a table is read under a shape.

    Attributes:
        columns: canonical column -> the column of the table.
        computed: canonical column -> SQL in which ``{name}`` stands for `own`.
        listed: canonical column -> the columns that it lists.
        typed: the columns that are computed from.
        own: the part of the names that is the user's own.
        rest: the columns that are not read.
    """

    columns: Mapping[str, str]
    computed: Mapping[str, str] = field(default_factory=dict)
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    typed: tuple[str, ...] = ()
    own: str = ""
    rest: tuple[str, ...] = ()

    def same(self, other: Fit) -> bool:
        """Return whether both read a table in the same way."""
        return replace(self, rest=()) == replace(other, rest=())

    def __str__(self) -> str:
        """Name the columns that are read, with the canonical ones that have another name."""
        parts = [name if name == key else f"{key} is {name}" for key, name in self.columns.items()]
        parts += [f"{key} is {names[0]} to {names[-1]}" for key, names in self.listed.items()]
        if self.computed:
            parts.append(f"{' and '.join(self.computed)} of {', '.join(self.typed)}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Shape:
    """How a tool writes one table; see the top of the module."""

    columns: Mapping[str, tuple[str, ...]]
    types: Mapping[str, str] = field(default_factory=dict)
    computed: Mapping[str, str] = field(default_factory=dict)
    positive: str = ""
    numbered: str = ""
    certain: bool = True
    exact: bool = False
    note: str = ""

    @property
    def is_ranking(self) -> bool:
        return "query_id" in self.columns

    @property
    def gives(self) -> set[str]:
        """The canonical columns that a table has under this shape."""
        return {*self.columns, *self.computed, *filter(None, [self.numbered])}

    def fit(self, types: Mapping[str, str]) -> Fit | None:
        """Return how a table is read under this shape, None if it has another one.

        Args:
            types: column -> type, in the words of DuckDB.
        """
        fits = [found for own in self._owns(types) if (found := self._fit(types, own)) is not None]
        return fits[0] if len(fits) == 1 else None

    def present(self, types: Mapping[str, str]) -> dict[str, str]:
        """Return the columns of the shape that a table has, where their names are fixed."""
        known = _folded(types)
        found = {}
        for canonical, names in self.columns.items():
            those = [known[name.lower()] for name in names if name.lower() in known]
            if len(those) == 1:
                found[canonical] = those[0]
        return found

    def _owns(self, types: Mapping[str, str]) -> list[str]:
        """Return what the user's own part of the names can be."""
        patterns = [n for names in self.columns.values() for n in names if _OWN in n and n != _OWN]
        patterns += [name for name in self.types if _OWN in name and name != _OWN]
        if not patterns:
            return [""]
        before, _, after = patterns[0].partition(_OWN)
        return [
            name[len(before) : len(name) - len(after)]
            for name in types
            if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after)
        ]

    def _fit(self, types: Mapping[str, str], own: str) -> Fit | None:
        known = _folded(types)
        found = self._named(known, own)
        typed = {name.replace(_OWN, own).lower(): pattern for name, pattern in self.types.items()}
        if found is None or not all(
            n in known and re.fullmatch(p, types[known[n]]) for n, p in typed.items()
        ):
            return None
        listed = self._listed(types, set(found.values()))
        if self.numbered and not listed:
            return None
        of_types = tuple(known[name] for name in typed)
        used = {*found.values(), *of_types, *(name for names in listed.values() for name in names)}
        rest = [name for name in types if name not in used]
        others = [canonical for canonical, names in self.columns.items() if names == (_ONLY_OTHER,)]
        if others and len(rest) != 1:
            return None
        found |= dict.fromkeys(others, *rest) if others else {}
        ordered = {canonical: found[canonical] for canonical in self.columns}
        return Fit(ordered, self.computed, listed, of_types, own, () if others else tuple(rest))

    def _named(self, known: Mapping[str, str], own: str) -> dict[str, str] | None:
        """Return the columns that are known by name, None if one is missing or has several candidates."""
        found: dict[str, str] = {}
        for canonical, names in self.columns.items():
            those = {known[n] for name in names if (n := name.replace(_OWN, own).lower()) in known}
            if names == (_ONLY_OTHER,):
                continue
            if len(those) != 1:
                return None
            found[canonical] = those.pop()
        return found

    def _listed(self, types: Mapping[str, str], used: set[str]) -> dict[str, tuple[str, ...]]:
        """Return the columns called by a stem and 1, 2, ... (or 0, 1, ...), if there is one such stem."""
        if not self.numbered:
            return {}
        stems: dict[str, dict[int, str]] = {}
        for name in types:
            numbered = _NUMBERED.fullmatch(name)
            if numbered and name not in used:
                stems.setdefault(numbered["stem"].lower(), {})[int(numbered["number"])] = name
        whole = [
            tuple(names[number] for number in sorted(names)) for names in stems.values()
            if len(names) > 1 and sorted(names) in (list(range(len(names))), list(range(1, len(names) + 1)))
        ]  # fmt: skip
        return {self.numbered: whole[0]} if len(whole) == len(stems) == 1 else {}


@dataclass(frozen=True)
class TextLayout:
    """The text files of a tool: patterns of their names, and what separates the columns."""

    files: tuple[str, ...]
    delimiter: str
    header: bool = False


@dataclass(frozen=True)
class Layout:
    """The tables of a tool, by role.

    Attributes:
        note: how the tool is used, for a person.
        text: its text files, if they need to be known by name.
        lines: by role, the meaning of a line or an object; such files are known by their content.
    """

    name: str
    title: str
    note: str
    shapes: Mapping[str, tuple[Shape, ...]]
    text: TextLayout | None = None
    lines: Mapping[str, str] = field(default_factory=dict)

    def fit(self, role: str, types: Mapping[str, str]) -> tuple[Shape, Fit] | None:
        """Return the first shape of a role that a table has, and how it is read."""
        for shape in self.shapes.get(role, ()):
            found = shape.fit(types)
            if found is not None:
                return shape, found
        return None


@cache
def layouts() -> dict[str, Layout]:
    """Return every layout by name, in the order of the names."""
    folder = files("duckmetrics") / "layouts"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name.removesuffix(".toml"): _read(name.removesuffix(".toml")) for name in names}


def layout(name: str) -> Layout:
    """Return the layout of a tool, whatever the case of the letters.

    Raises:
        InputError: there is none of that name.
    """
    wanted = str(name).strip().lower().replace("-", "_").replace(" ", "_")
    if wanted not in layouts():
        raise InputError(f"layout={name}", *unknown("layout", wanted, [*layouts(), CANONICAL_LAYOUT]))
    return layouts()[wanted]


def text_layout(file: str) -> str | None:
    """Return the layout that knows a text file by its name, without folders."""
    known = {name: one.text.files for name, one in layouts().items() if one.text is not None}
    return next((name for name, files in known.items() if any(fnmatch(file.lower(), p) for p in files)), None)


def likely(role: str, types: Mapping[str, str]) -> dict[str, str]:
    """Return canonical columns that a table lacks, each with its column that some tool reads as that one."""
    known = _folded(types)
    found: dict[str, set[str]] = {}
    for shape in (shape for one in layouts().values() for shape in one.shapes.get(role, ()) if shape.certain):
        for canonical, names in shape.columns.items():
            those = {known[name.lower()] for name in names if name.lower() in known}
            found.setdefault(canonical, set()).update(those)
    return {c: next(iter(those)) for c, those in found.items() if len(those) == 1 and c not in known}


def judged_by(types: Mapping[str, str]) -> str | None:
    """Return the tool whose truth has such columns, including grades, and whose predictions do not."""
    for one in layouts().values():
        fits = {role: one.fit(role, types) for role in ROLES}
        if (
            fits["predictions"] is None
            and fits["truth"] is not None
            and "relevance" in fits["truth"][1].columns
        ):
            return one.title if fits["truth"][0].certain else None
    return None


def _read(name: str) -> Layout:
    document = tomllib.loads((files("duckmetrics") / "layouts" / f"{name}.toml").read_text("utf-8"))
    shapes = {
        role: tuple(_shape(section) for section in _sections(document[role]))
        for role in ROLES if role in document
    }  # fmt: skip
    text = document.get("text")
    known = TextLayout(tuple(text.pop("files")), **text) if text else None
    return Layout(name, document["title"], document.get("note", ""), shapes, known, document.get("lines", {}))


def _folded(names: Iterable[str]) -> dict[str, str]:
    """Return the names by their lower case, without those that differ in case only."""
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(name.lower(), []).append(name)
    return {small: names[0] for small, names in folded.items() if len(names) == 1}


def _sections(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _shape(section: Mapping[str, Any]) -> Shape:
    columns = {
        name: tuple(known) if isinstance(known, list) else (known,)
        for name, known in section["columns"].items()
    }
    return Shape(columns, **{key: value for key, value in section.items() if key != "columns"})


def read_layouts(given: object) -> dict[str, str]:
    """Read ``layout=``: the name of a layout for all tables, or a mapping with one for each.

    Raises:
        InputError: it is neither, or there is no layout of that name.
    """
    if given is None:
        return {}
    named = dict.fromkeys(ROLES, given) if isinstance(given, str) else given
    if not isinstance(named, dict) or not named.keys() <= set(ROLES):
        raise InputError(
            "layout", f"{given!r} names no layout", "write a name, or {'predictions': ..., 'truth': ...}"
        )
    return {role: name if name == CANONICAL_LAYOUT else layout(name).name for role, name in named.items()}


_TITLE = """\
# Layouts

Written by `duckmetrics layouts --all` from the files next to this one; do not edit. A layout says how a tool
calls its columns. duckmetrics uses it if the names of the columns leave no doubt, and a note below the
result names it. A mapping of yours switches layouts off. `layout=` (`--layout`) asks for one. If a table fits
two layouts, an error names both.

"""


def listed() -> Iterator[str]:
    """Yield a line for each layout: its name, and the columns of its tables."""
    width = max(map(len, layouts()))
    for known in layouts().values():
        for role, shapes in known.shapes.items():
            names = " or ".join(", ".join(_columns(shape)) for shape in shapes)
            yield f"{known.name:<{width}}  {role:<11}  {names}"
        for role, line in known.lines.items():
            yield f"{known.name:<{width}}  {role:<11}  {line}"
    yield "\nduckmetrics layouts NAME explains one"


def pages() -> str:
    """Write all layouts as one page of Markdown."""
    return _TITLE + "\n".join(page(known) for known in layouts().values())


def page(known: Layout) -> str:
    """Write a layout as Markdown."""
    lines = [f"## {known.name}", ""]
    lines.append(f"{known.title}: {known.note}." if known.note else f"{known.title}.")
    for role, shapes in known.shapes.items():
        for shape in shapes:
            lines += ["", f"| {role} | there |", "| --- | --- |", *_rows(shape)]
            told = [f"{shape.note[0].upper()}{shape.note[1:]}."] if shape.note else []
            if not shape.certain:
                told.append(
                    "Only where you ask for it" + (", or by the name of the file." if known.text else ".")
                )
            lines += ["", " ".join(told)] if told else []
    if known.lines:
        lines += ["", *(f"- {role}: `{line}`" for role, line in known.lines.items())]
    if known.text is not None:
        lines += ["", f"Files: {', '.join(f'`{name}`' for name in known.text.files)}."]
    return "\n".join([*lines, ""])


def _rows(shape: Shape) -> Iterator[str]:
    for canonical, names in shape.columns.items():
        yield f"| {canonical} | {' or '.join(map(_shown, names))} |"
    for canonical, sql in shape.computed.items():
        yield f"| {canonical} | `{' '.join(sql.split()).replace('|', chr(92) + '|')}` |"
    if shape.numbered:
        yield f"| {shape.numbered} | columns such as `rec_1`, `rec_2`, ... |"


def _columns(shape: Shape) -> Iterator[str]:
    for names in shape.columns.values():
        yield "|".join("any" if name == "*" else name for name in names)
    yield from shape.types
    if shape.numbered:
        yield "rec_1, rec_2, ..."


def _shown(name: str) -> str:
    return "the only other column" if name == "*" else f"`{name}`"
