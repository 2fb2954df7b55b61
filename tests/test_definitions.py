"""Every file under sql/ keeps the promises its header makes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import sqlglot
from conftest import CATALOG, RANKING, ROOT, open_case, ranking, specs_of, values_per_query
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

import duckmetrics
from duckmetrics.compose import Composer
from duckmetrics.errors import DefinitionError
from duckmetrics.fold import bind
from duckmetrics.header import KEYS, read_header
from duckmetrics.measure import parse_measure, parse_measures
from duckmetrics.reference import ranking as ranking_reference

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics.catalog import Definition

EVERY = [
    *CATALOG.metrics.values(),
    *CATALOG.relations.values(),
    *CATALOG.aggregations.values(),
    *CATALOG.checks.values(),
]
EXTERNAL = {
    "predictions": ("system", "query_id", "item_id", "score", "position"),
    "truth": ("query_id", "item_id", "relevance"),
    "population": ("query_id",),
    "metric": ("system", "query_id", "value"),
    "query_values": ("system", "segment", "query_id", "value"),
}
METRIC_KEYS = {"name", "title", "inputs", "grain", "range", "formula", "source", "oracle", "example"}
FUNCTION = re.compile(r"([a-z_]\w*)\s*\(")
# Not part of the portable subset: other engines lack them, or sqlglot writes them with another meaning.
FORBIDDEN = (exp.ArrayAgg, exp.ApproxQuantile, exp.Quantile, exp.PercentileCont, exp.Round, exp.AnyValue,
             exp.Lambda, exp.Star)  # fmt: skip


@pytest.fixture(params=EVERY, ids=lambda d: f"{d.family}/{d.name}")
def definition(request: pytest.FixtureRequest) -> Definition:
    return request.param


@pytest.fixture(params=RANKING, ids=lambda metric: metric.name)
def metric(request: pytest.FixtureRequest) -> Definition:
    return request.param


def tables_read(definition: Definition) -> set[str]:
    read = {t for d in (definition, *CATALOG.foundations(definition)) for t in d.tables}
    known = {*CATALOG.relations, *(name for _, name in CATALOG.metrics), "range"}
    return read - known


def test_declared_inputs_are_the_tables_read(definition: Definition) -> None:
    assert tables_read(definition) == definition.inputs.keys()


def test_declared_columns_of_the_inputs_exist(definition: Definition) -> None:
    for table, columns in definition.inputs.items():
        assert set(columns) <= set(EXTERNAL[table]), table


def test_declared_parameters_are_the_placeholders_used(definition: Definition) -> None:
    declared = definition.own_params.keys() | definition.switches.keys()
    if definition.family == "checks":
        assert definition.placeholders == declared
        return
    handed_on = {p for d in CATALOG.foundations(definition) for p in d.placeholders}
    inherited = {n for d in CATALOG.foundations(definition) for n in d.switches}
    assert definition.placeholders <= declared | inherited
    assert declared <= definition.placeholders | handed_on | {"missing", "no_relevant"}


def test_only_existing_columns_are_read(definition: Definition) -> None:
    schema: dict[str, dict[str, str]] = {t: dict.fromkeys(c, "DOUBLE") for t, c in EXTERNAL.items()}
    for relation in CATALOG.relations.values():
        schema[relation.name] = dict.fromkeys(relation.query.named_selects, "DOUBLE")
    for name in (n for f, n in CATALOG.metrics if f == definition.family):
        schema[name] = dict.fromkeys(("system", "query_id", "value"), "DOUBLE")
    query = definition.query.copy()
    for table in list(query.find_all(exp.Table)):
        if isinstance(table.this, exp.GenerateSeries):  # range(...) AS slots(position)
            table.replace(sqlglot.parse_one("(SELECT 1 AS position)").as_("slots"))
    qualify(query, schema=schema, dialect="duckdb")


def test_the_grain_names_the_other_columns(metric: Definition) -> None:
    assert [*metric.grain, "value"] == metric.query.named_selects


def test_a_metric_declares_what_readers_need(metric: Definition) -> None:
    assert metric.header.keys() >= METRIC_KEYS
    assert re.fullmatch(r"\[\d, (\d|inf)[\])], (higher|lower) is better", metric.header["range"])


def test_a_metric_has_a_reference_function_and_the_other_way_round() -> None:
    assert {metric.name for metric in RANKING} == set(ranking_reference.__all__) & {m.name for m in RANKING}
    assert {name for name in ranking_reference.__all__ if name.islower()} == {
        metric.name for metric in RANKING
    }


def test_sqlglot_spells_every_function_as_the_file_does(definition: Definition) -> None:
    text = "\n".join(line for line in definition.text.lower().splitlines() if not line.startswith("--"))
    written = definition.query.sql("duckdb").lower()
    assert sorted(set(FUNCTION.findall(text))) == sorted(set(FUNCTION.findall(written)))


def test_only_portable_constructs_are_used(definition: Definition) -> None:
    for node in definition.query.walk():
        assert not isinstance(node, FORBIDDEN) or isinstance(node.parent, exp.Count), node.sql()
        assert not (isinstance(node, exp.Log) and node.expression is None), "one-argument log"
        if isinstance(node, exp.Div):
            assert "int" not in node.sql().lower()


def test_windows_are_total_or_tie_aware(definition: Definition) -> None:
    """A row_number without an order, or ordered by the score alone, would be a coin toss."""
    for window in definition.query.find_all(exp.Window):
        if isinstance(window.this, exp.RowNumber):
            assert window.args.get("order") is not None


def test_a_file_is_readable() -> None:
    for definition in EVERY:
        lines = definition.text.splitlines()
        assert max(map(len, lines)) <= 120, definition.path
        assert sum(not line.startswith("--") for line in lines) <= 60, definition.path


def test_the_example_holds(metric: Definition) -> None:
    call, value = metric.header["example"].rsplit("=", 1)
    name, arguments = re.fullmatch(r"(\w+)\((.*)\) ", call).groups()  # type: ignore[union-attr]
    given = dict(part.split(" := ") for part in arguments.split(", ") if part)
    k = given.pop("k", None)
    text = ", ".join(f"{n}={v}" for n, v in given.items())
    spec = f"{name}({text})" + (f"@{k}" if k else "")
    result = duckmetrics.evaluate("predictions", "truth", [spec], connection=open_case("sample"))
    assert result[spec] == pytest.approx(float(value), abs=1e-5)


def test_a_measure_is_written_as_it_is_read(metric: Definition) -> None:
    for spec in specs_of(metric):
        canonical = str(parse_measure(CATALOG, spec, meant=ranking))
        assert str(parse_measure(CATALOG, canonical)) == canonical


def test_a_smaller_depth_changes_no_value(metric: Definition) -> None:
    """The header says how deep a ranking the metric needs; ranking deeper must change nothing."""
    for case in ("ties", "graded", "duplicates", "unjudged"):
        connection = open_case(case)
        for spec in specs_of(metric, (1, 2)):
            alone = values_per_query(connection, [spec], duplicates="count")[spec]
            deep = "bpref" if metric.name == "r_precision" else "r_precision"
            beside = values_per_query(connection, [spec, deep], duplicates="count")[spec]
            assert alone == beside, spec


@pytest.mark.parametrize("case", ["sample", "ties", "nothing_retrieved", "graded", "unicode_ids"])
def test_the_files_run_as_they_stand(metric: Definition, case: str) -> None:
    """Relations first, each as a table, then the metric with bound parameters: the composed values."""
    (measure,) = parse_measures(CATALOG, [specs_of(metric, (2,))[0]], meant=ranking)
    connection = open_case(case)
    connection.execute("CREATE TABLE population AS SELECT DISTINCT query_id FROM truth")
    raw = run_as_it_stands(connection, metric, {**measure.values, "depth": None}, set())
    query, columns = Composer(CATALOG).per_query([measure])
    composed = connection.execute(query.sql("duckdb"))
    names = [column[0] for column in composed.description]
    rows = [dict(zip(names, row, strict=True)) for row in composed.fetchall()]
    for row in rows:
        key = row["system"], row["query_id"]
        if key in raw and not row["missing"] and not row[columns[0].no_relevant]:
            assert row[columns[0].value] == raw[key]
    assert raw


def run_as_it_stands(connection, definition, values, done):  # type: ignore[no-untyped-def]
    for source in CATALOG.sources(definition):
        if source.name not in done:
            done.add(source.name)
            passed = {**{n: p.default for n, p in CATALOG.params(source).items()}, **values} if (
                source.family == "ranking") else values  # fmt: skip
            declared = set(source.own_params)
            inner = {n: v for n, v in passed.items() if source.family != "ranking" or n in declared
                     or n not in definition.own_params}  # fmt: skip
            run_as_it_stands(connection, source, inner, set() if source.family == "ranking" else done)
    known = {n: p.default for n, p in {**definition.own_params, **definition.switches}.items()} | values
    bound = {name: known[name] for name in definition.placeholders}
    text = definition.text.rstrip().rstrip(";")
    result = connection.execute(f"CREATE OR REPLACE TEMP TABLE {definition.name} AS {text}", bound)
    if definition.family == "ranking":
        result = connection.execute(f"SELECT system, query_id, value FROM {definition.name}")
        return {(system, query_id): value for system, query_id, value in result.fetchall()}
    return None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-- name: x\n-- titel: y\nSELECT 1", "x.sql:2: unknown key 'titel'; did you mean 'title'?"),
        ("-- name: x\n-- name: x\nSELECT 1", "x.sql:2: 'name' is declared twice"),
        ("-- name: y\nSELECT 1", "x.sql:1: the name must be 'x'"),
        ("-- name: x\n--title: y\nSELECT 1", "x.sql:2: '--title: y' is no header line"),
    ],
)
def test_a_wrong_header_is_told_by_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.sql").write_text(text)
    with pytest.raises(DefinitionError, match=re.escape(message)):
        read_header(tmp_path / "x.sql")


def test_every_header_key_is_explained() -> None:
    assert all(KEYS.values())
    assert (ROOT / "sql/ranking/ndcg.sql").exists()


def test_a_comment_of_a_file_stands_in_the_query_that_runs() -> None:
    query = sqlglot.parse_one("SELECT a + 1 /* why */ AS b FROM t WHERE $k = 1", dialect="duckdb")
    assert bind(query, {"k": 1}).sql("duckdb") == "SELECT a + 1 /* why */ AS b FROM t"
