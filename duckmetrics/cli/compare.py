"""``duckmetrics compare`` and ``leaderboard``: is one system better than another, and which is the best?"""

from __future__ import annotations

from typing import Any

import click

from duckmetrics.cli import completion
from duckmetrics.cli.arguments import compared_tables, engine_of, shared_arguments
from duckmetrics.cli.config import Several
from duckmetrics.cli.exit_codes import exit_if
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
    SLICES_AND_INFERENCE,
    TEST,
    VALUES,
    WHOLE,
    with_options,
)


@click.command(short_help="Compare systems with a baseline and test each difference.")
@click.argument("predictions", nargs=-1, cls=Several, shell_complete=completion.files)
@with_options(OPTIONAL_METRIC, *INPUTS, POSITIVE, SCORE, LIKE, *SLICES_AND_INFERENCE)
@with_options(TEST, ADJUST, ALPHA)
@click.option("--power", type=float, default=0.8, show_default=True, help="The power of the column mde.")
@with_options(ALLOW_DIFFERENT)
@click.option(
    "--pairs/--no-pairs", "pairs", default=None,
    help="Compare every pair of systems; the letters after a value name the systems that it beats.  "
    "[default: --pairs with --test tukey]",
)  # fmt: skip
@with_options(WHOLE, *OUTPUT_AND_ENGINE)
def compare(**options: Any) -> None:
    """Compare systems with a baseline: which differences are larger than chance explains?

    Each of PREDICTIONS is a system, named after its file; or one table holds all of them, with --system
    COLUMN; or each has a name, with --system NAME=TABLE. For every system and metric: value, difference
    to the baseline with its interval, effect size, wins, ties and losses, p adjusted for the number of
    comparisons, the smallest difference that the test can detect (mde), and a verdict. Without -m,
    rankings are compared by ndcg@10 and classifiers by auc.

    \b
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10,mrr
    duckmetrics compare runs.parquet --system model --baseline bm25 --truth truth.parquet -m ndcg@10
    duckmetrics compare runs.parquet --system model --pairs --truth truth.parquet -m ndcg@10,mrr
    duckmetrics compare --system A=a.parquet --system B=b.parquet -m auc,log_loss --cluster user_id
    duckmetrics compare old.parquet new.parquet --truth truth.parquet -m ndcg@10 \\
        --fail-if "ndcg@10 delta_lower < -0.005" --movers movers.csv
    """
    from duckmetrics.api.compare import compare as compute
    from duckmetrics.cli.output import write_comparison
    from duckmetrics.results.gates import failures, read_gates

    format_ = checked_files(options)
    predictions, truth, system = compared_tables(options)
    gates = read_gates(options["gates"])
    if isinstance(system, str) and options["baseline"] is None and (gates or options["movers"]):
        raise click.UsageError(
            "--fail-if and --movers look at differences to a baseline; add --baseline SYSTEM"
        )
    engine = engine_of(options)
    names = ("baseline", "test", "adjust", "alpha", "power", "allow_different", "pairs")
    chosen = {name: options[name] for name in names if options[name] is not None}
    result = compute(
        predictions,
        truth,
        options["metrics"] or None,
        system=system,
        connection=engine,
        **chosen,
        **shared_arguments(compute, options),
    )
    failed = failures(gates, result.rows, result.evaluation.canonical)
    also = write_beside(result, result.evaluation, options)
    write_to(
        options,
        format_,
        lambda path: write_comparison(result, format_, path, options["whole"]),
        engine,
        also,
    )
    for note in result.notes():
        click.echo(note, err=True)
    exit_if(failed)


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
