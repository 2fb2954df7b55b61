"""The macros of the DuckDB shell give the values of the Python API, up to the last digits of a sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

import duckmetrics
from duckmetrics import DuckmetricsError, InputError, MetricError
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.catalog.specs import parse_measure, parse_measures
from duckmetrics.compose.composer import Composer
from support.cases import CASES, CATALOG, FURTHER, RANKING, REQUIRED, ranking, specs_of
from support.duckdb_shell import (
    ABOUT_INIT,
    OURS,
    CommandLine,
    call,
    connected,
    differences,
    refusal,
    same,
)
from support.little import LITTLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duckmetrics import Evaluation
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure

pytestmark = pytest.mark.engine

TOLERANT = {"duplicates": "count", "negative_grade": "zero", "null_relevance": "zero"}
INTEGERS = ("graded", "integer_ids")
COMPARED = ("value", "reason", "n", "n_missing", "n_no_relevant", "n_undefined")
SUMMARY = ["system", "metric", "slice", *COMPARED, "better", "target", "signature"]
BY_QUERY = ["system", "metric", "query_id", "value", "missing", "no_relevant"]
NOT_OFFERED = ("catalog_size",)
AVERAGED = [
    metric for metric in RANKING if "expected" in getattr(CATALOG.params(metric).get("ties"), "choices", ())
]
Result = tuple[Any, ...]


@dataclass
class Data:
    """Tables of one or more cases in a session that has loaded the macros."""

    connection: duckdb.DuckDBPyConnection
    predictions: str = "predictions"
    truth: str = "truth"

    def evaluation(self, specs: Sequence[str], **switches: Any) -> Evaluation:
        """Evaluate the specs with the Python API."""
        return duckmetrics.evaluate(
            self.predictions, self.truth, specs, connection=self.connection,
            columns=_columns(switches), **switches,
        )  # fmt: skip

    def python(self, specs: Sequence[str], **switches: Any) -> list[Result]:
        return compared(self.evaluation(specs, **switches))

    def macro(self, name: str, **arguments: Any) -> list[Result]:
        """Return the rows of a macro, and check its columns."""
        result = self.connection.execute(call(name, self.predictions, self.truth, **arguments))
        assert [column[0] for column in result.description] == SUMMARY
        rows = result.fetchall()
        assert {(system, slice_) for system, _, slice_, *_ in rows} == {(None, "")}
        return [(metric, *numbers) for _, metric, _, *numbers, _, _, _ in rows]

    def by_query(self, **arguments: Any) -> list[Result]:
        """Return the rows of `evaluate_by_query`."""
        result = self.connection.execute(call("evaluate_by_query", self.predictions, self.truth, **arguments))
        assert [column[0] for column in result.description] == BY_QUERY
        rows = result.fetchall()
        assert {system for system, *_ in rows} <= {None}
        return [(query, metric, *rest) for _, metric, query, *rest in rows]


@dataclass
class Group:
    """Specs that fit into one call of a macro, because they differ in the cut-off only."""

    metric: Definition
    arguments: dict[str, Any]
    specs: list[str] = field(default_factory=list)
    cutoffs: list[int | None] = field(default_factory=list)

    def expected(self, name: str, rows: Mapping[str, Result]) -> list[Result]:
        return [
            (f"{name}@{k}" if k else name, *rows[spec])
            for spec, k in zip(self.specs, self.cutoffs, strict=True)
        ]

    @property
    def named(self) -> dict[str, Any]:
        """Return the arguments of the macro of the metric."""
        return (
            {CUTOFF: self.cutoffs, **self.arguments} if CUTOFF in self.metric.own_params else self.arguments
        )


def _columns(switches: Mapping[str, Any]) -> dict[str, str] | None:
    return {"position": "position"} if switches.get("ties") == "input" else None


def measured(specs: Iterable[str]) -> list[Measure]:
    return [parse_measure(CATALOG, spec, {}, ranking) for spec in specs]


def own_arguments(measure: Measure) -> dict[str, Any]:
    """Return the metric's own parameters without the cut-off, if they are not the default."""
    declared = measure.metric.own_params
    return {
        name: value for name, value in measure.values.items()
        if name in declared and name != CUTOFF
        and (declared[name].required or value != declared[name].default)
    }  # fmt: skip


def grouped(specs: Sequence[str]) -> list[Group]:
    groups: dict[tuple[Any, ...], Group] = {}
    for spec, measure in zip(specs, measured(specs), strict=True):
        arguments = own_arguments(measure)
        key = (measure.metric.name, *arguments.items())
        group = groups.setdefault(key, Group(measure.metric, arguments))
        group.specs.append(spec)
        group.cutoffs.append(measure.values.get(CUTOFF))
    return list(groups.values())


def plain(metrics: Iterable[Definition], cutoffs: Iterable[int | None] = (None,)) -> list[str]:
    """Return one spec for every metric and cut-off, with only the required parameters."""
    specs = [spec for metric in metrics for spec in specs_of(metric, cutoffs, one_at_a_time=True)]
    chosen: dict[tuple[str, Any], str] = {}
    for spec, measure in zip(specs, measured(specs), strict=True):
        if all(measure.metric.own_params[name].required for name in own_arguments(measure)):
            chosen[measure.metric.name, measure.values.get(CUTOFF)] = spec
    return list(chosen.values())


def asked(specs: Sequence[str], names: Sequence[str] = ()) -> tuple[list[str], dict[str, Any]]:
    """Return the list of metrics and the parameters of `evaluate` for these specs."""
    metrics, arguments = [], {}
    for i, measure in enumerate(measured(specs)):
        k = measure.values.get(CUTOFF)
        name = names[i] if names else measure.metric.name
        metrics.append(f"{name}@{k}" if k else name)
        for key, value in own_arguments(measure).items():
            assert arguments.setdefault(key, value) == value, f"{specs}: not in one call"
    return metrics, arguments


def labelled(specs: Sequence[str], metrics: Sequence[str], rows: Sequence[Result]) -> list[Result]:
    """Return the rows of the Python API as the macro shows them."""
    return [(text_, *row) for text_, row in zip(metrics, rows, strict=True)]


def compared(evaluation: Evaluation) -> list[Result]:
    return [tuple(row[column] for column in COMPARED) for row in evaluation.rows]


def assert_agrees(data: Data, specs: Sequence[str], **switches: Any) -> list[Result]:
    """Check the values of every query against `duckmetrics.evaluate`, and return them."""
    found = data.evaluation(specs, **switches)
    metrics, arguments = asked(specs)
    arguments |= {**switches, **(_columns(switches) or {})}
    label = dict(zip(specs, metrics, strict=True))
    expected = {(row["query_id"], label[row["metric"]]): row["value"] for row in found.per_query.to_pylist()}
    rows = data.by_query(metrics=metrics, **arguments)
    assert len(rows) == len(expected) >= len(specs)
    actual = {(query, metric): value for query, metric, value, *_ in rows}
    assert actual.keys() == expected.keys()
    differing = {key: (actual[key], value) for key, value in expected.items() if not same(actual[key], value)}
    assert not differing, f"{specs} {switches}: (macro, Python) of {differing}"
    for row, metric in zip(found.rows, metrics, strict=True):
        flags = [
            (missing, no_relevant) for _, of_metric, _, missing, no_relevant in rows if of_metric == metric
        ]
        counts = sum(missing for missing, _ in flags), sum(no_relevant for _, no_relevant in flags)
        assert counts == (row["n_missing"], row["n_no_relevant"]), metric
    return sorted(rows, key=str)


def values_of_switches() -> Iterator[tuple[str, Any]]:
    """Return every value of every switch of some metric, except errors, and the tested thresholds."""
    seen = set()
    for metric in RANKING:
        for name, param in CATALOG.params(metric).items():
            if name in metric.own_params or name in NOT_OFFERED:
                continue
            values = param.choices if param.choices else {"rel": (0, 1.5, 2)}.get(name, ())
            seen |= {(name, value) for value in values if value not in ("error", "table")}
    yield from sorted(seen, key=str)


SWITCHES = [{name: value} for name, value in values_of_switches()]
DEFAULTS = {(name, param.default) for metric in RANKING for name, param in CATALOG.params(metric).items()}
# Values that are not the default of any metric, and that not all calls here set.
OTHER = [s for s in SWITCHES if not s.items() <= DEFAULTS and not s.items() <= TOLERANT.items()]
USUAL = {
    name: param.default for metric in RANKING for name, param in CATALOG.params(metric).items()
    if name not in metric.own_params and param.default is not None and len(param.choices) != 1
}  # fmt: skip
TOGETHER: list[dict[str, Any]] = [
    {"scores": "float32", "ties": "item_desc_text", "missing": "skip", "no_relevant": "zero"},
    {"unjudged": "skip", "ties": "pessimistic", "duplicates": "first"},
    {"population": "both", "unjudged": "skip", "ties": "optimistic", "rel": 2},
    {"population": "chosen"},
    {"population": "chosen", "missing": "skip", "no_relevant": "one"},
    {"population": "SELECT query_id FROM chosen WHERE known"},
]
OWN = sorted({
    (name, value)
    for metric in RANKING for name, param in metric.own_params.items()
    if name != CUTOFF and not param.required
    for value in (param.choices or map(param.type, FURTHER[name]))
}, key=str)  # fmt: skip


def load(connection: duckdb.DuckDBPyConnection, paths: Iterable[Path], of_text: bool) -> None:
    """Put cases together; every system of every case has its own queries.

    The places of the rows are reversed, so the order of ties=input differs from that of the items.
    """
    type_ = "VARCHAR" if of_text else "INTEGER"
    connection.execute(
        f"CREATE TABLE predictions (query_id {type_}, item_id {type_}, score DOUBLE, position INTEGER); "
        f"CREATE TABLE truth (query_id {type_}, item_id {type_}, relevance DOUBLE)"
    )
    for path in paths:
        with duckdb.connect() as other:
            other.execute(path.read_text("utf-8"))
            predicted = other.execute("SELECT *, -row_number() OVER () FROM predictions").fetchall()
            judged = other.execute("FROM truth").fetchall()
        for system in dict.fromkeys(row[0] for row in predicted):

            def named(query: Any, here: str = f"{path.stem} {system}") -> Any:
                return f"{here} {query}" if of_text else query

            rows = [(named(row[1]), *row[2:]) for row in predicted if row[0] == system]
            connection.executemany("INSERT INTO predictions VALUES (?, ?, ?, ?)", rows)
            connection.executemany(
                "INSERT INTO truth VALUES (?, ?, ?)", [(named(row[0]), *row[1:]) for row in judged]
            )
    connection.execute(
        "CREATE TABLE chosen AS SELECT query_id, row_number() OVER (ORDER BY query_id) % 3 <> 0 AS known "
        "FROM (SELECT DISTINCT query_id FROM truth UNION SELECT query_id FROM predictions); "
        f"INSERT INTO chosen (FROM chosen WHERE known LIMIT 2) UNION ALL SELECT 12345::{type_}, true"
    )


def opened(paths: Iterable[Path], of_text: bool) -> Iterator[Data]:
    with connected() as connection:
        load(connection, paths, of_text)
        yield Data(connection)


@pytest.fixture(scope="module")
def texts() -> Iterator[Data]:
    """Create all tiny cases whose ids are texts."""
    yield from opened([path for path in CASES if path.stem not in INTEGERS], True)


@pytest.fixture(scope="module")
def integers() -> Iterator[Data]:
    """Create all tiny cases whose ids are numbers."""
    yield from opened([path for path in CASES if path.stem in INTEGERS], False)


@pytest.fixture(scope="module")
def two() -> Iterator[Data]:
    """Create two queries, so that their sum has one order."""
    yield from opened([path for path in CASES if path.stem == "graded"], False)


@pytest.fixture(scope="module")
def plain_values(texts: Data) -> list[Result]:
    """Return the values that nearly every switch changes."""
    return assert_agrees(texts, plain(RANKING, (2,)), **TOLERANT)


def turned(metric: Definition) -> dict[str, Any]:
    """Return for every parameter except the cut-off the last tested value that is not the default."""
    values: dict[str, Any] = {}
    for name, param in metric.own_params.items():
        if name != CUTOFF and len(param.choices) != 1:
            tried = param.choices or (*FURTHER.get(name, ()), *REQUIRED.get(name, ())[:1])
            values[name] = [value for value in map(param.type, tried) if value != param.default][-1]
    return values


def macro_of(metric: Definition, name: str | None = None) -> str:
    return metric.macros.get(name or metric.name, name or metric.name)


# --- parameters ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_the_macro_of_a_metric_equals_it(two: Data, metric: Definition) -> None:
    """The test sets as few parameters as possible, and then another value of each of them."""
    values = turned(metric)
    given = ", ".join(f"{name}={value}" for name, value in values.items())
    cutoffs = (None, 1, 50, 3) if CUTOFF in metric.own_params else (None,)
    every = [f"{metric.name}({given})" + (f"@{k}" if k else "") for k in cutoffs if k or k == cutoffs[-1]]
    specs = list(dict.fromkeys([*plain([metric], cutoffs), *(every if values else ())]))
    rows = dict(zip(specs, two.python(specs), strict=True))
    groups = grouped(specs)
    assert sum(len(group.specs) for group in groups) == len(specs) > 0
    for group in groups:
        wrong = differences(two.macro(macro_of(metric), **group.named), group.expected(metric.name, rows))
        assert wrong == [], f"{metric.name} {group.arguments}"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), OWN, ids=str)
def test_evaluate_gives_a_parameter_to_the_metrics_that_take_it(texts: Data, name: str, value: Any) -> None:
    takers = [metric for metric in RANKING if name in metric.own_params]
    other = next(metric for metric in RANKING if name not in metric.own_params)
    specs = plain([*takers, other], (None, 3))
    if any(f"{name} <> '{value}' OR" in check.sql() for m in takers for check in m.own_params[name].checks):
        specs = [spec for spec in specs if "@" in spec]
    assert_agrees(texts, specs, **TOLERANT, **{name: value})


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("name", "value"),
    [(n, v) for n, values in REQUIRED.items() for v in values if any(n in m.own_params for m in RANKING)],
    ids=str,
)
def test_evaluate_asks_for_a_parameter_that_a_metric_needs(texts: Data, name: str, value: str) -> None:
    (metric,) = (m for m in RANKING if name in m.own_params and m.own_params[name].required)
    other = next(m for m in RANKING if name not in m.own_params)
    specs = [f"{metric.name}({name}={value})", other.name]
    rows = texts.python(specs, agg="median", **TOLERANT)
    found = texts.macro(
        "evaluate", metrics=[metric.name, other.name], **{name: float(value)}, agg="median", **TOLERANT
    )
    assert differences([row[1:] for row in found], rows) == []
    assert name in refusal(texts.connection, call("evaluate", metrics=[metric.name, other.name], **TOLERANT))


ALIASES = [
    name for (family, name), alias in CATALOG.names.items()
    if family == "ranking" and name != alias.metric.name and alias.metric in RANKING
]  # fmt: skip


def _spec_of(name: str, required: Mapping[str, Any]) -> str:
    """Return a spec with this name of a metric and its required parameters."""
    alias = CATALOG.names["ranking", name]
    params = [p for p in alias.metric.own_params if p in required and p not in alias.bound]
    return f"{name}({', '.join(f'{p}={required[p]}' for p in params)})" if params else name


NEEDED = {n: values[0] for n, values in REQUIRED.items() if any(n in m.own_params for m in RANKING)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALIASES)
def test_every_other_name_of_a_metric_has_a_macro(two: Data, name: str) -> None:
    alias = CATALOG.names["ranking", name]
    spec = _spec_of(name, NEEDED)
    cutoffs = [None, 3, 1] if CUTOFF in alias.metric.own_params else [None]
    rows = two.python([f"{spec}@{k}" if k else spec for k in cutoffs])
    arguments = {n: v for n, v in NEEDED.items() if f"{n}=" in spec}
    if len(cutoffs) > 1:
        arguments[CUTOFF] = cutoffs
    actual = two.macro(macro_of(alias.metric, name), **arguments)
    called = CATALOG.names["ranking", actual[0][0]]
    assert (called.metric, called.bound) == (alias.metric, alias.bound)
    shown = actual[0][0]
    wanted = [(f"{shown}@{k}" if k else shown, *row) for k, row in zip(cutoffs, rows, strict=True)]
    assert differences(actual, wanted) == []


@pytest.mark.slow
def test_one_call_takes_every_name(two: Data) -> None:
    names = [
        name for (family, name), alias in CATALOG.names.items()
        if family == "ranking" and alias.metric in RANKING
    ]  # fmt: skip
    rows = two.python([_spec_of(name, NEEDED) for name in names])
    actual = two.macro("evaluate", metrics=names, **NEEDED)
    assert differences(actual, [(name, *row) for name, row in zip(names, rows, strict=True)]) == []
    assert differences(two.macro("evaluate", metrics=" , ".join(names), **NEEDED), actual) == []


# --- aggregations ----------------------------------------------------------------------------------

FIXED = [
    name for (family, name), alias in CATALOG.names.items() if family == "ranking" and "agg" in alias.bound
]


PERCENTILES = [name for name, alias in CATALOG.aggregation_names.items() if "p" in alias.bound]


@pytest.mark.some(0)
@pytest.mark.parametrize("agg", [*(n for n in CATALOG.aggregation_names if n not in PERCENTILES), "p75"])
def test_values_are_aggregated_the_same(two: Data, agg: str) -> None:
    specs = [*plain(RANKING[1::3], (3,)), *FIXED]
    names = [measure.metric.name for measure in measured(specs[: -len(FIXED)])] + FIXED
    metrics, arguments = asked(specs, names)
    actual = two.macro("evaluate", metrics=metrics, agg=agg, **arguments)
    rows = two.python([*specs, f"{AVERAGED[-1].name}@3"], agg=agg)
    assert differences(actual, labelled(specs, metrics, rows[:-1])) == []
    alone = two.macro(macro_of(AVERAGED[-1]), k=3, agg=agg)
    assert differences([row[1:] for row in alone], rows[-1:]) == []


@pytest.mark.slow
@pytest.mark.parametrize("agg", PERCENTILES)
def test_percentiles_of_many_queries_are_the_same(texts: Data, agg: str) -> None:
    metric = AVERAGED[-1]
    rows = texts.python([metric.name], agg=agg, **TOLERANT)
    found = texts.macro(macro_of(metric), agg=agg, **TOLERANT)
    assert differences([row[1:] for row in found], rows) == []


# --- switches --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("switches", [*OTHER, *TOGETHER], ids=str)
def test_every_switch_means_the_same_to_all_metrics(
    texts: Data, plain_values: list[Result], switches: dict[str, Any]
) -> None:
    rows = assert_agrees(texts, plain(RANKING, (2,)), **{**TOLERANT, **switches})
    changes = switches != {"ties": "item_asc_text"}  # which is item_asc where ids are text
    assert bool(differences(rows, plain_values)) == changes, "what changes nothing is not tested here"


@pytest.mark.slow
@pytest.mark.parametrize(
    "switches", [USUAL, {"no_relevant": "keep"}, {"missing": "undefined"}], ids=["usual", "keep", "undefined"]
)
def test_a_default_may_be_written(texts: Data, plain_values: list[Result], switches: dict[str, Any]) -> None:
    """The value may be the only choice of some metrics, and no choice of the others."""
    rows = assert_agrees(texts, plain(RANKING, (2,)), **{**switches, **TOLERANT})
    assert differences(rows, plain_values) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "switches", [s for s in SWITCHES if "ties" in s] + [{"population": "chosen"}], ids=str
)
def test_switches_mean_the_same_where_ids_are_numbers(integers: Data, switches: dict[str, Any]) -> None:
    assert_agrees(integers, plain([*RANKING[::3], *AVERAGED]), **{**TOLERANT, **switches})


@pytest.mark.some(1)
@pytest.mark.parametrize("switches", [*{next(iter(s)): s for s in OTHER}.values(), *TOGETHER], ids=str)
def test_the_macro_of_a_metric_takes_the_switches_that_the_metric_takes(
    texts: Data, switches: dict[str, Any]
) -> None:
    takers = [
        metric
        for metric in (AVERAGED[-1], *RANKING)
        if all(_takes(metric, *item) and not _is_idle(metric, *item) for item in switches.items())
    ]
    metric = takers[0]
    specs = plain([metric], (None, 1, 3))
    (group,) = grouped(specs)
    given = {**TOLERANT, **switches, "agg": "p75"}
    rows = dict(zip(specs, texts.python(specs, **given), strict=True))
    actual = texts.macro(macro_of(metric), **group.named, **given, **(_columns(switches) or {}))
    assert differences(actual, group.expected(metric.name, rows)) == [], f"{metric.name} {switches}"


def _takes(metric: Definition, switch: str, value: Any) -> bool:
    param = CATALOG.params(metric).get(switch)
    return param is not None and (switch == "population" or not param.choices or value in param.choices)


def _is_idle(metric: Definition, switch: str, value: Any) -> bool:
    """Return whether a switch changes nothing for a metric with the defaults."""
    try:
        parse_measures(CATALOG, [f"ranking.{metric.name}@1"], {switch: value})
    except MetricError as error:
        return "changes nothing" in str(error)
    return False


REASONS = {
    "no query has predictions": "FROM truth SEMI JOIN predictions USING (query_id)",
    "no query has a relevant item": "FROM truth WHERE relevance > 0",
}


@pytest.mark.slow
@pytest.mark.parametrize("reason", REASONS)
def test_a_mean_of_no_values_has_the_same_reason(texts: Data, reason: str) -> None:
    population = f"SELECT query_id FROM truth EXCEPT SELECT query_id {REASONS[reason]}"
    specs = plain(RANKING, (2,))
    metrics, arguments = asked(specs)
    switches = {**TOLERANT, "population": population, "missing": "skip"}
    rows = texts.python(specs, **switches)
    actual = texts.macro("evaluate", metrics=metrics, **arguments, **switches)
    assert differences(actual, labelled(specs, metrics, rows)) == []
    assert reason in {row[1] for row in rows}


@pytest.mark.slow
def test_every_query_is_told_to_be_missing_or_without_a_relevant_item(texts: Data) -> None:
    """The Python layer composes these flags of the query; its results show only their counts."""
    specs = plain(RANKING, (2,))
    query, columns = Composer(CATALOG).per_query(parse_measures(CATALOG, specs, TOLERANT, ranking))
    cursor = texts.connection.cursor()
    cursor.execute("CREATE SCHEMA composed; USE composed")
    cursor.execute("CREATE VIEW predictions AS SELECT '' AS system, * FROM main.predictions")
    cursor.execute("CREATE VIEW truth AS FROM main.truth")
    result = cursor.execute(query.sql("duckdb"))
    names = [column[0] for column in result.description]
    expected = set()
    metrics, arguments = asked(specs)
    for values in result.fetchall():
        row = dict(zip(names, values, strict=True))
        for metric, column in zip(metrics, columns, strict=True):
            expected.add(
                (row["query_id"], metric, row[column.value], row["missing"], row[column.no_relevant])
            )
    cursor.close()
    rows = texts.by_query(metrics=metrics, **arguments, **TOLERANT)
    assert differences(sorted(rows, key=str), sorted(expected, key=str)) == []
    assert {flags for *_, missing, none in rows for flags in [(missing, none)]} > {
        (False, False),
        (True, False),
    }


# --- every case, and the command line --------------------------------------------------------------


REFUSED = ("duplicates", "negative_and_null_grades")
CASE_SPECS = plain(RANKING)


class OfSystem(NamedTuple):
    """The predictions of a system as SQL, the aggregation of its values, and the result of Python."""

    predictions: str
    switches: dict[str, Any]
    evaluation: Evaluation
    per_query: list[dict[str, Any]]


@cache
def of_case(case: Path) -> list[OfSystem]:
    """Return every system of a case, with an aggregation that has one result."""
    found = []
    with duckdb.connect() as connection:
        connection.execute(case.read_text("utf-8"))
        systems = connection.execute("SELECT DISTINCT system FROM predictions ORDER BY ALL").fetchall()
        for (system,) in systems:
            rows = f"SELECT * EXCLUDE (system) FROM predictions WHERE system = '{system}'"
            switches = TOLERANT if case.stem in REFUSED else {}
            result = Data(connection, rows).evaluation(CASE_SPECS, **switches)
            found.append(OfSystem(rows, switches, result, result.per_query.to_pylist()))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_has_the_same_values(path: Path, session: duckdb.DuckDBPyConnection) -> None:
    session.execute(
        "DROP TABLE IF EXISTS predictions; DROP TABLE IF EXISTS truth; " + path.read_text("utf-8")
    )
    metrics, arguments = asked(CASE_SPECS)
    for predictions, switches, found, _ in of_case(path):
        data = Data(session, predictions)
        rows = data.macro("evaluate", metrics=metrics, **arguments, **switches)
        assert differences(rows, labelled(CASE_SPECS, metrics, compared(found))) == []
        if path.stem in REFUSED:
            with pytest.raises(InputError):
                data.python(["map"])
            refusal(session, call("evaluate", predictions, metrics=metrics, **arguments))


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        yield connection


@pytest.fixture(scope="module")
def command_line(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    return CommandLine(tmp_path_factory.mktemp("shell"))


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_command_line_gives_the_same_for_every_case(path: Path, command_line: CommandLine) -> None:
    metrics, arguments = asked(CASE_SPECS)
    label = dict(zip(CASE_SPECS, metrics, strict=True))
    systems = of_case(path)
    queries = [
        call("evaluate", predictions, metrics=metrics, **arguments, **switches)
        for predictions, switches, *_ in systems
    ]
    predictions, switches, _, per_query = systems[-1]
    queries.append(call("evaluate_by_query", predictions, metrics=metrics, **arguments, **switches))
    *results, by_query = command_line.run(path.read_text("utf-8") + ";\n".join(["", *queries, ""]))
    for rows, system in zip(results, systems, strict=True):
        expected = labelled(CASE_SPECS, metrics, compared(system.evaluation))
        columns = ("metric", *COMPARED)
        found = [{name: row[name] for name in columns} for row in rows]
        assert differences(found, [dict(zip(columns, row, strict=True)) for row in expected]) == []
    values = {(row["query_id"], label[row["metric"]]): row["value"] for row in per_query}
    shown = {(row["query_id"], row["metric"]): row["value"] for row in by_query}
    assert len(by_query) == len(values) >= len(CASE_SPECS)
    assert shown.keys() == values.keys()
    assert [key for key, value in values.items() if not same(shown[key], value)] == []


@pytest.mark.slow
def test_the_command_line_prints_every_digit(command_line: CommandLine) -> None:
    numbers = [0.1 + 0.2, 1 / 3, 2 / 3, 5e-324, 1e300, 0.6309297535714575, -123456789.123456789]
    shown = ", ".join(f"'{number!r}'::DOUBLE AS n{i}" for i, number in enumerate(numbers))
    (((row),),) = command_line.run(f"SELECT {shown};")
    assert list(row.values()) == numbers


@pytest.mark.slow
def test_the_command_line_ends_with_what_a_macro_refuses(command_line: CommandLine) -> None:
    case = next(path for path in CASES if path.stem == REFUSED[0]).read_text("utf-8")
    done = command_line.process(f"{case}{call('evaluate', metrics=['map'])};\nSELECT 1 AS reached;\n")
    assert done.returncode != 0
    assert "reached" not in done.stdout
    assert OURS.match(ABOUT_INIT.sub("", done.stderr)), done.stderr


# --- refusals --------------------------------------------------------------------------------------

GOOD = ("FROM predictions", "FROM truth")
BAD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "predicted twice": ("FROM predictions UNION ALL SELECT 'q1', 'a', 9", GOOD[1], {}),
    "judged twice": (GOOD[0], "FROM truth UNION ALL SELECT 'q1', 'b', 0", {}),
    "negative grade": (GOOD[0], "FROM truth UNION ALL SELECT 'q1', 'x', -1", {}),
    "NULL grade": (GOOD[0], "FROM truth UNION ALL SELECT 'q1', 'x', NULL", {}),
    "NaN grade": (GOOD[0], "FROM truth UNION ALL SELECT 'q1', 'x', 'nan'::DOUBLE", {}),
    "infinite grade": (GOOD[0], "FROM truth UNION ALL SELECT 'q1', 'x', 'inf'::DOUBLE", {}),
    "NULL score": ("FROM predictions UNION ALL SELECT 'q1', 'y', NULL", GOOD[1], {}),
    "NaN score": ("FROM predictions UNION ALL SELECT 'q1', 'y', 'nan'::DOUBLE", GOOD[1], {}),
    "NULL query": ("FROM predictions UNION ALL SELECT NULL, 'y', 1", GOOD[1], {}),
    "NULL item": ("FROM predictions UNION ALL SELECT 'q1', NULL, 1", GOOD[1], {}),
    "NULL query judged": (GOOD[0], "FROM truth UNION ALL SELECT NULL, 'y', 1", {}),
    "NULL item judged": (GOOD[0], "FROM truth UNION ALL SELECT 'q1', NULL, 1", {}),
    "no common query": ("SELECT 'x' || query_id AS query_id, item_id, score FROM predictions", GOOD[1], {}),
    "no predictions": ("FROM predictions WHERE false", GOOD[1], {}),
    "no truth": (GOOD[0], "FROM truth WHERE false", {}),
    "text as score": ("SELECT * REPLACE (score::VARCHAR AS score) FROM predictions", GOOD[1], {}),
    "text as grade": (GOOD[0], "SELECT * REPLACE (relevance::VARCHAR AS relevance) FROM truth", {}),
    "missing query": (*GOOD, {"missing": "error"}),
    "NULL in the population": (*GOOD, {"population": "SELECT 'q1' AS query_id UNION ALL SELECT NULL"}),
    "empty population": (*GOOD, {"population": "SELECT 'q1' AS query_id WHERE false"}),
    "no order of the input": (*GOOD, {"ties": "input"}),
    "unknown choice": (*GOOD, {"ties": "somehow"}),
    "unknown number": (*GOOD, {"rel": "high"}),
    "unknown aggregation": (*GOOD, {"agg": "p42"}),
}  # fmt: skip
MEND = {
    "predicted twice": {"duplicates": "first"}, "judged twice": {"duplicates": "first"},
    "negative grade": {"negative_grade": "zero"}, "NULL grade": {"null_relevance": "zero"},
}  # fmt: skip


@pytest.fixture(scope="module")
def small() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(LITTLE)
        yield connection


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_what_the_python_api_refuses_a_macro_refuses(small: duckdb.DuckDBPyConnection, name: str) -> None:
    predictions, truth, switches = BAD[name]
    metric = AVERAGED[-1]
    with pytest.raises(DuckmetricsError):
        duckmetrics.evaluate(predictions, truth, [metric.name], connection=small, **switches)
    refusal(small, call("evaluate", predictions, truth, metrics=[metric.name], **switches))
    refusal(small, call(macro_of(metric), predictions, truth, **switches))
    if "population" in switches or "missing" in switches:
        refusal(small, call("evaluate_by_query", predictions, truth, metrics=[metric.name], **switches))


@pytest.mark.some(0)
@pytest.mark.parametrize("name", MEND)
def test_what_is_refused_can_be_mended_by_its_switch(small: duckdb.DuckDBPyConnection, name: str) -> None:
    predictions, truth, _ = BAD[name]
    data = Data(small, predictions, truth)
    specs = plain(RANKING, (1,))
    metrics, arguments = asked(specs)
    rows = data.python(specs, agg="median", **MEND[name])
    actual = data.macro("evaluate", metrics=metrics, agg="median", **arguments, **MEND[name])
    assert differences(actual, labelled(specs, metrics, rows)) == []


ODD: dict[str, tuple[str, ...]] = {
    "unknown metric": ("ndgc@10",), "no cut-off taken": ("bpref@10",), "cut-off 0": ("ndcg@0",),
    "negative cut-off": ("ndcg@-1",), "fraction": ("ndcg@1.5",), "word": ("ndcg@ten",),
    "twice": ("map", "map"),
    "no metric": (),
}  # fmt: skip


@pytest.mark.some(1)
@pytest.mark.parametrize("metrics", ODD.values(), ids=ODD)
def test_a_metric_that_the_python_api_refuses_a_macro_refuses(
    small: duckdb.DuckDBPyConnection, metrics: tuple[str, ...]
) -> None:
    with pytest.raises(DuckmetricsError):
        duckmetrics.evaluate("predictions", "truth", metrics, connection=small)
    refusal(small, call("evaluate", metrics=metrics))


@pytest.mark.slow
def test_the_last_digits_are_those_of_python_on_any_number_of_threads(
    session: duckdb.DuckDBPyConnection,
) -> None:
    lists = """SELECT hash(i % 40009) % 3000000 AS query_id, i AS item_id, hash(i) % 997 / 997 AS score
        FROM range(800000) AS _(i)"""
    judged = (
        "SELECT query_id, item_id, hash(item_id) % 5 / 7 AS relevance FROM many WHERE hash(item_id) % 3 < 2"
    )
    session.execute(
        f"CREATE OR REPLACE TABLE many AS {lists}; CREATE OR REPLACE TABLE judged_of_many AS {judged}"
    )
    specs = ["ndcg", "ndcg@10", "map@20"]
    expected = [
        row["value"]
        for row in duckmetrics.evaluate("FROM many", "FROM judged_of_many", specs, connection=session).rows
    ]
    for threads in (1, 4, 4):
        session.execute(f"SET threads = {threads}")
        found = session.execute(f"SELECT value FROM evaluate(many, judged_of_many, {specs})").fetchall()
        assert [value for (value,) in found] == expected
    session.execute("RESET threads")
