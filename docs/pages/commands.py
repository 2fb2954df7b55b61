"""The reference of the command line, from the click commands."""

from __future__ import annotations

import re

import click

from duckmetrics.cli.main import cli
from pages.markdown import cell, fenced, front, paragraphs, table

_EXAMPLE = ("duckmetrics ", "--", "|", "eval ")


def page() -> str:
    """Write the reference of all commands and options."""
    lines = [
        *front("Command line", "Every command and option of duckmetrics."),
        *paragraphs("`duckmetrics COMMAND --help` prints the same text."),
        *_section(cli, "duckmetrics", None, 2),
    ]
    return "\n".join(lines)


def _section(command: click.Command, path: str, parent: click.Context | None, level: int) -> list[str]:
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=parent)
    prose, examples = _help(command)
    lines = [f"({path.replace(' ', '-')})=", *paragraphs(f"{'#' * level} {path}")]
    lines += paragraphs(*(_escaped(cell(text)) for text in prose))
    lines += [*fenced("console", command.get_usage(context).removeprefix("Usage: ")), ""]
    lines += [line for example in examples for line in (*fenced("console", example), "")]
    lines += _options(command, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                lines += _section(inner, f"{path} {name}", context, min(level + (parent is not None), 3))
    return lines


def _options(command: click.Command, context: click.Context) -> list[str]:
    """Return the table of the options of a command."""
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    records = filter(None, (option.get_help_record(context) for option in options))
    rows = [(f"`{written}`", _escaped(cell(meaning))) for written, meaning in records]
    return table(("option", "meaning"), rows) if rows else []


def _help(command: click.Command) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a help text, and its examples."""
    prose: list[str] = []
    examples: list[str] = []
    for block in re.sub(r"\x08\n?", "", command.help or "").strip().split("\n\n"):
        text = "\n".join(line.strip() for line in block.splitlines())
        is_example = bool(text) and all(line.startswith(_EXAMPLE) for line in text.splitlines())
        (examples if is_example else prose).append(text)
    return prose, examples


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
