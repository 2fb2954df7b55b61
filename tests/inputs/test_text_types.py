"""Text files: each column has the type that holds for all its rows, wherever the surprising row stands."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import duckdb
import numpy
import pytest
import scipy.stats
from sqlglot import exp

from duckmetrics import InputError, ab, check, compare, evaluate
from duckmetrics.engines.duckdb_csv import is_written_so
from support.command_line import Command
from support.duckdb_shell import connected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# More rows than DuckDB looks at to decide the types of a file.
ROWS = 20_600
PLACES = {"first": 0, "after": 20_481, "last": ROWS - 1}
Row = dict[str, str]


def separated(rows: list[Row], delimiter: str) -> str:
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def objects(rows: list[Row]) -> str:
    """Write numbers as numbers and everything else as text."""

    def value(text: str) -> object:
        try:
            return text if text[0] == "0" and text[1:2].isdigit() else json.loads(text)
        except ValueError:
            return text

    return "".join(json.dumps({name: value(text) for name, text in row.items()}) + "\n" for row in rows)


def zstd(text: str, path: Path) -> None:
    """Let DuckDB compress lines of text."""
    plain = path.with_suffix(".plain")
    plain.write_text(text, "utf-8")
    lines = f"read_csv('{plain}', columns = {{'l': 'VARCHAR'}}, delim = '\x01', header = false, quote = '')"
    options = "(FORMAT csv, HEADER false, COMPRESSION zstd, DELIMITER '\x01', QUOTE '')"
    duckdb.connect().execute(f"COPY (FROM {lines}) TO '{path}' {options}")
    plain.unlink()


def written(folder: Path, form: str, rows: list[Row]) -> str:
    """Write rows in a form, and return what names them."""
    if form == "folder":
        (folder / "parts").mkdir()
        for part, some in enumerate((rows[:9], rows[9:])):
            (folder / "parts" / f"{part}.csv").write_text(separated(some, ","), "utf-8")
        return str(folder / "parts")
    text = objects(rows) if "json" in form else separated(rows, "\t" if "tsv" in form else ",")
    path = folder / f"rows.{form}"
    if form.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    elif form.endswith(".zst"):
        zstd(text, path)
    else:
        path.write_text(text, "utf-8")
    return str(folder / "*.csv") if form == "csv" and "glob" in folder.name else str(path)


FORMS = ["csv", "tsv", "csv.gz", "csv.zst", "jsonl", "jsonl.gz", "jsonl.zst", "folder"]


def rounded(path: str) -> None:
    """One score of 0.6 among zeros, of the only positive row."""
    value = evaluate(path, metrics=["brier"])["brier"]
    assert value == pytest.approx(0.4**2 / ROWS, rel=1e-12)


def changed_id(path: str) -> None:
    """One id 007 among whole numbers: it is text, which is never the number 7."""
    with pytest.raises(InputError):
        evaluate(path, "SELECT 0 AS query_id, 7 AS item_id", ["mrr"])


def cut_time(path: str) -> None:
    """One time of day among dates."""
    found = evaluate(path, metrics=["brier"], by=["day"]).summary.to_pylist()
    assert len({str(row["day"]) for row in found if row["slice"]}) == 2


def no_number(path: str) -> None:
    """One text among numbers."""
    with pytest.raises(InputError, match=r"'score' is (VARCHAR|JSON), not a number"):
        evaluate(path, metrics=["brier"])
    assert "not a number" in str(check(path))


SURPRISES: dict[str, tuple[Row, Row, Callable[[str], None]]] = {
    "rounded": ({"label": "0", "score": "0"}, {"label": "1", "score": "0.6"}, rounded),
    "id": ({"query_id": "0", "item_id": "5", "score": "1"}, {"item_id": "007"}, changed_id),
    "time": ({"label": "0", "score": "0.5", "day": "2026-11-01"}, {"day": "2026-11-01 13:00:00"}, cut_time),
    "text": ({"label": "0", "score": "0.5"}, {"score": "high"}, no_number),
}


@pytest.mark.some(5)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("surprise", SURPRISES)
@pytest.mark.parametrize("form", FORMS)
def test_the_place_of_a_surprise_does_not_matter(
    form: str, surprise: str, place: str, tmp_path: Path
) -> None:
    usual, other, holds = SURPRISES[surprise]
    rows = [dict(usual) for _ in range(ROWS)]
    if "item_id" in usual:
        for number, row in enumerate(rows):
            row["item_id"] = str(number + 1_000)
    rows[PLACES[place]] |= other
    holds(written(tmp_path, form, rows))


QUERIES = [
    ("csv", "FROM '{path}'"),
    ("csv", "SELECT rows.score, rows.label FROM '{path}' WHERE rows.label IS NOT NULL"),
    ("csv", "WITH a AS (SELECT t.* FROM '{path}' AS t) FROM a"),
    ("csv", "SELECT read_csv.* FROM read_csv('{path}')"),
    ("csv", "FROM read_csv(['{path}'], header = true)"),
    ("jsonl", "SELECT rows.* FROM '{path}'"),
    ("jsonl", "FROM read_json('{path}')"),
]


@pytest.mark.some(3)
@pytest.mark.parametrize(("form", "query"), QUERIES)
def test_a_query_reads_the_types_of_the_whole_file(form: str, query: str, tmp_path: Path) -> None:
    usual, other, holds = SURPRISES["rounded"]
    holds(query.format(path=written(tmp_path, form, [usual] * (ROWS - 1) + [usual | other])))


def test_a_query_that_names_the_types_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label,score\n1,0.6\n", "utf-8")
    query = f"FROM read_csv('{path}', types = {{'score': 'INTEGER'}})"
    assert evaluate(query, metrics=["brier"])["brier"] == 0.0


def test_a_text_that_is_taken_for_digits_is_these_digits() -> None:
    """Digits at random, with signs, points, exponents, blanks and hexadecimal digits among them."""
    condition = is_written_so(exp.column("given"), exp.column("number")).sql("duckdb")
    connection = duckdb.connect()
    connection.execute("SELECT setseed(0.5)")
    letters = "0001123579999..eE_x+- Ff"
    connection.execute(
        f"""CREATE TABLE texts AS SELECT *, try_cast(given AS BIGINT) AS number FROM (
            SELECT array_to_string(list_transform(
                range(1 + i % 12), lambda k: '{letters}'[1 + CAST(floor(random() * {len(letters)}) AS INT)]
            ), '') AS given FROM range(200000) rows (i)
            UNION ALL SELECT CAST(10 ** (i % 18) AS BIGINT) + i * i - 9 FROM range(2000) rows (i)
            UNION ALL VALUES ('1e2'), ('12e2'), ('9.5e9'), ('0xFFFFFFFF'), ('9007199254740993e2'),
                ('99999.5'), ('9223372036854775807'), ('-5'), ('00000007'), ('1_000'), ('7 ')
        )"""
    )
    ((taken, wrong),) = connection.execute(
        f"SELECT count(*), count_if(given <> CAST(number AS VARCHAR)) FROM texts WHERE {condition}"
    ).fetchall()
    assert taken > 3_000
    assert wrong == 0


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz", "jsonl"])
def test_macros_read_the_types_of_the_whole_file(form: str, tmp_path: Path) -> None:
    usual, other, _ = SURPRISES["rounded"]
    path = written(tmp_path, form, [usual] * (ROWS - 1) + [usual | other])
    with connected() as shell:
        found = shell.execute(f"SELECT value FROM brier('{path}', label, score)").fetchall()
    assert found == [(pytest.approx(0.4**2 / ROWS, rel=1e-12),)]


def test_the_line_of_a_text_among_numbers_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,item_id,score\n" + "q,a,1\n" * ROWS + "q,b,high\n", "utf-8")
    with pytest.raises(InputError, match=rf"run.csv: .*line {ROWS + 2}: 'high'"):
        evaluate(str(path), "SELECT 'q' AS query_id, 'a' AS item_id", ["mrr"])


def test_quotes_that_begin_late_are_not_part_of_an_id(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    ids = "".join(f"q,a{number},1\n" for number in range(ROWS))
    path.write_text(f'query_id,item_id,score\n{ids}q,"b",2\n', "utf-8")
    assert evaluate(str(path), "SELECT 'q' AS query_id, 'b' AS item_id", ["mrr"])["mrr"] == 1.0


def test_a_failed_reading_leaves_the_transaction_of_the_caller_open(tmp_path: Path) -> None:
    path = written(tmp_path, "csv", [{"label": "0", "score": "0"}] * ROWS + [{"label": "1", "score": "0.6"}])
    connection = duckdb.connect()
    connection.begin()
    connection.execute("CREATE TABLE mine AS SELECT 1 AS one")
    value = evaluate(path, metrics=["brier"], connection=connection)["brier"]
    assert value == pytest.approx(0.4**2 / (ROWS + 1))
    assert connection.execute("FROM mine").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("q1 Q0 Apollo 11 1 9.1 t\nq1 Q0 b 2 9.0 t\n", 1),
        ("q1 Q0 a 1 9.1 t\n\nq1 Q0 b 2 high t\n", 3),
        ("q1 Q0 a 1 9.1 t\nq1 Q0 b 2 9.0\n", 2),
        ("q1 Q0 a 1 9.1 t\nq1 Q0 b c 2 9.0\n", 2),
        ("# a comment\nq1 Q0 a 1 9.1 t\n", 1),
    ],
)
def test_a_line_that_is_not_of_a_run_is_refused_with_its_number(
    content: str, line: int, tmp_path: Path
) -> None:
    path = tmp_path / "a.run"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=rf"a\.run: line {line}: '.*' is not 'query Q0 item rank score tag'"):
        evaluate(str(path), "SELECT 'q1' AS query_id, 'b' AS item_id", ["mrr"])
    assert f"line {line}: " in str(check(str(path), "SELECT 'q1' AS query_id, 'b' AS item_id"))


@pytest.mark.parametrize("text", ["q1 0 Apollo 13 1\n", "q1 0 a 1 1 1\n", "q1 0 a 1\nq1 0 b yes\n"])
def test_a_line_that_is_not_of_qrels_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"a\.qrels: "):
        evaluate("SELECT 'q1' AS query_id, 'a' AS item_id, 1 AS score", str(path), ["mrr"])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", [" ", "\t", "   "])
def test_blanks_and_marks_of_trec_text_are_no_part_of_ids(ending: str, blank: str, tmp_path: Path) -> None:
    lines = ["q1 Q0 a 1 2.0 t", "", "q1 Q0 b 2 1.0 t"]
    text = "\ufeff" + ending.join(line.replace(" ", blank) for line in lines) + ending
    (tmp_path / "a.run").write_bytes(text.encode())
    assert evaluate(str(tmp_path / "a.run"), "SELECT 'q1' AS query_id, 'b' AS item_id", ["mrr"])["mrr"] == 0.5


@pytest.mark.parametrize("name", ["a.run", "a.csv"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_text_that_is_not_utf_8_is_named_as_such(name: str, encoding: str, tmp_path: Path) -> None:
    text = "q1 Q0 café 1 2.0 t\n" if name == "a.run" else "query_id,item_id,score\nq1,café,1\n"
    (tmp_path / name).write_bytes(text.encode(encoding))
    with pytest.raises(InputError, match=rf"{name}: cannot be read: line \d is not text in UTF-8; save it"):
        evaluate(str(tmp_path / name), "SELECT 'q1' AS query_id, 'b' AS item_id", ["mrr"])


@pytest.mark.parametrize("content", [b"", b"PAR1 cut off in the middle"])
def test_a_cut_parquet_file_is_named_as_such(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(
        InputError, match=r"a\.parquet: cannot be read: it is not a whole Parquet file; check"
    ):
        evaluate(str(tmp_path / "a.parquet"), metrics=["auc"])


def test_a_file_with_names_only_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id,item_id,score\n", "utf-8")
    one = "SELECT 'q1' AS query_id, 'b' AS item_id, 1 AS score"
    truth = "SELECT 'q1' AS query_id, 'b' AS item_id"
    with pytest.raises(InputError, match=r"a\.csv: no rows; check how it was exported"):
        compare({"A": one, "B": str(tmp_path / "a.csv")}, truth=truth, metrics=["mrr"])


@pytest.mark.some(2)
@pytest.mark.parametrize("run", ['{"12": {"7": 2.0, "8": 1.0}}', "12 Q0 7 1 2.0 t\n12 Q0 8 2 1.0 t\n"])
@pytest.mark.parametrize("layout", [None, {"truth": "beir"}])
def test_numbers_as_ids_of_beir_are_the_text_of_a_run(
    run: str, layout: dict[str, str] | None, tmp_path: Path
) -> None:
    path = tmp_path / ("run.json" if run.startswith("{") else "a.run")
    path.write_text(run, "utf-8")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n12\t8\t1\n", "utf-8")
    found = evaluate(str(path), str(tmp_path / "qrels.tsv"), ["mrr"], layout=layout)
    assert found["mrr"] == 0.5
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n12\t008\t1\n", "utf-8")
    assert evaluate(str(path), str(tmp_path / "qrels.tsv"), ["mrr"], layout=layout)["mrr"] == 0.0


@pytest.mark.parametrize("whole", ["INTEGER", "BIGINT", "DECIMAL(12, 3)"])
def test_parquet_files_whose_types_would_round_are_refused(whole: str, tmp_path: Path) -> None:
    connection = duckdb.connect()
    for name, type_, value in (("a", whole, 16_777_217), ("b", "FLOAT", 0.5)):
        rows = f"SELECT 1 AS label, CAST({value} AS {type_}) AS score"
        connection.execute(f"COPY ({rows}) TO '{tmp_path}/{name}.parquet'")
    with pytest.raises(InputError, match=r"a\.parquet has 'score' as .*, and other files as FLOAT"):
        evaluate(str(tmp_path), metrics=["mae"])
    assert evaluate(str(tmp_path / "b.parquet"), metrics=["mae"])["mae"] == 0.5


@pytest.mark.some(1)
@pytest.mark.parametrize("form", ["csv", "glob", "hive"])
def test_revenue_after_a_sample_of_zeros_is_not_rounded(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """60,000 users: 25,000 of revenue 0, then cents; the second arm earns 0.04 more per buyer."""
    random = numpy.random.default_rng(1)
    revenue = numpy.r_[numpy.zeros(25_000), numpy.round(random.uniform(0.05, 0.45, 35_000), 2)]
    arm = numpy.where(random.random(60_000) < 0.5, "A", "B")
    revenue = numpy.where((arm == "B") & (revenue > 0), numpy.round(revenue + 0.04, 2), revenue)
    lines = [
        f"{user},{name},{f'{value:.2f}' if value else 0}\n"
        for user, (name, value) in enumerate(zip(arm, revenue, strict=True))
    ]
    head = "user_id,variant,revenue\n"
    parts = {"csv": ["all"], "glob": ["a", "b"], "hive": ["day=007", "day=8"]}[form]
    for part, some in zip(
        parts, (lines[:30_000], lines[30_000:]) if len(parts) > 1 else (lines,), strict=True
    ):
        folder = tmp_path / part if form == "hive" else tmp_path
        folder.mkdir(exist_ok=True)
        (folder / f"{part}.csv").write_text(head + "".join(some), "utf-8")
    path = {"csv": "all.csv", "glob": "*.csv", "hive": ""}[form]
    found = ab(str(tmp_path / path), metrics="revenue", variant="variant", control="A")
    (row,) = found.summary.to_pylist()
    one, other = revenue[arm == "A"], revenue[arm == "B"]
    expected = scipy.stats.ttest_ind(other, one, equal_var=False).pvalue
    assert (row["control_value"], row["value"]) == pytest.approx((one.mean(), other.mean()), rel=1e-12)
    assert row["p"] == pytest.approx(expected, rel=1e-6)
    shown = Command(capsys)(
        "ab", tmp_path / path, "-m", "revenue", "--variant", "variant", "--control", "A", "--format", "json"
    )
    assert json.loads(shown.out)["rows"][0]["p"] == row["p"]
