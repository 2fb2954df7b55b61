"""The command line: a module of this package for each group of commands.

Exit codes: 0 fine, 1 a gate failed, 2 bad usage or bad input, 3 the engine failed.
The database, the parser and the table printer are imported only by the commands that need them.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from duckmetrics.cli.exit_codes import BAD_INPUT, ENGINE_FAILED, INTERRUPTED, PIPE_CLOSED
from duckmetrics.errors import DefinitionError, DuckmetricsError, EngineError
from duckmetrics.version import __version__
from duckmetrics.words.visible import escape_what_a_stream_cannot_write, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# The number of new objects after which the garbage collector runs.
RARELY = 200_000
# The variable through which a shell asks for completions.
COMPLETE = "_DUCKMETRICS_COMPLETE"


class _ClosedPipeError(Exception):
    """Nobody reads the output any more; click would end with the exit code of a failed gate."""


class Task(NamedTuple):
    """Commands for one task, which the help lists together.

    Attributes:
        title: the heading in the help.
        example: a command to start with.
        commands: command -> the module of this package that holds it.
    """

    title: str
    example: str
    commands: Mapping[str, str]


# Every command belongs to one task; the help lists them in this order.
TASKS = (
    Task("Evaluate", "evaluate run.parquet truth.parquet -m ndcg@10,mrr", {
        "evaluate": "evaluate", "curve": "evaluate", "ties": "questions", "conventions": "questions",
        "sampled": "questions",
    }),
    Task("Compare", "compare a.parquet b.parquet -m auc --cluster user_id", {
        "compare": "compare", "leaderboard": "compare", "explain": "questions", "ab": "experiments",
        "test": "statistical_tests", "plan": "experiments",
    }),
    Task("Day after day", "trend runs.duckdb -m auc --by country --last 30d", {
        "trend": "runs", "runs": "runs", "state": "states", "merge": "states",
    }),
    Task("Draw and report", "report run.parquet truth.parquet -m ndcg@10", {
        "report": "compare", "chart": "evaluate",
    }),
    Task("Check", "check run.parquet truth.parquet", {"check": "questions", "checks": "catalogue"}),
    Task("Look up", "metrics ndcg", {
        "metrics": "catalogue", "presets": "catalogue", "layouts": "catalogue", "dialects": "catalogue",
    }),
    Task("SQL, shell and browser", "sql ndcg@10 --dialect spark", {
        "sql": "sql", "macros": "sql", "shell": "sql", "try": "sql",
    }),
)  # fmt: skip
COMMANDS = {name: module for task in TASKS for name, module in task.commands.items()}
# A limit that no line of the help reaches, so that click cuts none of them.
WHOLE = 1000


class _Commands(click.Group):
    """Imports a command when it is needed, and lists the commands by task."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for task in TASKS:
            known = [(name, self.get_command(ctx, name)) for name in task.commands]
            # Equal widths of names keep the texts of all tasks below each other.
            rows = [
                (f"{name:<{width}}", command.get_short_help_str(WHOLE)) for name, command in known if command
            ]
            with formatter.section(task.title):
                formatter.write_dl(rows)
                formatter.write_text(f"Example: duckmetrics {task.example}")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # For a wrong name click looks for a similar one among all commands.
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            module = import_module(f"duckmetrics.cli.{COMMANDS[name]}")
            self.add_command(getattr(module, f"{name}_" if iskeyword(name) else name))
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise _ClosedPipeError from error
        return result


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="duckmetrics", message="%(prog)s %(version)s")
def cli() -> None:
    """Compute evaluation metrics of rankings and classifiers, where the predictions are."""


def process() -> None:
    """Run the command line as a process, and end it.

    Everything that is to be done at the exit is done. But no objects are taken apart, which takes a
    twentieth of the time of a short call, because the memory goes back with the process.
    """
    code: Any = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code or 0
    if sys.gettrace() or sys.getprofile() or sys.flags.interactive:
        sys.exit(code)  # something else goes on after us
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; errors are one message on stderr and an exit code."""
    # Trees of SQL are many small objects: to look at them less often saves a tenth of the start.
    gc.set_threshold(RARELY)
    _open_streams()
    if COMPLETE in os.environ:
        import_module("duckmetrics.cli.completion").prepare()
    try:
        cli.main(
            args=None if arguments is None else list(arguments),
            prog_name="duckmetrics",
            standalone_mode=False,
        )
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except _ClosedPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE_CLOSED)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        import_module("duckmetrics.cli.usage").advised(error).show()
        sys.exit(BAD_INPUT)
    except (EngineError, DefinitionError) as error:
        _fail(str(error), ENGINE_FAILED)
    except (DuckmetricsError, OSError) as error:
        _fail(str(error), BAD_INPUT)
    except Exception as error:  # a bug must not end in a traceback either
        _fail(f"internal error: {type(error).__name__}: {error}; please report it", ENGINE_FAILED)


def _fail(message: str, code: int) -> None:
    # Indented, so that no name in the data can look like a line of ours.
    lines = "\n  ".join(map(visible, message.splitlines()))
    click.echo(f"duckmetrics: {lines}", err=True)
    sys.exit(code)


def _open_streams() -> None:
    """Replace streams that were closed before the start, and characters that they cannot write."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 it is open until the process ends
    escape_what_a_stream_cannot_write()
