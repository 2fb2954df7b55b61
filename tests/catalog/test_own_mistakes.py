"""Files of users with mistakes, and files that would do harm: each is answered, and nothing of it runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import duckmetrics
from duckmetrics import DefinitionError
from duckmetrics.catalog.catalog import add
from support.command_line import Command
from support.own_metrics import folder, write

__all__ = ["folder"]

NAME = "-- name:   wrong\n"
INPUTS = "-- inputs: predictions (query_id, item_id, score), truth (query_id, item_id, relevance)\n"
RANGE = "-- range:  [0, 1], higher is better\n"
TOP = NAME + INPUTS + RANGE  # three lines
GROUP = "GROUP BY system, query_id"
GOOD = f"SELECT system, query_id, min(hit) AS value\nFROM relevant\n{GROUP}"
ROWS = f"{NAME}-- inputs: predictions (label, score)\n{RANGE}"
OF_ROWS = "FROM predictions GROUP BY system, segment"


def value(expression: str) -> str:
    return f"{TOP}SELECT system, query_id,\n    {expression} AS value\nFROM relevant\n{GROUP}"


def declared(params: str, expression: str = "min($lam)") -> str:
    return f"{TOP}-- params: {params}\nSELECT system, query_id, {expression} AS value FROM relevant {GROUP}"


def row_value(expression: str) -> str:
    return f"{ROWS}SELECT system, segment,\n    {expression} AS value\n{OF_ROWS}"


# What is wrong -> the text of the file, and the words of the answer: the line, if there is one, and the cure.
WRONG: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    # --- the header
    "no name": (
        INPUTS + RANGE + GOOD,
        (":1: the name must be 'wrong'", "begin the file with -- name: wrong"),
    ),
    "another name": (TOP.replace("wrong", "other") + GOOD, (":1:", "as the file is called")),
    "a name in capitals": (TOP.replace("wrong", "WRONG") + GOOD, (":1:", "as the file is called")),
    "a name in quotes": (TOP.replace("wrong", '"wrong"') + GOOD, (":1:", "as the file is called")),
    "a blank line first": ("\n" + TOP + GOOD, (":1:", "begin the file with -- name: wrong")),
    "no range": (NAME + INPUTS + GOOD, ("no line 'range'; write -- range: ", "[0, 1], higher is better")),
    "a range in words": (
        NAME + INPUTS + "-- range: 0 to 1\n" + GOOD,
        (":3: cannot read the range", "as in [0, 1]"),
    ),
    "a range upside down": (NAME + INPUTS + "-- range: [1, 0]\n" + GOOD, (":3: cannot read the range",)),
    "bigger is better": (TOP.replace("higher", "bigger") + GOOD, (":3:", "higher is better")),
    "a misspelled key": (TOP + "-- sorce: me\n" + GOOD, (":4: unknown key 'sorce'; did you mean 'source'?",)),
    "a key twice": (TOP + RANGE + GOOD, (":4: 'range' is declared twice; keep one",)),
    "no blank after the dashes": (TOP.replace("-- ", "--") + GOOD, (":1:", "write '-- key: value'")),
    "tabs in the header": (TOP.replace(":   ", ":\t") + GOOD, (":1:", "write '-- key: value'")),
    "no inputs": (NAME + RANGE + GOOD, ("no line 'inputs'; write -- inputs: ",)),
    "inputs without columns": (
        NAME + "-- inputs: predictions, truth\n" + RANGE + GOOD,
        ("has no predictions", "write -- inputs: predictions ("),
    ),
    "inputs without predictions": (
        NAME + "-- inputs: truth (query_id, item_id)\n" + RANGE + GOOD,
        ("has no predictions; write -- inputs",),
    ),
    "an input that nobody has": (
        TOP.replace(", truth", ", clicks (item_id), truth") + GOOD,
        (":2: inputs: unknown table 'clicks'", "history, "),
    ),
    # --- parameters
    "a parameter that is not declared": (
        value("max(CASE WHEN rank <= $threshold THEN hit END)"),
        (":5: $threshold is no parameter; declare it: -- params: threshold",),
    ),
    "a question mark": (value("max(hit) / ?"), (": $? is no parameter", "declare it")),
    "a colon": (
        declared("lam DOUBLE DEFAULT 1", "max(hit) / :lam"),
        (':5: syntax error at or near ":"', "fix the query"),
    ),
    "a default of another type": (
        declared("lam DOUBLE DEFAULT 'x'"),
        (":4: the default of 'lam' is 'x'", "of the type"),
    ),
    "a fraction for an INTEGER": (
        declared("lam INTEGER DEFAULT 0.5"),
        (":4: the default of 'lam' is 0.5", "of the type"),
    ),
    "a default that its CHECK refuses": (
        declared("lam DOUBLE DEFAULT 2 CHECK (lam < 1)"),
        (":4: the default of 'lam' is 2.0, and its CHECK is lam < 1; change one",),
    ),
    "a CHECK of another name": (
        declared("lam DOUBLE DEFAULT 0 CHECK (lamda < 1)"),
        (":4: unknown parameter 'lamda'; did you mean 'lam'?",),
    ),
    "no type": (declared("lam DEFAULT 0.5"), (":4: cannot read params", "name TYPE DEFAULT value")),
    "a type that parameters lack": (
        declared("lam NUMBER DEFAULT 0.5"),
        (":4: cannot read params", "name TYPE DEFAULT value"),
    ),
    # --- names in the query
    "a column of predictions": (
        f"{TOP}SELECT system, query_id,\nmax(scor) AS value FROM predictions {GROUP}",
        (":5: no column 'scor'", "did you mean 'score'?"),
    ),
    "a column of truth": (
        f"{TOP}SELECT p.system, p.query_id, max(t.relevanc) AS value\n"
        "FROM predictions p JOIN truth t USING (query_id, item_id) GROUP BY p.system, p.query_id",
        (":4: no column 'relevanc'", "did you mean 'relevance'?"),
    ),
    "a column of a relation": (value("max(rnk)"), (":5: no column 'rnk'", "did you mean 'rank'?")),
    "a column of a relation by its name": (
        value("max(relevant.rnk)"),
        (":5: no column 'rnk'", "did you mean 'rank'?"),
    ),
    "a column that is not declared": (
        value("sum(euros)"),
        (":5: no column 'euros'", "is declared: -- inputs: predictions ("),
    ),
    "an unknown relation": (
        f"{TOP}{GOOD}".replace("relevant", "relevants"),
        (":5: unknown table 'relevants'; did you mean 'relevant'?",),
    ),
    "an unknown function": (value("maxx(hit)"), (":5: no function 'maxx'; did you mean 'max'?",)),
    "a function of Spark": (
        value("percentile_approx(hit, 0.5)"),
        (":5: no function 'percentile_approx'; did you mean ",),
    ),
    "too many arguments": (
        value("max(ln(hit, 2, 3))"),
        (":5: ", "number of provided arguments", "fix the query"),
    ),
    # --- syntax
    "an open parenthesis": (value("max(hit"), (':5: syntax error at or near "AS"; fix',)),
    "a misspelled word": (
        TOP + GOOD.replace("FROM", "FORM"),
        (":5: the query cannot be read near 'FORM'", "fix"),
    ),
    "an open quote": (value("'abc"), (":5: ", "a quote or comment does not end; fix")),
    "two statements": (f"{TOP}{GOOD};\n{GOOD}", ("found several statements; write a bare SELECT",)),
    "no query": (TOP, ("there is no query; write a SELECT below the header",)),
    "an empty file": ("", (":1:", "begin the file with -- name: wrong")),
    "a binary file": (bytes(range(256)), ("is not text in UTF-8; save it as UTF-8",)),
    "UTF-16": ((TOP + GOOD).encode("utf-16"), ("is not text in UTF-8; save it as UTF-8",)),
    # --- the shape
    "all columns": (
        f"{TOP}SELECT * FROM relevant",
        (":4: the query returns *; return system, query_id, value",),
    ),
    "no value": (
        TOP + GOOD.replace("AS value", "AS hits"),
        (":4: the query returns system, query_id, hits; return ",),
    ),
    "no query_id": (
        f"{TOP}SELECT system, max(hit) AS value FROM relevant GROUP BY system",
        (":4: the query returns system, value; return ",),
    ),
    "no system": (
        f"{TOP}SELECT query_id, max(hit) AS value FROM relevant GROUP BY query_id",
        (":4:", "return system, query_id, value"),
    ),
    "no GROUP BY": (TOP + GOOD.removesuffix(GROUP), (":4: no GROUP BY; aggregate by system, query_id",)),
    "half of GROUP BY": (
        TOP + GOOD.replace("system, query_id", "query_id").replace("SELECT", "SELECT system, "),
        (":6: GROUP BY query_id does not name system; write",),
    ),
    "GROUP BY ALL": (
        TOP + GOOD.replace(GROUP, "GROUP BY ALL"),
        (":6: GROUP BY ALL does not name system, query_id; write",),
    ),
    "GROUP BY with places": (
        TOP + GOOD.replace(GROUP, "GROUP BY 1, 2"),
        (":6: GROUP BY 1, 2 does not name system, query_id; write",),
    ),
    "more than one row per query": (
        f"{TOP}{GOOD}, rank",
        (":6: ", "rows for query_id=q", "GROUP BY system, query_id"),
    ),
    "a column outside of aggregates": (
        value("rank / max(m)"),
        (":5: rank stands outside of an aggregate; aggregate it, as in max(rank)",),
    ),
    "ORDER BY": (
        f"{TOP}{GOOD} ORDER BY value",
        (":6: ORDER of a query that has one row for each query_id; leave it out",),
    ),
    "LIMIT": (f"{TOP}{GOOD} LIMIT 10", (":6: LIMIT of a query", "leave it out")),
    "a condition on a metric": (
        f"{TOP}SELECT dcg.system, dcg.query_id, dcg.value AS value\nFROM dcg WHERE dcg.value > 0",
        (":5: combines dcg with WHERE", "values of metrics only"),
    ),
    "a metric and rows": (
        f"{TOP}SELECT dcg.system, dcg.query_id, max(dcg.value * hit) AS value\n"
        "FROM dcg JOIN relevant USING (system, query_id)\nGROUP BY dcg.system, dcg.query_id",
        ("combines dcg with", "values of metrics only"),
    ),
    "a step that hides what it reads": (
        f"{TOP}WITH relevant AS (SELECT * FROM relevant)\n{GOOD}",
        (":4: the step 'relevant' hides the table of that name", "another name"),
    ),
    "a step that hides an input": (
        f"{TOP}WITH truth AS (SELECT * FROM relevant)\n{GOOD}",
        (":4: the step 'truth' hides the table of that name", "another name"),
    ),
    "an order with ties": (
        f"{TOP}WITH placed AS (\nSELECT system, query_id, "
        "row_number() OVER (PARTITION BY system, query_id ORDER BY score) AS place\nFROM predictions)\n"
        f"SELECT system, query_id, 1 / max(place) AS value FROM placed {GROUP}",
        (":5: ROW_NUMBER() puts equal rows in any order; end its ORDER BY with item_id, or read ranked",),
    ),
    "an order of rows with ties": (
        f"{ROWS}WITH placed AS (SELECT system, segment, label, "
        "lag(label) OVER (PARTITION BY system, segment ORDER BY score) AS last FROM predictions)\n"
        "SELECT system, segment, avg(label - last) AS value FROM placed GROUP BY system, segment",
        (":4: LAG() puts equal rows in any order; use RANK()",),
    ),
    # --- values
    "text": (value("'high'"), (":5: value is VARCHAR, and must be a number", "cast it to DOUBLE")),
    "a BOOLEAN": (
        value("max(hit) > 0"),
        (":5: value is BOOLEAN, and must be a number; count it, as in sum(CASE",),
    ),
    "a date": (value("DATE '2026-01-01'"), (":5: value is DATE, and must be a number",)),
    "a list": (value("list(hit)"), (":5: value is ", "[], and must be a number")),
    "division by zero": (
        value("1 / (max(m) - max(m))"),
        (":5: the value of query_id=q", " is inf; divide by nullif(divisor, 0)"),
    ),
    "NaN": (value("'nan'::DOUBLE"), (":5: the value of query_id=q", " is nan; divide by nullif(divisor, 0)")),
    "a value above the range": (
        value("10 * max(m)"),
        (":3: the value of query_id=q", "and the range is [0, 1]", "change the range, or the query"),
    ),
    "a value below the range": (
        value("-max(m)"),
        (":3: the value of query_id=q", "is -", "change the range, or the query"),
    ),
    "text that is no number": (value("max(CAST('a' AS INTEGER))"), (":5: 'a' is not INT32",)),
    "a column of rows": (row_value("avg(scor)"), (":5: no column 'scor'", "did you mean 'score'?")),
    "more than one row per slice": (
        row_value("avg(score)") + ", label",
        (":6: 2 rows for all rows", "GROUP BY system, segment"),
    ),
    "text of rows": (row_value("max('a')"), (":5: value is VARCHAR, and must be a number",)),
    "NaN of rows": (
        row_value("sum(label) / sum(label - label)"),
        (":5: the value of all rows is not a finite number; divide by nullif",),
    ),
    "rows above the range": (
        row_value("7.5"),
        (":3: the value of all rows is 7.5, and the range is [0, 1]",),
    ),
}


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    Path("run.csv").write_text("query_id,item_id,score\nq1,a,0.9\nq1,b,0.8\nq2,a,0.5\nq2,c,0.4\n")
    Path("truth.csv").write_text(
        "query_id,item_id,relevance,price,note\nq1,a,1,2,x\nq1,b,2,3,y\nq2,c,1,1,z\n"
    )
    Path("rows.csv").write_text("label,score\n1,0.9\n0,0.3\n1,0.4\n")
    return Command(capsys)


@pytest.mark.parametrize("what", WRONG)
def test_a_mistake_is_answered_with_its_line_and_its_cure(run: Command, what: str) -> None:
    text, words = WRONG[what]
    tables = ["rows.csv"] if isinstance(text, str) and "(label, score)" in text else ["run.csv", "truth.csv"]
    found = run("evaluate", *tables, "-m", write("wrong", text))
    assert found.code == 3
    assert found.err.startswith(f"duckmetrics: {Path('wrong.sql').resolve()}:")
    assert ";" in found.err
    for word in words:
        assert word in found.err


@pytest.mark.parametrize("text", [
    f"{TOP}{GOOD}".replace("\n", "\r\n"), f"\ufeff{TOP}{GOOD}", f"{TOP}{GOOD};\n",
    f"{TOP}{GOOD.replace(' ', chr(9))}",
    f"{TOP}{GOOD}".replace("AS value", "AS value,"), f"{TOP}/* how it is\nmeant */ {GOOD} -- the end",
    value("0.5 * min(hit) + 0.5"), value("CASE WHEN max(rank) > 9 THEN 0.0 ELSE min(hit) END"),
    value("min(hit)::HUGEINT"),
], ids=["CRLF", "BOM", "semicolon", "tabs", "comma", "comments", "decimal", "CASE", "HUGEINT"])  # fmt: skip
def test_what_is_no_mistake_works(run: Command, text: str) -> None:
    found = run("evaluate", "run.csv", "truth.csv", "-m", write("wrong", text), "--format", "csv")
    assert (found.code, ",1," in found.out or ",1.0," in found.out) == (0, True), found.err


def test_a_whole_division_by_zero_is_answered(run: Command) -> None:
    """It is NULL before DuckDB 2, and an error without a place of the file since."""
    found = run("evaluate", "run.csv", "truth.csv", "-m", write("wrong", value("max(m) // 0")))
    if found.code == 0:
        assert "no query has a value" in found.out
    else:
        assert "wrong.sql:5: a division by zero; divide by nullif(divisor, 0)" in found.err


def test_null_is_no_value(run: Command) -> None:
    found = run(
        "evaluate",
        "run.csv",
        "truth.csv",
        "-m",
        write("wrong", value("nullif(max(m), 2)")),
        "--format",
        "csv",
    )
    assert ",1.0,,,,1,0,0,1," in found.out


def test_a_parameter_without_effect_is_told(run: Command) -> None:
    path = write("wrong", f"{TOP}-- params: k INTEGER DEFAULT NULL\n{GOOD}")
    found = run("metrics", "--check", path)
    assert (found.code, ":4: the query does not read $k, which params declares; write $k" in found.out) == (
        1,
        True,
    )
    found = run("evaluate", "run.csv", "truth.csv", "-m", f"{path}@3")
    assert (found.code, "k=3 changes nothing; leave it out" in found.err) == (2, True)


@pytest.mark.parametrize(("given", "words"), [
    (("-m", "good.sql@3"), "good has no cut-off; drop @3"),
    (("-m", "god.sql"), "no such file or folder of metrics; did you mean 'good.sql'?"),
    (("-m", "good", "--definitions", "metrics/god.sql"), "did you mean 'good.sql'?"),
    (("-m", "metrics/.sql"), "metrics/.sql: no such file or folder of metrics"),
    (("-m", "folder.sql"), "folder.sql: is a folder; name it with definitions= (--definitions)"),
    (("-m", "a", "--definitions", "folder.sql"), "has no file .sql; write one with: duckmetrics metrics"),
    (("-m", "team", "--definitions", "metrics.sql"), "'team' is defined in"),
    (("-m", "good", "--definitions", "nowhere"), "nowhere: no such file or folder of metrics; check"),
    (("-m", "priced.sql", "--column", "truth.price=eur"), "eur"),
    (("-m", "priced.sql", "--column", "truth.price=note"), "4: sum does not take (VARCHAR); cast its "),
    (("-m", "of_users.sql"), "run.csv: no column 'user_age', which of_users reads; found query_id"),
    (("-m", "ndcg.sql"), "'ndcg' is a metric of duckmetrics; choose another name"),
    (("-m", "my metric.sql"), "'my metric' is not a name; use letters, digits and underscores"),
])  # fmt: skip
def test_a_wrong_path_or_column_is_answered(run: Command, given: tuple[str, ...], words: str) -> None:
    def named(name: str, more: str = "relevance)", text: str = GOOD) -> None:
        header = TOP.replace("wrong", Path(name).name).replace("relevance)", more)
        write(name, header.replace("[0, 1]", "[0, inf)") + text)

    for place in ("metrics", "folder.sql", "metrics.sql/a", "metrics.sql/b"):
        Path(place).mkdir(parents=True)
    for name in ("good", "ndcg", "my metric", "metrics/good", "metrics.sql/a/team", "metrics.sql/b/team"):
        named(name)
    of_prices = "SELECT queries.system, queries.query_id, sum(price) AS value\nFROM queries "
    of_prices += "JOIN truth USING (query_id)"
    named("priced", "relevance, price)", f"{of_prices} GROUP BY queries.system, queries.query_id")
    path = Path("of_users.sql")
    path.write_text((TOP.replace("wrong", "of_users") + GOOD).replace("score)", "score, user_age)"))
    found = run("evaluate", "run.csv", "truth.csv", *given)
    assert found.code in (2, 3)
    assert words in found.err


def test_a_file_that_cannot_be_read(run: Command) -> None:
    path = Path(write("wrong", TOP + GOOD))
    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser reads it; nobody reads the first bytes of a process
        path.unlink()
        path.symlink_to("/proc/self/mem")
    assert ": cannot be read: " in run("evaluate", "run.csv", "truth.csv", "-m", "wrong.sql").err


# --- files that would do harm --------------------------------------------------------------------------

READ = "reads "
FOREIGN = "depends on more than the rows and the parameters; read the tables and columns of inputs only"
NO_PART = "is no part of a metric; write a bare SELECT"
BARE = "write a bare SELECT"


def of(source: str) -> str:
    return f"{TOP}SELECT system, query_id, max(1) AS value\nFROM {source}\n{GROUP}"


def with_key(line: str) -> str:
    return f"{TOP}{line}\n{GOOD}"


# A text -> the words of the answer. {file} is a file that is there, {made} one that must not be made.
HOSTILE: dict[str, tuple[str, str]] = {
    "CREATE": (f"{TOP}CREATE TABLE made AS SELECT 1", f"found CREATE; {BARE}"),
    "DROP": (f"{TOP}DROP TABLE truth", f"found DROP; {BARE}"),
    "INSERT": (f"{TOP}INSERT INTO truth VALUES (1)", f"found INSERT; {BARE}"),
    "COPY": (f"{TOP}COPY (SELECT 1) TO '{{made}}'", f"found COPY; {BARE}"),
    "EXPORT": (f"{TOP}EXPORT DATABASE '{{made}}'", ":4: the query cannot be read"),
    "ATTACH": (f"{TOP}ATTACH '{{made}}' AS other", f"found ATTACH; {BARE}"),
    "INSTALL": (f"{TOP}INSTALL httpfs", BARE),
    "LOAD": (f"{TOP}LOAD '{{file}}'", BARE),
    "PRAGMA": (f"{TOP}PRAGMA database_list", f"found PRAGMA; {BARE}"),
    "SET": (f"{TOP}SET threads = 1", f"found SET; {BARE}"),
    "CALL": (f"{TOP}CALL checkpoint()", BARE),
    "a second statement": (f"{TOP}{GOOD};\nCOPY (SELECT 1) TO '{{made}}'", f"several statements; {BARE}"),
    "DESCRIBE": (of("(DESCRIBE truth)"), NO_PART),
    "SUMMARIZE": (of("(SUMMARIZE '{file}')"), NO_PART),
    "SHOW": (of("(SHOW TABLES)"), "unknown table 'SHOW'"),
    "PIVOT": (of("(PIVOT truth ON query_id)"), NO_PART),
    "INTO": (f"{TOP}SELECT system, query_id, 1 AS value INTO made FROM relevant {GROUP}", NO_PART),
    "read_csv": (of("read_csv('{file}')"), FOREIGN),
    "read_parquet": (of("read_parquet(['{file}'])"), FOREIGN),
    "read_text": (of("read_text('{file}')"), FOREIGN),
    "read_blob": (of("read_blob('{file}')"), FOREIGN),
    "parquet_scan": (of("parquet_scan('{file}')"), FOREIGN),
    "sniff_csv": (of("sniff_csv('{file}')"), FOREIGN),
    "glob": (of("glob('/*')"), FOREIGN),
    "a file in quotes": (of('"{file}"'), "/secret.csv, which is no input, relation or metric"),
    "a file as text": (of("'{file}'"), "/secret.csv, which is no input, relation or metric"),
    "a URL": (of("'https://example.com/x.parquet'"), "which is no input, relation or metric"),
    "another schema": (of("other.truth"), "reads other.truth, which is no input"),
    "the catalog": (of("information_schema.tables"), "reads information_schema.tables, which is no input"),
    "a table of the connection": (of("customers"), "unknown table 'customers'"),
    "duckdb_settings": (of("duckdb_settings()"), FOREIGN),
    "duckdb_secrets": (of("duckdb_secrets()"), FOREIGN),
    "pragma_table_info": (of("pragma_table_info('truth')"), FOREIGN),
    "query": (of("query('SELECT 1')"), FOREIGN),
    "query_table": (of("query_table('truth')"), FOREIGN),
    "any function of rows": (of("rows_of_somebody('{file}')"), "rows_of_somebody, which is no input"),
    "a macro of the shell": (of("evaluate('truth')"), "evaluate, which is no input, relation or metric"),
    "getenv": (value("max(length(getenv('HOME')))"), FOREIGN),
    "getenv of a schema": (value("max(length(main.getenv('HOME')))"), FOREIGN),
    "getenv of a text": (value("max(length('HOME'.getenv()))"), FOREIGN),
    "current_setting": (value("max(length(current_setting('threads')))"), FOREIGN),
    "getvariable": (value("max(getvariable('x'))"), FOREIGN),
    "nextval": (value("max(nextval('s'))"), FOREIGN),
    "the user": (value("max(length(current_user))"), FOREIGN),
    "random": (value("max(random())"), FOREIGN),
    "the time": (value("max(epoch(now()))"), FOREIGN),
    "in a step": (f"{TOP}WITH x AS (SELECT * FROM read_csv('{{file}}'))\n{GOOD}", FOREIGN),
    "in a step that hides it": (
        f'{TOP}WITH "{{file}}" AS (SELECT * FROM "{{file}}")\n{GOOD}',
        "is not a name",
    ),
    "in a step that reads itself": (
        f"{TOP}WITH customers AS (SELECT * FROM customers)\n{GOOD}",
        "hides the table",
    ),
    "out of its step": (
        of("(WITH customers AS (SELECT 1) SELECT * FROM customers) AS a, customers AS b"),
        "customers",
    ),
    "in a subquery": (value("max((SELECT count(*) FROM read_csv('{file}')))"), FOREIGN),
    "in LATERAL": (of("relevant, LATERAL (SELECT * FROM read_csv('{file}'))"), FOREIGN),
    "LATERAL function": (of("relevant, LATERAL somebodys(1)"), "which is no input, relation or metric"),
    "in a lambda": (
        value("max(list_sum(list_transform([1], lambda x: (SELECT count(*) FROM glob('/*')))))"),
        FOREIGN,
    ),
    "in UNION": (
        of("(SELECT system, query_id FROM relevant UNION ALL SELECT 'a', content FROM read_text('{file}'))"),
        FOREIGN,
    ),
    "a query without end": (
        f"{TOP}WITH RECURSIVE x AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM x)\n{GOOD}",
        "may never end; write it without RECURSIVE",
    ),
    "a huge range": (of("range(1000000000000)"), "a series beyond 1,000,000"),
    "a huge list": (value("max(len(range(0, 1000000000)))"), "a series beyond 1,000,000"),
    "a query as default": (
        declared("lam INTEGER DEFAULT (SELECT count(*) FROM '{file}')"),
        "the default of 'lam' is not a number, text, TRUE",
    ),
    "a function as default": (
        declared("lam VARCHAR DEFAULT getenv('HOME')"),
        "the default of 'lam' is not a number, text, TRUE",
    ),
    "a function in CHECK": (declared("lam INTEGER DEFAULT 1 CHECK (lam < length(getenv('HOME')))"), FOREIGN),
    "a query in CHECK": (
        declared("lam INTEGER DEFAULT 1 CHECK (lam IN (SELECT 1 FROM '{file}'))"),
        "a query in params",
    ),
    "a statement in params": (
        declared("lam INTEGER DEFAULT 1); COPY (SELECT 1) TO '{made}'; SELECT (1"),
        "cannot read params",
    ),
    "a query in requires": (
        with_key("-- requires: truth (relevance < (SELECT count(*) FROM '{file}'))"),
        "a query in requires",
    ),
    "a function in requires": (with_key("-- requires: truth (relevance < length(getenv('HOME')))"), FOREIGN),
    "a statement in requires": (
        with_key("-- requires: truth (relevance; COPY (SELECT 1) TO '{made}')"),
        "requires",
    ),
    "a short statement in requires": (
        with_key("-- requires: truth (relevance; DROP TABLE truth)"),
        "requires",
    ),
    "a query in optional": (with_key("-- optional: price = (SELECT 1)"), "optional"),
    "a query in depth": (with_key("-- depth: (SELECT count(*) FROM '{file}')"), "a query in depth"),
    "a query in idle": (with_key("-- idle: rel WHEN (SELECT 1) = 1"), "a query in idle"),
    "a query in contribution": (with_key("-- contribution: (SELECT count(*) FROM '{file}')"), "contribution"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_would_do_harm_is_refused_before_it_runs(what: str, tmp_path: Path) -> None:
    text, words = HOSTILE[what]
    secret, made = tmp_path / "secret.csv", tmp_path / "made"
    secret.write_text("system,query_id\na,q1\n")
    path = write("wrong", text.format(file=secret, made=made))
    with pytest.raises(DefinitionError) as caught:
        add(path)  # which runs nothing
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{Path(path).resolve()}:")
    with pytest.raises(DefinitionError):
        duckmetrics.evaluate({"q1": {"a": 1.0}}, {"q1": {"a": 1}}, path)
    assert not made.exists()
