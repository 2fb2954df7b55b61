"""``duckmetrics state`` and ``merge``: what a day leaves behind, and days put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import answer_of, engine_of, read_options, tables_of
from duckmetrics.cli.files import checked_files, write_beside, write_to
from duckmetrics.cli.options import (
    ATTACH,
    BY,
    BY_EACH,
    CHUNKS,
    CLUSTER,
    CONFIG,
    DATABASE,
    FAIL_IF,
    INIT,
    INPUTS,
    INTERVAL,
    INTERVAL_METHOD,
    JUNIT,
    LIKE,
    LOGGED,
    MEMORY_LIMIT,
    METRIC,
    MLFLOW,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    QUERIES,
    RESAMPLES,
    SCORE,
    SEED,
    SIDE_TABLES,
    SNAPSHOT,
    TABLES,
    TEMP_DIRECTORY,
    THREADS,
    TIME_ZONE,
    VALUES,
    WIDE,
    with_options,
)
from duckmetrics.cli.places import publish
from duckmetrics.cli.runs import asked_gates, exit_by, gate_outcomes
from duckmetrics.engines import targets
from duckmetrics.inputs.interval_options import LEVEL

# The options of other commands that these do not have.
_NOTHING = dict.fromkeys(("movers", "baseline"))


@click.command(short_help="Write what merging needs of a day.")
@with_options(*TABLES, METRIC, *INPUTS, POSITIVE, SCORE, LIKE, BY, BY_EACH, QUERIES, *SIDE_TABLES)
@with_options(CLUSTER, CHUNKS)
@click.option(
    "--grid", type=click.IntRange(min=1), metavar="N",
    help="Round scores of classifiers to multiples of 1/N, which makes the file small.",
)  # fmt: skip
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE.parquet",
    help=f"The state. {targets.RULE}",
)  # fmt: skip
@with_options(THREADS, MEMORY_LIMIT, TEMP_DIRECTORY, DATABASE, INIT, ATTACH, SNAPSHOT, TIME_ZONE, CONFIG)
def state(output: Path, grid: int | None, **options: Any) -> None:
    """Evaluate PREDICTIONS against TRUTH, or against their own labels, and write a state.

    A state has the values per query of rankings, and sums or counted rows of classifiers. 'duckmetrics merge'
    puts the states of several days together without the rows, as if all rows were evaluated at once.

    \b
    duckmetrics state run.parquet truth.parquet -m ndcg@10,map --by country -o 2026-11-21.state.parquet
    duckmetrics state clicks.parquet -m auc,log_loss --cluster user_id -o 2026-11-21.state.parquet
    """
    from duckmetrics.api.functions import evaluate as compute
    from duckmetrics.cli.output import print_findings

    options |= {"values": (), "lower_is_better": ()}
    checked_files({**options, **_NOTHING, "output": output, "format_": "parquet"})
    tables = tables_of(options)
    engine = engine_of(options)
    # Clusters belong to intervals, which the merged evaluation may ask for.
    more = {} if options["cluster"] is None else {"interval": LEVEL}
    result = answer_of(compute, options, engine, tables, **more)
    result.state(output, grid=grid)
    print_findings(result.checks, "plain")
    click.echo(f"{output}: {', '.join(result.metrics)}")


@click.command(short_help="Merge the states of several days.")
@click.argument("states", nargs=-1, required=True, shell_complete=completion.files)
@with_options(METRIC, BY, BY_EACH, INTERVAL, INTERVAL_METHOD, CLUSTER, RESAMPLES, SEED)
@with_options(FAIL_IF, JUNIT, *LOGGED, *VALUES, MLFLOW, WIDE, *OUTPUT_AND_ENGINE)
def merge(states: tuple[str, ...], **options: Any) -> None:
    """Merge STATES that 'duckmetrics state' wrote, into the evaluation of all their rows at once.

    Slices and clusters are those that the states have, or some of them.

    \b
    duckmetrics merge states/*.parquet
    duckmetrics merge states/2026-11-*.parquet -m ndcg@10 --by country --interval 0.95
    duckmetrics merge states/ --fail-if 'auc < 0.75' --log months.duckdb
    """
    from duckmetrics.api.merging import merge as compute
    from duckmetrics.cli.output import write

    options |= _NOTHING
    format_ = checked_files(options, list(states))
    gates = asked_gates(options)
    engine = engine_of(options)
    result = compute(states, options["metrics"] or None, connection=engine, **read_options(compute, options))
    told = gate_outcomes(gates, result, result, options)
    also = write_beside(result, result, options, engine)
    write_to(options, format_, lambda path: write(result, format_, path, options["wide"]), engine, also)
    publish(options, lambda: result.shown(options["wide"], every=False), result.checks, told, result)
    exit_by(told)
