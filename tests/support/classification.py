"""Shared parts of the classification tests: the cases, the specs, and the reference of a result.

Composing a hundred measures costs more than running them on a hundred rows. So the cases are put
together, as slices or as systems of one table, and evaluated in one call; some are also alone,
because a query without slices differs.
"""

from __future__ import annotations

import inspect
import math
import re
from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb

from duckmetrics.catalog.definition import CLASSIFICATION
from duckmetrics.catalog.specs import parse_measure, parse_table
from duckmetrics.errors import MetricError
from duckmetrics.reference import classification as scalar
from duckmetrics.reference import classification_tables as tables
from duckmetrics.reference.observation import Observation, auc_bounds, defined, grouped, present, unweighted
from support.cases import CATALOG, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics import Evaluation
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure

FAMILY = "classification"
METRICS = [metric for (family, _), metric in CATALOG.metrics.items() if family == FAMILY]
TABLES = [table for (family, _), table in CATALOG.tables.items() if family == FAMILY]
CASES = {path.stem: path for path in sorted((ROOT / "tests/data/classification").glob("*.sql"))}

# The labels of these cannot be among others: -1 next to 0, or any number.
APART = ("minus_one", "ratings")
# Cases whose scores are not probabilities.
UNBOUNDED = ("infinite", "all_infinite", "logits")
PROBABILITIES = tuple(name for name in CASES if name not in (*APART, *UNBOUNDED))

# Tested values of parameters that are numbers; other parameters have every choice.
NUMBERS: dict[str, tuple[Any, ...]] = {
    "threshold": (0, 0.3, 1, 2),
    "beta": (0.5, 1, 2),
    "eps": (0, 1e-20, 1e-7),
    "base_rate": (0.1,),
    "bins": (1, 3, 100),
    "edges": ("[0, 0.05, 0.3, 1]", "[0, 1]", "[0, 0.1, 0.2, 0.3, 0.5, 0.9, 1]"),
    "approx": (2, 7, 1000),
    "max_fpr": (1e-3, 0.3, 1),
    "top": (0.01, 0.3, 1),
    "precision": (0, 0.3, 0.5, 1),
    "recall": (0, 0.5, 1),
    "fpr": (0, 0.25, 1),
    "points": (2, 3, 10),
}
# One value for each parameter without a default.
REQUIRED = {"beta": 2, "max_fpr": 0.3, "top": 0.3, "precision": 0.5, "recall": 0.5, "fpr": 0.25}

Row = dict[str, Any]
# (system, slice columns, their values): the subject of a result row.
Key = tuple[str | None, tuple[str, ...], tuple[Any, ...]]


def reads(definition: Definition, relation: str) -> bool:
    """Return whether a definition builds on a relation."""
    return any(source.name == relation for source in CATALOG.foundations(definition))


def of_any_score(definition: Definition) -> bool:
    """Return whether a definition takes scores that are not probabilities."""
    refused = CATALOG.checks[CLASSIFICATION, "not_a_probability"].header["for"].split(", ")
    return not any(name == definition.name or reads(definition, name) for name in refused)


def takes_any_score(definition: Definition, spec: str) -> bool:
    """Return whether a spec takes scores that are not probabilities; the threshold 0.5 is for these alone."""
    checked = CATALOG.checks[CLASSIFICATION, "no_threshold"].header["for"]
    if definition.name != checked and not reads(definition, checked):
        return of_any_score(definition)
    parse = parse_table if definition.is_table else parse_measure
    return of_any_score(definition) and parse(CATALOG, spec).values["threshold"] != 0.5


def specs_of(definition: Definition) -> list[str]:
    """Return every combination of the parameters that the header allows, as specs."""
    options: list[list[str | None]] = []
    for param in definition.own_params.values():
        tried = param.choices or NUMBERS[param.name]
        given = [f"{param.name}={value}" for value in tried if value != param.default]
        options.append([*([] if param.required else [None]), *given])
    specs = []
    for chosen in product(*options):
        arguments = ", ".join(argument for argument in chosen if argument)
        spec = f"{FAMILY}.{definition.name}" + (f"({arguments})" if arguments else "")
        if _allowed(definition, spec):
            specs.append(spec)
    return specs


def _allowed(definition: Definition, spec: str) -> bool:
    try:
        (parse_table if definition.is_table else parse_measure)(CATALOG, spec)
    except MetricError as error:
        # The values above should cause no other refusal.
        if "but must " in str(error) or "changes nothing where" in str(error):
            return False
        raise
    return True


def plain_spec(definition: Definition) -> str:
    """Return the spec with only the required parameters."""
    needed = [f"{p.name}={REQUIRED[p.name]}" for p in definition.own_params.values() if p.required]
    return f"{FAMILY}.{definition.name}" + (f"({', '.join(needed)})" if needed else "")


EVERY = [spec for metric in METRICS for spec in specs_of(metric)]
EVERY_ANY_SCORE = [s for metric in METRICS for s in specs_of(metric) if takes_any_score(metric, s)]
PLAIN = [plain_spec(metric) for metric in METRICS]


# --- data ----------------------------------------------------------------------------------------


def open_case(name: str) -> duckdb.DuckDBPyConnection:
    """Create a connection with the table `predictions` of one case."""
    connection = duckdb.connect()
    connection.execute(CASES[name].read_text("utf-8"))
    return connection


def open_together(names: Sequence[str]) -> duckdb.DuckDBPyConnection:
    """Create a connection with the rows of several cases, which the column `name` distinguishes."""
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE predictions (name TEXT, label DOUBLE, score DOUBLE, weight DOUBLE, group_id TEXT)"
    )
    for name in names:
        connection.execute(f"CREATE SCHEMA {name}; USE {name}")
        connection.execute(CASES[name].read_text("utf-8"))
        weight = "w" if name == "sample" else "weight"
        connection.execute(
            f"INSERT INTO main.predictions SELECT '{name}', label, score, {weight}, group_id FROM predictions"
        )
    connection.execute("USE main")
    return connection


def observations(
    connection: duckdb.DuckDBPyConnection,
    system: str | None = None,
    by: Sequence[Sequence[str]] = (),
    weight: str = "weight",
) -> dict[Key, list[Observation]]:
    """Return the rows of every system and slice of the table `predictions`, as the reference takes them."""
    groupings = [(), *map(tuple, by)]
    columns = list(dict.fromkeys(column for grouping in groupings for column in grouping))
    attributes = [f'"{column}"' for column in (*([system] if system else []), *columns)]
    selected = ", ".join(["label::DOUBLE", "score::DOUBLE", f"{weight}::DOUBLE", "group_id", *attributes])
    result = connection.execute(f"SELECT {selected} FROM predictions")
    found: dict[Key, list[Observation]] = defaultdict(list)
    for label, score, weight_, group, *rest in result.fetchall():
        name = rest.pop(0) if system else None
        values = dict(zip(columns, rest, strict=True))
        row = Observation(label, score, weight_, group)
        for grouping in groupings:
            found[name, grouping, tuple(values[column] for column in grouping)].append(row)
    return dict(found)


def weigh(rows: Sequence[Observation], measure: Measure, weighted: bool) -> list[Observation]:
    """Return the rows that a measure reads; it may have no weighted form."""
    own = measure.values["weighted"]
    return present(rows) if (weighted if own is None else own) else unweighted(rows)


# --- expected ------------------------------------------------------------------------------------


class Expected(NamedTuple):
    """The required content of a result row, by the reference."""

    value: float | None
    lower: float | None
    upper: float | None
    n: int
    n_positive: int | None
    n_undefined: int | None


def expected(measure: Measure, rows: Sequence[Observation], weighted: bool) -> Expected:
    rows = weigh(rows, measure, weighted)
    values = measure.values
    bounds = auc_bounds(rows, int(values["approx"])) if values.get("approx") else None  # type: ignore[arg-type]
    lower, upper = bounds or (None, None)
    binary = reads(measure.metric, "labeled")
    groups = grouped(rows).values() if "n_undefined" in measure.metric.query.named_selects else None
    return Expected(
        defined(reference(measure, rows), rows, str(values.get("undefined", "null"))),
        lower,
        upper,
        len(rows),
        sum(row.positive for row in rows) if binary else None,
        None if groups is None else sum(len({row.positive for row in group}) < 2 for group in groups),
    )


def reference(measure: Measure, rows: Sequence[Observation]) -> Any:
    """Return the value of a metric, or the rows of a table, by the reference."""
    function = getattr(tables if measure.metric.is_table else scalar, measure.metric.name)
    known = inspect.signature(function).parameters
    return function(rows, **{name: value for name, value in measure.values.items() if name in known})


def same(found: Any, wanted: Any, tolerance: float = 1e-12) -> bool:
    """Return whether two values are equal within the tolerance, relative or absolute; NULL equals NULL."""
    if isinstance(found, float) and isinstance(wanted, int | float):
        return found == wanted or math.isclose(found, wanted, rel_tol=tolerance, abs_tol=tolerance)
    return type(found) is type(wanted) and bool(found == wanted)


def reason_holds(metric: Definition, row: Row) -> bool:
    """Return whether finite values have no reason, infinite ones that of the header, NULL a true one.

    A reason is true if the counts do not contradict it.
    """
    n, positives, reason = row["n"], row["n_positive"], row["reason"]
    if row["value"] is not None:
        return bool(reason == (metric.header["infinite"] if math.isinf(row["value"]) else None))
    if reason is None:
        return False
    if (n == 0) != (reason in ("no rows", "no row has a weight")):
        return False
    if "one class only" in reason:
        return bool(n > 0 and (positives == 0 if "no positive" in reason else positives == n))
    return bool(reason != "it is not defined for these rows")


def in_range(metric: Definition, value: float) -> bool:
    """Return whether a value lies in the interval that the header promises."""
    low, high = map(float, re.findall(r"-?inf|-?\d+", metric.header["range"])[:2])
    return low - 1e-12 <= value <= high + 1e-12


def differences(
    result: Evaluation,
    rows: dict[Key, list[Observation]],
    specs: Iterable[str],
    weighted: bool,
    **switches: object,
) -> list[str]:
    """Return where a result differs from the reference; it has every segment, and no other."""
    given = switches if weighted else {"weighted": False, **switches}
    measures = {spec: parse_measure(CATALOG, spec, given) for spec in specs}
    wrong = []
    told: dict[tuple[str, Key], Row] = {}
    for row in result.rows:
        grouping = result.groupings[row["slice"]]
        key = row["system"], grouping, tuple(row[column] for column in grouping)
        assert (row["metric"], key) not in told, "a row is there twice"
        told[row["metric"], key] = row
    assert told.keys() == set(product(measures, rows))
    for (spec, key), row in told.items():
        wanted = expected(measures[spec], rows[key], weighted)
        wrong += [
            f"{spec} of {key}: {name} is {row[name]}, should be {value}"
            for name, value in wanted._asdict().items()
            if not same(row[name], value)
        ]
        if not reason_holds(measures[spec].metric, row):
            wrong.append(f"{spec} of {key}: value {row['value']}, reason {row['reason']}")
        if row["value"] is not None and not in_range(measures[spec].metric, row["value"]):
            wrong.append(f"{spec} of {key}: {row['value']} is out of the range")
        if row["n_missing"] is not None or row["n_no_relevant"] is not None:
            wrong.append(f"{spec} of {key}: counts of queries")
    return wrong


def table_differences(
    found: Iterable[Row], spec: str, rows: dict[Key, list[Observation]], weighted: bool
) -> list[str]:
    """Return where the rows of a table differ from those of the reference, in its order."""
    measure = parse_table(CATALOG, spec, {}, {} if weighted else {"weighted": False})
    columns = set(measure.metric.query.named_selects) - {"system", "segment"}
    tables_: dict[Any, list[Row]] = defaultdict(list)
    for row in found:
        attributes = {name: value for name, value in row.items() if name not in columns}
        name, slice_ = attributes.pop("system", None), attributes.pop("slice", "")
        grouping = tuple(slice_.split(",")) if slice_ else ()
        assert all(value is None for n, value in attributes.items() if n not in grouping)
        key = name, grouping, tuple(attributes[column] for column in grouping)
        tables_[key].append({name: value for name, value in row.items() if name in columns})
    wrong = []
    for key in rows.keys() | tables_.keys():
        wanted = reference(measure, weigh(rows.get(key, []), measure, weighted))
        if len(tables_[key]) != len(wanted):
            wrong.append(f"{spec} of {key}: {len(tables_[key])} rows, should be {len(wanted)}")
            continue
        for i, (row, other) in enumerate(zip(tables_[key], wanted, strict=True)):
            assert row.keys() == other.keys() == columns
            wrong += [
                f"{spec} of {key}, row {i}: {name} is {row[name]}, should be {value}"
                for name, value in other.items()
                if not same(row[name], value)
            ]
    return wrong
