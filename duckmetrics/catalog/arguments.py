"""Arguments of the public functions that are misspelled, which Python takes for switches."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError
from duckmetrics.switches import Switches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The least similarity of a name and an argument; a switch seldom reaches it.
LIKE = 0.8


def refuse_misspelled(function: Callable[..., Any], switches: Iterable[str]) -> None:
    """Refuse a name that is not a switch, and is spelled nearly like an argument.

    Raises:
        MetricError: names the argument.
    """
    arguments = [name for name in signature(function).parameters if name != "switches"]
    for name in switches:
        near = get_close_matches(name, arguments, n=1, cutoff=LIKE)
        if name not in Switches.__annotations__ and near:
            raise MetricError(
                f"{name}=", f"{function.__name__} has no such argument", f"did you mean {near[0]!r}?"
            )
