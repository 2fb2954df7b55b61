"""Specs that cannot be read, or name no metric: what was probably meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duckmetrics.catalog.parameters import CUTOFF
from duckmetrics.catalog.spec_text import SPEC

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog

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
