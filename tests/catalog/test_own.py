"""Metrics of users: files and folders next to those of the package, with all that ours have."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import DefinitionError, DuckmetricsError, InputError, MetricError
from duckmetrics.api.definitions import new_definition, tried
from duckmetrics.catalog import catalog as own
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import RANKING
from support.command_line import exports, run
from support.other_engines import spark_session
from support.own_metrics import folder, write

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "folder", "run"]

HEADER = """-- name:   {name}
-- inputs: predictions (query_id, item_id, score), truth (query_id, item_id, relevance{more})
-- params: k INTEGER DEFAULT NULL CHECK (k > 0)
-- range:  [0, inf), higher is better
"""
REVENUE = (
    HEADER.format(name="revenue", more=", price")
    + """SELECT
    queries.system,
    queries.query_id,
    coalesce(sum(truth.price) FILTER (WHERE ranked.rank <= coalesce($k, ranked.rank)), 0)
        / nullif(sum(truth.price), 0) AS value
FROM queries
JOIN truth ON truth.query_id = queries.query_id
LEFT JOIN ranked
    ON ranked.system = queries.system AND ranked.query_id = truth.query_id AND ranked.item_id = truth.item_id
GROUP BY queries.system, queries.query_id;
"""
)
PROFIT = """-- name:   profit
-- inputs: predictions (label, score, margin)
-- params: threshold DOUBLE DEFAULT 0.5
-- range:  (-inf, inf), higher is better
SELECT
    system,
    segment,
    sum(CASE WHEN score >= $threshold THEN label * margin - 0.1 ELSE 0 END) / count(*) AS value
FROM predictions
GROUP BY system, segment;
"""
RUN = {"q1": {"a": 0.9, "b": 0.5, "c": 0.1}, "q2": {"a": 0.2, "b": 0.8}}
TRUTH = {
    "query_id": ["q1", "q1", "q2", "q3"], "item_id": ["a", "c", "b", "a"], "relevance": [1, 1, 1, 1],
    "price": [10.0, 30.0, 5.0, 7.0], "country": ["JP", "JP", "DE", "DE"],
}  # fmt: skip
ROWS = {
    "label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7], "margin": [2.0, 1.0, 3.0, 1.0],
    "country": ["a", "a", "b", "b"], "user_id": [1, 2, 1, 2],
}  # fmt: skip


# --- the same as ours --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ranking", "classification"])
def test_a_copy_of_each_metric_has_its_values(family: str, folder: Path) -> None:
    """Whatever a file of ours does, a file of a user does: more than a hundred metrics, two numbers each."""
    copied = 0
    for (of, name), metric in sorted(catalog().metrics.items()):
        if of != family or metric.is_own:
            continue
        text = metric.text.replace(f"name:     {name}", f"name:     my_{name}", 1)
        text = re.sub(r"(?m)^-- (alias|macro|usual|alone):.*\n(--      +.*\n)*", "", text)
        write(f"my_{name}", text)
        copied += 1
    lines = [line for line, works in tried(folder) if works and " = " in line]
    assert len(lines) > 0.8 * copied  # others ask for a parameter
    for line in lines:
        spec, values = line.split(": ", 1)[1].split(" = ", 1)
        theirs = spec.removeprefix("my_")
        write(spec.partition("@")[0], catalog().find(spec.partition("@")[0]).metric.text)
        assert values == ours(theirs, family), spec


def ours(spec: str, family: str) -> str:
    """Return the values of a metric of the package as the trial writes them."""
    from duckmetrics.api import definitions

    name = spec.partition("@")[0]
    metric = catalog().metrics[family, name]
    (line,) = definitions._tried(metric)
    return line.split(" = ", 1)[1]


def test_a_file_works_wherever_a_name_does() -> None:
    write("revenue", REVENUE)
    specs = ["revenue.sql@1", "ndcg@10"]
    found = duckmetrics.evaluate(RUN, TRUTH, specs, by="country", interval=0.9, missing="skip")
    assert found.metrics == ("revenue@1", "ndcg@10")
    assert found.value("revenue@1") == pytest.approx((10 / 40 + 1) / 2)
    assert found.value("revenue@1", country="JP") == 0.25
    other = {"q1": {"a": 0.1, "b": 0.5, "c": 0.9}, "q2": {"a": 0.9, "b": 0.8}, "q3": {"a": 1.0}}
    compared = duckmetrics.compare({"A": RUN, "B": other}, TRUTH, "revenue@1")
    assert compared.row("revenue@1")["delta"] == pytest.approx((0.75 + 0 + 1) / 3 - (0.25 + 1 + 0) / 3)
    ranked = duckmetrics.leaderboard({"A": RUN, "B": other}, TRUTH, "revenue@1")
    assert ranked.rows[0]["system"] == "B"
    assert found.report().html.startswith("<!doctype html>")
    assert "revenue" in duckmetrics.sql("revenue@1", "spark")
    assert "ranking.revenue: Revenue" in duckmetrics.describe("revenue.sql")
    assert "revenue" in duckmetrics.metrics()["name"].to_pylist()
    assert not duckmetrics.check(RUN, TRUTH, "revenue@1", missing="skip").errors


def test_rows_of_classifiers_with_columns_of_their_own() -> None:
    path = write("profit", PROFIT)
    value = (2 - 0.1 + 3 - 0.1 + 0 - 0.1) / 4
    found = duckmetrics.evaluate(ROWS, metrics=[path, "auc"], by="country", interval=0.9)
    assert found["profit"] == pytest.approx(value)
    assert found.value("profit", country="a") == pytest.approx((2 - 0.1) / 2)
    other = {**ROWS, "score": [0.1, 0.6, 0.6, 0.4]}
    compared = duckmetrics.compare({"A": ROWS, "B": other}, metrics="profit", cluster="user_id")
    assert compared.row("profit")["delta"] == pytest.approx((-0.1 + 3 - 0.1) / 4 - value)
    data = duckmetrics.data(pa.table(ROWS).rename_columns(["label", "score", "eur", "country", "user_id"]),
                            columns={"predictions.margin": "eur"}, definitions=path)  # fmt: skip
    assert data.evaluate("profit")["profit"] == pytest.approx(value)
    assert data.evaluate("profit(threshold=0.95)")["profit(threshold=0.95)"] == 0


def test_a_file_that_changes_is_read_again() -> None:
    text = HEADER.format(name="mine", more="") + "SELECT system, query_id, {} * max(m) AS value FROM relevant"
    for factor in (1, 3):
        write("mine", f"{text.format(factor)} GROUP BY system, query_id")
        assert duckmetrics.evaluate(RUN, TRUTH, "mine.sql", missing="skip")["mine"] == 1.5 * factor
    assert duckmetrics.evaluate(RUN, TRUTH, "mine", missing="skip")["mine"] == 4.5


def test_folders_and_the_environment_name_metrics(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "team").mkdir()
    write("team/revenue", REVENUE)
    found = duckmetrics.evaluate(RUN, TRUTH, "revenue@1", definitions="team", missing="skip")
    assert found["revenue@1"] == 0.625
    monkeypatch.setenv(own.VARIABLE, str(folder / "team"))
    own.known_everywhere.cache_clear()
    assert duckmetrics.evaluate(RUN, TRUTH, "REVENUE@1", missing="skip")["REVENUE@1"] == 0.625


def test_an_installed_package_brings_metrics(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its entry point names a folder inside it."""
    made = folder / "site/our_metrics"
    (made / "sql").mkdir(parents=True)
    (made / "__init__.py").touch()
    (made / "sql/revenue.sql").write_text(REVENUE, "utf-8")
    about = folder / "site/our_metrics-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: our-metrics\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[{own.GROUP}]\nours = our_metrics:sql\n", "utf-8")
    monkeypatch.syspath_prepend(str(folder / "site"))
    assert duckmetrics.evaluate(RUN, TRUTH, "revenue@1", missing="skip")["revenue@1"] == 0.625


# --- mistakes ----------------------------------------------------------------------------------------

PLAIN = HEADER.format(name="wrong", more="")
GROUPED = "GROUP BY system, query_id"
WRONG = {
    "SELECT 1": "wrong.sql:1: the name must be 'wrong', as the file is called",
    "-- name: wrong\n-- range: [0, 1]\nSELECT 1 AS value": "the header has no line 'inputs'; write ",
    f"{PLAIN}SELECT system, query_id, max(m) AS share FROM relevant {GROUPED}":
        "the query returns system, query_id, share; return system, query_id, value, in any order",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevnt {GROUPED}":
        "wrong.sql:5: unknown table 'relevnt'; did you mean 'relevant'?",
    f"{PLAIN}SELECT system, query_id,\n  max(grade) AS value\nFROM relevant {GROUPED}":
        "wrong.sql:6: no column 'grade'; found chance, hit, ",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevant WHERE rank < $n {GROUPED}":
        "wrong.sql:5: $n is no parameter; declare it: -- params: n INTEGER DEFAULT NULL",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevant WHERE":
        "wrong.sql:5: the query cannot be read",
    f"{PLAIN}SELECT system, query_id, max(m) AS value FROM relevant {GROUPED}, rank":
        "3 rows for query_id=q1",
    f"{PLAIN}SELECT system, query_id, m AS value FROM relevant": "no GROUP BY; aggregate by system, query_id",
    f"{PLAIN}-- rang: [0, 1]\nSELECT 1 AS value": "unknown key 'rang'; did you mean 'range'?",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_a_file_is_told_with_its_line(text: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(WRONG[text])):
        duckmetrics.evaluate(RUN, TRUTH, write("wrong", text), missing="skip")


def test_names_that_are_taken_are_refused(folder: Path) -> None:
    for name in ("ndcg", "map", "relevant", "truth"):
        text = (
            HEADER.format(name=name, more="")
            + f"SELECT system, query_id, max(m) AS value FROM relevant {GROUPED}"
        )
        with pytest.raises(DefinitionError, match=f"'{name}' is a (metric|relation) of duckmetrics"):
            duckmetrics.evaluate(RUN, TRUTH, write(name, text))
    (folder / "other").mkdir()
    for place in ("revenue", "other/revenue"):
        write(place, REVENUE)
    duckmetrics.evaluate(RUN, TRUTH, "revenue.sql", missing="skip")
    with pytest.raises(
        DefinitionError, match=r"'revenue' is defined in .*/revenue.sql too; rename one of them"
    ):
        duckmetrics.evaluate(RUN, TRUTH, "other/revenue.sql", missing="skip")


def test_mistakes_with_data_and_names() -> None:
    write("revenue", REVENUE)
    lists = {"query_id": ["q1"], "relevant": [["a"]], "price": [1.0]}
    unpriced = {**TRUTH, "price": [1.0, None, 2.0, 3.0]}
    Path("empty").mkdir()
    for message, truth, spec, options in (
        ("no such file or folder of metrics; did you mean 'revenue.sql'?", TRUTH, "revenu.sql", {}),
        ("no column 'price', which revenue reads; found", {"q1": {"a": 1}}, "revenue.sql@1", {}),
        ("column 'price' is NULL in 1 row, and revenue reads it; fill it", unpriced, "revenue@1", {}),
        ("lists the items of a query, and revenue reads the column 'price'", lists, "revenue@1", {}),
        ("revenue@1 is your own metric, and has no second definition", TRUTH, "revenue@1", {"verify": 2}),
        ("did you mean 'revenue'", TRUTH, "revenu@1", {}),
        ("has no file .sql; write one with: duckmetrics metrics", TRUTH, "ndcg", {"definitions": "empty"}),
    ):  # fmt: skip
        with pytest.raises(DuckmetricsError, match=re.escape(message)):
            duckmetrics.evaluate(RUN, truth, spec, missing="skip", **options)  # type: ignore[arg-type]


# --- the command line --------------------------------------------------------------------------------


def test_a_new_file_runs_as_it_is(run: Command) -> None:
    made = run("metrics", "--new", "big_hit", "--like", "hit_rate")
    assert made.out.startswith("big_hit.sql: edit it, then try it: duckmetrics metrics --check ")
    tried_out = run("metrics", "--check", "big_hit.sql")
    assert tried_out.code == 0
    assert tried_out.out.startswith("big_hit.sql: big_hit@2 = 1, q1 1, q2 1\n")
    assert run("metrics", "--new", "big_hit").err.startswith("duckmetrics: big_hit.sql: there is such a file")
    assert new_definition("other", "mrr").read_text("utf-8").startswith("-- name:     other\n")


def test_a_file_that_does_not_work_ends_with_1(run: Command) -> None:
    header = WITHOUT_K.format(name="wrong", more="")
    write("wrong", f"{header}SELECT system, query_id, max(grade) AS value FROM relevant {GROUPED}")
    found = run("metrics", "--check", "wrong.sql")
    assert (found.code, "no column 'grade'" in found.out) == (1, True)


@pytest.mark.parametrize(
    "given", [("-m", "revenue.sql@1"), ("-m", "revenue@1", "--definitions", "revenue.sql")]
)
def test_the_command_line_takes_files(run: Command, given: tuple[str, ...]) -> None:
    write("revenue", REVENUE)
    pa_csv(RUN, Path("run.csv"))
    Path("truth.csv").write_text(
        "query_id,item_id,relevance,price\nq1,a,1,10\nq1,c,1,30\nq2,b,1,5\n", "utf-8"
    )
    found = run("evaluate", "run.csv", "truth.csv", *given, "--fail-if", "revenue@1 < 0.7", "--set",
                "missing=skip", "--format", "csv")  # fmt: skip
    assert (found.code, "0.625" in found.out) == (1, True)


def pa_csv(lists: dict[str, dict[str, float]], path: Path) -> None:
    rows = [f"{query},{item},{score}" for query, items in lists.items() for item, score in items.items()]
    path.write_text("\n".join(["query_id,item_id,score", *rows]) + "\n", "utf-8")


def test_nothing_of_ours_knows_metrics_of_users() -> None:
    """A file of a user changes no name, relation or page of the package."""
    before = set(catalog().metrics)
    write("revenue", REVENUE)
    duckmetrics.evaluate(RUN, TRUTH, "revenue.sql", missing="skip")
    assert set(catalog().metrics) - before == {(RANKING, "revenue")}


# --- what nobody should have to know -------------------------------------------------------------------

WITHOUT_K = HEADER.replace("-- params: k INTEGER DEFAULT NULL CHECK (k > 0)\n", "")
SUMMED = WITHOUT_K.format(name="{name}", more=", price")
OF_PRICES = """SELECT queries.system, queries.query_id, {value} AS value
FROM queries JOIN truth ON truth.query_id = queries.query_id
GROUP BY queries.system, queries.query_id"""


def priced(name: str, value: str) -> str:
    return write(name, SUMMED.format(name=name) + OF_PRICES.format(value=value))


@pytest.mark.parametrize("reads", ["the same data", "a file", "a connection"])
def test_an_edited_file_gives_new_numbers(reads: str, folder: Path) -> None:
    """Although the same question was asked before."""
    truth = pa.table(TRUTH)
    pq.write_table(truth, "truth.parquet")
    data = duckmetrics.data(RUN, truth)
    ask = {
        "the same data": lambda: data.evaluate("mine.sql", missing="skip"),
        "a file": lambda: duckmetrics.evaluate(RUN, "truth.parquet", "mine.sql", missing="skip"),
        "a connection": lambda: duckmetrics.evaluate(RUN, truth, "mine.sql", missing="skip"),
    }[reads]
    found = []
    for factor in (1, 10):
        priced("mine", f"{factor} * max(truth.price)")
        found.append(ask())
    assert found[1]["mine"] == 10 * found[0]["mine"] == 10 * (30 + 5) / 2
    with pytest.raises(MetricError, match="mine: old and new follow other conventions: sql is"):
        duckmetrics.compare({"old": found[0], "new": found[1]})


@pytest.mark.parametrize(("value", "expected"), [
    ("sum(truth.price) * 1e-25", 40e-25), ("sum(CAST(truth.price AS BIGINT)) // 3", 13),
    ("sum(DISTINCT truth.price)", 40), ("sum(truth.price ORDER BY truth.price)", 40), ("count(*)", 2),
    ("sum(truth.price > 20)", 1), ("sum(truth.price * 1e17)", 4e18), ("avg(DISTINCT truth.price)", 20),
])  # fmt: skip
def test_sums_of_a_user_are_left_alone(value: str, expected: float) -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, priced("mine", value), missing="skip")
    assert {row["query_id"]: row["value"] for row in found.per_query.to_pylist()}["q1"] == pytest.approx(
        expected
    )
    assert not duckmetrics.check(RUN, TRUTH, "mine", missing="skip").errors


def test_the_signature_of_an_own_metric_has_its_spec() -> None:
    found = duckmetrics.evaluate(RUN, TRUTH, f"{write('revenue', REVENUE)}@1", missing="skip")
    signature = duckmetrics.Signature.parse(found.rows[0]["signature"])
    assert duckmetrics.evaluate(RUN, TRUTH, signature.spec).rows[0]["signature"] == str(signature)


@pytest.fixture(scope="module")
def spark() -> Any:
    return spark_session(**{"spark.sql.shuffle.partitions": "2"})


@pytest.mark.spark
def test_spark_has_the_values_of_duckdb(spark: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_with_plain_python(folder, monkeypatch)[0]
    rows = [(query, item, score) for query, items in RUN.items() for item, score in items.items()]
    run_ = spark.createDataFrame(rows, "query_id string, item_id string, score double")
    judged = spark.createDataFrame(
        list(zip(*TRUTH.values(), strict=True)),
        "query_id string, item_id string, relevance int, price double, country string",
    )
    call = {"missing": "skip", "by": "country"}
    found = duckmetrics.evaluate(run_, judged, [f"{path}@1", "ndcg@2"], verify=9, **call)  # type: ignore[arg-type]
    assert all(one.compared > 3 and one.largest < 1e-12 for one in found.verified)
    same = duckmetrics.evaluate(RUN, TRUTH, ["revenue@1", "ndcg@2"], **call)  # type: ignore[arg-type]
    assert [row["value"] for row in found.rows] == pytest.approx([row["value"] for row in same.rows])


def test_weights_count_where_a_file_reads_them() -> None:
    text = """-- name:   weighed
-- inputs: predictions (label, score, weight)
-- range:  [0, inf), higher is better
SELECT system, segment, sum(weight) AS value FROM predictions GROUP BY system, segment"""
    rows = {**ROWS, "weight": [1.0, 2.0, 3.0, 4.0]}
    path = write("weighed", text)
    assert duckmetrics.evaluate(rows, metrics=path)["weighed"] == 10
    assert duckmetrics.evaluate(rows, metrics=["auc", "weighed"])["weighed"] == 10
    with pytest.raises(InputError, match="no column 'weight'"):
        duckmetrics.evaluate(ROWS, metrics="weighed")


def test_the_letters_of_a_name_do_not_matter() -> None:
    for name in ("NDCG", "Precision", "Relevant"):
        with pytest.raises(DefinitionError, match=f"'{name}' is a (metric|relation) of duckmetrics"):
            duckmetrics.evaluate(RUN, TRUTH, priced(name, "count(*)"), missing="skip")
    with pytest.raises(DefinitionError, match="'my-metric' is not a name; use letters, digits and"):
        duckmetrics.evaluate(RUN, TRUTH, priced("my-metric", "count(*)"), missing="skip")
    Path("latin.sql").write_bytes(b"-- name: latin\n-- title: caf\xe9\nSELECT 1")
    with pytest.raises(DefinitionError, match="is not text in UTF-8; save it as UTF-8"):
        duckmetrics.evaluate(RUN, TRUTH, "latin.sql", missing="skip")


def test_other_questions_do_not_read_what_a_metric_of_a_user_reads(folder: Path) -> None:
    """The file is gone, and nothing that was asked needs another column."""
    pq.write_table(pa.table(TRUTH), "truth.parquet")
    data = duckmetrics.data(RUN, "truth.parquet")
    Path("truth.parquet").unlink()
    usual = data.evaluate("mrr", missing="skip")["mrr"]
    path = priced("mine", "max(truth.price)")
    assert duckmetrics.evaluate(RUN, TRUTH, path, missing="skip")["mine"] == 17.5
    assert data.evaluate("mrr", missing="skip")["mrr"] == usual
    with pytest.raises(InputError, match="changed after it was evaluated"):
        data.evaluate("mine", missing="skip")
    assert data.evaluate("mrr", missing="skip")["mrr"] == usual


def test_a_metric_made_of_another_one_works_alone() -> None:
    priced("first", "sum(truth.price)")
    query = "SELECT first.system, first.query_id, 2 * first.value AS value FROM first"
    write("second", WITHOUT_K.format(name="second", more="") + query)
    assert duckmetrics.evaluate(RUN, TRUTH, "second", definitions=".", missing="skip")["second"] == 45


def test_columns_are_mapped_for_metrics_of_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "my defs").mkdir()
    priced("my defs/mine", "max(truth.price)")
    Path("my defs/mine.sql").write_text(Path("my defs/mine.sql").read_text().replace("my defs/", ""))
    monkeypatch.setenv(own.VARIABLE, "my defs")
    own.known_everywhere.cache_clear()
    other = pa.table(TRUTH).rename_columns(["query_id", "item_id", "relevance", "eur", "country"])
    columns = {"truth.price": "eur"}
    assert duckmetrics.evaluate(RUN, other, "mine", columns=columns, missing="skip")["mine"] == 17.5


# --- names of files ------------------------------------------------------------------------------------

HITS = WITHOUT_K.format(name="{name}", more="") + (
    "SELECT system, query_id, min(hit) AS value FROM relevant GROUP BY system, query_id"
)


@pytest.mark.parametrize("place", [
    "my metrics/my_hits.sql", "a,b/my_hits.sql", "a, b,c/my_hits.sql", "a(b)/my_hits.sql", "v@2/my_hits.sql",
    "a.sql/my_hits.sql", "o'clock/my_hits.sql", "~/my_hits.sql",
])  # fmt: skip
def test_a_path_may_have_any_letters(place: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("HOME", str(folder / "home"))
    Path(place).expanduser().parent.mkdir(parents=True)
    Path(place).expanduser().write_text(HITS.format(name="my_hits"), "utf-8")
    found = duckmetrics.evaluate(RUN, TRUTH, f"{place}, ndcg@10", missing="skip")
    assert found.metrics == ("my_hits", "ndcg@10")
    assert found[place] == found["my_hits"] == found.value(f"elsewhere/{place}") == 1
    assert place in found
    assert "elsewhere/other.sql" not in found
    assert found.failures([f"{place} < 2"]) != ()


def test_a_path_has_the_arguments_of_a_spec(folder: Path) -> None:
    (folder / "v@2 (new), old").mkdir()
    path = write("v@2 (new), old/revenue", REVENUE)
    found = duckmetrics.evaluate(RUN, TRUTH, f"{path}@1,{path}(k=2)", missing="skip")
    assert found.metrics == ("revenue@1", "revenue(k=2)")
    assert found[f"{path}@1"] == 0.625
    found = duckmetrics.evaluate(RUN, TRUTH, path, k=[1, 2], missing="skip")
    assert found.metrics == ("revenue@1", "revenue@2")


def test_paths_of_a_configuration_file_begin_at_it(
    run: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "team/a,b").mkdir(parents=True)
    write("team/a,b/revenue", REVENUE)
    pa_csv(RUN, Path("run.csv"))
    Path("truth.csv").write_text("query_id,item_id,relevance,price\nq1,a,1,10\nq1,c,1,30\nq2,b,1,5\n")
    for line in ('metric = ["a,b/revenue.sql@1", "ndcg@10"]', 'metric = "a,b/revenue.sql@1,ndcg@10"',
                 'metric = "revenue@1"\ndefinitions = "a,b"'):  # fmt: skip
        Path("team/options.toml").write_text(f"{line}\n")
        found = run("evaluate", "run.csv", "truth.csv", "--config", "team/options.toml", "--format", "csv")
        assert (found.code, "revenue@1,,0.625" in found.out) == (0, True), found.err
    found = run("evaluate", "run.csv", "truth.csv", "-m", "a,b/revenue.sql@1")
    assert "no such file" in found.err  # the command line begins in the working directory


def test_the_shell_completes_names_of_users(
    run: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.shell_completion import ShellComplete

    from duckmetrics.cli.main import cli

    monkeypatch.chdir(folder)
    (folder / "team").mkdir()
    write("team/revenue", REVENUE)
    shell = ShellComplete(cli, {}, "duckmetrics", "_DUCKMETRICS_COMPLETE")
    given = ["evaluate", "run.csv", "truth.csv", "--definitions", "team"]
    assert [one.value for one in shell.get_completions([*given, "-m"], "reve")] == ["revenue", "revenue@"]
    found = shell.get_completions([*given, "-m"], "revenue(")
    assert "revenue(k=" in [one.value for one in found]
    assert [one.type for one in shell.get_completions(["evaluate", "-m"], "team/re")] == ["file"]
    assert [one.value for one in shell.get_completions(["metrics", "--definitions", "team"], "reve")] == [
        "revenue"
    ]
    shown = run("metrics", "revenue", "--definitions", "team")
    assert (shown.code, "ranking.revenue: Revenue" in shown.out) == (0, True)


# --- a second definition -------------------------------------------------------------------------------

LATE = WITHOUT_K.format(name="late", more="").replace("range", "reference: {of}\n-- range") + (
    "SELECT system, query_id, {factor} * max(rank) AS value FROM relevant WHERE hit > 0 "
    "GROUP BY system, query_id"
)
LATE_HITS = """def last(query, *, rel=None):
    return max(query.hit_ranks(None, rel), default=None)
"""


def test_values_are_verified_with_a_function_of_the_user(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "my_functions.py").write_text(LATE_HITS)
    monkeypatch.syspath_prepend(str(folder))
    call = {"missing": "skip", "verify": 5, "by": "country"}
    path = write("late", LATE.format(of="my_functions:last", factor=1))
    found = duckmetrics.evaluate(RUN, TRUTH, path, **call)  # type: ignore[arg-type]
    assert (found["late"], [one.compared for one in found.verified]) == (
        2,
        [6],
    )  # three queries, three slices
    assert all(one.largest == 0 for one in found.verified)
    write("late", LATE.format(of="my_functions:last", factor=2))
    wrong = duckmetrics.evaluate(RUN, TRUTH, path, **call)  # type: ignore[arg-type]
    assert "late: 5 of 6 values differ from the plain-Python reference" in " ".join(map(str, wrong.checks))
    for of, words in (("my_functions:first", "has no attribute 'first'"), ("nowhere:last", "No module named"),
                      ("my_functions", "cannot be imported")):  # fmt: skip
        write("late", LATE.format(of=of, factor=1))
        assert duckmetrics.evaluate(RUN, TRUTH, path, missing="skip")["late"] == 2  # nothing is imported
        with pytest.raises(DefinitionError, match=rf"late.sql:3: .*{words}.*; write module:function"):
            duckmetrics.evaluate(RUN, TRUTH, path, **call)  # type: ignore[arg-type]


def test_rows_are_verified_with_a_function_of_the_user(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "of_rows.py").write_text(
        "def gap(rows, *, power):\n    return sum(abs(r.y - r.score) ** power for r in rows)\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    text = """-- name:   gap
-- inputs: predictions (label, score)
-- params: power DOUBLE DEFAULT 1.0
-- reference: of_rows:gap
-- range:  [0, inf), lower is better
SELECT system, segment, sum(abs(label - score) ** $power) AS value
FROM predictions
GROUP BY system, segment"""
    rows = {key: ROWS[key] for key in ("label", "score", "country")}
    found = duckmetrics.evaluate(rows, metrics=f"{write('gap', text)}(power=2)", by="country", verify=10)
    assert found["gap(power=2)"] == pytest.approx(0.01 + 0.16 + 0.16 + 0.49)
    assert [(one.compared, one.largest < 1e-12) for one in found.verified] == [(3, True)]


PLAIN = """def revenue(query, *, k=None):
    price = {row.item: row.columns["price"] for row in query.truth}
    found = [row.item for row in query.rows[:k] if row.item in price]
    return sum(map(price.get, found)) / sum(price.values()) if price else None

def profit(rows, *, threshold):
    return sum(r.y * r.columns["margin"] - 0.1 for r in rows if r.score >= threshold) / len(rows)

def shown(query):
    return sum(row.columns["more"] for row in query.rows)
"""
# The column has a name that SQL of ours could use.
SHOWN = """-- name:   shown
-- inputs: predictions (query_id, item_id, score, more)
-- range:  [0, inf), higher is better
SELECT system, query_id, sum(more) AS value FROM predictions GROUP BY system, query_id"""


def write_with_plain_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write three metrics that name a function; return their paths."""
    (folder / "plain.py").write_text(PLAIN)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "plain", raising=False)
    metrics = {"revenue": REVENUE, "profit": PROFIT, "shown": SHOWN}
    return [write(name, text.replace("-- range", f"-- reference: plain:{name}\n-- range"))
            for name, text in metrics.items()]  # fmt: skip


def test_a_function_gets_the_columns_that_a_metric_reads(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    revenue, profit, shown = write_with_plain_python(folder, monkeypatch)
    costs = {"query_id": ["q1", "q1", "q2"], "item_id": ["a", "b", "a"], "score": [1.0, 2.0, 3.0],
             "more": [1, 10, 100]}  # fmt: skip
    calls: list[tuple[dict[str, Any], int]] = [
        ({"predictions": RUN, "truth": TRUTH, "metrics": [f"{revenue}@1", revenue], "missing": "skip"}, 4),
        ({"predictions": costs, "truth": TRUTH, "metrics": shown, "missing": "skip"}, 4),
        ({"predictions": ROWS, "metrics": [profit, "auc"], "by": "country"}, 3),
    ]
    for call, compared in calls:
        found = duckmetrics.evaluate(**call, verify=10)
        assert {(one.compared, one.largest < 1e-12) for one in found.verified} == {(compared, True)}, call
    rows = {name: values * 200 for name, values in ROWS.items()}  # of which a sample is verified
    sampled = duckmetrics.evaluate(rows, metrics=profit, verify=1)
    assert [(one.recomputed, one.largest < 1e-12) for one in sampled.verified] == [(50, True)]
    write("profit", Path(profit).read_text("utf-8").replace("- 0.1", "- 0.2"))
    wrong = duckmetrics.evaluate(ROWS, metrics=profit, verify=10)
    assert "profit: 1 of 1 value" in " ".join(map(str, wrong.checks))
