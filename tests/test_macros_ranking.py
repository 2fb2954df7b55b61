"""The macros of the DuckDB shell give what the Python API gives, to the last bit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from conftest import CASES, CATALOG, FURTHER, RANKING, REQUIRED, ranking, specs_of
from little import little
from shell import OURS, CommandLine, call, connected, executable, refusal, text

import duckmetrics
from duckmetrics import DuckmetricsError
from duckmetrics.compose import Composer
from duckmetrics.measure import CUTOFF, Measure, parse_measure, parse_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duckmetrics.catalog import Definition

TOLERANT = {"duplicates": "count", "negative_grade": "zero", "null_relevance": "zero"}
INTEGERS = ("graded", "integer_ids")
COMPARED = ("value", "n", "n_missing", "n_no_relevant", "n_undefined", "reason")
NOT_OFFERED = ("catalog_size",)
AVERAGED = [metric for metric in RANKING if "expected" in CATALOG.params(metric)["ties"].choices]
Result = tuple[Any, ...]


@dataclass
class Data:
    """Tables of one or more cases in a session that has loaded the macros."""

    connection: duckdb.DuckDBPyConnection
    predictions: str = "predictions"
    truth: str = "truth"
    cutoffs: tuple[int | None, ...] = (None, 2)

    def python(self, specs: Sequence[str], **switches: Any) -> list[Result]:
        """What the Python API says about each spec."""
        evaluation = duckmetrics.evaluate(
            self.predictions, self.truth, specs, connection=self.connection, columns=_columns(switches), **switches
        )  # fmt: skip
        return [tuple(row[column] for column in COMPARED) for row in evaluation.rows]

    def macro(self, name: str, **arguments: Any) -> list[Result]:
        """What a macro yields; its columns are as promised."""
        result = self.connection.execute(call(name, self.predictions, self.truth, **arguments))
        assert [column[0] for column in result.description] == ["metric", "k", *COMPARED]
        return result.fetchall()


@dataclass
class Group:
    """Specs that one call of a macro covers, as they differ in the cut-off only."""

    metric: Definition
    arguments: dict[str, Any]
    specs: list[str] = field(default_factory=list)
    cutoffs: list[int | None] = field(default_factory=list)

    def expected(self, name: str, rows: Mapping[str, Result]) -> list[Result]:
        return [(f"{name}@{k}" if k else name, k, *rows[spec]) for spec, k in zip(self.specs, self.cutoffs, strict=True)]

    @property
    def named(self) -> dict[str, Any]:
        """The arguments of the macro of the metric."""
        return {CUTOFF: self.cutoffs, **self.arguments} if CUTOFF in self.metric.own_params else self.arguments


def _columns(switches: Mapping[str, Any]) -> dict[str, str] | None:
    return {"position": "position"} if switches.get("ties") == "input" else None


def macro_switches(switches: Mapping[str, Any]) -> dict[str, Any]:
    return {**switches, **(_columns(switches) or {})}


def measured(specs: Iterable[str]) -> list[Measure]:
    return [parse_measure(CATALOG, spec, {}, ranking) for spec in specs]


def own_arguments(measure: Measure) -> dict[str, Any]:
    """The metric's own parameters without the cut-off, where they are not the default."""
    declared = measure.metric.own_params
    return {
        name: value for name, value in measure.values.items()
        if name in declared and name != CUTOFF and (declared[name].required or value != declared[name].default)
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
    """One spec for every metric and cut-off, with no parameter but those that it needs."""
    specs = [spec for metric in metrics for spec in specs_of(metric, cutoffs, one_at_a_time=True)]
    chosen: dict[tuple[str, Any], str] = {}
    for spec, measure in zip(specs, measured(specs), strict=True):
        if all(measure.metric.own_params[name].required for name in own_arguments(measure)):
            chosen[measure.metric.name, measure.values.get(CUTOFF)] = spec
    return list(chosen.values())


def asked(specs: Sequence[str], names: Sequence[str] = ()) -> tuple[list[str], dict[str, Any]]:
    """The list of metrics and the parameters with which `evaluate` is asked for these specs."""
    metrics, arguments = [], {}
    for i, measure in enumerate(measured(specs)):
        k = measure.values.get(CUTOFF)
        name = names[i] if names else measure.metric.name
        metrics.append(f"{name}@{k}" if k else name)
        for key, value in own_arguments(measure).items():
            assert arguments.setdefault(key, value) == value, f"{specs}: not in one call"
    return metrics, arguments


def labelled(specs: Sequence[str], metrics: Sequence[str], rows: Sequence[Result]) -> list[Result]:
    """The rows of the Python API as the macro shows them."""
    cutoffs = [measure.values.get(CUTOFF) for measure in measured(specs)]
    return [(text_, k, *row) for text_, k, row in zip(metrics, cutoffs, rows, strict=True)]


def assert_evaluate_agrees(data: Data, specs: Sequence[str], **switches: Any) -> list[Result]:
    """`evaluate` as a macro gives what `duckmetrics.evaluate` gives; return that."""
    rows = data.python(specs, **switches)
    metrics, arguments = asked(specs)
    actual = data.macro("evaluate", metrics=metrics, **arguments, **macro_switches(switches))
    assert actual == labelled(specs, metrics, rows), f"{specs} {switches}"
    return rows


def values_of_switches() -> Iterator[tuple[str, Any]]:
    """Every value of every switch of some metric that is not an error, and the thresholds tried here."""
    seen = set()
    for metric in RANKING:
        for name, param in CATALOG.params(metric).items():
            if name in metric.own_params or name in NOT_OFFERED:
                continue
            values = param.choices if param.choices else {"rel": (0, 1.5, 2)}.get(name, ())
            seen |= {(name, value) for value in values if value not in ("error", "table")}
    yield from sorted(seen, key=str)


SWITCHES = [{name: value} for name, value in values_of_switches()]
TOGETHER: list[dict[str, Any]] = [
    {"scores": "float32", "ties": "item_desc_text", "missing": "skip", "no_relevant": "zero"},
    {"unjudged": "skip", "ties": "pessimistic", "duplicates": "first"},
    {"population": "both", "unjudged": "skip", "ties": "optimistic", "rel": 2},
    {"population": "chosen"},
    {"population": "chosen", "missing": "skip", "no_relevant": "one"},
    {"population": "SELECT query_id FROM chosen WHERE known"},
]
DEFAULTS = {
    (name, param.default) for metric in RANKING for name, param in CATALOG.params(metric).items()
}  # fmt: skip
OWN = sorted({
    (name, value)
    for metric in RANKING for name, param in metric.own_params.items() if name != CUTOFF and not param.required
    for value in (param.choices or map(param.type, FURTHER[name]))
}, key=str)  # fmt: skip


def load(connection: duckdb.DuckDBPyConnection, paths: Iterable[Path], of_text: bool) -> None:
    """Put cases together; every system of every case asks queries of its own.

    The rows have their places in reverse, so that ties=input is another order than that of the items.
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
            connection.executemany("INSERT INTO truth VALUES (?, ?, ?)", [(named(row[0]), *row[1:]) for row in judged])
    connection.execute(
        "CREATE TABLE chosen AS SELECT query_id, row_number() OVER (ORDER BY query_id) % 3 <> 0 AS known "
        "FROM (SELECT DISTINCT query_id FROM truth UNION SELECT query_id FROM predictions); "
        f"INSERT INTO chosen (FROM chosen WHERE known LIMIT 2) UNION ALL SELECT 12345::{type_}, true"
    )


@pytest.fixture(scope="module", params=("texts", "integers"))
def data(request: pytest.FixtureRequest) -> Iterator[Data]:
    """All tiny cases whose ids are texts, or numbers."""
    of_text = request.param == "texts"
    connection = connected()
    load(connection, [path for path in CASES if (path.stem in INTEGERS) != of_text], of_text)
    yield Data(connection, cutoffs=(None, 2) if of_text else (None, 1))
    connection.close()


@pytest.fixture(scope="module")
def texts() -> Iterator[Data]:
    """All tiny cases whose ids are texts."""
    connection = connected()
    load(connection, [path for path in CASES if path.stem not in INTEGERS], True)
    yield Data(connection)
    connection.close()


# --- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", RANKING, ids=lambda metric: metric.name)
def test_the_macro_of_a_metric_equals_it_with_every_parameter(data: Data, metric: Definition) -> None:
    specs = specs_of(metric, one_at_a_time=True)
    rows = dict(zip(specs, data.python(specs, **TOLERANT), strict=True))
    groups = grouped(specs)
    assert sum(len(group.specs) for group in groups) == len(specs) > 0
    for group in groups:
        actual = data.macro(metric.macros.get(metric.name, metric.name), **group.named, **TOLERANT)
        assert actual == group.expected(metric.name, rows), f"{metric.name} {group.arguments}"


@pytest.mark.parametrize(("name", "value"), OWN, ids=str)
def test_evaluate_gives_a_parameter_to_the_metrics_that_take_it(data: Data, name: str, value: Any) -> None:
    takers = [metric for metric in RANKING if name in metric.own_params]
    other = next(metric for metric in RANKING if name not in metric.own_params)
    specs = plain([*takers, other], data.cutoffs)
    needs_cutoff = any(f"{name} <> '{value}' OR" in check.sql() for m in takers for check in m.own_params[name].checks)
    if needs_cutoff:
        specs = [spec for spec in specs if "@" in spec]
    assert_evaluate_agrees(data, specs, **TOLERANT, **{name: value})


@pytest.mark.parametrize("name", [name for family, name in CATALOG.names if family == "ranking"])
def test_every_name_of_a_metric_has_a_macro(texts: Data, name: str) -> None:
    metric = CATALOG.names["ranking", name].metric
    bound = CATALOG.names["ranking", name].bound
    required = {p.name: REQUIRED[p.name][-1] for p in metric.own_params.values() if p.required and p.name not in bound}
    given = f"({', '.join(f'{n}={v}' for n, v in required.items())})" if required else ""
    cutoffs = (None, 3, 1) if CUTOFF in metric.own_params else (None,)
    specs = [f"{name}{given}@{k}" if k else f"{name}{given}" for k in cutoffs]
    rows = texts.python(specs, **TOLERANT)
    labels = [f"{name}@{k}" if k else name for k in cutoffs]
    asked_for = {CUTOFF: list(cutoffs)} if CUTOFF in metric.own_params else {}
    actual = texts.macro(metric.macros.get(name, name), **asked_for, **required, **TOLERANT)
    assert [row[0] for row in actual] == labels
    assert [row[2:] for row in actual] == rows
    assert texts.macro("evaluate", metrics=labels, **required, **TOLERANT) == actual


def test_one_call_takes_every_name(texts: Data) -> None:
    needed = {name: values[0] for name, values in REQUIRED.items()}
    names = [name for family, name in CATALOG.names if family == "ranking"]
    specs = []
    for name in names:
        alias = CATALOG.names["ranking", name]
        own = [f"{n}={v}" for n, v in needed.items() if n in alias.metric.own_params and n not in alias.bound]
        specs.append(f"{name}({', '.join(own)})" if own else name)
    actual = texts.macro("evaluate", metrics=names, **needed, **TOLERANT)
    assert actual == [(name, None, *row) for name, row in zip(names, texts.python(specs, **TOLERANT), strict=True)]
    assert texts.macro("evaluate", metrics=" , ".join(names), **needed, **TOLERANT) == actual


# --- aggregations ----------------------------------------------------------------------------------

FIXED = [name for (family, name), alias in CATALOG.names.items() if family == "ranking" and "agg" in alias.bound]


@pytest.mark.parametrize("agg", CATALOG.aggregation_names)
def test_values_are_aggregated_the_same(data: Data, agg: str) -> None:
    specs = [*plain(RANKING, (2,)), *FIXED]
    names = [measure.metric.name for measure in measured(specs[: -len(FIXED)])] + FIXED
    rows = data.python(specs, agg=agg, **TOLERANT)
    metrics, arguments = asked(specs, names)
    actual = data.macro("evaluate", metrics=metrics, agg=agg, **arguments, **TOLERANT)
    assert actual == labelled(specs, metrics, rows)
    metric = AVERAGED[0]
    (alone,) = data.macro(metric.macros.get(metric.name, metric.name), k=2, agg=agg, **TOLERANT)
    assert alone in actual


# --- switches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("switches", [*SWITCHES, *TOGETHER], ids=str)
def test_every_switch_means_the_same_to_all_metrics(data: Data, switches: dict[str, Any]) -> None:
    assert_evaluate_agrees(data, plain(RANKING, data.cutoffs), **{**TOLERANT, **switches})


@pytest.mark.parametrize("switches", [*SWITCHES, *TOGETHER], ids=str)
def test_the_macro_of_a_metric_takes_the_switches_that_the_metric_takes(
    texts: Data, switches: dict[str, Any]
) -> None:
    some = [*RANKING[::6], AVERAGED[-1]]
    takers = [
        metric for metric in some
        if all(
            n in CATALOG.params(metric) and (n == "population" or not (c := CATALOG.params(metric)[n].choices) or v in c)
            for n, v in switches.items()
        )
    ] or [next(m for m in RANKING if set(switches.items()) <= _allowed(m))]  # fmt: skip
    for metric in takers:
        specs = plain([metric], (None, 1, 3))
        (group,) = grouped(specs)
        rows = dict(zip(specs, texts.python(specs, **{**TOLERANT, **switches}), strict=True))
        given = {**group.named, **TOLERANT, **macro_switches(switches)}
        actual = texts.macro(metric.macros.get(metric.name, metric.name), **given)
        assert actual == group.expected(metric.name, rows), f"{metric.name} {switches}"


def _allowed(metric: Definition) -> set[tuple[str, Any]]:
    return {(name, choice) for name, param in CATALOG.params(metric).items() for choice in param.choices}


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_every_switch_decides_something_here(texts: Data, switches: dict[str, Any]) -> None:
    """The comparison of a switch that changes nothing would compare nothing."""
    ((name, value),) = switches.items()
    specs = plain(RANKING, (None, 2))
    metrics, arguments = asked(specs)
    if value in {default for n, default in DEFAULTS if n == name}:
        return
    changed = texts.macro("evaluate", metrics=metrics, **arguments, **macro_switches({**TOLERANT, **switches}))
    assert changed != texts.macro("evaluate", metrics=metrics, **arguments, **TOLERANT)


# --- queries ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "switches",
    [{}, {"missing": "skip"}, {"no_relevant": "one"}, {"population": "predictions"}, {"population": "chosen"},
     {"ties": "expected", "unjudged": "skip"}, {"ties": "input"}],
    ids=str,
)  # fmt: skip
def test_every_query_has_the_same_values(data: Data, switches: dict[str, Any]) -> None:
    specs = plain(RANKING, (None, 1, 3))
    switches = {**TOLERANT, **switches}
    found = duckmetrics.evaluate(
        "predictions", "truth", specs, connection=data.connection, columns=_columns(switches), **switches
    )
    metrics, arguments = asked(specs)
    label = dict(zip(specs, metrics, strict=True))
    expected = {(row["query_id"], label[row["metric"]]): row["value"] for row in found.per_query.to_pylist()}
    sql = call("evaluate_by_query", metrics=metrics, **arguments, **macro_switches(switches))
    result = data.connection.execute(sql)
    assert [column[0] for column in result.description] == ["query_id", "metric", "value", "missing", "no_relevant"]
    rows = result.fetchall()
    assert len(rows) == len(expected) > len(specs)
    assert {(query, metric): value for query, metric, value, *_ in rows} == expected
    for row, metric in zip(found.rows, metrics, strict=True):
        of_metric = [r for r in rows if r[1] == metric]
        assert sum(r[3] for r in of_metric) == row["n_missing"], metric
        assert sum(r[4] for r in of_metric) == row["n_no_relevant"], metric


def test_every_query_is_told_to_be_missing_or_without_a_relevant_item(data: Data) -> None:
    specs = plain(RANKING, (2,))
    measures = parse_measures(CATALOG, specs, TOLERANT, ranking)
    query, columns = Composer(CATALOG, {}, {}).per_query(measures)
    connection = data.connection.cursor()
    connection.execute("CREATE TEMP VIEW predictions AS SELECT '' AS system, * FROM memory.main.predictions")
    result = connection.execute(query.sql("duckdb"))
    names = [column[0] for column in result.description]
    expected = set()
    metrics, arguments = asked(specs)
    for values in result.fetchall():
        row = dict(zip(names, values, strict=True))
        for metric, column in zip(metrics, columns, strict=True):
            no_relevant = bool(row[column.no_relevant])
            expected.add((row["query_id"], metric, row[column.value], row["missing"], no_relevant))
    connection.close()
    sql = call("evaluate_by_query", metrics=metrics, **arguments, **TOLERANT)
    rows = data.connection.execute(sql).fetchall()
    assert len(rows) == len(expected)
    assert set(rows) == expected
