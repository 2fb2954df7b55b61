"""Arguments of the public functions that are not what they are meant to be."""

from __future__ import annotations

import os
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.catalog.specs import parse_measures
from duckmetrics.errors import DuckmetricsError, MetricError
from duckmetrics.sentences.lists import joined, verb
from duckmetrics.switches import Switches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Names that other tools give to these arguments.
MEANT = {
    "level": "interval", "confidence": "interval", "confidence_level": "interval", "ci": "interval",
    "control": "baseline", "reference_system": "baseline", "groupby": "by", "group_by": "by", "slices": "by",
    "segments": "by", "con": "connection", "conn": "connection", "correction": "adjust", "preset": "like",
    "n_resamples": "resamples", "n_bootstrap": "resamples", "random_state": "seed", "filter": "where",
}  # fmt: skip
# The least similarity of a name and an argument; a switch seldom reaches it.
LIKE = 0.8


def refuse_misspelled(function: Callable[..., Any], switches: Iterable[str]) -> None:
    """Refuse a name that is not a switch, and is spelled nearly like an argument, or means one elsewhere.

    Raises:
        MetricError: names the argument.
    """
    arguments = [name for name in signature(function).parameters if name != "switches"]
    for name in switches:
        meant = [MEANT[name]] if name in MEANT else get_close_matches(name, arguments, n=1, cutoff=LIKE)
        near = [argument for argument in meant if argument in arguments]
        if name not in Switches.__annotations__ and near:
            raise MetricError(
                f"{name}=", f"{function.__name__} has no such argument", f"did you mean {near[0]!r}?"
            )


def refuse_metrics_as_truth(truth: Any, metrics: Any, connection: Any) -> None:
    """Refuse specs of metrics as the second argument, which is the truth, if they name no file or table.

    Raises:
        MetricError: says how to pass them.
    """
    texts = [truth] if isinstance(truth, str) else truth
    if metrics is not None or connection is not None or not isinstance(texts, list | tuple) or not texts:
        return
    if not all(isinstance(text, str) and not os.path.exists(text) for text in texts):
        return
    try:
        parse_measures(catalog(), read_specs(texts), {}, lambda: RANKING)
    except DuckmetricsError:
        return
    given = f"{joined([*map(repr, texts)])} {verb(len(texts), 'is a metric', 'are metrics')}"
    raise MetricError("truth", f"{given}, and the second argument is the truth", f"write metrics={texts!r}")
