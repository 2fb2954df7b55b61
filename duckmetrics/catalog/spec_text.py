"""The text of specs: where one ends and the next begins, and the parts of one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from duckmetrics.catalog.spec_paths import SUFFIX, path_of
from duckmetrics.errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


ORDER = (
    "the tables come first, then the metrics; several systems are one argument: ({'A': run_a, 'B': run_b}, "
    "truth, metrics)"
)
QUOTES = "'\""
SPEC = re.compile(
    r"\s*(?:(?P<family>\w+)\.)?(?P<name>[\w-]+)\s*"
    r"(?:\((?P<args>(?:[^()']|'(?:[^']|'')*')*)\))?\s*(?:@\s*(?P<k>[^@()\s]+))?\s*"
)
_ARGUMENT = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>'(?:[^']|'')*'|\[[^\]]*\]|[^',=]+?)\s*(?:,|$)")


def read_specs(metrics: str | Sequence[str]) -> list[str]:
    """Read the metrics of a call: one text or several, each with one spec or several; some may name files.

    Raises:
        MetricError: one of them is not a text, or names a file that is not there.
        DefinitionError: a file is no definition of a metric.
    """
    if isinstance(metrics, Mapping) or not isinstance(metrics, Iterable):
        given = type(metrics).__name__
        raise MetricError("metrics", f"a {given} names no metrics", ORDER)
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(text, str) for text in texts):
        raise MetricError("metrics", f"{metrics!r} are not specs", "write them as text, such as 'ndcg@10'")
    if not any(SUFFIX in text for text in texts):
        return [spec for text in texts for spec in split_specs(text)]
    specs = [spec for text in texts for spec in split_files(text)]
    from duckmetrics.catalog.catalog import named

    return named(specs)


def split_specs(text: str) -> list[str]:
    """Split ``ndcg@10,map(norm=min_k, rel=2)@5`` at the commas outside parentheses and any quotes."""
    return [part.strip() for part in _pieces(text) if part.strip()]


def _pieces(text: str) -> list[str]:
    parts = [""]
    for character, depth, is_quoted in _marked(text):
        if character == "," and depth == 0 and not is_quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def split_files(text: str, folder: str = "") -> list[str]:
    """Split specs of which some name files, whose paths may have commas.

    Args:
        folder: where relative paths begin; by default, in the working directory.
    """
    specs = []
    while text:
        ends = (*(i for i in range(len(text), 0, -1) if text[i : i + 1] in ("", ",")), 0)
        end = next(end for end in ends if not end or _is_there(text[:end].strip(), folder))
        end = end or len(_pieces(text)[0])
        specs.append(text[:end].strip())
        text = text[end + 1 :]
    return [spec for spec in specs if spec]


def _is_there(spec: str, folder: str) -> bool:
    path = path_of(spec)[0]
    return bool(path) and os.path.isfile(os.path.join(folder, os.path.expanduser(path)))


def with_cutoffs(specs: Sequence[str], cutoffs: Sequence[object]) -> list[str]:
    """Write a spec that has no cut-off once for each of a list of cut-offs."""
    if not cutoffs:
        raise MetricError("switch k", "no cut-off", "list at least one, such as k=[5, 10]")
    if all("@" in spec for spec in specs):
        raise MetricError("switch k", "every metric has a cut-off of its own, which wins", "leave it out")
    each = ([spec] if "@" in spec else [f"{spec.strip()}@{k}" for k in cutoffs] for spec in specs)
    return [spec for own in each for spec in own]


def _marked(text: str) -> Iterator[tuple[str, int, bool]]:
    """Yield each character, the number of brackets open after it, and whether a quote is open."""
    depth, quote = 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        depth += 0 if quote else (character in "([") - (character in ")]")
        yield character, depth, bool(quote)


def last_spec(text: str) -> tuple[str, str]:
    """Return the last of several specs, which the user is typing, and the text before it."""
    return _last(text)


def last_argument(text: str) -> tuple[str, str | None]:
    """Return the last argument of a spec, which the user is typing, and the text before it.

    Args:
        text: the text after the first parenthesis.

    Returns:
        None for the argument if the parenthesis is closed.
    """
    if any(depth < 0 for _, depth, _ in _marked(text)):
        return text, None
    return _last(text)


def _last(text: str) -> tuple[str, str]:
    """Divide a text after its last comma outside parentheses and quotes, and the blanks after that."""
    commas = [i for i, (character, depth, is_quoted) in enumerate(_marked(text), start=1)
              if character == "," and depth == 0 and not is_quoted]  # fmt: skip
    rest = text[commas[-1] if commas else 0 :].lstrip()
    return text[: len(text) - len(rest)], rest


def arguments(spec: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of the arguments of a spec."""
    position, seen = 0, set()
    while position < len(text.rstrip()):
        match = _ARGUMENT.match(text, position)
        if match is None:
            raise MetricError(spec, f"cannot read {text[position:]!r}", "write param=value")
        if match["name"] in seen:
            raise MetricError(spec, f"{match['name']} is given twice", "keep one of them")
        seen.add(match["name"])
        yield match["name"], match["value"]
        position = match.end()
