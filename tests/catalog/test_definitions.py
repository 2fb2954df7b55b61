"""Every file under sql/ keeps the promises of its header."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

import duckmetrics
from duckmetrics.catalog.definition import KEYS, METRIC_FAMILIES, read_header
from duckmetrics.catalog.measure import (
    COPIED,
    CORRECTED,
    EXPONENTIAL,
    FACTS,
    POSITIONS,
    declaring,
    holds,
    parameter_of,
)
from duckmetrics.catalog.specs import parse_measure, parse_measures, parse_table
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked, macro
from duckmetrics.engines.plans import GROUPED, SORTED, planned
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import bind
from duckmetrics.inference.row_summary import EXTRAS
from duckmetrics.inputs.ranking import SIDE_INPUTS
from duckmetrics.reference import ranking as ranking_reference
from duckmetrics.reference.observation import Observation
from support import classification
from support.cases import (
    CATALOG,
    EVERY_RANKING,
    RANKING,
    ROOT,
    of_sample,
    open_case,
    ranking,
    specs_of,
    values_per_query,
)
from support.classification import METRICS, TABLES
from support.loops import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

    from duckmetrics.catalog.definition import Definition

EVERY = [
    *CATALOG.metrics.values(),
    *CATALOG.relations.values(),
    *CATALOG.aggregations.values(),
    *CATALOG.checks.values(),
    *CATALOG.inspections.values(),
]
# The metrics that have one value for rows, and not one for each query.
OF_ROWS = [metric for metric in CATALOG.metrics.values() if metric.family != "ranking"]
# Files of one engine: they need not be portable, and they read other inputs than the metrics do.
OF_DUCKDB = [
    *CATALOG.functions.values(), *CATALOG.statistics.values(), *CATALOG.count_checks.values(),
    *CATALOG.statistic_checks.values(), *CATALOG.aggregates.values(), *CATALOG.shell.values(),
    *CATALOG.sampling.values(),
]  # fmt: skip
EXTERNAL: dict[str, dict[str, tuple[str, ...]]] = {
    "ranking": {
        "predictions": (
            "system",
            "query_id",
            "item_id",
            "score",
            "exact_score",
            "position",
            "run",
            "own_columns",
        ),
        "truth": ("query_id", "item_id", "relevance", "own_columns"),
        "population": ("query_id",),
        "metric": ("system", "query_id", "value"),
        "terms": ("system", "query_id", "item", "place", "gain", "term"),
        "keyed": ("system", "query_id", "segment", "term"),
        "valued": ("system", "query_id", "missing", "no_relevant", "value", "weight"),
        "put_first": ("number", "item_id"),
        "items": ("item_id",),
        "history": ("query_id", "item_id", "timestamp"),
        "item_categories": ("item_id", "category"),
        "item_vectors": ("item_id", "dimension", "value"),
        "reference": ("query_id", "item_id", "score"),
        "cuts": ("query_id", "cut"),
        "known_queries": ("query_id",),
        "slopes": ("system", "segment", "item_id", "slope", "mean_slope"),
        "system_values": ("system", "segment", "value"),
        "query_values": ("system", "segment", "query_id", "value", "weight"),
        "query_ids": ("query_id", "id_text"),
        "shuffled_lists": ("system", "query_id"),
        "shuffled_values": ("system", "metric", "query_id", "value"),
        "valued_queries": ("system", "metric", "query_id", "value", "weight"),
        "given": ("system", "query_id", "metric", "value", "signature"),
        "computed": ("query_id",),
        "runs": (
            "run_time",
            "run_id",
            "release",
            "tags",
            "system",
            "metric",
            "slice",
            "segment",
            "value",
            "lower",
            "upper",
            "level",
            "n",
            "better",
            "target",
            "signature",
            "n_rows",
            "n_queries",
            "first_day",
            "last_day",
        ),
        "run_values": ("run_id",),
        "state_queries": ("state", "system", "query_id"),
        "summary": ("system", "segment", "value", "n_population", "n_no_relevant", "n_missing"),
    },
    "multiclass": {
        "class_rows": ("row_id", "actual", "class_names", "class_scores"),
        "predictions": (
            "system",
            "segment",
            "label",
            "score",
            "weight",
            "class",
            "actual",
            "place",
        ),
    },
    "classification": {
        "predictions": (
            "system",
            "segment",
            "label",
            "score",
            "exact_score",
            "weight",
            "group_id",
            "unit",
            "own_columns",
        ),
        "metric": ("system", "segment", "value", "n", "n_positive"),
        "summary": (
            "system",
            "segment",
            "value",
            "n",
            "counted",
            "n_positive",
            "is_binary",
            "undefined",
            "infinite",
        ),
    },
    "statistics": {
        "per_query": ("system", "metric", "query_id", "cluster_id", "value", "weight"),
        "ratios": ("arm", "numerator", "denominator"),
        "observations": ("arm", "value"),
        "arm_values": ("arm", "value", "cluster_id"),
        "categories": ("arm", "category"),
        "scores": ("system", "row_id", "label", "score"),
        "impressions": ("impression_id", "system", "clicked", "rank", "place", "cluster_id"),
        "members": ("system", "unit", "fingerprint"),
        "samples": ("system", "metric", "draw", "value"),
        "observed": ("system", "metric", "value"),
        "sizes": ("system", "metric", "n"),
        "units": (
            "system",
            "metric",
            "query_id",
            "value",
            "n_effective",
            "hits",
            "scale",
            "low",
            "high",
        ),
        "tested": (
            "system",
            "metric",
            "n",
            "baseline_mean",
            "mean",
            "delta",
            "se",
            "relative_change",
            "relative_upper",
            "statistic",
            "df",
            "p",
            "statistic_higher",
            "statistic_lower",
            "p_higher",
            "p_lower",
        ),
        "estimates": ("family", "slice", "estimate", "se", "df"),
    },
}
TABLE_KEYS = {"name", "title", "inputs", "grain", "formula", "source"}
METRIC_KEYS = {*TABLE_KEYS, "range", "oracle", "example"}
CHECK_KEYS = {"name", "title", "severity", "why", "for", "column", "inputs", "advice"}
SHARED = ("relations", "checks", "inspections", "aggregations")
RANGE = re.compile(r"[\[(](-?\d|-inf), (\d|inf)[\])], (higher|lower|closest to \d|neither) is better")
FUNCTION = re.compile(r"([a-z_]\w*)\s*\(")
# Outside the portable subset: other engines lack them, or sqlglot writes them with another meaning.
FORBIDDEN = (exp.ArrayAgg, exp.ApproxQuantile, exp.Quantile, exp.PercentileCont, exp.Round, exp.AnyValue,
             exp.Lambda, exp.Star)  # fmt: skip


def identity(definition: Definition) -> str:
    return f"{definition.family}/{definition.name}"


@pytest.fixture(params=EVERY_RANKING, ids=lambda metric: metric.name)
def metric(request: pytest.FixtureRequest) -> Definition:
    return request.param


@pytest.fixture(params=OF_ROWS, ids=identity)
def of_rows(request: pytest.FixtureRequest) -> Definition:
    return request.param


def tables_read(definition: Definition) -> set[str]:
    read = {t for d in (definition, *CATALOG.foundations(definition)) for t in d.tables}
    known = {*CATALOG.relations, *(name for _, name in CATALOG.metrics), "range"}
    return read - known


@pytest.mark.slow
@each("any_file", [*EVERY, *OF_DUCKDB], identity)
def test_no_step_has_the_name_of_a_table_that_is_read(any_file: Definition) -> None:
    sources = (source for scope in traverse_scope(any_file.query) for source in scope.sources.values())
    assert any_file.tables == {one.name for one in sources if isinstance(one, exp.Table) and one.name}


@each("any_file", [*EVERY, *OF_DUCKDB], identity)
def test_declared_inputs_are_the_tables_read(any_file: Definition) -> None:
    assert tables_read(any_file) == any_file.inputs.keys()


@each("definition", EVERY, identity)
def test_declared_columns_of_the_inputs_exist(definition: Definition) -> None:
    assert any(
        all(set(columns) <= set(tables.get(table, ())) for table, columns in definition.inputs.items())
        for family, tables in EXTERNAL.items() if definition.family in (family, *SHARED)
    ), definition.inputs  # fmt: skip


@each("any_file", [*EVERY, *OF_DUCKDB], identity)
def test_declared_parameters_are_the_placeholders_used(any_file: Definition) -> None:
    definition = any_file
    declared = definition.own_params.keys() | definition.switches.keys()
    if definition.family in (
        "checks",
        "inspections",
        "count_checks",
        "statistic_checks",
        "functions",
        "shell",
    ):
        assert definition.placeholders == declared
        return
    handed_on = {p for d in CATALOG.foundations(definition) for p in d.placeholders}
    inherited = {n for d in CATALOG.foundations(definition) for n in d.switches}
    assert definition.placeholders <= declared | inherited
    policies = {n for d in CATALOG.around(definition) for n in d.switches}
    assert declared <= definition.placeholders | handed_on | policies


@pytest.mark.slow
@each("definition", EVERY, identity)
def test_only_existing_columns_are_read(definition: Definition) -> None:
    """A file reads only the declared columns of inputs, and the columns of relations and metrics."""
    schema = {table: dict.fromkeys(columns, "DOUBLE") for table, columns in definition.inputs.items()}
    for relation in CATALOG.relations.values():
        schema[relation.name] = dict.fromkeys(relation.query.named_selects, "DOUBLE")
    for (family, name), known in CATALOG.metrics.items():
        if family == definition.family and name != definition.name:
            schema[name] = dict.fromkeys(known.query.named_selects, "DOUBLE")
    query = definition.query.copy()
    for table in list(query.find_all(exp.Table)):
        if isinstance(table.this, exp.GenerateSeries):  # range(...) AS slots(position)
            (column,) = table.alias_column_names
            table.replace(sqlglot.parse_one(f"(SELECT 1 AS {column})").as_(table.alias))
    qualify(query, schema=schema, dialect="duckdb")


@each("metric", EVERY_RANKING, identity)
def test_the_grain_names_the_other_columns(metric: Definition) -> None:
    assert [*metric.grain, "value"] == metric.query.named_selects


@each("of_rows", OF_ROWS, identity)
def test_the_grain_and_what_may_stand_beside_a_value(of_rows: Definition) -> None:
    columns = of_rows.query.named_selects
    assert columns[:3] == [*of_rows.grain, "value"] == ["system", "segment", "value"]
    assert set(columns[3:]) <= set(EXTRAS)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_grain_of_a_table_is_among_its_columns(table: Definition) -> None:
    columns = table.query.named_selects
    assert columns[:2] == ["system", "segment"]
    assert set(table.grain) <= set(columns)
    assert len(set(columns)) == len(columns)


def test_every_metric_of_rankings_is_in_a_group_of_several() -> None:
    groups = [metric.group for (family, _), metric in CATALOG.metrics.items() if family == "ranking"]
    assert "" not in groups
    assert [group for group in {*groups} if groups.count(group) < 2] == []


def test_a_metric_declares_what_readers_need() -> None:
    for metric in CATALOG.metrics.values():
        assert metric.header.keys() >= METRIC_KEYS, metric.path
        assert RANGE.fullmatch(metric.header["range"]), metric.path
    for table in TABLES:
        assert table.header.keys() >= TABLE_KEYS, table.path
        assert not table.header.keys() & {"range", "example"}, table.path
    for check in (*CATALOG.checks.values(), *CATALOG.inspections.values()):
        assert check.header.keys() >= CHECK_KEYS, check.path
        known = {
            *EXTERNAL,
            "weight",
            *CATALOG.relations,
            *(name for _, name in CATALOG.metrics),
            *SIDE_INPUTS,
        }
        if check.family == "inspections":
            known |= {*(one.reported for one in CATALOG.checks.values()), "missing_query", "unanswered_query"}
        assert set(check.header["for"].split(", ")) <= known, check.path
        assert check.header["severity"] in ("error", "warning", "note"), check.path
        assert check.header.get("reported") != check.name, check.path
        assert check.path.parent.name in METRIC_FAMILIES, check.path


def test_facts_depend_on_one_parameter_of_their_file() -> None:
    for fact in FACTS:
        for definition in declaring(CATALOG, fact):
            params = definition.own_params.keys() | definition.switches.keys()
            assert parameter_of(CATALOG, fact) in params, definition.path
    declared = {fact for definition in (*EVERY, *OF_DUCKDB) for fact in definition.facts}
    assert declared == FACTS.keys()


@pytest.mark.parametrize(
    ("fact", "spec", "other"),
    [
        (POSITIONS, "ndcg(ties=input)@10", "ndcg@10"),
        (POSITIONS, "mrr(ties=input)", "mrr(ties=optimistic)"),
        (EXPONENTIAL, "ndcg(gain=exp2)", "recall@5"),
        (EXPONENTIAL, "dcg(gain=exp2)@5", "dcg(gain=binary)@5"),
        (COPIED, "recall(duplicates=count)@5", "recall(duplicates=first)@5"),
        (CORRECTED, "recall(catalog_size=100)@5", "recall@5"),
    ],
)
def test_a_fact_holds_under_its_condition(fact: str, spec: str, other: str) -> None:
    assert holds(CATALOG, fact, parse_measure(CATALOG, spec))
    assert not holds(CATALOG, fact, parse_measure(CATALOG, other))
    assert not holds(CATALOG, fact, parse_measure(CATALOG, "auc"))


def test_an_unknown_fact_is_refused() -> None:
    with pytest.raises(DefinitionError, match="unheard depends on 0 parameters"):
        parameter_of(CATALOG, "unheard")


def test_no_two_checks_report_the_same_name() -> None:
    names = [check.reported for check in (*CATALOG.checks.values(), *CATALOG.inspections.values())]
    assert len(set(names)) == len(names)


def test_a_metric_has_a_reference_function_and_the_other_way_round() -> None:
    assert {metric.name for metric in RANKING} == set(ranking_reference.__all__) & {m.name for m in RANKING}
    assert {name for name in ranking_reference.__all__ if name.islower()} == {
        metric.name for metric in RANKING
    }


@each("definition", EVERY, identity)
def test_sqlglot_spells_every_function_as_the_file_does(definition: Definition) -> None:
    text = "\n".join(line for line in definition.text.lower().splitlines() if not line.startswith("--"))
    written = definition.query.sql("duckdb").lower()
    assert sorted(set(FUNCTION.findall(text))) == sorted(set(FUNCTION.findall(written)))


def is_number_reached(node: exp.Expr) -> bool:
    """Return whether a lambda is that of ``length(list_filter($edges, lambda e: e <= p))``: it is folded."""
    listed = node.parent
    of_param = isinstance(listed, exp.ArrayFilter) and isinstance(listed.this, exp.Placeholder)
    return isinstance(node, exp.Lambda) and of_param and isinstance(listed.parent, exp.Length)


@each("definition", EVERY, identity)
def test_only_portable_constructs_are_used(definition: Definition) -> None:
    if definition.header.get("portable", "").startswith("no, "):
        return
    for node in definition.query.walk():
        is_fine = isinstance(node.parent, exp.Count) or is_number_reached(node)
        assert not isinstance(node, FORBIDDEN) or is_fine, node.sql()
        assert not (isinstance(node, exp.Log) and node.expression is None), "one-argument log"
        if isinstance(node, exp.Div):
            assert not re.search(r"\bint(eger)?\b", node.sql().lower())


@each("definition", EVERY, identity)
def test_windows_are_total_or_tie_aware(definition: Definition) -> None:
    """A row_number without an order, or with an order by the score alone, depends on chance."""
    for window in definition.query.find_all(exp.Window):
        if isinstance(window.this, exp.RowNumber):
            assert window.args.get("order") is not None


@each("any_file", [*EVERY, *OF_DUCKDB], identity)
def test_a_file_is_readable(any_file: Definition) -> None:
    lines = any_file.text.splitlines()
    assert max(map(len, lines)) <= 120
    assert any_file in OF_DUCKDB or sum(not line.startswith("--") for line in lines) <= 60


def example_of(definition: Definition) -> tuple[str, float]:
    """Return the example of a header as a spec, and its value."""
    call, value = definition.header["example"].rsplit("=", 1)
    name, arguments = re.fullmatch(r"(\w+)\((.*)\) ", call).groups()  # type: ignore[union-attr]
    given = dict(part.split(" := ") for part in arguments.split(", ") if part)
    k = given.pop("k", None)
    text = ", ".join(f"{n}={v}" for n, v in given.items())
    return f"{definition.family}.{name}({text})" + (f"@{k}" if k else ""), float(value)


@pytest.mark.some(1)
def test_the_example_holds(metric: Definition) -> None:
    spec, value = example_of(metric)
    result = duckmetrics.evaluate("predictions", metrics=[spec], **of_sample("ranking"))
    assert result[spec] == pytest.approx(value, abs=1e-5)


@cache
def examples_of_rows(family: str) -> duckmetrics.Evaluation:
    specs = [example_of(metric)[0] for metric in OF_ROWS if metric.family == family]
    return duckmetrics.evaluate("predictions", metrics=specs, **of_sample(family))


@pytest.mark.some(8)
def test_the_example_of_rows_holds(of_rows: Definition) -> None:
    spec, value = example_of(of_rows)
    assert of_rows.name == spec.partition(".")[2].partition("(")[0]
    assert examples_of_rows(of_rows.family)[spec] == pytest.approx(value, abs=5.0001e-7)


@each("metric", RANKING, identity)
def test_a_measure_is_written_as_it_is_read(metric: Definition) -> None:
    for spec in specs_of(metric):
        canonical = str(parse_measure(CATALOG, spec, meant=ranking))
        assert str(parse_measure(CATALOG, canonical)) == canonical


@each("of_rows", METRICS, identity)
def test_a_measure_of_rows_is_written_as_it_is_read(of_rows: Definition) -> None:
    for spec in classification.specs_of(of_rows):
        measure = parse_measure(CATALOG, spec)
        again = parse_measure(CATALOG, str(measure))
        assert (str(again), again.params) == (str(measure), measure.params)


@pytest.mark.slow
@each("metric", RANKING, identity)
def test_a_smaller_depth_changes_no_value(metric: Definition) -> None:
    """The header declares the depth that the metric needs; a deeper ranking changes nothing."""
    deep = "bpref" if metric.name == "r_precision" else "r_precision"
    by_depth: dict[int | None, list[str]] = {}
    for spec in specs_of(metric, (1, 2)):
        by_depth.setdefault(parse_measure(CATALOG, spec, meant=ranking).depth, []).append(spec)
    for case in ("ties", "graded", "duplicates", "unjudged"):
        connection = open_case(case)
        for specs in by_depth.values():
            alone = values_per_query(connection, specs, duplicates="count")
            together = values_per_query(connection, [*specs, deep], duplicates="count")
            for spec in specs:
                assert alone[spec] == together[spec], spec


@pytest.mark.some(2)
@pytest.mark.parametrize("case", ["sample", "ties", "nothing_retrieved", "graded", "unicode_ids"])
def test_the_files_run_as_they_stand(metric: Definition, case: str) -> None:
    """Each relation as a table, then the metric with bound parameters, gives the composed values."""
    (measure,) = parse_measures(CATALOG, [specs_of(metric, (2,))[0]], meant=ranking)
    connection = open_case(case)
    connection.execute("CREATE TABLE population AS SELECT DISTINCT query_id FROM truth")
    raw = run_as_it_stands(connection, metric, {**measure.values, "depth": None}, set())
    if metric.is_of_systems:
        # Metrics that read no truth count all answered queries, unless the population is named.
        text = duckmetrics.sql([str(measure)], system="system", population="truth")
        composed = connection.execute(text).fetchall()
        known = {system: value for (system, _), value in raw.items() if value is not None}
        assert {row[0]: row[2] for row in composed if row[2] is not None} == known
        return
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
        keys = ", ".join(definition.grain)
        result = connection.execute(f"SELECT {keys}, value FROM {definition.name}")
        return {(system, key): value for system, key, value in result.fetchall()}
    return None


@pytest.fixture(scope="module")
def every_case() -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[int, list[Observation]]]]:
    """Return the canonical input of classification, a segment per case, and its rows for the reference."""
    names = classification.PROBABILITIES
    with classification.open_together(names) as connection:
        numbers = ", ".join(f"('{name}', {i})" for i, name in enumerate(names))
        connection.execute(
            f"""CREATE OR REPLACE TABLE predictions AS
            SELECT 'A' AS system, segment, label, score, weight, group_id
            FROM predictions JOIN (VALUES {numbers}) AS _(name, segment) USING (name)"""
        )
        for function in linked(CATALOG, calling_everything())[1]:
            connection.execute(unprefixed(function).sql("duckdb"))
        rows: dict[int, list[Observation]] = {}
        columns = "segment, label, score, weight, group_id"
        for segment, *row in connection.execute(f"SELECT {columns} FROM predictions").fetchall():
            rows.setdefault(segment, []).append(Observation(*row))
        yield connection, rows


def calling_everything() -> exp.Select:
    """Return a query that calls every function that a file of classification calls."""
    names = set()
    for definition in (*METRICS, *TABLES):
        names |= {call.name.lower() for call in definition.query.find_all(exp.Anonymous)}
    calls = [f"{name}(1)" for name in sorted(names & CATALOG.functions.keys())]
    return sqlglot.parse_one(f"SELECT {', '.join(calls)}", dialect="duckdb")  # type: ignore[return-value]


def unprefixed(function: exp.Create) -> exp.Create:
    name = function.this.this.name.removeprefix("duckmetrics_")
    return macro(CATALOG, CATALOG.functions[name], prefix="")


@pytest.mark.some(13)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("definition", [*METRICS, *TABLES], ids=lambda definition: definition.name)
def test_the_files_of_rows_run_as_they_stand(every_case: Any, definition: Definition, weighted: bool) -> None:
    """Functions as macros, relations as tables, then the file, give the values of the reference."""
    connection, rows = every_case
    parse = parse_table if definition.is_table else parse_measure
    measure = parse(CATALOG, classification.plain_spec(definition))
    own = measure.values["weighted"]
    values = {"weighted": weighted if own is None else own}
    for plan in (SORTED, GROUPED) if planned(CATALOG, measure) and not weighted else (GROUPED,):
        create_as_it_stands(connection, definition, {**measure.values, **values, "plan": plan}, set())
        found = rows_by_segment(connection, definition)
        for segment, those in rows.items():
            expected = classification.reference(measure, classification.weigh(those, measure, weighted))
            actual = found.get(segment, [])
            if not definition.is_table:
                expected = [] if expected is None and not actual else [{"value": expected}]
            assert len(actual) == len(expected), segment
            for row, other in zip(actual, expected, strict=True):
                for column, value in other.items():
                    assert same_number(row[column], value), (segment, column)


def same_number(found: Any, expected: Any) -> bool:
    """Compare two numbers; NaN and infinities become NULL only when they are reported."""
    unreported = isinstance(found, float) and expected is None and abs(found) == float("inf")
    return unreported or classification.same(found, expected)


def create_as_it_stands(
    connection: duckdb.DuckDBPyConnection, definition: Definition, values: dict[str, Any], done: set[str]
) -> None:
    """Create the inputs of a file, with its own defaults, then the file, each as a table of its name."""
    known = {n: p.default for n, p in {**definition.own_params, **definition.switches}.items()} | values
    for source in CATALOG.sources(definition):
        if source.name not in done:
            done.add(source.name)
            create_as_it_stands(connection, source, known, done)
    bound = {name: known[name] for name in definition.placeholders}
    text = definition.text.rstrip().rstrip(";")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {definition.name} AS {text}", bound)


def rows_by_segment(connection: duckdb.DuckDBPyConnection, definition: Definition) -> dict[int, list[Any]]:
    ordered = " ORDER BY group_id" if definition.grain[-1] == "group_id" else ""
    result = connection.execute(f"SELECT * FROM {definition.name}{ordered}")
    names = [column[0] for column in result.description]
    found: dict[int, list[Any]] = {}
    for values in result.fetchall():
        row = dict(zip(names, values, strict=True))
        found.setdefault(row["segment"], []).append(row)
    return found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-- name: x\n-- titel: y\nSELECT 1", "x.sql:2: unknown key 'titel'; did you mean 'title'?"),
        ("-- name: x\n-- name: x\nSELECT 1", "x.sql:2: 'name' is declared twice"),
        ("-- name: y\nSELECT 1", "x.sql:1: the name must be 'x'"),
        ("-- name: x\n--title: y\nSELECT 1", "x.sql:2: '--title: y' is not a header line"),
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
