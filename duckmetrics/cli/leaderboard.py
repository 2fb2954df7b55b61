"""``duckmetrics leaderboard``: which of many systems is the best?"""

from __future__ import annotations

from typing import Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import compared_tables, engine_of, shared_arguments
from duckmetrics.cli.config import Several
from duckmetrics.cli.files import checked_files, write_beside, write_to
from duckmetrics.cli.options import (
    ADJUST,
    ALLOW_DIFFERENT,
    ALPHA,
    CHUNKS,
    INPUTS,
    LIKE,
    OPTIONAL_METRIC,
    OUTPUT_AND_ENGINE,
    POSITIVE,
    SCORE,
    SLICES,
    TEST,
    VALUES,
    WHOLE,
    with_options,
)


@click.command(short_help="Rank all systems, and show which of them no test distinguishes.")
@click.argument("predictions", nargs=-1, cls=Several, shell_complete=completion.files)
@with_options(OPTIONAL_METRIC, *INPUTS, POSITIVE, SCORE, LIKE, *SLICES, *VALUES, CHUNKS)
@with_options(TEST, ADJUST, ALPHA, ALLOW_DIFFERENT, WHOLE, *OUTPUT_AND_ENGINE)
def leaderboard(**options: Any) -> None:
    """Rank all systems, the best first, and test every pair of them.

    Each of PREDICTIONS is a system, named after its file; or one table holds all of them, with --system
    COLUMN; or each has a name, with --system NAME=TABLE. Systems that share a letter cannot be
    distinguished. For every system and metric: value with its interval, range of its true rank,
    difference to the best system with p adjusted for the number of pairs, and chance to be the best.

    \b
    duckmetrics leaderboard a.parquet b.parquet c.parquet --truth truth.parquet -m ndcg@10,map
    duckmetrics leaderboard runs.parquet --system model --truth truth.parquet -m ndcg@10 --format latex
    duckmetrics leaderboard --system A=a.parquet --system B=b.parquet -m auc --cluster user_id
    """
    from duckmetrics.api.leaderboard import leaderboard as compute
    from duckmetrics.cli.output import write_leaderboard

    format_ = checked_files(options)
    predictions, truth, system = compared_tables(options)
    engine = engine_of(options)
    names = ("test", "adjust", "alpha", "allow_different")
    result = compute(
        predictions,
        truth,
        options["metrics"] or None,
        system=system,
        connection=engine,
        **{name: options[name] for name in names},
        **shared_arguments(compute, options),
    )
    also = write_beside(result, result.evaluation, {**options, "movers": None})
    whole = options["whole"]
    write_to(options, format_, lambda path: write_leaderboard(result, format_, path, whole), engine, also)
    for note in result.notes():
        click.echo(note, err=True)
