"""Names of metrics: those of other tools, such as ``P_10``, and those that are misspelled."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.catalog.measure import CUTOFF, PER_CALL, written
from duckmetrics.catalog.presets import presets
from duckmetrics.catalog.spec_text import SPEC, arguments, split_specs
from duckmetrics.errors import MetricError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.presets import Conventions, NameSet, Preset
    from duckmetrics.expressions.folding import Value


# The cut-off in advice on a spec that has none.
EXAMPLE = "10"
# The first sign after a name in the notations of tools.
_NOTATION = re.compile(r"[({@:]")
_HOLE = re.compile(r"\{(\w+)\}")
# In the spec of a variant: a number, its power, its share of another, or the rest of a share.
_FORMULA = re.compile(r"\{(?P<rest>1-)?(?P<name>[a-z_]\w*)(?:\^(?P<power>[\d.]+)|/(?P<whole>\d+))?\}")
_OWN_ARGUMENTS = re.compile(r"(?P<before>[^()]*)\((?P<args>[^()]*)\)(?P<after>[^()]*)")
_OF_CLASSES = f"{MULTICLASS}."
_WHOLE, _NUMBER = r"\d+", r"\d*\.?\d+(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Meaning:
    """A metric with the arguments that a foreign name gives it."""

    family: str
    name: str
    arguments: tuple[str, ...]
    k: str | None

    @property
    def spec(self) -> str:
        """The spec that means the same here, but for what is common to all metrics of a call."""
        own = [argument for argument in self.arguments if argument.partition("=")[0] not in PER_CALL]
        given = f"({', '.join(own)})" if own else ""
        return f"{self.family}.{self.name}{given}" + ("" if self.k is None else f"@{self.k}")

    @property
    def of_call(self) -> dict[str, str]:
        """The parameters that are common to all metrics of a call."""
        pairs = (argument.partition("=") for argument in self.arguments)
        return {name: value for name, _, value in pairs if name in PER_CALL}


def meant_by(catalog: Catalog, spec: str, tools: Iterable[Preset]) -> dict[Meaning, tuple[str, ...]]:
    """Return the meanings of a name in other tools, each with the names of their presets.

    A name may have arguments of the metric, as in ``P(rel=2)@5``, if no name of the tool is written that way.
    Only a name with the family before it, as in ``multiclass.f1_score``, is one of several classes.
    """
    tools = list(tools)
    found = _found(catalog, spec, tools)
    parts = _OWN_ARGUMENTS.fullmatch(spec.strip())
    if found or parts is None:
        return found
    try:
        own = list(arguments(spec, parts["args"]))
    except MetricError:
        return {}
    if any(name in PER_CALL for name, _ in own):
        return {}
    given = tuple(f"{name}={value}" for name, value in own)
    bare = _found(catalog, parts["before"] + parts["after"], tools)
    return {replace(one, arguments=(*one.arguments, *given)): of for one, of in bare.items()}


def _found(catalog: Catalog, spec: str, tools: Iterable[Preset]) -> dict[Meaning, tuple[str, ...]]:
    found: dict[Meaning, tuple[str, ...]] = {}
    name = "".join(spec.split())
    of_classes = name.startswith(_OF_CLASSES)
    for tool in tools:
        for family, known in tool.families.items():
            if of_classes != (family == MULTICLASS):
                continue
            meaning = next(_of_tool(catalog, name.removeprefix(_OF_CLASSES), family, known), None)
            if meaning is not None:
                found[meaning] = (*found.get(meaning, ()), tool.name)
    return found


def _of_tool(catalog: Catalog, spec: str, family: str, known: Conventions) -> Iterator[Meaning]:
    """Yield the meanings of a name in one family of a tool: of its options first, then of its metrics."""
    for variant in known.variants:
        for values in _matches(known, variant.name, spec):
            if (meaning := _filled(family, variant.spec, values)) is not None:
                yield meaning
    for metric, entry in known.metrics.items():
        for values in _matches(known, entry.name, spec):
            k = values.pop(CUTOFF, None)
            required = (p.name for p in catalog.metrics[family, metric].own_params.values() if p.required)
            implied = {name: written(entry.sets[name]) for name in required if name in entry.sets}
            given = tuple(f"{name}={value}" for name, value in (implied | values).items())
            yield Meaning(family, metric, given, k)


def _matches(known: Conventions, names: str, spec: str) -> Iterator[dict[str, str]]:
    """Yield the numbers that a spec has in the places of the braces, for each of the names that fits."""
    for name in split_specs(names):
        for form in known.written("".join(name.split())):
            pieces = _HOLE.split(form)
            if spec.startswith(pieces[0]):
                pattern = "".join(
                    f"(?P<{piece}>{_WHOLE if piece == CUTOFF else _NUMBER})" if i % 2 else re.escape(piece)
                    for i, piece in enumerate(pieces)
                )
                if match := re.fullmatch(pattern, spec):
                    yield match.groupdict()


def spellings(name: str, k: str | None, tools: Iterable[Preset]) -> Iterator[tuple[Preset, str]]:
    """Yield the tools that have a metric of a name in another notation, such as ``MAP(k=10)``.

    Args:
        name: the name alone, in any letter case.
        k: the cut-off, None for none. A name that needs one has EXAMPLE then.
    """
    for tool in tools:
        for known in (known for family, known in tool.families.items() if family != MULTICLASS):
            names = [*(one.name for one in known.metrics.values()), *(one.name for one in known.variants)]
            forms = [form for every in names for form in split_specs(every) if _is_form(form, name)]
            if forms:
                best = max(forms, key=lambda form: (CUTOFF in _HOLE.findall(form)) == (k is not None))
                yield tool, _HOLE.sub(lambda _: EXAMPLE if k is None else k, best)


def _is_form(form: str, name: str) -> bool:
    """Return whether a form of a preset has this name, and no place for a number except the cut-off."""
    bare = _NOTATION.split(form, maxsplit=1)[0].rstrip("_.")
    return bare.lower() == name.lower() and set(_HOLE.findall(form)) <= {CUTOFF}


def name_of(names: str, values: Mapping[str, Value]) -> str:
    """Return the name in a tool for a metric with these values, such as ``map_cut_10``.

    The preset lists the names, as in ``map, map_cut_{k}``. Return all if none has a place for every value.
    """
    every = split_specs(names)
    cut = values.get(CUTOFF) is not None
    for name in every:
        holes = set(_HOLE.findall(name))
        if (CUTOFF in holes) == cut and all(values.get(hole) is not None for hole in holes):
            return _HOLE.sub(lambda hole: written(values[hole[1]]), name)
    return names


def _filled(family: str, template: str, values: Mapping[str, str]) -> Meaning | None:
    """Write numbers into the spec of a variant.

    Return None if a share is not of a whole number, or has no rest because it is above 1.
    """
    if CUTOFF not in values:
        template = template.replace(f"@{{{CUTOFF}}}", "")
    holes = list(_FORMULA.finditer(template))
    if any(hole["whole"] and not values[hole["name"]].isdigit() for hole in holes):
        return None
    if any(hole["rest"] and float(values[hole["name"]]) > 1 for hole in holes):
        return None
    match = SPEC.fullmatch(_FORMULA.sub(lambda hole: _computed(hole, values), template))
    if match is None:
        raise MetricError(template, "cannot be read")
    given = tuple(f"{name}={value}" for name, value in arguments(template, match["args"] or ""))
    return Meaning(family, match["name"], given, match["k"])


def _computed(hole: re.Match[str], values: Mapping[str, str]) -> str:
    text = values[hole["name"]]
    if hole["rest"]:
        return written(round(1 - float(text), 15))
    if hole["power"]:
        return written(float(text) ** float(hole["power"]))
    return written(float(text) / int(hole["whole"])) if hole["whole"] else text


def expanded(
    catalog: Catalog, specs: Iterable[str], like: Preset | None
) -> Iterator[tuple[str, NameSet | None]]:
    """Replace the names of sets, such as ``official``, by those of their members; yield each with its set.

    Without `like`, one of our own names is never read as a set, and does not need the presets.
    """
    for spec in specs:
        sets = set() if like is None and _is_ours(catalog, spec) else _sets(spec.strip(), like)
        if len(sets) != 1:
            yield spec, None
            continue
        (found,) = sets
        for member in split_specs(found.specs):
            inner = _sets(member, like)
            for name in split_specs(inner.pop().specs) if len(inner) == 1 else [member]:
                yield name, found


def _is_ours(catalog: Catalog, spec: str) -> bool:
    match = SPEC.fullmatch(spec)
    return match is not None and any(name == match["name"].lower() for _, name in catalog.names)


def _sets(name: str, like: Preset | None) -> set[NameSet]:
    """Return the sets of that name, of one tool or of all."""
    tools = presets().values() if like is None else [like]
    return {
        one for tool in tools for known in tool.families.values() for one in known.sets if one.name == name
    }


def once(specs: Iterable[tuple[str, NameSet | None]]) -> Iterator[tuple[str, NameSet | None]]:
    """Leave out members of sets that were also asked for separately, or as members of another set."""
    every = list(specs)
    known = {spec.strip() for spec, of in every if of is None}
    for spec, of in every:
        if of is None or spec not in known:
            yield spec, of
            known.add(spec)


USUAL = "write name(param=value)@k, such as ndcg@10"
# A metric and a cut-off without the sign between them, as in ndcg10, ndcg-10 and "ndcg 10".
_JOINED = re.compile(r"(?P<name>[A-Za-z]\w*?)[\s_:-]*(?P<k>[0-9]+)")
# A cut-off alone, as in the second part of ndcg@5,10.
_CUTOFF = re.compile(r"@?\s*(?P<k>[0-9]+)\W*")


def advice_for(catalog: Catalog, spec: str) -> str | None:
    """Return the advice for a spec, None if no known misspelling fits it."""
    text = spec.strip()
    if (number := _CUTOFF.fullmatch(text)) is not None:
        return f"write every cut-off after its metric, as in ndcg@{number['k']}"
    if text.endswith("@") and SPEC.fullmatch(text[:-1]):
        return f"write a number after @, as in {text}10"
    if (joined := _JOINED.fullmatch(text)) is not None and _has_cutoff(catalog, joined["name"]):
        return f"did you mean '{joined['name']}@{joined['k']}'?"
    closed = _closed(text)
    return None if closed == text or not SPEC.fullmatch(closed) else f"did you mean {closed!r}?"


def _has_cutoff(catalog: Catalog, name: str) -> bool:
    return any(
        known == name.lower() and CUTOFF in alias.metric.own_params
        for (_, known), alias in catalog.names.items()
    )


def _closed(text: str) -> str:
    """Return a spec with as many parentheses closed as are opened."""
    missing = text.count("(") - text.count(")")
    if missing < 0:
        return text.replace(")" * (1 - missing), ")", 1)
    before, at, cutoff = text.partition("@")
    return f"{before}{')' * missing}{at}{cutoff}"


def of_tools(catalog: Catalog, spec: str, like: Preset | None) -> UnknownNameError | None:
    """Return the error for a name of a tool that has our notation, as in ``MAP@10``; None for another name.

    Args:
        like: the tool whose spelling is advised, if it has the name.
    """
    match = SPEC.fullmatch(spec)
    if match is None or match["family"] is not None or match["args"] is not None:
        return None
    of_like = [] if like is None else list(spellings(match["name"], match["k"], [like]))
    known = of_like or list(spellings(match["name"], match["k"], presets().values()))
    meanings = {meaning: None for tool, text in known for meaning in meant_by(catalog, text, [tool])}
    if not meanings:
        return None
    tool, text = known[0]
    ours = " or ".join(dict.fromkeys(_spec(catalog, meaning) for meaning in meanings))
    advice = f"write {ours}; with like={tool.name!r} its own spelling is {text}"
    if of_like:
        advice = f"write {text}, as {tool.title} does, or {ours}"
    names = " or ".join(dict.fromkeys(meaning.name for meaning in meanings))
    return UnknownNameError(spec.strip(), f"{match['name']} is {names} here", advice)


def _spec(catalog: Catalog, meaning: Meaning) -> str:
    """Return the spec of a meaning, with its family only where two families have the name."""
    is_shared = sum(name == meaning.name for _, name in catalog.metrics) > 1
    return meaning.spec if is_shared else meaning.spec.removeprefix(f"{meaning.family}.")
