"""Arguments of the macros: tables in every form, columns of any name, any session, and refusals."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from support.bad_rankings import TABLES as RANKINGS
from support.bad_rows import TABLES as ROWS
from support.cases import CATALOG, SIDE
from support.duckdb_shell import connected, refusal, text, unweighted, written
from support.little import DCG, LITTLE, PREDICTIONS, RR, TRUTH, UNGRADED_DCG, little

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from support.little import Connection

pytestmark = pytest.mark.engine

# 60 rows with ties, weights and groups, whose scores are probabilities.
CLICKS = """SELECT i AS id, (i * 7 % 10 < 4)::INT AS label, (i * 13 % 17 / 17e0)::DOUBLE AS score,
    'g' || i % 3 AS g, 1e0 + i % 2 AS w FROM range(60) AS r(i)"""
AUC = 0.5972222222222222
INTERNAL = (
    "relevant",
    "specs",
    "queries",
    "_relevant",
    "_specs",
    "_predictions",
    "_truth",
    "_query_values",
    "_named",
    "_labeled",
    "segments",
    "duckmetrics_query_values",
)
PARAMETERS = (
    "k",
    "rel",
    "gain",
    "ties",
    "missing",
    "score",
    "label",
    "per",
    "metrics",
    "predictions",
    "truth",
    "agg",
    "weight",
    "plan",
    "bins",
    "edges",
    "edge",
    "p",
    "rank",
    "position",
    "relevance",
    "data",
    "precision",
    "threshold",
    "group_id",
    "population",
    "query_id",
    "item_id",
)
COLUMNS = (*PARAMETERS, "_k", "_predictions", "_named", "_none", "segment", "specs", "_segment")


def value(connection: Connection, query: str, given: Any = None) -> Any:
    """Return the number in the only row of a result; the macro is closed and has that column."""
    cursor = connection.execute(query, given)
    place = [column[0] for column in cursor.description].index("value")
    (row,) = cursor.fetchall()
    return row[place]


def rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    """Create a connection with the macros and the tables `predictions`, `truth` and `clicks`."""
    with connected() as connection:
        connection.execute(f"{LITTLE}; CREATE TABLE clicks AS {CLICKS}")
        yield connection


@pytest.fixture(scope="module")
def confusion(connection: Connection) -> list[tuple[Any, ...]]:
    """Return the result for `clicks` of the cheapest macro that reads every row."""
    return rows(connection, "FROM threshold_table(clicks, label, score)")


# --- 1. tables in every form ---------------------------------------------------------------------

TABLES = ("predictions", "truth", "clicks")
# The argument: {} stands for the name of the table, and {at} for a folder.
FORMS: dict[str, str] = {
    "identifier": "{}",
    "text": "'{}'",
    "upper case": "upper('{}')",
    "schema": "shop.{}",
    "schema as text": "'shop.{}'",
    "database": "'other.main.{}'",
    "odd name": '"My {}"',
    "odd name as text": "'My {}'",
    "quoted as text": "'\"v1.{}\"'",
    "quote in the name": "'\"it''s {}\"'",
    "name of a file, told to be a table": "'table:\"{}.csv\"'",
    "view": "{}_view",
    "list of tables": "['{}']",
    "parquet": "'{}.parquet'",
    "dots": "'./{}.v1.0.parquet'",
    "parent": "'../data/{}.v1.0.parquet'",
    "absolute": "'{at}/v1.2/{}.parquet'",
    "folder with a quote and a space": "'it''s here/{}.parquet'",
    "comma in the name": "'a, b/{}.parquet'",
    "brackets in the name": "'[1]{}.parquet'",
    "upper suffix": "'{}.PARQUET'",
    "prefix of a file": "'file:v1.2/{}.parquet'",
    "csv": "'v1.2/{}.csv'",
    "csv, gz": "'./{}.csv.gz'",
    "json": "'v1.2/{}.json'",
    "ndjson": "'{}.ndjson'",
    "glob": "'parts/{}*.parquet'",
    "glob of a folder": "'{at}/parts/**/{}?.parquet'",
    "list of files": "['parts/{}1.parquet', 'parts/{}2.parquet']",
    "list of files with commas": "['a, b/{}.parquet']",
    "list of csv": "['parts/{}1.csv', './parts/{}2.csv']",
    "FROM": "'FROM {} WHERE true'",
    "from, below": "'\n  from {}'",
    "FROM of a file": "'FROM ''./{}.v1.0.parquet'''",
    "FROM of a name in quotes": "'FROM\"My {}\"'",
    "FROM a reader": "'FROM read_parquet(''v1.2/{}.parquet'')'",
    "SELECT": "'SELECT * FROM {}'",
    "SELECT with no space": "'SELECT*FROM {}'",
    "WITH": "'WITH x AS (FROM {}) FROM x'",
    "parentheses": "'(FROM {})'",
    "comment first": "'-- {}\nFROM {}'",
    "comment of C first": "'/* {} */ FROM {}'",
    "prefix of SQL": "'sql:FROM {}'",
    "prefix of SQL, then a comment": "'sql: /* {} */ FROM {}'",
    "variable": "getvariable('name_{}')",
    "variable of files": "getvariable('files_{}')",
    "expression": "reverse(reverse('{}'))",
}  # fmt: skip
# Forms that rankings also get; their macros call the same text in another way, and cost more.
FORMS_OF_RANKINGS = (
    "identifier",
    "name of a file, told to be a table",
    "folder with a quote and a space",
    "list of files with commas",
    "FROM of a name in quotes",
    "prefix of SQL, then a comment",
)


def argument(form: str, table: str, at: Path) -> str:
    return FORMS[form].replace("{at}", str(at)).replace("{}", table)


@pytest.fixture(scope="module")
def data(connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Create the current folder, with the tables as files of every kind, and tables of odd names."""
    at = tmp_path_factory.mktemp("macros") / "data"
    for folder in ("v1.2", "parts", "a, b", "it's here"):
        (at / folder).mkdir(parents=True)
    connection.execute("CREATE SCHEMA shop; ATTACH ':memory:' AS other")
    for table in TABLES:
        for name in (f"shop.{table}", f'"My {table}"', f'"v1.{table}"', f'"it\'s {table}"', f'"{table}.csv"',
                     f"other.main.{table}"):  # fmt: skip
            connection.execute(f"CREATE TABLE {name} AS FROM {table}")
        connection.execute(f"CREATE VIEW {table}_view AS FROM {table}")
        connection.execute(f"SET VARIABLE name_{table} = '{table}'")
        connection.execute(
            f"SET VARIABLE files_{table} = ['{at}/parts/{table}1.parquet', '{at}/parts/{table}2.parquet']"
        )
        for name in ("{}", "{}.v1.0", "v1.2/{}", "[1]{}", "it''s here/{}", "a, b/{}"):
            connection.execute(f"COPY {table} TO '{at}/{name.format(table)}.parquet'")
        shutil.copy(at / f"{table}.parquet", at / f"{table}.PARQUET")
        connection.execute(f"COPY {table} TO '{at}/v1.2/{table}.csv'; COPY {table} TO '{at}/{table}.csv.gz'")
        connection.execute(f"COPY {table} TO '{at}/v1.2/{table}.json'; COPY {table} TO '{at}/{table}.ndjson'")
        for part, where in (("1", "rowid % 2 = 0"), ("2", "rowid % 2 = 1")):
            half = f"(FROM {table} WHERE {where})"
            connection.execute(f"COPY {half} TO '{at}/parts/{table}{part}.parquet'")
            connection.execute(f"COPY {half} TO '{at}/parts/{table}{part}.csv'")
    run = "SELECT query_id, 'Q0', item_id, 1, score, 'tag' FROM predictions"
    qrels = "SELECT query_id, 0, item_id, relevance FROM truth"
    for names, query in (("bm25.run run.txt", run), ("x.qrels qrels.txt", qrels)):
        lines = [" ".join(map(str, row)).replace(" Q0 ", "\tQ0  ") for row in rows(connection, query)]
        unix, windows = names.split()
        (at / "v1.2" / unix).write_bytes("\n".join([*lines, "", ""]).encode())
        (at / "v1.2" / windows).write_bytes("\r\n".join([*lines, ""]).encode())
    with contextlib.chdir(at):
        yield at


@pytest.mark.some(1)
@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_every_form_gives_the_same(
    connection: Connection, confusion: list[tuple[Any, ...]], data: Path, form: str
) -> None:
    predictions, truth, clicks = (argument(form, table, data) for table in TABLES)
    assert rows(connection, f"FROM threshold_table({clicks}, label, score)") == confusion
    if form in FORMS_OF_RANKINGS:
        assert value(connection, f"FROM dcg({predictions}, {truth})") == pytest.approx(DCG)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ("'v1.2/bm25.run'", "['./v1.2/qrels.txt']"),
        ("'{at}/v1.2/run.txt'", "'file:v1.2/x.qrels'"),
        ("'FROM read_trec_run(''v1.2/bm25.run'')'", "'FROM read_trec_qrels(''v1.2/x.qrels'')'"),
    ],
)
def test_trec_files_in_every_form(connection: Connection, data: Path, run: str, qrels: str) -> None:
    query = f"FROM dcg({run.replace('{at}', str(data))}, {qrels})"
    assert value(connection, query) == pytest.approx(DCG)


def test_rows_written_out(connection: Connection) -> None:
    truth = "'VALUES (''q1'', ''b'', 1), (''q1'', ''c'', 2), (''q2'', ''a'', 1), (''q3'', ''z'', 1)'"
    predictions = "'SELECT query_id AS col0, item_id AS col1, score AS col2 FROM predictions'"
    columns = "query_id := 'col0', item_id := 'col1', score := 'col2', relevance := 'col2'"
    assert value(connection, f"FROM dcg({predictions}, {truth}, {columns})") == pytest.approx(DCG)
    assert value(connection, "FROM roc_auc('values (1, 2), (1, 0), (0, 1)', col0, col1)") == 0.5


@pytest.mark.slow
def test_tables_of_the_calling_query(connection: Connection) -> None:
    steps = "WITH predictions AS (FROM shop.predictions), t AS (FROM truth WHERE query_id <> 'q3')"
    assert value(connection, f"{steps} FROM dcg(predictions, 't')") == pytest.approx(DCG * 3 / 2)
    assert (
        value(connection, "WITH c AS (FROM clicks WHERE g = 'g0') FROM roc_auc(c, label, score)") == 0.640625
    )


def test_a_step_of_the_calling_query_goes_before_a_table(connection: Connection) -> None:
    steps = "WITH truth AS (FROM main.truth WHERE query_id <> 'q3')"
    assert value(connection, f"{steps} FROM dcg(predictions, truth)") == pytest.approx(DCG * 3 / 2)


@pytest.mark.slow
def test_parameters_of_a_prepared_statement(connection: Connection, data: Path) -> None:
    parts = [f"parts/predictions{i}.parquet" for i in (1, 2)]
    for given in ([parts, "truth", 2], ["FROM predictions", "v1.2/truth.csv", 2]):
        assert value(connection, "FROM dcg(?, ?, k := ?)", given) == pytest.approx(DCG - 2 / 2 / 3)
    named = {"data": "clicks", "per": None}
    assert value(connection, "FROM roc_auc($data, label, score, per := $per)", named) == pytest.approx(AUC)
    connection.execute("PREPARE p AS FROM dcg($1, 'truth', k := $2)")
    for k, expected in ((2, DCG - 1 / 3), (3, DCG)):
        assert value(connection, f"EXECUTE p('predictions', {k})") == pytest.approx(expected)


FRAMES = f"""
import sys
import duckdb
connection = duckdb.connect()
connection.execute(open(sys.argv[1], encoding="utf-8").read())
for kind in ("df", "pl", "to_arrow_table", "distinct"):
    def frame(query):
        return getattr(connection.sql(query), kind)()
    my_run, my_truth = frame({"FROM " + PREDICTIONS!r}), frame({"FROM " + TRUTH!r})
    my_clicks = frame({CLICKS!r})
    for query in ("dcg(my_run, 'FROM my_truth')", "roc_auc(my_clicks, label, score)"):
        ((found,),) = connection.execute("SELECT round(value, 12) FROM " + query).fetchall()
        print(kind, found, flush=True)
"""


@pytest.mark.slow
def test_frames_by_the_name_of_their_variable(tmp_path: Path) -> None:
    """A separate process, which DuckDB may end, reads pandas, polars, arrow, and a relation."""
    (tmp_path / "duckmetrics.sql").write_text(text(), "utf-8")
    command = [sys.executable, "-c", FRAMES, str(tmp_path / "duckmetrics.sql")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wanted = [
        f"{kind} {number}"
        for kind in ("df", "pl", "to_arrow_table", "distinct")
        for number in (round(DCG, 12), round(AUC, 12))
    ]
    assert done.stdout.splitlines() == wanted, done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_table_may_list_the_queries(connection: Connection) -> None:
    for population in ("'FROM truth WHERE query_id = ''q2'''", "['q2_only']", "'table:q2_only'"):
        connection.execute("CREATE OR REPLACE TEMP VIEW q2_only AS SELECT 'q2' AS query_id, 1 AS other")
        assert value(connection, f"FROM dcg(predictions, truth, population := {population})") == 1


# --- 2. names ------------------------------------------------------------------------------------

ODD = (
    "Item Id",
    "a.b(c",
    'x"y',
    "Ünï",
    "it's",
    "a^b$",
    "\\d+",
    "x|y",
    "[a-z]",
    "*",
    " ",
    "(?i)",
    "🦆",
    "select",
    "a\nb",
    "query_id ",
    "%",
    "{x}",
    "_x",
)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(ODD), 4))
def test_a_column_of_any_name(connection: Connection, first: int) -> None:
    """Each name refers to its own column, in any case, next to all the others."""
    query, item, score, grade = (ODD[(first + i) % len(ODD)] for i in range(4))

    def odd(table: str, **known: str) -> str:
        meant = {name: column for column, name in known.items()}
        columns = ", ".join(f"{meant.get(name, 7)} AS {quoted(name)}" for name in ODD)
        return f"CREATE OR REPLACE TEMP TABLE odd_{table} AS SELECT {columns}, 7 AS score FROM {table}"

    connection.execute(odd("predictions", query_id=query, item_id=item, score=score))
    connection.execute(odd("truth", query_id=query, item_id=item, relevance=grade))
    connection.execute(odd("clicks", label=item, score=score, g=query))
    meant = {"query_id": query, "item_id": item, "score": score, "relevance": grade}
    columns = ", ".join(f"{parameter} := {written(name.swapcase())}" for parameter, name in meant.items())
    assert value(connection, f"FROM dcg(odd_predictions, odd_truth, {columns})") == pytest.approx(DCG)
    # DuckDB itself folds the case of ASCII alone.
    expressions = (name.swapcase() if name.isascii() else name for name in (item, score, query))
    label, score, per = map(quoted, expressions)
    found = rows(connection, f"FROM threshold_table(odd_clicks, {label}, {score}, per := {per})")
    assert found == rows(connection, "FROM threshold_table(clicks, label, score, per := g)")


def more(table: str, own: Sequence[str], cell: str) -> str:
    """Return a table with columns named like parameters and steps before its own."""
    names = ", ".join(f'{cell} AS "{name}"' for name in COLUMNS if name not in own)
    return f"$$SELECT {names}, * FROM {table}$$"


@pytest.mark.some(1)
@pytest.mark.parametrize("cell", ["'junk'", "7"])
def test_columns_named_like_parameters_and_steps_are_left_alone(
    connection: Connection, confusion: list[tuple[Any, ...]], cell: str
) -> None:
    """Additional columns, of text or numbers and before the others, change nothing."""
    run = more("predictions", ("query_id", "item_id", "score"), cell)
    judged = more("truth", ("query_id", "item_id", "relevance"), cell)
    data = more("clicks", ("label", "score", "weight"), cell)
    assert value(connection, f"FROM dcg({run}, {judged}, score := 'score')") == pytest.approx(DCG)
    assert value(connection, f"FROM roc_auc({data}, label, score)") == pytest.approx(AUC)
    assert rows(connection, f"FROM threshold_table({data}, label, score)") == confusion


@pytest.mark.slow
def test_without_a_relevance_every_row_is_relevant(connection: Connection) -> None:
    judged = more("(SELECT query_id, item_id FROM truth)", ("query_id", "item_id", "relevance", "label"), "7")
    assert value(connection, f"FROM dcg(predictions, {judged})") == pytest.approx(UNGRADED_DCG)


@pytest.mark.slow
def test_a_label_is_a_relevance_where_there_is_no_other(connection: Connection) -> None:
    judged = "'SELECT * RENAME (relevance AS \"Label\") FROM truth'"
    assert value(connection, f"FROM dcg(predictions, {judged})") == pytest.approx(DCG)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(COLUMNS), 4))
def test_columns_named_like_parameters_and_steps_can_be_meant(connection: Connection, first: int) -> None:
    """Every name is once a query, an item, a score or a relevance."""
    query, item, score, grade = (COLUMNS[(first + i) % len(COLUMNS)] for i in range(4))
    run, judged = (
        f'$$SELECT query_id AS "{query}", item_id AS "{item}", {last} AS "{number}" FROM {table}$$'
        for last, number, table in (("score", score, "predictions"), ("relevance", grade, "truth"))
    )
    names = f"query_id := '{query}', item_id := '{item}', score := '{score}', relevance := '{grade}'"
    assert value(connection, f"FROM dcg({run}, {judged}, {names})") == pytest.approx(DCG)


@pytest.mark.slow
@pytest.mark.parametrize(("macro", "step"), [("roc_auc", 3), ("threshold_table", 1)])
def test_expressions_over_columns_named_like_parameters(
    connection: Connection, macro: str, step: int
) -> None:
    """Names are in turn a label, a score, a weight and the groups of the rows."""
    expected = close(rows(connection, f"FROM {macro}(clicks, label, score, per := g, weight := w)"))
    for first in range(0, len(COLUMNS), step):
        y, x, v, h = (COLUMNS[(first + i) % len(COLUMNS)] for i in range(4))
        data = f"""SELECT label AS "{y}", score AS "{x}", w AS "{v}", g AS "{h}" FROM clicks"""
        query = f"""FROM {macro}($${data}$$, "{y}", "{x}", per := "{h}", weight := "{v}")"""
        assert rows(connection, query) == expected, query


@pytest.mark.slow
def test_label_and_score_may_change_places(connection: Connection) -> None:
    swapped = "'SELECT score AS label, label AS score FROM clicks'"
    for macro in ("roc_auc", "log_loss", "roc_curve", "confusion"):
        plain = close(rows(connection, f"FROM {macro}(clicks, label, score)"))
        assert rows(connection, f"FROM {macro}({swapped}, label := score, score := label)") == plain
        assert rows(connection, f"FROM {macro}({swapped}, score, label)") == plain


def test_label_and_score_are_expressions(connection: Connection) -> None:
    plain = rows(
        connection,
        "FROM roc_auc('SELECT id % 3 = 0 AS y, -score AS x, id % 2 AS z FROM clicks', y, x, per := z)",
    )
    assert rows(connection, "FROM roc_auc(clicks, id % 3 = 0, -score, per := id % 2)") == close(plain)
    assert value(connection, "FROM roc_auc(clicks, label = 1 OR label IS NULL, score)") == pytest.approx(AUC)
    assert value(connection, "FROM roc_auc(clicks, 1 - label, -score)") == pytest.approx(AUC)


@pytest.fixture
def named(connection: Connection) -> Iterator[None]:
    """Create a schema for tables named like the steps of the macros."""
    connection.execute("CREATE SCHEMA named; USE named")
    yield
    connection.execute("USE memory.main; DROP SCHEMA named CASCADE")


@pytest.mark.slow
@pytest.mark.usefixtures("named")
def test_tables_named_like_steps(connection: Connection, confusion: list[tuple[Any, ...]]) -> None:
    """All of them exist at once; a macro reads only the named ones."""
    pairs = list(zip(INTERNAL[::2], INTERNAL[1::2], strict=True))
    for run, judged in pairs:
        connection.execute(f"CREATE VIEW {run} AS FROM main.predictions")
        connection.execute(f"CREATE VIEW {judged} AS FROM main.truth")
    for run, judged in pairs:
        assert value(connection, f"FROM dcg({run}, '{judged}')") == pytest.approx(DCG), (run, judged)
    for name in INTERNAL:
        connection.execute(f"CREATE OR REPLACE VIEW {name} AS FROM main.clicks")
    for name in INTERNAL:
        assert rows(connection, f"FROM threshold_table({name}, label, score)") == confusion, name
    assert value(connection, "FROM roc_auc(_labeled, label, score)") == pytest.approx(AUC)


@pytest.mark.some(1)
@pytest.mark.parametrize(("run", "judged"), [("_truth", "_predictions"), ("relevant", "_query_values")])
def test_steps_of_the_calling_query_named_like_those_of_the_macro(
    connection: Connection, run: str, judged: str
) -> None:
    steps = f"WITH {run} AS (FROM predictions), {judged} AS (FROM truth)"
    assert value(connection, f"{steps} FROM dcg({run}, {judged})") == pytest.approx(DCG)
    query = f"WITH {run} AS (FROM clicks) FROM roc_auc({run}, label, score)"
    assert value(connection, query) == pytest.approx(AUC)


# --- 3. sessions ---------------------------------------------------------------------------------

# Settings are combined if one does not hide the effect of another.
SETTINGS = {
    "orders": {
        "default_order": "'desc'",
        "default_null_order": "'nulls_first'",
        "order_by_non_integer_literal": "true",
        "preserve_insertion_order": "false",
    },
    "numbers": {
        "integer_division": "true",
        "ieee_floating_point_ops": "false",
        "old_implicit_casting": "true",
        "null_order": "'nulls_first_on_asc_last_on_desc'",
    },
    "words": {
        "preserve_identifier_case": "false",
        "lambda_syntax": "'DISABLE_SINGLE_ARROW'",
        "error_on_division_by_zero": "true",
        "scalar_subquery_error_on_multiple_rows": "false",
        "perfect_ht_threshold": "0",
        "threads": "1",
    },
    "plans": {
        "disabled_optimizers": "'expression_rewriter,statistics_propagation,cte_inlining,filter_pushdown'"
    },
}
RANKING = (
    "ndcg@2,dcg,cg@1,ap@2,average_precision,map@2,gmap,mrr,rr,reciprocal_rank,recall@2,precision@2,hit_rate@1,hr,"
    "f1,f_beta@1,bpref,infap,judged@2,r_precision,rprec,query_auc,rbp,err,idcg,hits,success@1,first_rank,"
    "mean_rank,median_rank,iprec,iprec_at_recall,n_relevant,n_returned,set_ap,set_average_precision,"
    "user_coverage"
)
CURVES = ("calibration_curve", "roc_curve", "pr_curve", "threshold_table", "gains_curve", "score_histogram")
# Macros that give more than one number, or none without other arguments.
TABLES_OF_ROWS = (*CURVES, "confusion", "brier_decomposition", "corp_curve", "corp_decomposition",
                  "ecce_curve", "group_auc", "evaluate_classification", "compare_classification",
                  "inspect_classification")  # fmt: skip
# Macro -> the metric, if its name is a word of SQL, or of rankings.
OTHER_NAMES = {
    "map_at": "map",
    "precision_at": "precision",
    "precision_score": "precision",
    "f1_score": "f1",
    "recall_score": "recall",
    "f_beta_score": "f_beta",
    "average_precision_score": "average_precision",
}
Found = dict[str, list[tuple[Any, ...]]]


def close(expected: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows as approximate values, equal except for the last digits of a sum."""
    return [
        tuple(pytest.approx(cell, rel=1e-12, abs=1e-12) if isinstance(cell, float) else cell for cell in row)
        for row in expected
    ]


def macros_of(connection: Connection, *first: str) -> list[str]:
    """Return the macros whose first parameters have these names, except those that only macros call."""
    query = """SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal
        AND parameters[:?] = ? AND NOT starts_with(function_name, 'duckmetrics_') ORDER BY 1 ASC"""
    return [name for (name,) in connection.execute(query, [len(first), list(first)]).fetchall()]


def everything(connection: Connection) -> Found:
    """Return the results of the macros for the tables: all metrics, percentiles, forms of calls, curves."""
    of_rows = [name for name in macros_of(connection, "data", "label") if name not in TABLES_OF_ROWS]
    metrics = ",".join(OTHER_NAMES.get(name, name) for name in of_rows)
    equal = "'SELECT * REPLACE (1 AS score) FROM predictions'"
    queries = {
        "rankings": f"evaluate(predictions, truth, metrics := '{RANKING}', beta := 2, recall := 0.5)",
        "ties": f"evaluate({equal}, truth, ties := 'expected', agg := 'p25', metrics := 'ndcg@2,mrr')",
        "queries": f"evaluate_by_query({equal}, truth, ties := 'item_desc', metrics := 'ndcg@2,mean_rank')",
        "findings": f"inspect({equal}, truth, k := 2)",
        "rows": "evaluate_classification(clicks, label, score, per := g, group_id := id % 5, beta := 2, "
        'top := 0.3, max_fpr := 0.3, recall := 0.5, "precision" := 0.5, fpr := 0.25, weight := w, '
        f"metrics := '{metrics}')",
        "approximate": "roc_auc(clicks, label, score, approx := 7)",
        "edges": "calibration_curve(clicks, label, score, edges := [0, 0.1, 0.5, 1])",
        "equal mass": "calibration_curve(clicks, label, score, binning := 'mass', bins := 7)",
        **{name: f"{name}(clicks, label, score)" for name in CURVES},
        "group_auc": "group_auc(clicks, label, score, g)",
    }
    found = {name: rows(connection, f"FROM {query}") for name, query in queries.items()}
    found["queries"].sort(key=str)
    functions = "normal_cdf(1), student_t_p(2, 7), binomial_cdf(3, 7, 0.5), chi_square_p(3, 2), f_sf(1, 2, 3)"
    return {**found, "functions": rows(connection, f"SELECT {functions}")}


@pytest.fixture(scope="module")
def plain(connection: Connection) -> Found:
    return everything(connection)


@pytest.mark.slow
def test_every_metric_has_a_value(connection: Connection, plain: Found) -> None:
    """The expected results of the sessions below contain a value for every metric."""
    assert {metric for _, metric, _, value, *_ in plain["rankings"] if value is None} == set()
    assert {row[1] for row in plain["rows"]} == {row[1] for row in plain["rows"] if row[2] is not None}
    named = {OTHER_NAMES.get(name, name) for name in macros_of(connection, "predictions")}
    named -= {"evaluate", "evaluate_by_query", "compare", "explain", "conventions", "inspect"}
    # Those with a history, a catalogue or a reference run have tests of their own.
    named -= {
        n for (family, n), alias in CATALOG.names.items()
        if family == "ranking" and (alias.metric in SIDE or alias.metric.is_of_systems)
    } | {"gini_at"}  # fmt: skip
    assert named == {metric.partition("@")[0] for _, metric, *_ in plain["rankings"]}
    assert all(len(found) > 0 for found in plain.values())


def change(connection: Connection, settings: dict[str, str]) -> list[str]:
    """Set the options that this version of DuckDB has; return their names."""
    known = {name for (name,) in rows(connection, "SELECT name FROM duckdb_settings()")}
    for name in settings.keys() & known:
        connection.execute(f"SET {name} = {settings[name]}")
    return [*(settings.keys() & known)]


@pytest.mark.slow
@pytest.mark.parametrize("group", SETTINGS)
def test_results_do_not_depend_on_the_session(connection: Connection, plain: Found, group: str) -> None:
    changed = change(connection, SETTINGS[group])
    assert changed
    try:
        found = everything(connection)
    finally:
        for setting in changed:
            connection.execute(f"RESET {setting}")
    for name, expected in plain.items():
        assert found[name] == close(expected), name


def test_lists_are_sorted_as_written_in_a_session_with_other_orders() -> None:
    """A list has no direction of its own in SQL that sqlglot writes; edges are checked by one that rises."""
    with little() as connection:
        connection.execute(f"CREATE TABLE clicks AS {CLICKS}")
        connection.execute(text())
        change(connection, SETTINGS["orders"])
        (drawn,) = connection.execute(
            "SELECT count(*) FROM calibration_curve('clicks', label, score, edges := [0, 0.1, 0.5, 1])"
        ).fetchall()
        assert drawn[0] > 0
        with pytest.raises(duckdb.Error, match="did you mean 'sklearn'"):
            connection.execute("FROM auc('clicks', label, score, \"like\" := 'sklearnn')")


@pytest.mark.slow
def test_macros_may_be_loaded_in_a_strange_session(plain: Found) -> None:
    """The macros do not keep the settings of the session that created them."""
    with little() as connection:
        connection.execute(f"CREATE TABLE clicks AS {CLICKS}")
        change(connection, {**SETTINGS["orders"], **SETTINGS["numbers"], "preserve_identifier_case": "false"})
        connection.execute(text())
        found = everything(connection)
    for name, expected in plain.items():
        assert found[name] == close(expected), name


# --- 4. refusals ---------------------------------------------------------------------------------

# Macro and parameters -> the parts of the message: the mistake, and the next step.
PARAMETERS_REFUSED = {
    "ndcg: k := 0": ("'ndcg@0'", "must be a positive whole number"),
    "ndcg: k := 2.7": ("'ndcg@2.7'", "must be a positive whole number"),
    "ndcg: k := '1e1'": ("'ndcg@1e1'", "must be a positive whole number"),
    "ndcg: k := [1, 0]": ("'ndcg@0'", "must be a positive whole number"),
    "ndcg: k := [1, 1]": ("'ndcg@1'", "asked for twice"),
    "ndcg: k := 99999999999": ("'ndcg@99999999999'", "must be a positive whole number"),
    "ndcg: k := []": ("no metric|k ", ""),
    "ndcg: gain := 'exp'": ("gain cannot be 'exp'", "choose linear or exp2 or binary"),
    "ndcg: ties := 'random'": ("ties cannot be 'random'", "choose item_asc or"),
    "ndcg: rel := 'nan'": ("rel cannot be 'nan'", "a number"),
    "ndcg: agg := 'p101'": ("agg cannot be 'p101'", "p90 or p95"),
    "ndcg: agg := NULL": ("agg cannot be 'NULL'", "mean or median"),
    "ndcg: score := 'score', rank := 'rank'": ("score := and rank := both", "give one of them"),
    "ndcg: population := 'FROM truth WHERE false'": ("population: no rows", "choose truth"),
    "rbp: p := 1.5": ("p cannot be '1.5'", "p < 1"),
    "err: max_grade := 1": ("relevance", "max_grade"),
    "mrr: missing := 'error'": ("with no predictions", "missing := 'zero'"),
    "evaluate: metrics := 'ndgc@10'": ("'ndgc@10'", "did you mean 'ndcg'?"),
    "evaluate: metrics := 'bpref@2'": ("'bpref@2'", "no cut-off"),
    "evaluate: metrics := 'ndcg(gain=exp3)'": ("gain cannot be 'exp3'", "exp2"),
    "evaluate: metrics := ''": ("no metric", "ndcg@10"),
    "evaluate: metrics := 'map', gain := 'exp2'": ("gain: no metric asked for takes it", "leave it out"),
    "accuracy: threshold := 'x'": ("threshold cannot be 'x'", "a number"),
    "ece: bins := 0": ("bins cannot be '0'", "bins >"),
    "ece: edges := [0, 0.5]": ("edges cannot be '[0.0, 0.5]'", "begin with 0 and end with 1"),
    "ece: edges := [0, 0.5, 0.5, 1]": ("edges cannot be", "rise without repeating a value"),
    "ece: edges := 0.5": ("edges cannot be '0.5'", "a list of numbers"),
    "ece: edges := [0, 1], bins := 5": ("bins := '5' changes nothing", "leave it out"),
    "ece: bins := 2.7": ("bins cannot be '2.7'", "a whole number"),
    "roc_auc: approx := 0": ("approx cannot be '0'", "a whole number"),
    "roc_auc: plan := 'x'": ("plan cannot be 'x'", "sorted"),
    "roc_curve: points := 1": ("points cannot be '1'", "points >"),
    "calibration_curve: bins := NULL": ("bins", ""),
    "evaluate_classification: metrics := 'acu'": ("'acu'", "did you mean '"),
    "evaluate_classification: metrics := 'auc, auc'": ("'auc'", "asked for twice"),
    "evaluate_classification: metrics := 'auc@5'": ("'auc@5'", "no cut-off"),
    "evaluate_classification: metrics := 'auc', bins := 5": (
        "bins: no metric asked for takes it",
        "leave it out",
    ),
    "evaluate_classification: metrics := 'gauc'": ("group", ""),
}
OF_ROWS = (
    "accuracy",
    "ece",
    "log_loss",
    "partial_auc",
    "lift",
    "roc_auc",
    *CURVES,
    "evaluate_classification",
)


def ids(type_: str, of: str) -> tuple[str, str]:
    """Return predictions and truth whose ids of one kind have this expression."""
    other = {"query_id": "item_id", "item_id": "query_id"}[of]
    both = f"SELECT {type_} AS {of}, 'a' AS {other}"
    return f"{both}, 1 AS score", both


def two_kinds(predicted: str, judged: str, of: str = "query_id") -> tuple[str, str, str]:
    return ids(predicted, of)[0], ids(judged, of)[1], f"{of}: "


# Predictions, truth, and the text of the message.
RANKINGS_REFUSED: dict[str, tuple[str, str, str]] = {
    "NaN score": ("nan_score", "truth", "score is NaN"),
    "NULL score": ("null_score", "truth", "score is NULL"),
    "text score": ("text_score", "truth", "VARCHAR, not a number"),
    "NULL query": ("null_query", "truth", "no query_id"),
    "NULL relevance": ("predictions", "null_grade", "relevance is NULL"),
    "infinite relevance": ("predictions", "infinite_grade", "is NaN or infinite"),
    "negative relevance": ("predictions", "bad_grades", "relevance is negative"),
    "text relevance": ("predictions", "text_grade", "VARCHAR, not a number"),
    "duplicate predictions": ("twice", "truth", "predicted more than once"),
    "duplicate judgments": ("predictions", "judged_twice", "judged more than once"),
    "no query in common": ("strangers", "truth", "none of them in both tables"),
    "score and rank": ("SELECT *, 1 AS rank FROM predictions", "truth", "score := 'score'"),
    "empty truth": ("predictions", "FROM truth WHERE false", "truth: no rows"),
    "empty predictions": ("no_rows", "truth", "predictions: no rows"),
    "ids of DECIMAL": (*ids("1.5::DECIMAL(5, 2)", "query_id"), "DECIMAL"),
    "ids of time": (*ids("TIME '10:00'", "query_id"), "TIME"),
    "query ids of two kinds, equal as text": two_kinds("1", "'1'"),
    "ids of two kinds, text in the truth": (
        ids("1", "item_id")[0],
        ids("'x'", "item_id")[1],
        'make them one kind, as in "SELECT * REPLACE (CAST(item_id AS VARCHAR) AS item_id) FROM predictions"',
    ),
    "ids of two kinds, text in the predictions": (
        ids("'x'", "query_id")[0],
        ids("1", "query_id")[1],
        'make them one kind, as in "SELECT * REPLACE (CAST(query_id AS VARCHAR) AS query_id) FROM truth"',
    ),
    "ids of dates and timestamps": (
        *two_kinds("DATE '2026-01-01'", "TIMESTAMP '2026-01-01'", "item_id")[:2],
        '"SELECT * REPLACE (CAST(item_id AS TIMESTAMP) AS item_id) FROM predictions"',
    ),
    "ids of timestamps and dates": (
        *two_kinds("TIMESTAMP '2026-01-01'", "DATE '2026-01-01'")[:2],
        'make them one kind, as in "SELECT * REPLACE (CAST(query_id AS TIMESTAMP) AS query_id) FROM truth"',
    ),
    "ids of numbers and timestamps": (
        *two_kinds("1", "TIMESTAMP '2026-01-01'")[:2],
        'REPLACE (CAST(query_id AS VARCHAR) AS query_id) FROM predictions", in both tables',
    ),
    "ids of timestamps with and without a zone": two_kinds("now()", "now()::TIMESTAMP"),
    "ids of ENUM": (
        ids("'a'::ENUM ('a', 'b')", "item_id")[0],
        ids("'a'", "item_id")[1],
        "predictions: column 'item_id' is ENUM, not an id; cast it to BIGINT or VARCHAR",
    ),
    "ids of ENUM in the truth": (
        ids("'a'", "query_id")[0],
        ids("'a'::ENUM ('a', 'b')", "query_id")[1],
        "truth: column 'query_id' is ENUM, not an id",
    ),
    "query ids that are NULL without a type": (
        "SELECT NULL AS query_id, item_id, score FROM predictions",
        "truth",
        "no column 'query_id'",
    ),
}
CLASSIFICATION_REFUSED: dict[str, tuple[str, str, str]] = {
    "NULL label": ("roc_auc(null_label, label, score)", "label is NULL", "drop these rows"),
    "NaN label": ("roc_auc(nan_label, label, score)", "label is NaN or infinite", "drop these rows"),
    "NULL score": ("roc_auc(no_score_here, label, score)", "score is NULL", "drop these rows"),
    "NaN score": ("roc_auc(nan_score_here, label, score)", "score is NaN", "drop these rows"),
    "NaN score of a curve": ("roc_curve(nan_score_here, label, score)", "score is NaN", "drop these rows"),
    "text score": ("roc_auc(text_score_here, label, score)", "score is VARCHAR", "cast it"),
    "text label": ("roc_auc(text_label, label, score)", "label is VARCHAR", "cast it"),
    "text weight": ("roc_auc(text_weight, label, score, weight := weight)", "weight is VARCHAR", "cast it"),
    "label 2": ("roc_auc(label_2, label, score)", "label is not 0, 1,", "map the column with 0 and 1"),
    "label 0.5 of a table": (
        "confusion(label_half, label, score)",
        "label is not 0, 1,",
        "map the column with 0 and 1",
    ),
    "-1 next to 0": ("roc_auc(mixed, label, score)", "label -1 while other rows", "map both to one label"),
    "-1 next to 0 of a curve": (
        "pr_curve(mixed, label, score)",
        "label -1 while other rows have 0",
        "map both",
    ),
    "no probability": (
        "log_loss(no_probability, label, score)",
        "outside of [0, 1]",
        "divide percentages by 100",
    ),
    "no probability, curve": (
        "calibration_curve(no_probability, label, score)",
        "outside of [0, 1]",
        "divide percentages",
    ),
    "no probability for one of two": (
        "evaluate_classification(no_probability, label, score, metrics := 'auc,log_loss')",
        "outside of [0, 1]",
        "divide percentages by 100",
    ),
    "infinite probability": (
        "log_loss('SELECT 1 AS label, ''inf''::DOUBLE AS score', label, score)",
        "outside of [0, 1]",
        "divide percentages",
    ),
    "NULL weight": (
        "roc_auc(null_weight, label, score, weight := weight)",
        "weight is NULL",
        "leaves a row out",
    ),
    "negative weight": (
        "accuracy(negative_weight, label, score, weight := weight)",
        "weight is negative",
        "correct",
    ),
    "NaN weight": ("roc_auc(nan_weight, label, score, weight := weight)", "is negative, NaN", "correct"),
    "NULL group": ("gauc(null_group, label, score, group_id)", "group is NULL", "drop these rows"),
    "NULL group of a table": (
        "group_auc(null_group, label, score, group_id)",
        "group is NULL",
        "drop these rows",
    ),
}
OTHERS = {"null_score": "no_score_here", "nan_score": "nan_score_here", "text_score": "text_score_here"}
NO_COLUMN = {
    "query_id": "FROM rr(no_item, truth)",
    "score": "FROM rr(no_score, truth)",
    "scoer": "FROM rr(predictions, truth, score := 'scoer')",
    "grade": "FROM rr(predictions, truth, relevance := 'grade')",
    "label": "FROM roc_auc(no_label, label, score)",
    "nowhere": "FROM rr(nowhere, truth)",
    "nowhere.parquet": "FROM rr(predictions, 'nowhere.parquet')",
    "/nowhere/x.csv": "FROM roc_auc('/nowhere/x.csv', label, score)",
    "nowhere.run": "FROM rr('nowhere.run', truth)",
}


@pytest.fixture(scope="module")
def refusing() -> Iterator[Connection]:
    """Create a connection with the tables that the tests of the Python API refuse to evaluate."""
    with connected() as connection:
        connection.execute(LITTLE)
        for name, query in RANKINGS.items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        for name, query in ROWS.items():
            if name not in RANKINGS or name in OTHERS:
                connection.execute(f"CREATE VIEW {OTHERS.get(name, name)} AS {query}")
        created = [OTHERS.get(name, name) for name in ROWS if name not in RANKINGS or name in OTHERS]
        for name in created:  # they read each other, with the weights
            taken = f"FROM {name}" if "weight" in name else unweighted(name)
            connection.execute(f"CREATE TABLE new_{name} AS {taken}")
        for name in created:
            connection.execute(f"DROP VIEW {name}; ALTER TABLE new_{name} RENAME TO {name}")
        yield connection


@pytest.mark.some(1)
@pytest.mark.parametrize("call", PARAMETERS_REFUSED)
def test_bad_values_of_parameters(connection: Connection, call: str) -> None:
    macro, _, argument = call.partition(": ")
    tables = "clicks, label, score" if macro in OF_ROWS else "predictions, truth"
    message = refusal(connection, f"FROM {macro}({tables}, {argument})")
    what, next_ = PARAMETERS_REFUSED[call]
    assert any(part in message for part in what.split("|"))
    assert next_ in message


@pytest.mark.some(1)
@pytest.mark.parametrize("case", RANKINGS_REFUSED)
def test_rankings_that_cannot_be_evaluated(refusing: Connection, case: str) -> None:
    predictions, truth, message = RANKINGS_REFUSED[case]
    found = refusal(refusing, f"FROM rr($${predictions}$$, $${truth}$$)")
    assert any(part in found for part in message.split("|"))
    assert re.fullmatch(r"Invalid Input Error: duckmetrics: .+; .+", found, re.DOTALL)


@pytest.mark.some(4)
@pytest.mark.parametrize("case", CLASSIFICATION_REFUSED)
def test_rows_that_cannot_be_evaluated(refusing: Connection, case: str) -> None:
    call, what, next_ = CLASSIFICATION_REFUSED[case]
    message = refusal(refusing, f"FROM {call}")
    assert what in message
    assert next_ in message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("confusion(clicks, label, score, 0.2)", "passed without its name"),
        ("calibration_curve(clicks, label, score, 5)", "passed without its name"),
        ("roc_curve(clicks, label, score, 5)", "passed without its name"),
        ("roc_auc(clicks, 'label', score)", "if it is the name of a column, write it without quotes"),
        ("ndcg(predictions, truth, ties := 'input', \"position\" := 'plaec')", "no column 'plaec'"),
        ("evaluate(predictions, truth, 'map', gain := 'exp2')", "gain: no metric asked for takes it"),
        ("evaluate_classification(clicks, label, score, 'auc', bins := 20)", "bins: no metric asked for"),
        ("evaluate(predictions, truth, 'auc')", "'auc' is not a metric here; call FROM evaluate_class"),
        ("evaluate(predictions, truth, 'coverage@10')", "call FROM coverage(...)"),
        ("evaluate_classification(clicks, label, score, 'ndcg@10')", "call FROM evaluate(...)"),
    ],
)  # fmt: skip
def test_calls_that_are_almost_right(connection: Connection, call: str, message: str) -> None:
    assert message in refusal(connection, f"FROM {call}")


def test_refusals_come_before_unknown_columns(connection: Connection) -> None:
    """People ask for columns of the result; those of a refused call are the same."""
    for macro in ("evaluate", "evaluate_by_query"):
        asked = f"SELECT system, value FROM {macro}(predictions, truth, "
        assert "did you mean 'ndcg'?" in refusal(connection, f"{asked}'ndgc@10')")
        assert "trec_evl" in refusal(connection, f"{asked}'ndcg@10', like := 'trec_evl')")
    compared = "SELECT delta FROM compare(predictions, truth, 'ndgc@10', system := 's', baseline := 'a')"
    assert "did you mean 'ndcg'?" in refusal(connection, compared)
    rows_ = "SELECT severity FROM inspect_classification(clicks, label, score, metrics := 'log_los')"
    assert "did you mean 'log_loss'?" in refusal(connection, rows_)


def test_metrics_must_be_said(connection: Connection) -> None:
    """DuckDB itself reports it: the parameter has no default."""
    for call in ("evaluate(predictions, truth)", "evaluate_classification(clicks, label, score)"):
        with pytest.raises(duckdb.BinderException, match="metrics"):
            rows(connection, f"FROM {call}")


@pytest.mark.slow
def test_a_rank_is_found_where_there_is_no_score(connection: Connection) -> None:
    place = "row_number() OVER (PARTITION BY query_id ORDER BY score DESC)"
    ranked = f"SELECT query_id, item_id, {place} AS {{}} FROM predictions"
    assert value(connection, f"FROM rr('{ranked.format('Rank')}', truth)") == pytest.approx(RR)
    assert value(connection, f"FROM rr('{ranked.format('r')}', truth, rank := 'R')") == pytest.approx(RR)
    both = f"'SELECT *, {place} AS rank FROM predictions'"
    assert value(connection, f"FROM rr({both}, truth, score := 'score')") == pytest.approx(RR)
    both = f"'SELECT * REPLACE (1 AS score), {place} AS rank FROM predictions'"
    assert value(connection, f"FROM rr({both}, truth, rank := 'rank')") == pytest.approx(RR)


def test_an_order_of_rows_needs_a_column(connection: Connection) -> None:
    """A query has no order of its own."""
    assert "position" in refusal(connection, "FROM rr('FROM predictions', truth, ties := 'input')")


@pytest.mark.slow
def test_only_what_is_asked_for_is_checked(refusing: Connection) -> None:
    """Other metrics accept scores that are not probabilities, and grades above an unused scale."""
    assert value(refusing, "FROM roc_auc(no_probability, label, score)") == 0.5
    asked = "evaluate_classification(no_probability, label, score, metrics := 'auc,rmse')"
    assert len(rows(refusing, f"FROM {asked}")) == 2
    assert value(refusing, "FROM rmse(label_half, label, score)") > 0
    assert value(refusing, "FROM dcg(predictions, 'SELECT * REPLACE (99 AS relevance) FROM truth')") > 9


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "call",
    [
        "twice, truth, duplicates := 'first'",
        "predictions, judged_twice, duplicates := 'first'",
        "predictions, bad_grades, negative_grade := 'zero'",
        "predictions, null_grade, null_relevance := 'zero'",
    ],
)
def test_what_is_refused_may_be_allowed(refusing: Connection, call: str) -> None:
    assert value(refusing, f"FROM rr({call})") > 0


@pytest.mark.some(1)
@pytest.mark.parametrize("name", NO_COLUMN)
def test_what_is_not_there_is_named(refusing: Connection, name: str) -> None:
    with pytest.raises(duckdb.Error, match=re.escape(name)):
        rows(refusing, NO_COLUMN[name])


# --- 5. databases and transactions ---------------------------------------------------------------


@pytest.mark.slow
def test_a_database_that_may_only_be_read(tmp_path: Path) -> None:
    path = str(tmp_path / "x.duckdb")
    with little() as connection:
        connection.execute(f"ATTACH '{path}' AS x; CREATE TABLE x.predictions AS FROM predictions")
        connection.execute("CREATE TABLE x.truth AS FROM truth; DETACH x")
    with duckdb.connect(path, read_only=True) as connection:
        connection.execute(text())
        assert value(connection, "FROM dcg(predictions, truth)") == pytest.approx(DCG)
    with duckdb.connect(path) as connection:
        connection.execute(text())
    with duckdb.connect(path) as connection:
        assert rows(connection, "SELECT function_name FROM duckdb_functions() WHERE NOT internal") == []
        tables = rows(connection, "SELECT table_name FROM duckdb_tables() ORDER BY 1 ASC")
        assert tables == [("predictions",), ("truth",)]
        assert rows(connection, "SELECT view_name FROM duckdb_views() WHERE NOT internal") == []


@pytest.mark.slow
def test_macros_load_twice_and_in_transactions(connection: Connection) -> None:
    connection.execute(text())
    connection.execute("BEGIN; CREATE TABLE new_truth AS FROM truth WHERE query_id <> 'q3'")
    assert value(connection, "FROM dcg(predictions, new_truth)") == pytest.approx(DCG * 3 / 2)
    connection.execute("ROLLBACK")
    assert value(connection, "FROM dcg(predictions, truth)") == pytest.approx(DCG)
    with pytest.raises(duckdb.CatalogException):
        rows(connection, "FROM dcg(predictions, new_truth)")


@pytest.mark.slow
def test_macros_that_were_loaded_in_a_transaction_may_be_taken_back() -> None:
    with little() as connection:
        connection.execute("BEGIN")
        connection.execute(text())
        assert value(connection, "FROM dcg(predictions, truth)") == pytest.approx(DCG)
        connection.execute("ROLLBACK")
        with pytest.raises(duckdb.CatalogException):
            rows(connection, "FROM dcg(predictions, truth)")


def test_macros_work_from_every_schema(connection: Connection) -> None:
    connection.execute(
        "CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.only_here AS FROM truth; USE elsewhere"
    )
    try:
        assert value(connection, "FROM dcg(main.predictions, only_here)") == pytest.approx(DCG)
        assert value(connection, "FROM roc_auc(main.clicks, label, score)") == pytest.approx(AUC)
    finally:
        connection.execute("USE memory.main; DROP SCHEMA elsewhere CASCADE")


# --- 6. few or no rows ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cutoff_beyond_the_end_changes_nothing(connection: Connection) -> None:
    asked = [f"{metric}{k}" for metric in ("ndcg", "map", "recall") for k in ("", "@1000", "@2147483646")]
    found = rows(connection, f"SELECT metric, value FROM evaluate(predictions, truth, {asked})")
    assert [metric for metric, _ in found] == asked
    numbers = [number for _, number in found]
    assert [(number,) for number in numbers] == close([(numbers[i - i % 3],) for i in range(9)])
    assert value(connection, "FROM precision_at(predictions, truth, k := 1000)") == pytest.approx(3 / 3000)


def test_the_largest_cutoff(connection: Connection) -> None:
    assert value(connection, "FROM dcg(predictions, truth, k := 2147483647)") == pytest.approx(DCG)


def test_one_answered_query_among_many_missing(connection: Connection) -> None:
    asked = "'FROM predictions WHERE query_id = ''q2''', truth, metrics := ['rr', 'ndcg@10']"
    found = rows(connection, f"SELECT metric, value, n, n_missing FROM evaluate({asked})")
    assert found == [("rr", pytest.approx(1 / 3), 3, 2), ("ndcg@10", pytest.approx(1 / 3), 3, 2)]
    skipped = rows(connection, f"SELECT value FROM evaluate({asked}, missing := 'skip')")
    assert skipped == [(1,), (1,)]


@pytest.mark.slow
def test_nothing_is_relevant(connection: Connection) -> None:
    judged = "'SELECT * REPLACE (0 AS relevance) FROM truth'"
    found = rows(connection, f"SELECT value, n_no_relevant, reason FROM ndcg(predictions, {judged})")
    assert found == [(None, 3, "no query has a relevant item")]
    assert value(connection, f"FROM ndcg(predictions, {judged}, no_relevant := 'zero')") == 0


def test_rows_of_one_class_or_none(connection: Connection) -> None:
    asked = "roc_auc('FROM clicks WHERE label = 1', label, score)"
    ((number, n, positive, reason),) = rows(connection, f"SELECT value, n, n_positive, reason FROM {asked}")
    assert (number, n, positive) == (None, 24, 24)
    assert "one class only" in reason
    asked = "roc_auc(clicks, label, score, per := label)"
    found = rows(connection, f"SELECT segment, value, n FROM {asked}")
    assert found == [(0, None, 36), (1, None, 24)]


@pytest.mark.parametrize("macro", ["roc_auc", "log_loss", "rmse", "calibration_curve", "roc_curve"])
def test_no_rows_give_no_number(connection: Connection, macro: str) -> None:
    """The call ends with an error of ours, as in the Python API, or without a number."""
    found: list[tuple[Any, ...]] = []
    with contextlib.suppress(duckdb.InvalidInputException):
        found = rows(connection, f"FROM {macro}('FROM clicks WHERE false', label, score)")
    assert [cell for row in found for cell in row if isinstance(cell, float)] == []


def test_a_segment_may_be_null(connection: Connection) -> None:
    found = rows(
        connection, "SELECT segment, value, n FROM roc_auc(clicks, label, score, per := nullif(g, 'g0'))"
    )
    numbers = [("g1", 0.6666666666666666, 20), ("g2", 0.484375, 20), (None, 0.640625, 20)]
    assert found == close(numbers)


# --- 7. the catalogue of DuckDB ------------------------------------------------------------------


def test_the_help_finds_macros(connection: Connection) -> None:
    found = rows(connection, "FROM duckmetrics_help('auc')")
    assert found[0][0] == "auc"
    assert {"roc_auc", "gauc", "partial_auc"} <= {row[0] for row in found}
    assert any("FROM auc(data, label, score" in cell for row in found for cell in row)
    assert all(cell not in (None, "") for row in found for cell in row)
    assert len(rows(connection, "FROM duckmetrics_help()")) > len(found)
    ((*_, about),) = rows(connection, "FROM duckmetrics_help('zzz')")
    assert about == "no macro has this name; FROM duckmetrics_help() lists them all"
    ((name, kind, topic, about),) = rows(connection, "FROM duckmetrics_help('ndgc')")
    assert (name, kind, topic) == ("ndgc", None, "unknown")
    assert about == "no macro has this name; did you mean ndcg?"


def test_the_help_tells_the_formula(connection: Connection) -> None:
    found = rows(connection, "FROM duckmetrics_help('ndcg') WHERE name = 'ndcg'")
    assert any("DCG@k / IDCG@k" in cell for row in found for cell in row)


def test_the_help_tells_what_every_value_means(connection: Connection) -> None:
    said = dict(
        rows(
            connection,
            "SELECT topic, about FROM duckmetrics_help('ndcg') WHERE name = 'ndcg' AND kind = 'table'",
        )
    )
    assert said["ties"] == "default 'item_asc'"
    assert said["ties=expected"] == "the mean over all orders of the equal scores"
    assert said["k"] == "the number of top ranks that count; all by default"
    # DuckDB truncates columns that do not fit in a terminal of 100 columns.
    widths = [len(topic) + len(about) for topic, about in said.items() if "=" in topic]
    topics = max(map(len, said))
    assert max(len(about) for topic, about in said.items() if "=" in topic) + topics <= 73, widths


def test_the_help_of_several_metrics_says_where_they_differ(connection: Connection) -> None:
    said = dict(
        rows(connection, "SELECT topic, about FROM duckmetrics_help('evaluate') WHERE name = 'evaluate'")
    )
    assert said["norm=min_k"] == "depends on the metric; see its own macro"
    assert said["norm=returned"] == "hits are divided by min(k, returned items)"
    assert said["ties=expected"] == "the mean over all orders of the equal scores"


def test_every_macro_has_a_comment_and_no_name_of_duckdb(connection: Connection) -> None:
    with duckdb.connect() as other:
        taken = {name for (name,) in rows(other, "SELECT function_name FROM duckdb_functions()")}
        words = rows(
            other, "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        )
    columns = "function_name, comment, database_name"
    created = rows(connection, f"SELECT {columns} FROM duckdb_functions() WHERE NOT internal")
    assert len(created) > 100
    names = {name for name, *_ in created}
    assert names & taken == set()
    assert names & {name for (name,) in words} == set()
    assert {database for *_, database in created} == {"temp"}
    bare = {name for name, comment, _ in created if not comment}
    assert {name for name in bare if not name.startswith("duckmetrics_")} == set()
