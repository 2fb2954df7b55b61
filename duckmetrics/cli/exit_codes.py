"""How the program ends: 0 fine, 1 a gate failed, 2 bad usage or bad input, 3 the engine failed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

GATE_FAILED, BAD_INPUT, ENGINE_FAILED, INTERRUPTED = 1, 2, 3, 130
# The code that a shell reports for a program that a closed pipe ends.
PIPE_CLOSED = 141


def exit_if(failed: Sequence[str]) -> None:
    for line in failed:
        click.echo(f"duckmetrics: {line}", err=True)
    if failed:
        sys.exit(GATE_FAILED)
