"""Specs that cannot be read, or name no metric: what was probably meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.foreign_names import meant_by, spellings
from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.spec_text import SPEC
from duckmetrics.errors import UnknownNameError
from duckmetrics.presets.presets import presets

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.foreign_names import Meaning
    from duckmetrics.presets.presets import Preset

USUAL = "write name(param=value)@k, such as ndcg@10"
# A metric and a cut-off without the sign between them, as in ndcg10, ndcg-10 and "ndcg 10".
_JOINED = re.compile(r"(?P<name>[A-Za-z]\w*?)[\s_:-]*(?P<k>[0-9]+)")
# A cut-off alone, as in the second part of ndcg@5,10.
_NUMBER = re.compile(r"@?\s*(?P<k>[0-9]+)\W*")


def advice_for(catalog: Catalog, spec: str) -> str | None:
    """Return the advice for a spec, None if no known misspelling fits it."""
    text = spec.strip()
    if (number := _NUMBER.fullmatch(text)) is not None:
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
