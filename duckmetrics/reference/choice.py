"""A parameter that is one word of a few."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

Option = TypeVar("Option")


def choose(options: Mapping[str, Option], word: str) -> Option:
    """Return the option of that name; ValueError with the names there are."""
    if word not in options:
        raise ValueError(f"{word!r} is none of {', '.join(options)}")
    return options[word]
