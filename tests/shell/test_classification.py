"""Macros of classification give the values of the Python API, up to the last digits of a sum."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

import duckmetrics
from duckmetrics import DuckmetricsError, MetricError
from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.measure import condition_in_words
from duckmetrics.catalog.presets import presets
from duckmetrics.catalog.specs import parse_measure, parse_table
from support.bad_rows import CASES as REFUSED
from support.bad_rows import TABLES as ROWS
from support.cases import CATALOG
from support.classification import (
    APART,
    CASES,
    EVERY,
    EVERY_ANY_SCORE,
    FAMILY,
    METRICS,
    NUMBERS,
    PLAIN,
    PROBABILITIES,
    REQUIRED,
    TABLES,
    UNBOUNDED,
    of_any_score,
    plain_spec,
    reads,
    specs_of,
    takes_any_score,
)
from support.duckdb_shell import CommandLine, connected, same, unweighted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics import Evaluation
    from duckmetrics.catalog.definition import Definition, Param
    from duckmetrics.catalog.measure import Measure

pytestmark = pytest.mark.engine

Row = dict[str, Any]
SEVERAL = "evaluate_classification"
COLUMNS = (
    "system", "metric", "slice", "segment", "value", "lower", "upper", "reason", "n", "n_undefined",
    "n_positive", "better", "target", "signature",
)  # fmt: skip
GROUP = "group_id"
MARK = "duckmetrics: "
# Every name of a metric, and its macro.
NAMES = {name: alias for (family, name), alias in CATALOG.names.items() if family == FAMILY}
MACROS = {name: alias.metric.macros.get(name, name) for name, alias in NAMES.items()}
WEIGHTED = pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "unweighted"])


# --- data ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    """Create the macros, and a schema for every set of tables; one thread is enough for a hundred rows."""
    with connected() as connection:
        connection.execute("SET threads = 1")
        for name, path in CASES.items():
            connection.execute(f"CREATE SCHEMA {name}; USE {name}; {path.read_text('utf-8')}")
        for name, cases in (("probabilities", PROBABILITIES), ("unbounded", UNBOUNDED)):
            parts = [
                f"SELECT '{case}' AS name, label::DOUBLE AS label, score::DOUBLE AS score, "
                f"{weight_of(case)}::DOUBLE AS weight, group_id::VARCHAR AS group_id FROM {case}.predictions"
                for case in cases
            ]
            created = f"CREATE TABLE {name}.predictions AS {' UNION ALL '.join(parts)}"
            connection.execute(f"CREATE SCHEMA {name}; {created}")
        connection.execute(f"USE slices; {SLICES}; CREATE SCHEMA wrong; USE wrong")
        for name, query in ROWS.items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        yield connection


def weight_of(case: str) -> str:
    return "w" if case == "sample" else "weight"


def using(connection: duckdb.DuckDBPyConnection, schema: str) -> duckdb.DuckDBPyConnection:
    """Return the connection with this schema as the current one."""
    connection.execute(f"USE {schema}")
    return connection


@pytest.fixture
def probabilities(session: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return the connection with all cases of probabilities, which the column `name` distinguishes."""
    return using(session, "probabilities")


@pytest.fixture
def unbounded(session: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return the connection with all cases of other scores."""
    return using(session, "unbounded")


@pytest.fixture
def slices(session: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return the connection with the case that has columns to slice by."""
    return using(session, "slices")


@pytest.fixture
def connection(session: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return the connection with tables that have one mistake each."""
    return using(session, "wrong")


SLICES = """CREATE OR REPLACE TABLE predictions AS SELECT
    *, CASE WHEN row_number % 2 = 1 THEN upper(country) END AS odd
    FROM (SELECT *, row_number() OVER () AS row_number FROM predictions)"""


# --- macros ----------------------------------------------------------------------------------------


def written(value: Any) -> str:
    """Write a value of a parameter as SQL."""
    if isinstance(value, tuple):
        return repr([*value])
    return "NULL" if value is None else quoted(value) if isinstance(value, str) else repr(value)


def quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def given(measure: Measure) -> dict[str, str]:
    """Return the parameters of a spec that a macro needs, by the names that a user writes."""
    own = measure.metric.own_params
    told = {name: measure.values[name] for name, param in own.items()
            if param.required or measure.values[name] != param.default}  # fmt: skip
    return {name: written(value) for name, value in told.items()}


def has_group(definition: Definition) -> bool:
    return GROUP in definition.inputs["predictions"]


def has_weight(definition: Definition) -> bool:
    """Return whether a metric counts weights, or a table does."""
    parse = parse_table if definition.is_table else parse_measure
    return parse(CATALOG, plain_spec(definition)).values.get("weighted", False) is not False


def called(
    macro: str, arguments: Mapping[str, str], data: str = "predictions", group: str | None = None, **more: str
) -> str:
    """Write a call by the names of the parameters; label and score are columns of these names."""
    named = {**({GROUP: group} if group else {}), **arguments, **more}
    if "weight" not in more:
        data = unweighted(data)
    passed = [quoted(data), "label", "score", *(f'"{name}" := {value}' for name, value in named.items())]
    return f"FROM {macro}({', '.join(passed)})"


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    result = connection.execute(sql)
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def options(measure: Measure, weight: str | None, per: str | None, group: str = GROUP) -> dict[str, str]:
    """Return the arguments of a macro other than the parameters of the metric."""
    told = {"weight": weight if has_weight(measure.metric) else None, "per": per,
            "group": group if has_group(measure.metric) else None}  # fmt: skip
    return {name: value for name, value in told.items() if value is not None}


class Shared(NamedTuple):
    """Specs that fit into one call: a parameter has one value, and each metric occurs once."""

    values: dict[str, Any]
    arguments: dict[str, str]
    specs: dict[str, str]


def packed(specs: Iterable[str]) -> list[Shared]:
    """Group specs into as few calls as their parameters allow."""
    calls: list[Shared] = []
    for spec in specs:
        measure = parse_measure(CATALOG, spec)
        own = {name: measure.values[name] for name in measure.metric.own_params}
        for call in calls:
            agree = all(call.values.get(name, value) == value for name, value in own.items())
            if agree and measure.metric.name not in call.specs:
                break
        else:
            call = Shared({}, {}, {})
            calls.append(call)
        call.values.update(own)
        call.arguments.update(given(measure))
        call.specs[measure.metric.name] = spec
    return calls


def listed(names: Iterable[str]) -> str:
    return f"[{', '.join(map(repr, names))}]"


# --- Python ----------------------------------------------------------------------------------------


def evaluation(
    connection: duckdb.DuckDBPyConnection,
    specs: Sequence[str],
    weighted: bool,
    data: str = "predictions",
    **more: Any,
) -> Evaluation:
    """Evaluate in Python, in another session of the same database than that of the macros."""
    switches: dict[str, Any] = {} if weighted else {"weighted": False}
    (schema,) = connection.execute("SELECT current_schema()").fetchall()[0]
    other = using(connection.cursor(), schema)
    return duckmetrics.evaluate(data, None, specs, connection=other, **switches, **more)


def expected(result: Evaluation, specs: Mapping[str, str], by: Sequence[str] = ()) -> list[Row]:
    """Return the rows of a slicing, as a macro shows them: by segment, then in the order of the specs.

    Args:
        specs: the metric as the macro names it -> its spec in the evaluation.
    """
    found: dict[Any, dict[str, Row]] = {}
    for row in result.rows:
        if result.groupings[row["slice"]] == tuple(by):
            segment = tuple(row[column] for column in by)
            found.setdefault(segment, {})[row["metric"]] = row
    return [
        {**{c: of[spec][c] for c in COLUMNS if c != "segment"}, "metric": name,
         "segment": _segment(segment, by), "slice": "segment" if by else ""}
        for segment, of in found.items() for name, spec in specs.items()
    ]  # fmt: skip


def _segment(segment: tuple[Any, ...], by: Sequence[str]) -> Any:
    """Return a slice as one value: the value of one column, or a struct of several."""
    if len(by) < 2:
        return segment[0] if by else None
    return dict(zip(by, segment, strict=True))


def table_rows(result: Evaluation, spec: str, by: Sequence[str] = ()) -> list[Row]:
    """Return the rows of a table of a slicing, as a macro shows them."""
    rows = []
    for row in result.table(spec).to_pylist():
        if row.pop("slice", "") == ",".join(by):
            segment = _segment(tuple(row[column] for column in by), by)
            rows.append({"segment": segment, **{n: v for n, v in row.items() if n not in result.by}})
    return rows


def differences(
    sql: str, found: list[Row], wanted: list[Row], columns: Sequence[str] | None = None
) -> list[str]:
    """Return where the rows of a macro differ from the expected ones; slices have a column `segment`."""
    if columns is None:
        columns = [name for name in COLUMNS if name != "segment" or '"per" :=' in sql]
    if len(found) != len(wanted):
        return [f"{sql}: {len(found)} rows, should be {len(wanted)}"]
    wrong = []
    for i, (row, other) in enumerate(zip(found, wanted, strict=True)):
        assert tuple(row) == tuple(columns), sql
        for name in columns:
            if not same(row[name], other[name]):
                about = f"{other['segment']}, {other.get('metric', f'row {i}')}"
                wrong.append(f"{sql}: {about}: {name} is {row[name]!r}, should be {other[name]!r}")
    return wrong


def of_metrics(
    connection: duckdb.DuckDBPyConnection,
    result: Evaluation,
    specs: Iterable[str],
    weight: str | None,
    by: Sequence[str] = (),
    per: str | None = None,
    **more: str,
) -> list[str]:
    """Return where a macro that computes several metrics differs from an evaluation."""
    wrong = []
    for call in packed(specs):
        told = {"metrics": listed(call.specs), GROUP: GROUP, **({"weight": weight} if weight else {}),
                **({"per": per} if per else {}), **more}  # fmt: skip
        sql = called(SEVERAL, call.arguments, **told)
        wanted = expected(result, call.specs, by)
        wrong += differences(sql, rows_of(connection, sql), wanted)
    return wrong


def of_one(
    connection: duckdb.DuckDBPyConnection,
    result: Evaluation,
    name: str,
    measure: Measure,
    weight: str | None,
    by: Sequence[str] = (),
    per: str | None = None,
    **more: str,
) -> list[str]:
    """Return where the macro of a name differs from an evaluation."""
    bound = NAMES[name].bound
    arguments = {n: v for n, v in given(measure).items() if n not in bound}
    sql = called(MACROS[name], arguments, **options(measure, weight, per), **more)
    # The macro shows the name that the metric has in Python; two names may have one macro.
    shown = next(n for n in MACROS if MACROS[n] == MACROS[name])
    wanted = expected(result, {shown: measure.text}, by)
    return differences(sql, rows_of(connection, sql), wanted)


def of_table(
    connection: duckdb.DuckDBPyConnection,
    result: Evaluation,
    spec: str,
    weight: str | None,
    by: Sequence[str] = (),
    per: str | None = None,
    **more: str,
) -> list[str]:
    """Return where the macro of a table differs from the table of an evaluation."""
    measure = parse_table(CATALOG, spec)
    sql = called(measure.metric.name, given(measure), **options(measure, weight, per), **more)
    columns = [c for c in measure.metric.query.named_selects if c not in ("system", "segment")]
    columns = ["segment", *columns] if per else columns
    return differences(sql, rows_of(connection, sql), table_rows(result, spec, by), columns)


# --- the cases -------------------------------------------------------------------------------------


@pytest.mark.slow
@WEIGHTED
def test_metrics_of_probabilities_with_every_parameter(
    probabilities: duckdb.DuckDBPyConnection, weighted: bool
) -> None:
    """All cases run as segments, and once as one table; without weights, with the defaults."""
    every = EVERY if weighted else PLAIN
    result = evaluation(probabilities, every, weighted, by="name")
    weight = "weight" if weighted else None
    assert of_metrics(probabilities, result, every, weight, ["name"], "name") == []
    assert of_metrics(probabilities, result, PLAIN, weight) == []


@pytest.mark.slow
@WEIGHTED
def test_metrics_of_any_score_with_every_parameter(
    unbounded: duckdb.DuckDBPyConnection, weighted: bool
) -> None:
    """Without weights, the specs have the defaults."""
    every = (
        EVERY_ANY_SCORE
        if weighted
        else [plain_spec(metric) for metric in METRICS if takes_any_score(metric, plain_spec(metric))]
    )
    result = evaluation(unbounded, every, weighted, by="name")
    assert of_metrics(unbounded, result, every, "weight" if weighted else None, ["name"], "name") == []


def one_at_a_time(metric: Definition) -> list[str]:
    """Return a spec per parameter that sets it alone, to a value in the middle; else the plain spec."""
    needed = {p.name: REQUIRED[p.name] for p in metric.own_params.values() if p.required}
    specs: dict[tuple[str, ...], list[str]] = {}
    for spec in EVERY:
        measure = parse_measure(CATALOG, spec)
        if measure.metric is metric:
            usual = {name: needed.get(name, param.default) for name, param in metric.own_params.items()}
            changed = tuple(name for name, value in usual.items() if measure.values[name] != value)
            if len(changed) == 1:
                specs.setdefault(changed, []).append(spec)
    return [of[len(of) // 2] for of in specs.values()] or [plain_spec(metric)]


@pytest.mark.slow
def test_the_macro_of_every_metric_with_every_parameter(probabilities: duckdb.DuckDBPyConnection) -> None:
    specs = [spec for metric in METRICS for spec in one_at_a_time(metric)]
    result = evaluation(probabilities, specs, True, by="name")
    wrong = []
    for spec in specs:
        measure = parse_measure(CATALOG, spec)
        wrong += of_one(probabilities, result, measure.metric.name, measure, "weight", ["name"], "name")
    assert wrong == []
    changed = {
        (m.metric.name, name) for m in map(partial(parse_measure, CATALOG), specs) for name in given(m)
    }
    assert changed >= {(metric.name, name) for metric in METRICS for name, param in metric.own_params.items()
                       if len(param.choices) != 1}  # fmt: skip


@pytest.mark.slow
def test_the_macro_of_every_name(probabilities: duckdb.DuckDBPyConnection) -> None:
    """Specs have no weights and only required parameters; an alias binds the parameters of its header."""
    specs, told = {}, {}
    for name, alias in NAMES.items():
        needed = [p.name for p in alias.metric.own_params.values() if p.required]
        values = {**{p: REQUIRED[p] for p in needed}, **alias.bound}
        bound = ", ".join(f"{p}={value}" for p, value in values.items())
        specs[name] = f"{FAMILY}.{alias.metric.name}" + (f"({bound})" if bound else "")
        told.update({p: written(REQUIRED[p]) for p in needed if p not in alias.bound})
    result = evaluation(probabilities, list(dict.fromkeys(specs.values())), False, by="name")
    wrong = []
    for name, spec in specs.items():
        measure = parse_measure(CATALOG, spec)
        # The test above calls the macros with the metrics' own names.
        if name != measure.metric.name:
            wrong += of_one(probabilities, result, name, measure, None, ["name"], "name")
    # In a list of metrics, the name is the one that Python knows.
    sql = called(SEVERAL, told, group_id=GROUP, metrics=listed(specs), per="name")
    wrong += differences(sql, rows_of(probabilities, sql), expected(result, specs, ["name"]))
    assert wrong == []


# Cases whose columns have other types, or other labels, or whose rows all have no weight.
ALONE = ("booleans", "float32", "infinite", *APART, "sample", "weightless")


@pytest.mark.some(0)
@pytest.mark.parametrize("name", ALONE)
def test_a_case_alone(session: duckdb.DuckDBPyConnection, name: str) -> None:
    """The types of the columns are those of the case: booleans, FLOAT, DECIMAL, dates."""
    chosen = [
        metric for metric in METRICS
        if (takes_any_score(metric, plain_spec(metric)) or name not in UNBOUNDED)
        and (reads(metric, "ratings") or name != "ratings")
    ]  # fmt: skip
    specs = list(map(plain_spec, chosen))
    shown = [
        plain_spec(t)
        for t in TABLES
        if (takes_any_score(t, plain_spec(t)) or name not in UNBOUNDED) and name != "ratings"
    ]
    weight = weight_of(name)
    using(session, name)
    result = evaluation(session, specs, True, columns={"weight": weight})
    assert of_metrics(session, result, specs, weight) == []
    assert [wrong for spec in shown for wrong in of_table(session, result, spec, weight)] == []


@pytest.fixture(scope="module")
def command_line(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    return CommandLine(tmp_path_factory.mktemp("shell"))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_command_line_gives_the_same_for_every_case(
    name: str, command_line: CommandLine, session: duckdb.DuckDBPyConnection
) -> None:
    """One call computes all metrics, one each table, and one SELECT list the aggregates."""
    usable = [d for d in (*METRICS, *TABLES) if takes_any_score(d, plain_spec(d)) or name not in UNBOUNDED]
    usable = [d for d in usable if reads(d, "ratings") or name != "ratings"]
    calls = packed(plain_spec(d) for d in usable if not d.is_table)
    queries = [called(SEVERAL, c.arguments, metrics=listed(c.specs), group_id=GROUP) for c in calls]
    tables = [parse_table(CATALOG, plain_spec(d)) for d in usable if d.is_table]
    queries += [called(t.metric.name, given(t), **options(t, None, None)) for t in tables]
    numbers = "rmse(label, score) AS a, mae(label, score) AS b"
    classes = "auc(label, score) AS c, average_precision(label, score) AS d"
    classes += ", f1_score(label, score, threshold := 0.4) AS e"
    queries.append(f"SELECT {numbers if name == 'ratings' else classes} FROM predictions")
    using(session, name)
    wanted = [rows_of(session, query) for query in queries]
    script = ";\n".join([CASES[name].read_text("utf-8"), *queries, ""])
    for query, found, rows in zip(queries, command_line.run(script), wanted, strict=True):
        assert len(found) == len(rows), query
        for row, other in zip(found, rows, strict=True):
            assert row.keys() == other.keys()
            for column, value in row.items():
                assert same(value, _printed(other[column])), (query, column, value, other[column])


def _printed(value: Any) -> Any:
    """Return a value as the command line writes it in JSON."""
    return value if value is None or isinstance(value, int | float | bool) else str(value)


# --- tables ----------------------------------------------------------------------------------------


@pytest.mark.slow
@WEIGHTED
def test_tables_of_probabilities_with_every_parameter(
    probabilities: duckdb.DuckDBPyConnection, weighted: bool
) -> None:
    """All cases run as segments, and as one table; without weights, with the defaults."""
    specs = [spec for table in TABLES for spec in (specs_of(table) if weighted else [plain_spec(table)])]
    weight = "weight" if weighted else None
    result = evaluation(probabilities, ["auc"], weighted, by="name")
    wrong = []
    for spec in specs:
        wrong += of_table(probabilities, result, spec, weight, ["name"], "name")
    for table in TABLES:
        wrong += of_table(probabilities, result, plain_spec(table), weight)
    assert wrong == []


@pytest.mark.slow
def test_tables_of_any_score_with_every_parameter(unbounded: duckdb.DuckDBPyConnection) -> None:
    specs = [spec for table in TABLES for spec in specs_of(table) if takes_any_score(table, spec)]
    result = evaluation(unbounded, ["auc"], False, by="name")
    wrong = [w for spec in specs for w in of_table(unbounded, result, spec, None, ["name"], "name")]
    assert wrong == []


# --- segments, groups, weights, plans --------------------------------------------------------------

PER: dict[str, tuple[tuple[str, ...], str]] = {
    "a column with NULL": (("country",), "country"),
    "a struct": (("country", "device"), "{'country': country, 'device': device}"),
    "an expression": (("odd",), "CASE WHEN row_number % 2 = 1 THEN upper(country) END"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", PER)
def test_segments(slices: duckdb.DuckDBPyConnection, case: str) -> None:
    """Some are NULL, or of one class; they are sorted, NULL last, with metrics in the order of the call."""
    by, per = PER[case]
    weight = "weight" if len(by) > 1 else None
    result = evaluation(slices, PLAIN, weight is not None, by=[list(by)])
    assert of_metrics(slices, result, PLAIN, weight, by, per) == []
    assert [w for t in TABLES for w in of_table(slices, result, plain_spec(t), weight, by, per)] == []
    segments = [row["segment"] for row in expected(result, {"": PLAIN[0]}, by)]
    assert segments[-1] in (None, {"country": None, "device": None})
    assert len(segments) == len({repr(segment) for segment in segments}) > 2


def test_segments_of_a_row_of_two_columns(slices: duckdb.DuckDBPyConnection) -> None:
    by = ["country", "device"]
    result = evaluation(slices, ["auc"], True, by=[by])
    sql = called("auc", {}, per="(country, device)", weight="weight")
    found, wanted = rows_of(slices, sql), expected(result, {"auc": "auc"}, by)
    for row in wanted:
        row["segment"] = tuple(row["segment"].values())
    assert differences(sql, found, wanted, list(found[0])) == []


GROUPS = {
    "a column": ({}, GROUP),
    "two columns": ({GROUP: "group_id+system"}, "{'group_id': group_id, 'system': system}"),
    "another column": ({GROUP: "system"}, "system"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", GROUPS)
def test_groups(slices: duckdb.DuckDBPyConnection, case: str) -> None:
    columns, group = GROUPS[case]
    grouped = [metric for metric in METRICS if has_group(metric)]
    specs = [spec for metric in grouped for spec in specs_of(metric)]
    for weight in ("weight", None):
        result = evaluation(slices, specs, weight is not None, by="country", columns=columns)
        for spec in specs:
            measure = parse_measure(CATALOG, spec)
            told = options(measure, weight, "country", group)
            sql = called(MACROS[measure.metric.name], given(measure), **told)
            wanted = expected(result, {measure.metric.name: spec}, ["country"])
            assert differences(sql, rows_of(slices, sql), wanted) == []
        for table in filter(has_group, TABLES):
            measure = parse_table(CATALOG, plain_spec(table))
            told = options(measure, weight, "country", group)
            sql = called(table.name, {}, **told)
            wanted = table_rows(result, table.name, ["country"])
            assert differences(sql, rows_of(slices, sql), wanted, list(wanted[0])) == []
    assert grouped


@pytest.mark.slow
def test_groups_come_without_a_name(slices: duckdb.DuckDBPyConnection) -> None:
    for definition in (*METRICS, *TABLES):
        if has_group(definition):
            name = MACROS.get(definition.name, definition.name)
            for weight in ("1", "weight"):
                calls = [f"FROM {name}('predictions', label, score, {group}, weight := {weight})"
                         for group in (GROUP, f"{GROUP} := {GROUP}")]  # fmt: skip
                by_place, by_name = (rows_of(slices, sql) for sql in calls)
                assert by_place != []
                assert differences(calls[1], by_name, by_place, list(by_place[0])) == []


@pytest.mark.slow
def test_weights_are_expressions(slices: duckdb.DuckDBPyConnection) -> None:
    """The weight NULL, which is not a column, means none; all metrics and tables use the same weights."""
    doubled = "SELECT * REPLACE (weight * 2 + row_number % 2 AS weight) FROM predictions"
    for weight, data, weighted, given in (
        ("weight * 2 + row_number % 2", doubled, True, "predictions"),
        ("NULL", "predictions", False, unweighted("predictions")),
    ):
        result = evaluation(slices, PLAIN, weighted, data)
        assert of_metrics(slices, result, PLAIN, weight, data=given) == []
        wrong = [of_table(slices, result, plain_spec(t), weight, data=given) for t in TABLES]
        assert not any(wrong)


def planned(definition: Definition) -> bool:
    return "plan" in CATALOG.placeholders(definition)


@pytest.mark.slow
def test_all_plans_give_the_same(probabilities: duckdb.DuckDBPyConnection) -> None:
    specs = [spec for spec in EVERY if planned(parse_measure(CATALOG, spec).metric)]
    result = evaluation(probabilities, specs, False, by="name")
    weighted = evaluation(probabilities, specs, True, by="name")
    for plan in ("'sorted'", "'grouped'"):
        assert of_metrics(probabilities, result, specs, None, ["name"], "name", plan=plan) == []
        assert of_metrics(probabilities, weighted, specs, "weight", ["name"], "name", plan=plan) == []
        for metric in filter(planned, METRICS):
            measure = parse_measure(CATALOG, plain_spec(metric))
            if measure.text in specs:
                name = metric.name
                assert of_one(probabilities, result, name, measure, None, ["name"], "name", plan=plan) == []
    assert len(specs) > 5


# --- parameters ------------------------------------------------------------------------------------

PARAMS: dict[str, list[Definition]] = {}
for _metric in METRICS:
    for _name in _metric.own_params:
        PARAMS.setdefault(_name, []).append(_metric)
# If metrics allow different values of a parameter, one value may apply to some of them only.
CONTESTED = [
    name for name, metrics in PARAMS.items()
    if len({tuple(c.sql() for c in metric.own_params[name].checks) for metric in metrics}) > 1
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTESTED)
def test_a_value_goes_to_the_metrics_that_allow_it(slices: duckdb.DuckDBPyConnection, name: str) -> None:
    """The others keep their own default, as with a switch of Python; if none allows it, it is refused."""
    metrics = {metric.name: metric for metric in PARAMS[name]}
    specs = {metric: plain_spec(definition) for metric, definition in metrics.items()}
    required = {param.name: written(REQUIRED[param.name]) for metric in PARAMS[name]
                for param in metric.own_params.values() if param.required}  # fmt: skip
    refused = 0
    for value in (*NUMBERS.get(name, PARAMS[name][0].own_params[name].choices), -1, 0, 0.75, "mass"):
        sql = called(SEVERAL, required, metrics=listed(specs), **{name: written(value)})
        try:
            switch: dict[str, Any] = {name: value}
            result = evaluation(slices, list(specs.values()), False, **switch)
        except MetricError:
            refused += 1
            with pytest.raises(duckdb.Error, match=f"{MARK}{name} "):
                slices.execute(sql)
        else:
            assert differences(sql, rows_of(slices, sql), expected(result, specs)) == []
    assert refused


TRIED: dict[type, tuple[Any, ...]] = {
    int: (0, 1, 2.5, "x", None),
    float: (-0.5, 0, 1.5, "inf", None),
    str: ("nothing", None),
    tuple: ("[0, 0.5]", "[0, 0.7, 0.5, 1]", "[0, 0.5, 0.5, 1]", 0.5, "[0, 0.25, 0.5, 1]", None),
}


def tried() -> Iterator[tuple[Definition, Param]]:
    """Yield every declaration of a parameter in a metric or a table, once."""
    seen = set()
    for definition in (*METRICS, *TABLES):
        for param in definition.own_params.values():
            key = definition.is_table, param, tuple(check.sql() for check in param.checks)
            if key not in seen and param.choices != (param.default,):
                seen.add(key)
                yield definition, param


@pytest.mark.slow
@pytest.mark.parametrize(
    ("definition", "param"), [pytest.param(d, p, id=f"{d.name}-{p.name}") for d, p in tried()]
)
def test_what_python_refuses_of_a_parameter_is_refused(
    slices: duckdb.DuckDBPyConnection, definition: Definition, param: Param
) -> None:
    """It refuses nothing else; the message names the parameter and the valid values of this metric."""
    parse = parse_table if definition.is_table else parse_measure
    macro = MACROS.get(definition.name, definition.name)
    plain = parse(CATALOG, plain_spec(definition))
    own = {n: v for n, v in plain.values.items() if n in definition.own_params and v is not None}
    refused = 0
    entries = [tool.families[FAMILY].metrics.get(definition.name) for tool in presets().values()
               if FAMILY in tool.families]  # fmt: skip
    is_of_tools = any(param.name in entry.sets for entry in entries if entry)
    # NULL is the default of each metric where metrics have others.
    params = (p for d in METRICS for p in d.own_params.values() if p.name == param.name)
    has_several = len({p.default for p in params}) > 1 and not definition.is_table
    for value in TRIED[param.type]:
        if value is None and (is_of_tools or has_several):
            continue  # the value in the tool that like := names, or else the default
        shown = ", ".join(f"{n}={'null' if v is None else v}" for n, v in {**own, param.name: value}.items())
        sql = called(macro, {**given(plain), param.name: written(value)}, **options(plain, None, None))
        try:
            parse(CATALOG, f"{FAMILY}.{definition.name}({shown})")
        except MetricError:
            refused += 1
            with pytest.raises(duckdb.Error) as caught:
                slices.execute(sql)
            _, mark, message = str(caught.value).partition(MARK)
            assert mark, (sql, caught.value)
            assert message.startswith(f"{param.name} "), (sql, message)
            if value is not None:
                ways = (condition_in_words(check).removeprefix("satisfy ") for check in param.checks)
                needs = [str(c) for c in param.choices] or [*ways]
                assert all(need in message for need in needs), (sql, message)
        else:
            assert rows_of(slices, sql), sql
    assert refused


ASKED: dict[str, str] = {
    "['auk']": "'auk' is not a metric here; did you mean 'auc'?",
    "['roc_curve']": "'roc_curve' is not a metric here; call FROM roc_curve(...)",
    "['auc', 'auc']": "'auc' is asked for twice; name each metric once",
    "'auc,log_loss,auc'": "'auc' is asked for twice; name each metric once",
    "'auc@10'": "'auc@10' has no cut-off; drop it",
    "['auc@abc']": "'auc@abc': the cut-off must be a positive whole number",
    "'auc(approx=3)'": "'auc(approx=3)' cannot be read",
    "['lift']": "top is missing; give it a number",
    "['auc', 'f_beta']": "beta is missing; give it a number",
    "[]": "",
    "NULL": "",
    "''": "",
}


@pytest.mark.some(3)
@pytest.mark.parametrize("metrics", ASKED)
def test_metrics_that_cannot_be_had(slices: duckdb.DuckDBPyConnection, metrics: str) -> None:
    with pytest.raises(duckdb.Error, match=re.escape(f"{MARK}{ASKED[metrics]}")):
        slices.execute(called(SEVERAL, {}, metrics=metrics))


@pytest.mark.slow
def test_a_parameter_that_no_metric_takes_is_refused(slices: duckdb.DuckDBPyConnection) -> None:
    """The macro of a list of metrics refuses it; the macro of a metric does not have it."""
    for name in PARAMS:
        others = [metric.name for metric in METRICS if name not in metric.own_params and not _needs(metric)]
        param = PARAMS[name][0].own_params[name]
        value = written(REQUIRED.get(name, param.choices[-1] if param.choices else NUMBERS[name][0]))
        with pytest.raises(duckdb.Error, match=f"{MARK}{name}: no metric asked for takes it"):
            slices.execute(called(SEVERAL, {name: value}, metrics=listed(others), group_id=GROUP))


def _needs(definition: Definition) -> bool:
    return any(param.required for param in definition.own_params.values())


@pytest.mark.slow
def test_a_plan_that_is_none_is_refused(slices: duckdb.DuckDBPyConnection) -> None:
    for macro, asked in (("auc", {}), ("gini", {}), (SEVERAL, {"metrics": "'auc'"})):
        for weights in ({}, {"weight": "weight"}):
            with pytest.raises(duckdb.Error, match=f"{MARK}plan "):
                slices.execute(called(macro, asked, plan="'quick'", **weights))


# --- refused rows --------------------------------------------------------------------------------


CHECKS = {check.title: check for check in CATALOG.checks.values()}
TYPES = re.compile(r"column '(\w+)' is (\w+), not a number")
ABOUT_SYSTEMS = "NULL system"


def about(message: str) -> str | None:
    """Return the message of a macro for a refusal of Python; None if it does not concern the rows."""
    if kind := TYPES.search(message):
        return f"the {kind[1]} is {kind[2]}, not a number"
    found = re.search(r"column '(\w+)': \d+ rows? (.+)", message)
    for title, check in CHECKS.items():
        if found and found[2].startswith(title.removeprefix("rows ")) and "." in check.header["column"]:
            return f"predictions.{found[1]}: {title}"
    return "data: no rows" if "no rows" in message else None


WRONG = {name: about(case[3]) for name, case in REFUSED.items() if name != ABOUT_SYSTEMS}
WRONG_ROWS = {name: words for name, words in WRONG.items() if words}


def test_every_check_of_rows_is_tried() -> None:
    tried_ = {words.partition(": ")[2] for words in WRONG_ROWS.values()}
    errors = {
        check.title for check in CATALOG.checks.values() if check.header["severity"] == "error"
        and check.inputs.keys() == {"predictions"} and "label" in check.inputs["predictions"]
    }  # fmt: skip
    systems = {CATALOG.checks[CLASSIFICATION, "null_system"].title}
    assert tried_ >= errors - systems
    assert len(WRONG_ROWS) > 20


@pytest.mark.some(1)
@pytest.mark.parametrize("case", WRONG_ROWS)
def test_rows_that_python_refuses_are_refused(connection: duckdb.DuckDBPyConnection, case: str) -> None:
    """The macro of the metric, the macro of several metrics, and a table refuse them."""
    table, name, *_ = REFUSED[case]
    measure = parse_measure(CATALOG, name)
    weight = "weight" if "weight" in case else None
    told = options(measure, weight, None)
    calls = [
        called(MACROS[name], {}, table, **told),
        called(SEVERAL, {}, table, **told, metrics=listed([name])),
    ]
    shown = parse_table(CATALOG, "group_auc" if has_group(measure.metric) else "confusion")
    # A table of two classes cannot detect ratings, nor scores that are not probabilities.
    if of_any_score(measure.metric) and reads(measure.metric, "labeled"):
        calls.append(called(shown.metric.name, {}, table, **options(shown, weight, None)))
    for sql in calls:
        with pytest.raises(duckdb.Error) as caught:
            connection.execute(sql)
        assert f"{MARK}{WRONG_ROWS[case]}" in str(caught.value), sql


@pytest.mark.slow
def test_every_metric_and_table_refuses_what_it_needs(connection: duckdb.DuckDBPyConnection) -> None:
    """They refuse nothing else."""
    accepted: dict[str, list[Definition]] = {}
    for definition in (*METRICS, *TABLES):
        parse = parse_table if definition.is_table else parse_measure
        measure = parse(CATALOG, plain_spec(definition))
        of_scores = "no_threshold" if of_any_score(definition) else "not_a_probability"
        refused = {
            of_scores: ("no_probability", not takes_any_score(definition, plain_spec(definition))),
            "unknown_label": ("label_2", reads(definition, "labeled")),
        }
        if has_group(definition):
            refused["null_group"] = "null_group", True
        for check, (table, concerned) in refused.items():
            macro = MACROS.get(definition.name, definition.name)
            sql = called(macro, given(measure), table, **options(measure, None, None))
            if concerned:
                with pytest.raises(duckdb.Error) as caught:
                    connection.execute(sql)
                assert CATALOG.checks[CLASSIFICATION, check].title in str(caught.value).partition(MARK)[2], (
                    sql
                )
            elif definition.is_table:
                assert rows_of(connection, sql), sql
            else:
                accepted.setdefault(table, []).append(definition)
    assert accepted.keys() == {"no_probability", "label_2"}
    for table, metrics in accepted.items():
        arguments = {name: value for metric in metrics for name, value in _plain(metric).items()}
        sql = called(
            SEVERAL, arguments, table, metrics=listed(metric.name for metric in metrics), group_id=GROUP
        )
        assert rows_of(connection, sql), sql


def _plain(metric: Definition) -> dict[str, str]:
    return given(parse_measure(CATALOG, plain_spec(metric)))


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("table", "metrics", "weight"),
    [
        ("no_probability", ["auc", "ks", "average_precision", "rmse", "gauc"], None),
        ("label_2", ["rmse", "mae", "r2"], None),
        ("mixed", ["rmse"], None),
        ("null_weight", ["auc"], None),
        ("negative_weight", ["auc", "rmse"], None),
        ("null_weight", ["spiegelhalter_z"], "weight"),
        ("null_group", ["auc", "log_loss"], None),
        ("certain", ["log_loss", "rig", "auc"], None),
    ],
)
def test_what_a_metric_does_not_read_may_be_as_it_is(
    connection: duckdb.DuckDBPyConnection, table: str, metrics: list[str], weight: str | None
) -> None:
    result = evaluation(connection, metrics, weight is not None, table)
    group = {GROUP: GROUP} if table != "certain" else {}
    sql = called(
        SEVERAL, {}, table, metrics=listed(metrics), **group, **({"weight": weight} if weight else {})
    )
    wanted = expected(result, {name: name for name in metrics})
    assert differences(sql, rows_of(connection, sql), wanted) == []
    assert all(row["value"] is not None for row in wanted)


@pytest.mark.slow
def test_one_metric_asked_for_is_enough_to_refuse(connection: duckdb.DuckDBPyConnection) -> None:
    for table, metrics in (
        ("no_probability", ["auc", "brier"]), ("label_2", ["rmse", "auc"]), ("null_group", ["rmse", "gauc"]),
    ):  # fmt: skip
        calls = [
            called(SEVERAL, {}, table, metrics=listed(names), group_id=GROUP)
            for names in (metrics[:1], metrics)
        ]
        assert rows_of(connection, calls[0])
        with pytest.raises(duckdb.Error, match=f"{MARK}predictions\\."):
            connection.execute(calls[1])


NUMBER_TYPES = ("BOOLEAN", "TINYINT", "HUGEINT", "UHUGEINT", "FLOAT", "DECIMAL(5, 2)",
                "VARCHAR", "DATE", "INTEGER[]")  # fmt: skip
SAMPLES = {"DATE": "DATE '2024-01-01'", "INTEGER[]": "[1]"}


@pytest.mark.slow
@pytest.mark.parametrize("column", ["label", "score", "weight"])
def test_the_types_of_columns_are_those_that_python_takes(
    connection: duckdb.DuckDBPyConnection, column: str
) -> None:
    taken = 0
    for type_ in NUMBER_TYPES:
        value = SAMPLES.get(type_, f"(label > 0)::INTEGER::{type_}")
        data = f"SELECT * REPLACE ({value} AS {column}) FROM rows"
        sql = called("accuracy", {}, data, weight="weight")
        try:
            result = evaluation(connection, ["accuracy"], True, data)
        except DuckmetricsError:
            with pytest.raises(duckdb.Error, match=f"{MARK}the {column} is "):
                connection.execute(sql)
        else:
            taken += 1
            (row,) = rows_of(connection, sql)
            assert same((row["value"], row["n"]), (result["accuracy"], result.rows[0]["n"])), sql
    assert 0 < taken < len(NUMBER_TYPES)


def test_no_rows_are_refused(connection: duckdb.DuckDBPyConnection) -> None:
    for macro, asked in (("auc", {}), ("rmse", {}), (SEVERAL, {"metrics": "'auc'"}), ("roc_curve", {})):
        for per in ("NULL", "country"):
            with pytest.raises(duckdb.Error, match=f"{MARK}.*no rows"):
                connection.execute(called(macro, asked, "empty", per=per))


@pytest.mark.slow
def test_python_leaves_the_macros_of_a_connection(session: duckdb.DuckDBPyConnection) -> None:
    """Both may be in use at once: Python does not define or drop macros that the shell calls."""
    using(session, "ties")
    calls = [
        called(SEVERAL, {}, metrics="'spiegelhalter_p'"),
        called("spiegelhalter_p", {}),
        called("auc", {}),
    ]
    before = [rows_of(session, sql) for sql in calls]
    duckmetrics.evaluate("predictions", None, ["spiegelhalter_p", "auc"], connection=session)
    assert all(same(rows_of(session, sql), rows) for sql, rows in zip(calls, before, strict=True))


# --- names of columns and tables -------------------------------------------------------------------


@pytest.mark.slow
def test_columns_may_be_called_as_the_parameters(slices: duckdb.DuckDBPyConnection) -> None:
    """Label and score swap their names, and every parameter is also a column with another meaning."""
    names = sorted(
        {*PARAMS, "data", "per", "weight", "plan", "metrics", "segment", "metric", "value", "system"}
    )
    turned = ", ".join(
        f"'{name}' AS \"{name}\"" for name in names if name not in ("bins", "beta", "fpr", "per")
    )
    data = (
        f"SELECT score AS label, label AS score, weight AS bins, group_id AS beta, label AS fpr, "
        f"country AS per, {turned} FROM predictions"
    )
    slices.execute(f"CREATE OR REPLACE TABLE turned AS {data}")
    result = evaluation(slices, PLAIN, True, by="country")
    for call in packed(PLAIN):
        told = {
            **call.arguments,
            "metrics": listed(call.specs),
            "weight": "bins",
            GROUP: "beta",
            "per": "per",
        }
        arguments = ", ".join(f'"{name}" := {value}' for name, value in told.items())
        sql = f"FROM {SEVERAL}('turned', fpr, label, {arguments})"
        assert differences(sql, rows_of(slices, sql), expected(result, call.specs, ["country"])) == []
    for table in TABLES:
        group = '"beta", ' if has_group(table) else ""
        sql = f"FROM {table.name}('turned', fpr, label, {group}per := per, weight := bins)"
        wanted = table_rows(result, table.name, ["country"])
        assert differences(sql, rows_of(slices, sql), wanted, list(wanted[0])) == []


@pytest.mark.slow
def test_data_are_tables_files_queries_and_steps(slices: duckdb.DuckDBPyConnection, tmp_path: Any) -> None:
    parquet, csv = tmp_path / "log.parquet", tmp_path / "log.csv"
    for path in (parquet, csv):
        slices.execute(f"COPY predictions TO '{path}'")
    slices.execute("CREATE OR REPLACE VIEW seen AS FROM predictions")
    result = evaluation(slices, ["rmse"], True)
    half = evaluation(slices, ["rmse"], True, "FROM predictions WHERE system = 'A'")
    assert result["rmse"] != half["rmse"]
    for data in (
        f"'{parquet}'",
        f"'{csv}'",
        "'seen'",
        "seen",
        "predictions",
        "'FROM predictions'",
        "'slices.seen'",
    ):
        (row,) = rows_of(slices, f"FROM rmse({data}, label, score, weight := weight)")
        assert same(row["value"], result["rmse"]), data
    for data in ("'FROM predictions WHERE system = ''A'''", "'SELECT * FROM seen WHERE system = ''A'''"):
        (row,) = rows_of(slices, f"FROM rmse({data}, label, score, weight := weight)")
        assert same(row["value"], half["rmse"]), data
    step = (
        "WITH half AS (FROM predictions WHERE system = 'A') FROM rmse('half', label, score, weight := weight)"
    )
    assert same(rows_of(slices, step)[0]["value"], half["rmse"])


# --- the catalogue ---------------------------------------------------------------------------------


def test_every_metric_and_table_has_a_macro(session: duckdb.DuckDBPyConnection) -> None:
    known = "SELECT function_name, function_type FROM duckdb_functions() WHERE database_name = 'temp'"
    kinds = dict(session.execute(known).fetchall())
    wanted = {*MACROS.values(), *(table.name for table in TABLES), SEVERAL}
    assert {kinds.get(name) for name in wanted} == {"table_macro"}
    assert {metric.name for metric in METRICS} <= MACROS.keys()
    # No macro of rows takes the name of a function of DuckDB or of a macro of rankings.
    assert len(MACROS) - len(set(MACROS.values())) == sum(
        len(m.macros) - len(set(m.macros.values())) for m in METRICS
    )


def test_every_case_is_tried() -> None:
    assert set(CASES) == {*PROBABILITIES, *UNBOUNDED, *ALONE}
    assert {name for call in packed(EVERY) for name in call.specs.values()} == set(EVERY)
    assert sum(len(call.specs) for call in packed(EVERY)) == len(EVERY)
