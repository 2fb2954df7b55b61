"""The options that commands share: each a constant, and groups of them in the order of the help."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.cli import completion, config
from duckmetrics.cli.places import GITHUB
from duckmetrics.engines.snapshots import CHOICES
from duckmetrics.engines.targets import DATABASE_SUFFIXES, FORMATS, RULE, SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., Any]
    Option = Callable[[Command], Command]

# --- where results go, and on what they run --------------------------------------------------------

FORMAT = click.option(
    "--format",
    "format_",
    type=click.Choice((*FORMATS, GITHUB)),
    help="How to print: table is for a screen, plain for pipes and logs, github for the summary and the "
    "annotations of GitHub Actions.  [default: table]",
)
WIDE = click.option(
    "--wide/--long", "wide", default=None,
    help="Values side by side, or a line per value with all counts.  [default: --wide for several "
    "systems or slices]",
)  # fmt: skip
OUTPUT = click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
    help=f"Write the results to a file: {', '.join(SUFFIXES)}, also s3://…; or append them to NAME.TABLE of "
    f"--attach. {RULE}",
)  # fmt: skip
OUTPUT_TABLE = click.option(
    "--table", "output_table", metavar="NAME",
    help=f"With -o FILE.duckdb ({', '.join(DATABASE_SUFFIXES)}): append the results to this table, after the "
    "columns run_time and run_id; it is created, and gets new columns, as needed.",
)  # fmt: skip
RUN_ID = click.option(
    "--run-id", metavar="TEXT", help="The name of this run in a database or log.  [default: a new one]"
)
LOG = click.option(
    "--log", type=click.Path(path_type=Path), metavar="FILE.duckdb | FOLDER",
    help="Append the values to a log of runs, for 'duckmetrics trend' and for gates on earlier runs.",
    shell_complete=completion.files,
)  # fmt: skip
TAG = click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="NAME=VALUE",
    help="With --log: a fact about the run, commit=1a2b3c.",
)
RUN_TIME = click.option(
    "--run-time", metavar="TIME", help="With --log: the time of the run, such as 2026-11-20.  [default: now]"
)
LOG_VALUES = click.option(
    "--log-values", is_flag=True,
    help="With --log: log the values per query, too, so that a later run can be tested against this one.",
)  # fmt: skip
REPLACE_RUN = click.option(
    "--replace-run", is_flag=True, help="With --log and --run-id: replace a run of the same name."
)
LOGGED = (LOG, TAG, RUN_TIME, LOG_VALUES, REPLACE_RUN)
THREADS = click.option("--threads", type=click.IntRange(min=1), help="Number of threads.")
MEMORY_LIMIT = click.option("--memory-limit", metavar="SIZE", help="Such as 4GB; more is spilled to disk.")
TEMP_DIRECTORY = click.option(
    "--temp-directory", metavar="FOLDER", help="The folder for data spilled to disk.",
    shell_complete=completion.folders,
)  # fmt: skip
DATABASE = click.option(
    "--database", metavar="FILE.duckdb", help="Database whose tables can be named (read-only).",
    shell_complete=completion.files,
)  # fmt: skip

INIT = click.option(
    "--init", multiple=True, type=click.Path(), metavar="FILE.sql",
    help="Statements to run first: LOAD, CREATE SECRET, ATTACH, SET.", shell_complete=completion.files,
)  # fmt: skip
ATTACH = click.option(
    "--attach", multiple=True, metavar="NAME=TARGET",
    help="A database, read-only unless results go to it, whose tables can be named NAME.TABLE: a file of "
    "DuckDB or SQLite, postgres:…, mysql:…, ducklake:…, md:…",
)  # fmt: skip
SNAPSHOT = click.option(
    "--snapshot", type=click.Choice(CHOICES),
    help="Which tables are read once, into a temporary table.  [default: auto, those that are remote, "
    "text, or queries that do more than scan a table]",
)  # fmt: skip
TIME_ZONE = click.option(
    "--time-zone", metavar="ZONE",
    help="The zone of days and hours in slices and conditions: Europe/Berlin.  [default: UTC]",
)  # fmt: skip

# Where the rows can be evaluated.
ENGINE = click.option(
    "--engine", type=click.Choice(("duckdb", "spark")), default="duckdb", show_default=True,
    help="The engine that computes; Spark takes paths and names of tables.",
)  # fmt: skip
MASTER = click.option(
    "--master", metavar="URL", help="The master of Spark, such as local[2].  [default: as configured]"
)

CONFIG = click.option(
    "--config", type=click.Path(path_type=Path), metavar="FILE.toml", is_eager=True, expose_value=False,
    callback=config.read,
    help="Take options from this file; those of the command line win. Paths in it start at its folder.",
)  # fmt: skip
OUTPUT_AND_ENGINE = (
    FORMAT, OUTPUT, OUTPUT_TABLE, RUN_ID, THREADS, MEMORY_LIMIT, TEMP_DIRECTORY, DATABASE, INIT,
    ATTACH, SNAPSHOT, TIME_ZONE, CONFIG,
)  # fmt: skip

# --- tables, metrics, names of columns, conventions ------------------------------------------------

METRIC_HELP = (
    "Metrics such as ndcg@10,map(norm=min_k)@100; see 'duckmetrics metrics'.  [default: ndcg@10 for "
    "rankings, auc for classifiers]"
)
TABLES = tuple(
    click.argument(name, required=False, shell_complete=completion.files) for name in ("predictions", "truth")
)
METRIC = click.option(
    "-m", "--metric", "metrics", multiple=True, metavar="SPEC[,SPEC…]", help=METRIC_HELP,
    shell_complete=completion.metrics,
)  # fmt: skip
TRUTH = click.option(
    "--truth", "truth_option", metavar="TABLE", help="The truth, instead of TRUTH.",
    shell_complete=completion.files,
)  # fmt: skip
SYSTEM = click.option(
    "--system", "systems", multiple=True, metavar="COLUMN | NAME=TABLE",
    help="The column that names the system, or one table per system.", shell_complete=completion.files,
)  # fmt: skip
COLUMN = click.option(
    "--column", "columns", multiple=True, metavar="NAME=YOURS[,…]",
    help="Map columns: query_id=user_id,truth.item_id=sku or query_id=user+day. A name that holds a comma "
    "stands in double quotes.",
)  # fmt: skip
DEFINITIONS = click.option(
    "--definitions", multiple=True, metavar="FILE.sql | FOLDER",
    help="Metrics of your own, whose names -m then knows; -m FILE.sql@10 names one file.",
    shell_complete=completion.files,
)  # fmt: skip
SWITCH = click.option(
    "--set", "switches", multiple=True, metavar="SWITCH=VALUE",
    help="Set a convention: ties=item_desc, missing=skip, rel=2.", shell_complete=completion.switches,
)  # fmt: skip
LAYOUT = click.option(
    "--layout", "layouts", multiple=True, metavar="NAME",
    help="Read the columns of a tool, such as rectools, or truth=rectools; see 'duckmetrics layouts'.",
    shell_complete=completion.layouts,
)  # fmt: skip
POSITIVE = click.option(
    "--positive", metavar="LABEL", help="The label that counts as 1, if labels are text, such as yes."
)
SCORE = click.option(
    "--score", "scores", multiple=True, metavar="SYSTEM=COLUMN",
    help="The scores of a system, if one table has several: lr=p_lr.",
)  # fmt: skip
CLASSES = click.option(
    "--classes", metavar="COLUMNS",
    help="The scores of several classes: 'p_*', cat,dog,fox or cat=p_cat,dog=p_dog; a column with a list, a "
    "map or a struct; or the column with the class, if each has a row. The label is then the right class.",
)  # fmt: skip
WHERE = click.option(
    "--where", multiple=True, metavar="TABLE=CONDITION",
    help="Read only these rows: \"predictions=day = DATE '2026-11-01'\"; partitions that it rules out "
    "are not read.",
)  # fmt: skip
VERSION = click.option(
    "--version", multiple=True, metavar="[TABLE=]NUMBER",
    help="Read this version of a Delta table, or snapshot of an Iceberg table: predictions=3.",
)  # fmt: skip
AS_OF = click.option(
    "--as-of", multiple=True, metavar="[TABLE=]TIME",
    help="Read the last version at this time: predictions=2026-11-01.",
)  # fmt: skip
INPUTS = (TRUTH, SYSTEM, COLUMN, DEFINITIONS, LAYOUT, SWITCH, WHERE, VERSION, AS_OF)
LIKE = click.option(
    "--like", metavar="TOOL", help="Take the conventions of a tool; see 'duckmetrics presets'.",
    shell_complete=completion.tools,
)  # fmt: skip

# --- slices, intervals, gates, and files next to the results ----------------------------------------

BY = click.option(
    "--by", multiple=True, metavar="COLUMN[,COLUMN…]",
    help="Slice by the combinations of these columns, or of expressions such as \"year(day) AS year\".",
)  # fmt: skip
BY_EACH = click.option(
    "--by-each", multiple=True, metavar="COLUMN[,COLUMN…]",
    help="Slice by one more grouping; repeat it for several of them, each alone.",
)  # fmt: skip
QUERIES = click.option(
    "--queries", metavar="TABLE", help="A table keyed by query_id with attributes to slice by.",
    shell_complete=completion.files,
)  # fmt: skip
HISTORY = click.option(
    "--history", metavar="TABLE",
    help="The interactions that the systems were trained on, for metrics of popularity and novelty.",
    shell_complete=completion.files,
)  # fmt: skip
ITEMS = click.option(
    "--items", metavar="TABLE",
    help="The catalogue: item_id, and category and vector for metrics of diversity.  [default: the items of "
    "the history]",
    shell_complete=completion.files,
)  # fmt: skip
REFERENCE = click.option(
    "--reference", metavar="TABLE", help="Another run, such as the last release, for metrics of changes.",
    shell_complete=completion.files,
)  # fmt: skip
SIDE_TABLES = (HISTORY, ITEMS, REFERENCE)
GIVEN = click.option(
    "--values", multiple=True, metavar="[SYSTEM=]TABLE",
    help="Values per query of metrics that were computed elsewhere: a column for each metric, or the columns "
    "metric and value, or the output of trec_eval -q.",
    shell_complete=completion.files,
)  # fmt: skip
LOWER = click.option(
    "--lower-is-better",
    multiple=True,
    metavar="METRIC[,…]",
    help="The metrics of --values where lower is better.",
)
INTERVAL = click.option(
    "--interval", type=float, metavar="LEVEL",
    help="Intervals around the values, such as 0.95.  [default: none; compare: 0.95]",
)  # fmt: skip
INTERVAL_METHOD = click.option(
    "--interval-method", default="t", show_default=True, help="t, or bootstrap (Poisson, deterministic)."
)
CLUSTER = click.option(
    "--cluster", metavar="COLUMN", help="The column of independent units, such as user_id."
)
RESAMPLES = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    help="The number of bootstrap resamples.  [default: 10000; 1000 for metrics that are computed again as "
    "a whole]",
)
SEED = click.option("--seed", type=int, help="Another seed draws other resamples.  [default: 42]")
FAIL_IF = click.option(
    "--fail-if", "gates", multiple=True, metavar="CONDITION",
    help="Exit code 1 if it holds: 'ndcg@10 < 0.35', 'ndcg@10 delta_lower < -0.005', "
    "'auc verdict = worse'; in a slice: 'ndcg@10 by country < 0.2'; with --log: 'ndcg@10 < last - 0.005', "
    "'auc < mean(7 runs) - 3 sd', 'ndcg@10 worse than tag:prod', 'ndcg@10 drops more than 1%'.",
)  # fmt: skip
JUNIT = click.option(
    "--junit", type=click.Path(path_type=Path), metavar="FILE.xml",
    help=f"Write the gates as JUnit XML, a test for each. {RULE}", shell_complete=completion.files,
)  # fmt: skip
MLFLOW = click.option(
    "--mlflow", is_flag=True,
    help="Log values, intervals, conventions and the report to MLflow, in the run of MLFLOW_RUN_ID or a new "
    "one that --run-id names.",
)  # fmt: skip
PER_QUERY = click.option(
    "--per-query", metavar="FILE",
    help="Write the value of every query to FILE.parquet (Spark: a folder), also s3://…, or to a table of "
    "FILE.duckdb or of --attach.",
    shell_complete=completion.files,
)  # fmt: skip
PER_QUERY_TABLE = click.option(
    "--per-query-table", metavar="NAME", help="With --per-query FILE.duckdb: append the values to this table."
)
PARTITION_BY = click.option(
    "--partition-by", multiple=True, metavar="COLUMN",
    help="With --per-query FOLDER: a folder for each value of system, metric or a slice.",
)  # fmt: skip
BASELINE = click.option(
    "--baseline", metavar="SYSTEM",
    help="The system that others are compared with.  [default: the first; with --system COLUMN "
    "it must be given]",
)  # fmt: skip
MOVERS = click.option(
    "--movers", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the queries that gain and lose most against the baseline (rankings only).",
)  # fmt: skip
CHUNKS = click.option(
    "--chunks", type=click.IntRange(min=1), metavar="N",
    help="Evaluate the queries of rankings in N parts, which takes less memory.",
)  # fmt: skip
SLICES = (
    BY,
    BY_EACH,
    QUERIES,
    *SIDE_TABLES,
    GIVEN,
    LOWER,
    INTERVAL,
    INTERVAL_METHOD,
    CLUSTER,
    RESAMPLES,
    SEED,
)
VALUES = (PER_QUERY, PER_QUERY_TABLE, PARTITION_BY)
SLICES_AND_INFERENCE = (*SLICES, FAIL_IF, JUNIT, *LOGGED, *VALUES, BASELINE, MOVERS, MLFLOW, CHUNKS)

# --- tests of differences ---------------------------------------------------------------------------

TEST = click.option(
    "--test", metavar="TEST",
    help="t, randomization, bootstrap, tukey, sign, wilcoxon, mcnemar or always_valid; with --unpaired, t or "
    "randomization.  [default: paired t]",
)  # fmt: skip
ADJUST = click.option(
    "--adjust",
    metavar="METHOD",
    help="holm, max_t, benjamini_hochberg, bonferroni, …, or none.  [default: holm]",
)
ALPHA = click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="A verdict needs an adjusted p below this."
)
MARGIN = click.option(
    "--margin", "margin", multiple=True, metavar="MARGIN",
    help="The largest difference that does not matter, for the verdicts 'not worse' and 'equivalent': "
    "0.005, or 1% of the baseline; by metric: ndcg@10=0.005,mrr=1%.",
)  # fmt: skip
UNPAIRED = click.option(
    "--unpaired",
    is_flag=True,
    help="The systems have different users, weeks or countries: use Welch's test of independent units.",
)
ALLOW_DIFFERENT = click.option(
    "--allow-different", is_flag=True, help="If systems have different queries, compare the common ones."
)
WHOLE = click.option(
    "--all",
    "whole",
    is_flag=True,
    help="Show all columns, as --format plain does; files and Python have them.",
)


def with_options(*options: Option) -> Option:
    """Decorate a command with options; the help lists them in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)
