"""Presets: the conventions of other tools, one declarative file each.

A preset lists the metrics of the tool with their names there, and sets the parameters that make
duckmetrics give its numbers. A behavior that is not imitated is listed with the reason, and
refused.

The names of a metric are separated by commas. ``{k}`` in a name stands for the cut-off, and another word
in braces for the parameter of that name: ``iprec_at_recall_{recall}``. The key ``cutoff`` of a family lists
the notations of a cut-off; a name that has the first of them is also read with the others. Parameters at
the head of a family are shared by its metrics; a metric that does not allow such a value has its default.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.definition import METRIC_FAMILIES, MULTICLASS
from duckmetrics.errors import MetricError, UnsupportedError, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from duckmetrics.expressions.folding import Value


ALWAYS, NEVER = "always", "never"
# The keys of an entry that are not parameters.
_OWN_KEYS = ("name", "k", "at", "requires", "untied", "otherwise")


@dataclass(frozen=True)
class PresetEntry:
    """A metric of a tool.

    Attributes:
        name: its name in the tool.
        cutoff: ``always`` or ``never`` if the tool has it only with, or only without a cut-off.
        sets: the parameters without a cut-off; with one, those of `at` win.
        requires: the condition on the rows under which the number is that of the tool:
            ``predictions (score > 0)``.
        untied: whether the number is that of the tool only if no scores of a query are equal.
        otherwise: parameters that the tool has in a way that is not imitated, with the reason.
        shared: those of `sets` that stand at the head of the family: a metric may not allow their value.
    """

    name: str
    sets: Mapping[str, Value]
    at: Mapping[str, Value]
    cutoff: str = ""
    requires: str = ""
    untied: bool = False
    otherwise: Mapping[str, str] = field(default_factory=dict)
    shared: frozenset[str] = field(default=frozenset(), repr=False)

    def settings(self, ranked: bool) -> dict[str, Value]:
        """Return the parameters of a spec with a cut-off, or of one without."""
        return {**self.sets, **(self.at if ranked else {})}

    def refuse_other_ways(self, spec: str, given: Collection[str]) -> None:
        """Refuse parameters that the tool does not have, or whose way is not imitated.

        Raises:
            UnsupportedError: names the first of them.
        """
        for name in self.otherwise:
            if name in given:
                raise UnsupportedError(
                    spec,
                    f"{name} is not imitated of {self.name}: {self.otherwise[name]}",
                    f"leave {name} or like= out",
                )

    @property
    def needs(self) -> list[str]:
        """The conditions on the rows, in words."""
        return [*([self.requires] if self.requires else []), *(["scores that differ"] if self.untied else [])]


@dataclass(frozen=True)
class PresetVariant:
    """Another function or option of a tool, as a spec to be read under its preset.

    Attributes:
        name: its names there; a word in braces stands for a number.
        spec: its spec here; ``{x}`` is the number of that name, ``{x^0.5}`` its root, ``{x/100}`` a share,
            ``{1-x}`` the rest of a share. A cut-off that the name lacks is left out.
    """

    name: str
    spec: str


@dataclass(frozen=True)
class NameSet:
    """A name that a tool has for several metrics.

    Attributes:
        specs: the metrics, as the tool names them.
        without: the members that are not known here, for a person.
    """

    name: str
    specs: str
    without: str = ""


@dataclass(frozen=True)
class Conventions:
    """Conventions of a preset for one family of metrics.

    Attributes:
        cutoff: the notations of a cut-off.
    """

    metrics: Mapping[str, PresetEntry]
    refused: Mapping[str, str]
    variants: tuple[PresetVariant, ...] = ()
    sets: tuple[NameSet, ...] = ()
    cutoff: tuple[str, ...] = ()

    def written(self, name: str) -> list[str]:
        """Return a name with each notation of the cut-off."""
        first = self.cutoff[:1]
        others = [name.replace(first[0], other) for other in self.cutoff[1:] if first[0] in name]
        return [name, *others]


@dataclass(frozen=True)
class Preset:
    """The conventions of one tool, as checked against one version of it.

    Attributes:
        note: how the tool is used, if that decides the number.
        defects: the behavior of the tool that is not imitated.
    """

    name: str
    title: str
    version: str
    url: str
    note: str = ""
    defects: tuple[str, ...] = ()
    families: Mapping[str, Conventions] = field(default_factory=dict)

    @property
    def tool(self) -> str:
        """The name of the tool with its version."""
        return f"{self.title} {self.version}"

    def entry(self, family: str, metric: str, ranked: bool) -> PresetEntry:
        """Return the entry of the tool for a metric.

        Args:
            ranked: whether a cut-off is asked for.
        Raises:
            UnsupportedError: the tool does not have it, or has it in a way that is not imitated.
        """
        known = self.families.get(family, Conventions({}, {}))
        if metric in known.refused:
            raise UnsupportedError(f"like={self.name}", f"{metric} is not imitated: {known.refused[metric]}")
        entry = known.metrics.get(metric)
        if entry is None:
            names = ", ".join(known.metrics) or f"no metrics of {family} at all"
            asked = f"{metric} of several classes" if family == MULTICLASS else metric
            raise UnsupportedError(
                f"like={self.name}", f"{self.title} has no {asked} that is known here", f"it has {names}"
            )
        if ranked and entry.cutoff == NEVER:
            raise UnsupportedError(f"like={self.name}", f"{entry.name} has no cut-off", f"ask for {metric}")
        if not ranked and entry.cutoff == ALWAYS:
            raise UnsupportedError(
                f"like={self.name}", f"{entry.name} needs a cut-off", f"ask for {metric}@10, or another k"
            )
        return entry


@cache
def presets() -> dict[str, Preset]:
    """Return every preset by name, in the order of the names."""
    folder = files("duckmetrics") / "presets"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name.removesuffix(".toml"): _read(name.removesuffix(".toml")) for name in names}


def preset(name: str) -> Preset:
    """Return the preset of a tool, whatever the case of the letters.

    Raises:
        MetricError: there is none of that name.
    """
    wanted = str(name).strip().lower().replace("-", "_")
    if wanted not in presets():
        raise MetricError(f"like={name}", *unknown("preset", wanted, presets()))
    return presets()[wanted]


def tools_with(family: str, metric: str, name: str, value: Value) -> list[str]:
    """Return the presets that set a parameter of a metric to a value, with or without a cut-off."""
    entries = {
        tool.name: tool.families[family].metrics.get(metric)
        for tool in presets().values() if family in tool.families
    }  # fmt: skip
    return [
        tool for tool, entry in entries.items()
        if entry is not None and value in (entry.sets.get(name), entry.at.get(name))
    ]  # fmt: skip


@cache
def _document(name: str) -> dict[str, Any]:
    """Return the file of a preset, with the entries of the preset that it is based on below its own."""
    file = files("duckmetrics") / "presets" / f"{name}.toml"
    document = tomllib.loads(file.read_text("utf-8"))
    return _over(_document(document.pop("like")), document) if "like" in document else document


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        known = merged.get(key)
        merged[key] = _over(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _read(name: str) -> Preset:
    document = _document(name)
    return Preset(
        name, document["title"], document["version"], document["url"], document.get("note", ""),
        tuple(document.get("defects", ())),
        {family: _conventions(document[family]) for family in METRIC_FAMILIES if family in document},
    )  # fmt: skip


def _conventions(section: Mapping[str, Any]) -> Conventions:
    common = {name: value for name, value in section.items() if not isinstance(value, dict | list)}
    otherwise = section.get("otherwise", {})
    required = common.pop("requires", "")
    refused = section.get("refused", {})
    metrics = {
        name: _entry(common, {"name": said} if isinstance(said, str) else said, str(required), otherwise)
        for name, said in section["metrics"].items() if name not in refused
    }  # fmt: skip
    return Conventions(
        metrics, refused, tuple(PresetVariant(**v) for v in section.get("variants", ())),
        tuple(NameSet(**s) for s in section.get("sets", ())), tuple(section.get("cutoff", ())),
    )  # fmt: skip


def _entry(
    common: Mapping[str, Value], said: Mapping[str, Any], required: str, otherwise: Mapping[str, str]
) -> PresetEntry:
    own = {name: value for name, value in said.items() if name not in _OWN_KEYS}
    return PresetEntry(
        said["name"], {**common, **own}, said.get("at", {}), said.get("k", ""),
        ", ".join(filter(None, (said.get("requires", ""), required))), said.get("untied", False),
        {**otherwise, **said.get("otherwise", {})}, frozenset(common.keys() - own.keys()),
    )  # fmt: skip


_TITLE = """\
# Presets

Written by `duckmetrics presets --all` from the files next to this one; do not edit. Parameters that a
preset does not set have their defaults; those of a spec and of the call win. With `like`, the names of
the tool are specs: `{k}` stands for a cut-off, another word in braces for a parameter.

"""
# Between two conditions: truth (relevance <= 1), truth (relevance = floor(relevance)).
_BETWEEN = re.compile(r"(?<=\)), ")
_FAMILIES = {
    "ranking": "Rankings", "classification": "Rows with a label",
    "multiclass": "Rows with one of several classes",
}  # fmt: skip
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


def _common(entries: Mapping[str, PresetEntry]) -> list[str]:
    """Return the settings that several metrics all have."""
    found = [_settings(entry) for entry in entries.values()]
    return [part for part in found[0] if all(part in others for others in found)] if len(found) > 1 else []


def _settings(entry: PresetEntry) -> list[str]:
    """Return the parameters and conditions of an entry, each as text."""
    parts = [f"`{name}={value}`" for name, value in entry.sets.items()]
    if entry.at:
        parts.append("with a cut-off " + " ".join(f"`{name}={value}`" for name, value in entry.at.items()))
    if entry.cutoff:
        parts.append(_CUTOFFS[entry.cutoff])
    conditions = (condition for need in entry.needs for condition in _BETWEEN.split(need))
    return [*parts, *(f"needs {condition}" for condition in conditions)]
