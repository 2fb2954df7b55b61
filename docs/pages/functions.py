"""The reference of the Python API, from signatures and docstrings.

The docstrings are Google style with Markdown inside, so they become directives of Sphinx's Python domain.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import duckmetrics
from pages.markdown import front, paragraphs

GROUPS = {
    "Evaluate": ("data", "from_values", "evaluate", "curve", "sampled", "sql"),
    "Compare": (
        "compare",
        "leaderboard",
        "explain",
        "ab",
        "plan",
        "conventions",
        "ties",
        "run_test",
        "chi_square",
    ),
    "Day after day": ("trend", "runs", "merge"),
    "Check and explain": ("check", "metrics", "describe", "progress"),
    "The DuckDB shell, and databases": ("macros_sql", "macros_database", "append"),
    "Results": (
        "Data",
        "Evaluation",
        "Comparison",
        "Leaderboard",
        "Plan",
        "Trend",
        "Explanation",
        "ExplainedGroups",
        "Chart",
        "Experiment",
        "SampledEvaluation",
        "Findings",
        "TieReport",
        "ToolComparison",
        "TestResult",
        "ChiSquare",
        "Verification",
        "Signature",
    ),
    "Errors": (
        "DuckmetricsError",
        "InputError",
        "MetricError",
        "DefinitionError",
        "EngineError",
        "UnsupportedError",
    ),
}
_SECTIONS = re.compile(r"^(Args|Returns|Raises|Attributes|Yields|Example|Examples|Source):$", re.MULTILINE)
_MANY = 12  # parameters that a signature shows
_INTRODUCTION = (
    "Tables go in as paths, names of tables, SQL, DuckDB relations or frames. "
    "Results come back as objects that convert to Arrow, pandas and Polars."
)


def page() -> str:
    """Write the reference of all public names.

    Raises:
        LookupError: a public name has no place in a group.
    """
    listed = {name for names in GROUPS.values() for name in names}
    if missing := set(duckmetrics.__all__) - listed - {"__version__"}:
        raise LookupError(f"no place in the reference for {sorted(missing)}")
    lines = front("Python API", "Functions, results and errors of the Python package duckmetrics.")
    lines += ["```{py:module} duckmetrics", "```", "", *paragraphs(_INTRODUCTION)]
    for title, names in GROUPS.items():
        lines += paragraphs(f"## {title}")
        for name in names:
            lines += [*paragraphs(f"### {name}"), *_entry(name)]
    return "\n".join(lines)


def _entry(name: str) -> list[str]:
    thing = getattr(duckmetrics, name)
    if not inspect.isclass(thing):
        return [f"````{{py:function}} {name}{_signature(thing)}", "", *_body(thing.__doc__), "````", ""]
    if issubclass(thing, BaseException):
        return [f"````{{py:exception}} {name}", "", *_body(thing.__doc__), "````", ""]
    # More backticks than around the members, whose examples have three.
    lines = [f"`````{{py:class}} {name}", "", *_body(thing.__doc__)]
    for member, value in inspect.getmembers_static(thing):
        lines += _member(member, value)
    return [*lines, "`````", ""]


def _member(name: str, value: Any) -> list[str]:
    """Return a public method or property with a docstring of its own."""
    function = value.fget if isinstance(value, property) else value
    doc = inspect.getdoc(function) if inspect.isfunction(function) else None
    if name.startswith("_") or not doc:
        return []
    if isinstance(value, property):
        return ["", f"````{{py:property}} {name}", "", *_body(doc), "````"]
    return ["", f"````{{py:method}} {name}{_signature(value)}", "", *_body(doc), "````"]


def _signature(function: Any) -> str:
    """Return names and defaults; a long list of keywords appears only in the table of arguments."""
    parameters = inspect.signature(function).parameters.values()
    known = [each.replace(annotation=inspect.Parameter.empty) for each in parameters if each.name != "self"]
    shown = [each for each in known if len(known) <= _MANY or each.kind is not inspect.Parameter.KEYWORD_ONLY]
    return str(inspect.Signature(shown)).replace("<", "").replace(">", "")


def _body(doc: str | None) -> list[str]:
    """Turn a docstring into Markdown with fields."""
    first, *rest = _SECTIONS.split(inspect.cleandoc(doc or ""))
    lines = [_prose(first), ""]
    for title, text in zip(rest[::2], rest[1::2], strict=True):
        inner, after = _split(text)
        if title in ("Returns", "Yields"):
            lines += [f":returns: {_line(inner)}"]
        elif title == "Raises":
            lines += [f":raises {name}: {_linked(said)}" for name, said in _entries(inner)]
        elif title in ("Example", "Examples"):
            lines += ["", "```python", inner.strip("\n"), "```", ""]
        elif title == "Source":
            lines += ["", f"Source: {_line(inner)}", ""]
        else:
            lines += ["", f"**{'Arguments' if title == 'Args' else title}**", ""]
            for name, said in _entries(inner):
                lines += [f"`{name}`", f": {_linked(said)}", ""]
        if after:
            lines += ["", _prose(after), ""]
    return lines


def _split(text: str) -> tuple[str, str]:
    """Return the indented lines of a section, and the text that follows."""
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    return inspect.cleandoc("\n" + "\n".join(lines[:end])), "\n".join(lines[end:])


def _entries(text: str) -> list[tuple[str, str]]:
    """Return (names, text) of a section; names may go on in the next line."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            found.append([line])
        elif found:
            found[-1].append(line.strip())
    pairs = [" ".join(lines).partition(": ") for lines in found]
    return [(name, said or "as its name says") for name, _, said in pairs]


def _prose(text: str) -> str:
    """Turn the text of a docstring into Markdown; an indented block, or one after ``::``, becomes code."""
    parts = []
    for block in text.strip("\n").split("\n\n"):
        if block.startswith((" ", "=")):
            code = "\n".join(line.removeprefix("    ") for line in block.splitlines())
            parts.append(f"```{'text' if block.startswith('=') else 'python'}\n{code}\n```")
        else:
            parts.append(_linked(re.sub(r"::$", ":", block)))
    return "\n\n".join(parts)


def _line(text: str) -> str:
    return " ".join(_linked(text).split())


def _linked(text: str) -> str:
    """Turn double backticks into code, and a public name in single ones into a link."""
    text = re.sub(r"``(.+?)``", "\0\\1\0", text, flags=re.DOTALL)

    def role(match: re.Match[str]) -> str:
        name = match[1]
        if name.partition(".")[0] in duckmetrics.__all__:
            return f"{{py:obj}}`{name} <duckmetrics.{name.partition('.')[0]}>`"
        return f"`{name}`"

    return re.sub(r"`([\w.]+)`", role, text).replace("\0", "`").replace("**switches", "\\*\\*switches")
