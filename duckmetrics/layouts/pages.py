"""The layouts as text for users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.layouts.layouts import layouts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.layouts.layouts import Layout, Shape

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
