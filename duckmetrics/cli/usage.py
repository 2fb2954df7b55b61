"""Advice about an option or argument that click refuses."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from duckmetrics.engines.near_names import VERSIONS
from duckmetrics.errors import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMAND = re.compile(r"No such command '(\w+)'")
# The least similarity of an option and a switch.
LIKE = 0.75
# Options of other programs, and their equivalents here.
ELSEWHERE = {
    "k": "the cut-off is part of the metric: -m ndcg@10",
    "at": "the cut-off is part of the metric: -m ndcg@10",
    "top-k": "the cut-off is part of the metric: -m ndcg@10",
    "qrels": "the truth is TRUTH or --truth",
    "run": "the predictions are the first argument",
    "predictions": "the predictions are the first argument",
    **dict.fromkeys(("version", "as-of", "timestamp", "snapshot-id"), VERSIONS),
}
# Commands of other programs, and their equivalents here.
COMMANDS = {
    "help": "--help", "version": "--version", "describe": "metrics NAME",
    "list": "metrics", "score": "evaluate", "plot": "curve",
}  # fmt: skip
# The text to add if an option is missing, or to write if its value cannot be read.
EXAMPLES = {
    "metrics": "-m ndcg@10,map for rankings, or -m auc,log_loss for classifiers",
    "variant": "--variant COLUMN, the column that names the variant of a unit",
    "n_items": "--n-items 10000",
    "interval": "--interval 0.95",
    "alpha": "--alpha 0.05",
    "power": "--power 0.8",
    "threads": "--threads 4",
    "resamples": "--resamples 10000",
    "chunks": "--chunks 8",
    "verify": "--verify 1000",
    "seed": "--seed 42",
    "n_negatives": "--n-negatives 99",
    "gamma": "--gamma 0.1",
}


def advised(error: click.ClickException) -> click.ClickException:
    """Return an error of click that also says what to do next, if click does not."""
    if not isinstance(error, click.UsageError):
        return error
    if isinstance(error, click.NoSuchOption):
        advice = _on_option(error.option_name, error.ctx)
        meant = f"No such option '{error.option_name}': {advice}"
        return click.UsageError(meant, error.ctx) if advice else error
    command = _COMMAND.match(error.message)
    if command is not None and command[1] in COMMANDS:
        meant = f"No such command '{command[1]}'. Try 'duckmetrics {COMMANDS[command[1]]}'."
        return click.UsageError(meant, error.ctx)
    advice = _on_value(error)
    return click.UsageError(f"{error.format_message()} {advice}", error.ctx) if advice else error


def _on_value(error: click.UsageError) -> str:
    """Return advice for an option or argument that is missing, cannot be read, or is one too many."""
    if "unexpected extra argument" in error.message:
        return "; quote a text with blanks; metrics follow -m, and the truth is the second argument"
    name = error.param.name if isinstance(error, click.BadParameter) and error.param is not None else None
    if name not in EXAMPLES:
        return ""
    is_missing = isinstance(error, click.MissingParameter)
    if name == "metrics" and error.ctx is not None and error.ctx.command.name == "ab":
        return "Add -m COLUMN, such as -m revenue."
    return f"{'Add' if is_missing else 'Write'} {EXAMPLES[name]}."


def _on_option(typed: str, context: click.Context | None) -> str:
    """Return the advice that names the switch, option or part of a metric meant by an unknown option."""
    known = {} if context is None else _options(context.command)
    name = typed.lstrip("-").lower()
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if typed.lower() in known:
        return f"did you mean {typed.lower()!r}?"
    return _switch(name, known) or suggestion(typed, known, " ").strip()


def _options(command: click.Command) -> Mapping[str, click.Parameter]:
    return {text: param for param in command.params for text in (*param.opts, *param.secondary_opts)}


def _switch(name: str, known: Mapping[str, click.Parameter]) -> str:
    """Return how to set a switch of this or a similar name, if the command has --set."""
    if "--set" not in known or f"--{name}" in known:
        return ""
    from duckmetrics.switches import Switches

    near = get_close_matches(name.replace("-", "_"), Switches.__annotations__, n=1, cutoff=LIKE)
    return f"conventions are set by --set, as in --set {near[0]}=..." if near else ""
