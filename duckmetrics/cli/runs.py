"""``duckmetrics runs`` and ``trend``: the log of runs; and what other commands do with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.exit_codes import GATE_FAILED
from duckmetrics.cli.files import checked_files, checked_picture, write_to
from duckmetrics.cli.options import FORMAT, METRIC, OUTPUT, with_options
from duckmetrics.cli.places import publish
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.results.gates import Gate, GateOutcome

LOG_ARGUMENT = click.argument("log", type=click.Path(path_type=Path), shell_complete=completion.files)
# The options of commands that compute nothing.
_NOTHING = dict.fromkeys(
    ("per_query", "per_query_table", "movers", "output_table", "run_id", "attach", "partition_by")
)


@click.command(short_help="List the runs of a log.")
@LOG_ARGUMENT
@with_options(FORMAT, OUTPUT)
def runs(log: Path, **options: Any) -> None:
    """List the runs of a LOG that --log wrote, the newest first.

    \b
    duckmetrics runs runs.duckdb
    duckmetrics runs runs.duckdb --format json
    """
    from duckmetrics.api.runs import runs as compute
    from duckmetrics.cli.output import shown_rows, write_rows
    from duckmetrics.engines.opening import open_engine

    options |= _NOTHING
    format_ = checked_files(options, [str(log)])
    rows = compute(log)
    write_to(options, format_, lambda path: write_rows(rows, format_, path, "runs"), open_engine())
    publish(options, lambda: shown_rows(rows))


@click.command(short_help="Show how metrics develop over the runs of a log.")
@LOG_ARGUMENT
@with_options(METRIC)
@click.option("--by", multiple=True, metavar="COLUMN[,COLUMN…]", help="The slices by these columns.")
@click.option("--system", metavar="SYSTEM", help="One of several systems.")
@click.option(
    "--last", metavar="30d | N", help="The runs of this time before the last one (h, d, w), or N runs."
)
@click.option(
    "--chart", "picture", type=click.Path(path_type=Path), metavar="FILE.svg",
    help="Draw the first metric of -m over time, as SVG or HTML.",
)  # fmt: skip
@with_options(FORMAT, OUTPUT)
def trend(log: Path, picture: Path | None, **options: Any) -> None:
    """Show how metrics develop over the runs of a LOG that --log wrote, and what left its usual range.

    Each series has a line: its last values as bars, the last one, the change to the run before, and the usual
    range, which is the mean of up to 30 runs before, minus and plus three of their standard deviations.

    \b
    duckmetrics evaluate run.parquet truth.parquet -m ndcg@10 --log runs.duckdb --tag commit=1a2b3c
    duckmetrics trend runs.duckdb
    duckmetrics trend runs.duckdb -m auc --by country --last 30d
    duckmetrics trend runs.duckdb -m ndcg@10 --chart ndcg.svg
    """
    from duckmetrics.api.runs import trend as compute
    from duckmetrics.cli.output import write_printed
    from duckmetrics.engines import targets
    from duckmetrics.engines.opening import open_engine

    options |= _NOTHING
    format_ = checked_files(options, [str(log)])
    drawn = None if picture is None else checked_picture({"output": picture, "log": str(log)})
    columns = [column.strip() for text in options["by"] for column in text.split(",")]
    metrics = options["metrics"] or None
    result = compute(log, metrics, by=columns, system=options["system"], last=options["last"])
    write_to(options, format_, lambda path: write_printed(result, format_, path), open_engine())
    publish(options, result.shown)
    if picture is not None and drawn is not None:
        chart = result.chart()
        with targets.replacing(picture, drawn) as draft:
            targets.write_text(draft, chart.page() if drawn == "html" else chart.svg())


# --- the log of other commands -------------------------------------------------------------------------


def asked_gates(options: dict[str, Any]) -> list[Gate]:
    """Read the gates of the options, before anything is computed.

    Raises:
        MetricError: one cannot be read, or looks at earlier runs, and there is no log.
    """
    from duckmetrics.results.gates import read_gates, refuse_without_log

    gates = read_gates(options["gates"])
    if options["log"] is None:
        refuse_without_log(gates)
    return gates


def gate_outcomes(
    gates: Sequence[Gate], result: Any, evaluation: Any, options: dict[str, Any]
) -> list[GateOutcome]:
    """Return what gates say; those about earlier runs look at the log."""
    from duckmetrics.results.gates import outcomes

    log = options["log"]
    earlier = None if log is None else evaluation.earlier(log, options["run_id"], options["run_time"])
    return outcomes(gates, result.rows, evaluation.canonical, earlier)


def exit_by(told: Sequence[GateOutcome]) -> None:
    """Print the outcomes of the gates, and end the program if one failed.

    Of a gate that passed at several values, the first is printed.
    """
    passed: dict[str, list[GateOutcome]] = {}
    for one in told:
        if not one.failed:
            passed.setdefault(one.gate.text, []).append(one)
    for first, *others in passed.values():
        more = f"; and {len(others)} more" if others else ""
        click.echo(f"note: {visible(first.line)}{more}", err=True)
    failed = [one.line for one in told if one.failed]
    for line in failed:
        click.echo(f"duckmetrics: {line}", err=True)
    if failed:
        sys.exit(GATE_FAILED)
