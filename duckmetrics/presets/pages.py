"""The presets as text for users."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.presets.presets import ALWAYS, NEVER, presets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from duckmetrics.presets.presets import Conventions, Entry, Preset

_TITLE = """\
# Presets

Written by `duckmetrics presets --all` from the files next to this one; do not edit. Parameters that a
preset does not set have their defaults; those of a spec and of the call win. With `like`, the names of
the tool are specs: `{k}` stands for a cut-off, another word in braces for a parameter.

"""
# Between two conditions: truth (relevance <= 1), truth (relevance = floor(relevance)).
_BETWEEN = re.compile(r"(?<=\)), ")
_FAMILIES = {"ranking": "Rankings", "classification": "Rows with a label"}
_CUTOFFS = {ALWAYS: "needs a cut-off", NEVER: "has no cut-off"}


def pages() -> str:
    """Write all presets as one page of Markdown."""
    return _TITLE + "\n".join(page(tool) for tool in presets().values())


def page(tool: Preset) -> str:
    """Write a preset as Markdown."""
    lines = [f"## {tool.name}", "", f"[{tool.title}]({tool.url}), as of version {tool.version}."]
    if tool.note:
        lines += ["", f"{tool.note[0].upper()}{tool.note[1:]}."]
    for family, known in tool.families.items():
        lines += _family(_FAMILIES[family], known)
    lines += _list("Behavior that is not imitated", tool.defects)
    return "\n".join([*lines, ""])


def _family(title: str, known: Conventions) -> Iterator[str]:
    """Yield the metrics of a family, with the settings that all of them have in common above them."""
    yield from ("", f"### {title}")
    if known.metrics:
        common = _common(known.metrics)
        if common:
            yield from ("", f"All metrics: {'; '.join(common)}.")
        yield from ("", "| metric | its name | settings |", "| --- | --- | --- |")
        for name, entry in known.metrics.items():
            own = "; ".join(part for part in _settings(entry) if part not in common)
            yield f"| `{name}` | `{entry.name}` | {own} |"
    yield from _list("Its options, as specs", (f"{v.name}: `{v.spec}`" for v in known.variants))
    yield from _list("Its sets of metrics", (f"{s.name}: `{s.specs}`" for s in known.sets))
    others = {(n, why): None for entry in known.metrics.values() for n, why in entry.otherwise.items()}
    yield from _list("Parameters that are not supported", (f"`{name}`: {why}" for name, why in others))
    yield from _list("Metrics that are not supported", (f"`{n}`: {why}" for n, why in known.refused.items()))


def _list(title: str, entries: Iterable[str]) -> list[str]:
    """Return a list below its title; nothing if it is empty."""
    lines = [f"- {entry}" for entry in entries]
    return ["", f"{title}:", "", *lines] if lines else []


def _common(entries: Mapping[str, Entry]) -> list[str]:
    """Return the settings that several metrics all have."""
    found = [_settings(entry) for entry in entries.values()]
    return [part for part in found[0] if all(part in others for others in found)] if len(found) > 1 else []


def _settings(entry: Entry) -> list[str]:
    """Return the parameters and conditions of an entry, each as text."""
    parts = [f"`{name}={value}`" for name, value in entry.sets.items()]
    if entry.at:
        parts.append("with a cut-off " + " ".join(f"`{name}={value}`" for name, value in entry.at.items()))
    if entry.cutoff:
        parts.append(_CUTOFFS[entry.cutoff])
    conditions = (condition for need in entry.needs for condition in _BETWEEN.split(need))
    return [*parts, *(f"needs {condition}" for condition in conditions)]
