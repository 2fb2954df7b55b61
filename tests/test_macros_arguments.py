"""What the macros take: tables in every form, columns of any name, any session, and what they refuse."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from little import DCG, little
from test_classification_errors import TABLES as ROWS
from test_errors import TABLES as RANKINGS

from duckmetrics.api import macros_sql

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from little import Connection

# 60 rows with ties, weights and groups, whose scores are probabilities.
CLICKS = """SELECT i AS id, (i * 7 % 10 < 4)::INT AS label, (i * 13 % 17 / 17e0)::DOUBLE AS score,
    'g' || i % 3 AS g, 1e0 + i % 2 AS w FROM range(60) AS r(i)"""
AUC = 0.5972222222222222
INTERNAL = ("relevant", "ranked", "specs", "queries", "_relevant", "_specs", "_predictions", "_truth", "_given",
            "_population", "_named", "_known", "_labeled", "_problems", "given", "known", "named",
            "duckmetrics_query_values", "duckmetrics_segment_values")  # fmt: skip
PARAMETERS = ("k", "rel", "gain", "ties", "missing", "score", "label", "per", "metrics", "predictions", "truth",
              "agg", "weight", "plan", "bins", "p", "rank", "position", "relevance", "data", "norm", "recall",
              "precision", "threshold", "group_id", "population", "query_id", "item_id")  # fmt: skip
COLUMNS = (*PARAMETERS, "_k", "_predictions", "_named", "_one", "_none", "segment", "specs", "_segment", "_label")


def loaded(path: str = ":memory:", **options: Any) -> Connection:
    """A connection with the macros."""
    connection = duckdb.connect(path, **options)
    connection.execute(macros_sql())
    return connection


def value(connection: Connection, query: str, given: Any = None) -> Any:
    """The number in the only row of a result; what a macro returns is closed and has that column."""
    cursor = connection.execute(query, given)
    place = [column[0] for column in cursor.description].index("value")
    (row,) = cursor.fetchall()
    return row[place]


def rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    """A connection with the macros and the tables `predictions`, `truth` and `clicks`."""
    with little() as connection:
        connection.execute(macros_sql())
        connection.execute(f"CREATE TABLE clicks AS {CLICKS}")
        yield connection


# --- 1. tables in every form ---------------------------------------------------------------------

TABLES = ("predictions", "truth", "clicks")
# Prefix of the query; the argument, with {} where the name of the table goes and {at} for a folder.
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
    "prefix of a table": "'table:{}'",
    "view": "{}_view",
    "temporary view": "'{}_temp'",
    "list of tables": "['{}']",
    "parquet": "'{}.parquet'",
    "dots": "'./{}.v1.0.parquet'",
    "dots without a folder": "'{}.v1.0.parquet'",
    "parent": "'../data/{}.v1.0.parquet'",
    "absolute": "'{at}/v1.2/{}.parquet'",
    "folder with a quote and a space": "'it''s here/{}.parquet'",
    "comma in the name": "'a, b/{}.parquet'",
    "brackets in the name": "'[1]{}.parquet'",
    "upper suffix": "'{}.PARQUET'",
    "no suffix": "'file:{}_file'",
    "folder without a suffix": "'v1.2/{}_file'",
    "prefix of a file": "'file:v1.2/{}.parquet'",
    "csv": "'v1.2/{}.csv'",
    "csv, absolute": "'{at}/v1.2/{}.csv'",
    "csv, gz": "'./{}.csv.gz'",
    "tsv": "'{}.tsv'",
    "json": "'v1.2/{}.json'",
    "ndjson": "'{}.ndjson'",
    "glob": "'parts/{}*.parquet'",
    "glob of a folder": "'{at}/parts/**/{}?.parquet'",
    "list of files": "['parts/{}1.parquet', 'parts/{}2.parquet']",
    "list of one file": "['{at}/v1.2/{}.parquet']",
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
    "parentheses, below": "' (SELECT * FROM {})'",
    "comment first": "'-- {}\nFROM {}'",
    "comment of C first": "'/* {} */ FROM {}'",
    "prefix of SQL": "'sql:FROM {}'",
    "prefix of SQL, then a comment": "'sql: /* {} */ FROM {}'",
    "variable": "getvariable('name_{}')",
    "variable of files": "getvariable('files_{}')",
    "expression": "'predic' || 'tions'",
}  # fmt: skip


def argument(form: str, table: str, at: Path) -> str:
    if form == "expression":
        return f"'{table[:3]}' || '{table[3:]}'"
    return FORMS[form].replace("{at}", str(at)).replace("{}", table)


@pytest.fixture(scope="module")
def data(connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder, with the tables as files of every kind; also tables of odd names."""
    at = tmp_path_factory.mktemp("macros") / "data"
    for folder in ("v1.2", "parts", "a, b", "it's here"):
        (at / folder).mkdir(parents=True)
    connection.execute("CREATE SCHEMA shop; ATTACH ':memory:' AS other")
    for table in TABLES:
        for name in (f"shop.{table}", f'"My {table}"', f'"v1.{table}"', f'"it\'s {table}"', f'"{table}.csv"',
                     f"other.main.{table}"):  # fmt: skip
            connection.execute(f"CREATE TABLE {name} AS FROM {table}")
        connection.execute(f"CREATE VIEW {table}_view AS FROM {table}")
        connection.execute(f"CREATE TEMP VIEW {table}_temp AS FROM {table}")
        connection.execute(f"SET VARIABLE name_{table} = '{table}'")
        connection.execute(
            f"SET VARIABLE files_{table} = ['{at}/parts/{table}1.parquet', '{at}/parts/{table}2.parquet']"
        )
        for name in (f"{table}.parquet", f"{table}.v1.0.parquet", f"v1.2/{table}.parquet", f"[1]{table}.parquet",
                     f"it''s here/{table}.parquet", f"a, b/{table}.parquet", f"{table}.PARQUET"):  # fmt: skip
            connection.execute(f"COPY {table} TO '{at}/{name}' (FORMAT parquet)")
        for name in (f"{table}_file", f"v1.2/{table}_file"):
            shutil.copy(at / f"{table}.parquet", at / name)
        connection.execute(f"COPY {table} TO '{at}/v1.2/{table}.csv'; COPY {table} TO '{at}/{table}.csv.gz'")
        connection.execute(f"COPY {table} TO '{at}/{table}.tsv' (DELIMITER '\t')")
        connection.execute(f"COPY {table} TO '{at}/v1.2/{table}.json'; COPY {table} TO '{at}/{table}.ndjson'")
        for part, where in (("1", "rowid % 2 = 0"), ("2", "rowid % 2 = 1")):
            half = f"(FROM {table} WHERE {where})"
            connection.execute(f"COPY {half} TO '{at}/parts/{table}{part}.parquet'")
            connection.execute(f"COPY {half} TO '{at}/parts/{table}{part}.csv'")
    run = "SELECT query_id, 'Q0', item_id, 1, score, 'tag' FROM predictions"
    qrels = "SELECT query_id, 0, item_id, relevance FROM truth"
    for name, query in (("bm25.run", run), ("run.txt", run), ("x.qrels", qrels), ("qrels.txt", qrels)):
        lines = [" ".join(map(str, row)) for row in rows(connection, query)]
        (at / "v1.2" / name).write_text("\r\n".join(lines).replace(" Q0 ", "\tQ0  ") + "\n\n")
    with contextlib.chdir(at):
        yield at


@pytest.mark.parametrize("form", FORMS)
def test_a_table_in_every_form_gives_the_same(connection: Connection, data: Path, form: str) -> None:
    predictions, truth, clicks = (argument(form, table, data) for table in TABLES)
    assert value(connection, f"FROM dcg({predictions}, {truth})") == pytest.approx(DCG)
    assert value(connection, f"FROM roc_auc({clicks}, label, score)") == pytest.approx(AUC)


@pytest.mark.parametrize("form", ["'v1.2/{}'", "'{at}/v1.2/{}'", "['./v1.2/{}']", "'file:v1.2/{}'"])
@pytest.mark.parametrize(("run", "qrels"), [("bm25.run", "x.qrels"), ("run.txt", "qrels.txt")])
def test_trec_files_in_every_form(
    connection: Connection, data: Path, form: str, run: str, qrels: str
) -> None:
    files = [form.replace("{at}", str(data)).format(name) for name in (run, qrels)]
    assert value(connection, f"FROM dcg({files[0]}, {files[1]})") == pytest.approx(DCG)


def test_trec_files_by_their_readers(connection: Connection, data: Path) -> None:
    run, qrels = "FROM read_trec_run(''v1.2/bm25.run'')", "FROM read_trec_qrels(''v1.2/x.qrels'')"
    assert value(connection, f"FROM dcg('{run}', '{qrels}')") == pytest.approx(DCG)


def test_rows_written_out(connection: Connection) -> None:
    truth = "'VALUES (''q1'', ''b'', 1), (''q1'', ''c'', 2), (''q2'', ''a'', 1), (''q3'', ''z'', 1)'"
    predictions = "'SELECT query_id AS col0, item_id AS col1, score AS col2 FROM predictions'"
    columns = "query_id := 'col0', item_id := 'col1', score := 'col2', relevance := 'col2'"
    assert value(connection, f"FROM dcg({predictions}, {truth}, {columns})") == pytest.approx(DCG)
    assert value(connection, "FROM roc_auc('values (1, 2), (1, 0), (0, 1)', col0, col1)") == 0.5


def test_tables_of_the_calling_query(connection: Connection) -> None:
    steps = "WITH predictions AS (FROM shop.predictions), t AS (FROM truth WHERE query_id <> 'q3')"
    assert value(connection, f"{steps} FROM dcg(predictions, 't')") == pytest.approx(DCG * 3 / 2)
    assert value(connection, "WITH c AS (FROM clicks WHERE g = 'g0') FROM roc_auc(c, label, score)") == 0.640625


def test_a_step_of_the_calling_query_goes_before_a_table(connection: Connection) -> None:
    steps = "WITH truth AS (FROM main.truth WHERE query_id <> 'q3')"
    assert value(connection, f"{steps} FROM dcg(predictions, truth)") == pytest.approx(DCG * 3 / 2)


def test_parameters_of_a_prepared_statement(connection: Connection, data: Path) -> None:
    parts = [f"parts/predictions{i}.parquet" for i in (1, 2)]
    for given in (["predictions", "truth", 2], [parts, "truth", 2], ["FROM predictions", "v1.2/truth.csv", 2]):
        assert value(connection, "FROM dcg(?, ?, k := ?)", given) == pytest.approx(DCG - 2 / 2 / 3)
    named = {"data": "clicks", "per": None}
    assert value(connection, "FROM roc_auc($data, label, score, per := $per)", named) == pytest.approx(AUC)
    connection.execute("PREPARE p AS FROM dcg($1, 'truth', k := $2)")
    for k, expected in ((2, DCG - 1 / 3), (3, DCG)):
        assert value(connection, f"EXECUTE p('predictions', {k})") == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "relation"])
def test_frames_by_the_name_of_their_variable(connection: Connection, kind: str) -> None:
    def frame(query: str) -> Any:
        relation = connection.sql(query)
        return {"pandas": relation.df, "polars": relation.pl, "arrow": relation.to_arrow_table,
                "relation": lambda: relation}[kind]()  # fmt: skip

    kinds = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "arrow": pyarrow.Table,
             "relation": duckdb.DuckDBPyRelation}  # fmt: skip
    my_run, my_truth = frame("FROM predictions"), frame("FROM truth WHERE query_id <> 'q3'")
    my_clicks = frame("FROM clicks WHERE g = 'g0'")
    assert all(isinstance(table, kinds[kind]) for table in (my_run, my_truth, my_clicks))
    for run, truth in (("my_run", "my_truth"), ("'my_run'", "'FROM my_truth'")):
        assert value(connection, f"FROM dcg({run}, {truth})") == pytest.approx(DCG * 3 / 2)
    assert value(connection, "FROM roc_auc(my_clicks, label, score)") == 0.640625


def test_a_table_may_list_the_queries(connection: Connection) -> None:
    for population in ("'FROM truth WHERE query_id = ''q2'''", "['q2_only']", "q2_only", "'table:q2_only'"):
        connection.execute("CREATE OR REPLACE TEMP VIEW q2_only AS SELECT 'q2' AS query_id, 1 AS other")
        assert value(connection, f"FROM dcg(predictions, truth, population := {population})") == 1


# --- 2. names ------------------------------------------------------------------------------------

ODD = ("Item Id", "a.b(c", 'x"y', "Ünï", "it's", "a^b$", "\\d+", "x|y", "[a-z]", "*", " ", "(?i)", "🦆", "select",
       "a\nb", "query_id ", "%", "{x}", "_x")  # fmt: skip


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("change", [str, str.swapcase], ids=["as it is", "other case"])
def test_a_column_of_any_name(connection: Connection, name: str, change: Any) -> None:
    query, item, score = f"{name} q", name, f"s {name}"
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE odd_run AS SELECT query_id AS {quoted(query)}, item_id AS {quoted(item)},
            score AS {quoted(score)}, 7 AS score, 'x' AS relevance FROM predictions;
        CREATE OR REPLACE TEMP TABLE odd_truth AS SELECT query_id AS {quoted(query)}, item_id AS {quoted(item)},
            relevance AS {quoted(score)}, 7 AS relevance FROM truth;
        CREATE OR REPLACE TEMP TABLE odd_clicks AS SELECT label AS {quoted(item)}, score AS {quoted(score)},
            g AS {quoted(query)} FROM clicks"""
    )
    columns = ", ".join(
        f"{parameter} := {text(change(column))}"
        for parameter, column in (("query_id", query), ("item_id", item), ("score", score), ("relevance", score))
    )
    assert value(connection, f"FROM dcg(odd_run, odd_truth, {columns})") == pytest.approx(DCG)
    label, score, per = (quoted(change(column)) for column in (item, score, query))
    found = rows(connection, f"FROM roc_auc(odd_clicks, {label}, {score}, per := {per})")
    assert found == rows(connection, "FROM roc_auc(clicks, label, score, per := g)")


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_named_like_parameters_and_steps_are_left_alone(connection: Connection, name: str) -> None:
    if name not in ("query_id", "item_id", "score"):
        run = f"'SELECT *, ''junk'' AS \"{name}\" FROM predictions'"
        assert value(connection, f"FROM dcg({run}, truth)") == pytest.approx(DCG)
    if name not in ("query_id", "item_id", "relevance"):
        judged = f"'SELECT *, ''junk'' AS \"{name}\" FROM truth'"
        assert value(connection, f"FROM dcg(predictions, {judged})") == pytest.approx(DCG)
    if name not in ("label", "score"):
        data = f"'SELECT *, ''junk'' AS \"{name}\" FROM clicks'"
        assert value(connection, f"FROM roc_auc({data}, label, score)") == pytest.approx(AUC)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_named_like_parameters_and_steps_can_be_meant(connection: Connection, name: str) -> None:
    for place, other in (("query_id", "xq"), ("item_id", "xi"), ("score", "xs")):
        names = {"query_id": "xq", "item_id": "xi", "score": "xs", place: name}
        run, judged = (
            f"'SELECT query_id AS \"{names['query_id']}\", item_id AS \"{names['item_id']}\", "
            f"{last} AS \"{names['score']}\" FROM {table}'"
            for last, table in (("score", "predictions"), ("relevance", "truth"))
        )
        columns = ", ".join(f"{parameter} := '{column}'" for parameter, column in names.items())
        found = value(connection, f"FROM dcg({run}, {judged}, {columns}, relevance := '{names['score']}')")
        assert found == pytest.approx(DCG), (place, other)


@pytest.mark.parametrize("macro", ["roc_auc", "threshold_table"])
@pytest.mark.parametrize("first", range(len(COLUMNS)))
def test_expressions_over_columns_named_like_parameters(
    connection: Connection, first: int, macro: str
) -> None:
    """Every name is once a label, a score, a weight and what rows are told apart by."""
    y, x, v, h = (COLUMNS[(first + i) % len(COLUMNS)] for i in range(4))
    data = f'''SELECT label AS "{y}", score AS "{x}", w AS "{v}", g AS "{h}" FROM clicks'''
    found = rows(connection, f'''FROM {macro}($${data}$$, "{y}", "{x}", per := "{h}", weight := "{v}")''')
    assert found == rows(connection, f"FROM {macro}(clicks, label, score, per := g, weight := w)")


def test_label_and_score_may_change_places(connection: Connection) -> None:
    swapped = "'SELECT score AS label, label AS score FROM clicks'"
    for macro in ("roc_auc", "log_loss", "roc_curve", "evaluate_classification"):
        plain = rows(connection, f"FROM {macro}(clicks, label, score)")
        assert rows(connection, f"FROM {macro}({swapped}, label := score, score := label)") == plain
        assert rows(connection, f"FROM {macro}({swapped}, score, label)") == plain


def test_label_and_score_are_expressions(connection: Connection) -> None:
    plain = rows(connection, "FROM roc_auc('SELECT id % 3 = 0 AS y, -score AS x, id % 2 AS z FROM clicks', y, x, per := z)")
    assert rows(connection, "FROM roc_auc(clicks, id % 3 = 0, -score, per := id % 2)") == plain
    assert value(connection, "FROM roc_auc(clicks, label = 1 OR label IS NULL, score)") == pytest.approx(AUC)
    assert value(connection, "FROM roc_auc(clicks, 1 - label, -score)") == pytest.approx(AUC)


@pytest.mark.parametrize("name", INTERNAL)
def test_tables_named_like_steps(connection: Connection, name: str) -> None:
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM predictions")
    assert value(connection, f"FROM dcg({name}, truth)") == pytest.approx(DCG)
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM truth")
    assert value(connection, f"FROM dcg(predictions, '{name}')") == pytest.approx(DCG)
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM clicks")
    assert value(connection, f"FROM roc_auc({name}, label, score)") == pytest.approx(AUC)
    connection.execute(f"DROP VIEW {name}")
    assert value(connection, f"WITH {name} AS (FROM predictions) FROM dcg({name}, truth)") == pytest.approx(DCG)
    assert value(connection, f"WITH {name} AS (FROM truth) FROM dcg(predictions, {name})") == pytest.approx(DCG)
    assert value(connection, f"WITH {name} AS (FROM clicks) FROM roc_auc({name}, label, score)") == pytest.approx(AUC)


# --- 3. sessions ---------------------------------------------------------------------------------

SETTINGS = {
    "default_order": "'desc'",
    "default_null_order": "'nulls_first'",
    "integer_division": "true",
    "ieee_floating_point_ops": "false",
    "old_implicit_casting": "true",
    "preserve_insertion_order": "false",
    "threads": "1",
    "preserve_identifier_case": "false",
    "scalar_subquery_error_on_multiple_rows": "false",
    "order_by_non_integer_literal": "true",
    "lambda_syntax": "'DISABLE_SINGLE_ARROW'",
    "error_on_division_by_zero": "true",
    "null_order": "'nulls_first_on_asc_last_on_desc'",
    "perfect_ht_threshold": "0",
    "disabled_optimizers": "'expression_rewriter,statistics_propagation,cte_inlining,filter_pushdown'",
}
RANKING = ("ndcg@2,dcg,cg@1,map,map@2,gmap,mrr,recall@2,precision_at@2,hit_rate@1,f1,bpref,infap,judged@2,r_precision,"
           "query_auc,rbp,err,idcg,hits,success@1,mean_rank,median_rank")  # fmt: skip
CURVES = ("calibration_curve", "roc_curve", "pr_curve", "threshold_table", "gains_curve")


def catalogue_of(connection: Connection, first: str) -> list[str]:
    """The macros of one metric, by the name of their first parameter, that need no further one."""
    found = rows(connection, f"""SELECT DISTINCT function_name FROM duckdb_functions() WHERE parameters[1] = '{first}'
        AND comment IS NOT NULL AND schema_name = 'main' AND database_name = 'temp' ORDER BY 1""")  # fmt: skip
    return [name for (name,) in found]


def everything(connection: Connection) -> dict[str, Any]:
    """What the macros say about the tables: all metrics, percentiles, ways of calling, curves."""
    queries = {
        "rankings": "FROM evaluate(predictions, truth, metrics := {ranking})",
        "expected ties": "FROM evaluate('SELECT * REPLACE (1 AS score) FROM predictions', truth, ties := 'expected', "
        "metrics := 'ndcg@2,map,mrr,recall@2')",
        "by query": "FROM (FROM evaluate_by_query(predictions, truth, metrics := {ranking})) ORDER BY query_id ASC, metric ASC",
        **{f"agg {a}": f"FROM evaluate(predictions, truth, metrics := 'ndcg@2,ndcg,dcg', agg := '{a}')"
           for a in ("median", "p25", "gmean", "sum")},
        "no ties": "FROM mrr(predictions, truth, ties := 'item_desc', missing := 'skip')",
        "rows": "FROM evaluate_classification('FROM clicks WHERE g = ''g0'' OR label = 1', label, score, per := g, "
        "metrics := {rows}, group_id := id % 5, beta := 2, top := 0.3, max_fpr := 0.3, recall := 0.5, "
        '"precision" := 0.5, fpr := 0.25, approx := 0)',
        "weights": "FROM evaluate_classification(clicks, label, score, weight := w, per := g)",
        "equal mass": "FROM ece(clicks, label, score, binning := 'mass', bins := 7)",
        **{name: f"FROM {name}(clicks, label, score, per := g)" for name in CURVES},
        "brier_decomposition": "FROM brier_decomposition(clicks, label, score)",
        "confusion": "FROM confusion(clicks, label, score)",
        "group_auc": "FROM group_auc(clicks, label, score, g)",
        "functions": "SELECT normal_cdf(1), student_t_p(2, 7), binomial_cdf(3, 7, 0.5), chi_square_p(3, 2)",
    }  # fmt: skip
    of_rows = [name for name in catalogue_of(connection, "data") if name not in (*CURVES, *NO_METRIC)]
    lists = {"{ranking}": f"'{RANKING}'", "{rows}": f"'{','.join(of_rows)}'"}
    found = {}
    for name, query in queries.items():
        for mark, names in lists.items():
            query = query.replace(mark, names)
        found[name] = rows(connection, query)
    return found


NO_METRIC = ("evaluate_classification", "group_auc")


@pytest.fixture(scope="module")
def plain(connection: Connection) -> dict[str, Any]:
    return everything(connection)
