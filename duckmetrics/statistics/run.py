"""Every statistic under sql/statistics over a table of the user, and the tests of counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.meanings import meanings
from duckmetrics.catalog.measure import written
from duckmetrics.catalog.specs import parse_statistic
from duckmetrics.compose.functions import linked
from duckmetrics.compose.keyed import keyed
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import EngineError, InputError, MetricError, unknown
from duckmetrics.inputs.interval_options import FEW_UNITS
from duckmetrics.inputs.python_tables import as_table
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.results.tabular import P_NAME, Printed, Shown, document, p_text, readable, with_positive_p
from duckmetrics.statistics.checks import check_counts, check_kept, check_numbers
from duckmetrics.statistics.counts import CELLS, COUNTS, read_counts, tabled
from duckmetrics.statistics.inputs import (
    CONTESTANTS,
    KEYED,
    LABELS,
    PER_QUERY,
    called_columns,
    check_contestants,
    input_of,
    over_data,
    read_data,
    with_keyed_rows,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping
    from typing import Unpack

    import duckdb
    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.definition import Definition, Param
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.statistics.counts import Tested
    from duckmetrics.switches import StatisticParameters


# The keys of a header that the help shows, in lines of this width.
EXPLAINED = ("meaning", "use", "beware")
TOLD = ("formula", "source", "note", "warning")
WIDTH = 96
# Counts as they are written on the command line.
SAMPLES = {COUNTS: "3 7", CELLS: "3,7 5,5"}
_MANY = {"observed", "hits", "n"}
# The parameter that asks for an exact p, and the column that says whether it is one.
EXACT = "exact"
NOT_EXACT = "exact=true counts only few values: p is not exact where exact is false; see the note of the test"
# A count that is expected to be less makes the p-value rough.
FEW = 5


@dataclass(frozen=True, repr=False)
class TestResult(Printed):
    """The result of a statistic over a table.

    Attributes:
        name: the statistic, as the catalog calls it.
        title: its short description.
        params: every parameter with its value.
        rows: one dictionary per row of the result; None for an undefined value.
        warnings: findings to read before trusting the numbers.
        sql: the SQL that ran.
    """

    # pytest takes classes of such a name for tests.
    __test__: ClassVar[bool] = False

    command = "test"

    name: str
    title: str
    params: dict[str, Value]
    rows: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...] = ()
    sql: str = field(default="", compare=False)
    _summary: pa.Table = field(default=None, compare=False)

    @property
    def summary(self) -> pa.Table:
        """The rows as an Arrow table."""
        return readable(self._summary)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics test`` prints it in JSON, see docs/reference/json.md."""
        return document(
            self.command, self.rows, warnings=self.warnings, name=self.name, title=self.title,
            params=dict(self.params),
        )  # fmt: skip

    def shown(self) -> Shown:
        """Return the rows, with the parameters above and the warnings below."""
        names = self.summary.column_names
        cells = [[_shown(name, row[name]) for name in names] for row in self.rows]
        numeric = [name for name in names if not any(isinstance(row[name], str) for row in self.rows)]
        params = ", ".join(f"{name}={written(value)}" for name, value in self.params.items())
        title = f"{self.title} ({params})" if params else self.title
        warnings = [f"warning: {warning}" for warning in self.warnings]
        return Shown(names, cells, numeric, title, warnings)


def run_test(
    name: str,
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    **params: Unpack[StatisticParameters],
) -> TestResult:
    """Compute a statistic of a table: a test, an interval, or adjusted p-values.

    Args:
        name: a statistic or an alias, such as ``"paired_t"``; `duckmetrics test` lists them.
        table: a path or glob, a DuckDB table or view, SQL, a relation, a frame, or arrays by name, with the
            columns that the statistic reads. Tests of counts also take a list of them, such as ``[3, 7]``, or
            of rows. Tests of pairs read the result of `evaluate`, or a table such as its `per_query`:
            (system, metric, query_id, value), one row per query.
        columns: canonical name -> your name, as in ``{"arm": "variant", "value": "revenue"}``.
        connection: a DuckDB connection, or the path of a database file.
        **params: parameters of the statistic, such as ``baseline="A"`` or ``level=0.99``.

    Returns:
        The rows of the statistic in an order of their own, warnings, and the SQL that ran. A row or
        unit whose number is NULL is left out.

    Raises:
        MetricError: no such statistic or parameter, a value that is not allowed, or one that is missing.
        InputError: a column is missing, numbers are NaN or infinite, a unit has several rows, or the
            baseline or control is not in the data.
        EngineError: the database refused a query.

    Example:
        users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [0, 2, 1, 5, 6, 4]}
        columns = {"arm": "variant", "value": "revenue"}
        result = duckmetrics.run_test("welch_t", users, columns=columns, control="A")
        result.rows[0]["delta"]  # 4.0
        result.rows[0]["p"]  # 0.008
    """
    measure = read_statistic(name, params)
    engine = open_engine(connection=connection)
    before = len(engine.ran)
    with engine.exclusive(keep=False):
        whole = engine.attach(as_table(_listed(measure.metric, table), "data"), "data")
        needed = read_data(measure.metric, whole, dict(columns or {})).names.values()
        source = engine.once(whole, list(needed))
        open_ = {key for key in CONTESTANTS if params.get(key) is None}
        found, warnings = computed(engine, measure, source, dict(columns or {}), open_)
        sql = ";\n\n".join(engine.ran[before:]) + ";"
    rows = found.to_pylist()
    return TestResult(
        measure.metric.name, measure.metric.title, measure.values, tuple(rows), tuple(warnings), sql, found
    )


def read_statistic(name: str, params: Mapping[str, Any]) -> Measure:
    """Bind the parameters of a statistic; a baseline or control that nobody named stays empty.

    Raises:
        MetricError: no such statistic or parameter, or a value that is not allowed.
    """
    return parse_statistic(catalog(), name, _asked(name, params))


def computed(
    engine: Engine,
    measure: Measure,
    source: Source,
    columns: Mapping[str, str],
    missing: Collection[str] = (),
) -> tuple[pa.Table, list[str]]:
    """Compute a statistic of an attached table; return its rows and the warnings.

    Args:
        missing: the parameters among baseline and control that nobody named.

    Raises:
        InputError: see `run_test`.
        MetricError: the baseline or control must be named.
    """
    return computed_on(engine, measure, read_data(measure.metric, source, columns), missing)


def computed_on(
    engine: Engine, measure: Measure, data: Tested, missing: Collection[str] = ()
) -> tuple[pa.Table, list[str]]:
    """Compute a statistic of data that were read; see `computed`."""
    kept, warnings = _kept(engine, data)
    check_contestants(engine, measure, data, kept, missing)
    found = with_positive_p(_computed(engine, measure, data, kept))
    rows = found.to_pylist()
    check_numbers(measure, data, rows)
    return found, warnings + _warnings(measure, rows)


def computed_by(
    engine: Engine, measure: Measure, source: Source, columns: Mapping[str, str], key: str
) -> list[dict[str, Any]]:
    """Compute a statistic for each value of a column, in one query; the rows were checked as a whole before.

    Args:
        key: a column of the table, without NULL; each row of the result has it.
    """
    data = read_data(measure.metric, source, columns)
    query, macros = linked(catalog(), keyed(over_data(catalog(), measure, data, KEYED), key))
    engine.define(macros)
    found = _ran(engine, with_keyed_rows(query, data, key))
    rows: list[dict[str, Any]] = with_positive_p(found).to_pylist()
    return rows


def explained(name: str) -> str:
    """Return the help of a statistic: its columns, its parameters and its result.

    Raises:
        MetricError: no such statistic.
    """
    alias = catalog().find_statistic(name)
    definition = alias.metric
    told = [(key, definition.header[key]) for key in EXPLAINED if key in definition.header]
    told.append(("reads", ", ".join(called_columns(definition))))
    if input_of(definition)[0] == PER_QUERY:
        told.append(("from", "what 'duckmetrics evaluate --per-query FILE' writes"))
    if reads_numbers(name):
        told.append(("or", f"numbers on the command line, such as {SAMPLES[input_of(definition)[0]]}"))
    for param in definition.own_params.values():
        always = alias.bound.get(param.name)
        said = _param(definition, param) if always is None else [f"{param.name}={always}, always"]
        told += [("set", line) for line in said]
    told.append(("yields", definition.header["grain"]))
    told += [(key, definition.header[key]) for key in TOLD if key in definition.header]
    lines = (fill(text, WIDTH, initial_indent=f"{key:<8} ", subsequent_indent=" " * 9) for key, text in told)
    return "\n".join([f"{definition.title}.", "", *lines])


def example_of(name: str) -> str:
    """Return a command that computes a statistic, with the parameters that it requires.

    Raises:
        MetricError: no such statistic.
    """
    definition = catalog().find_statistic(name).metric
    table, _ = input_of(definition)
    required = "".join(f" --set {p.name}=A" for p in definition.own_params.values() if p.required)
    return f"duckmetrics test {name.replace('_', '-')} {SAMPLES.get(table, f'{table}.parquet')}{required}"


def reads_numbers(name: str) -> bool:
    """Return whether a statistic reads counts, which can stand on the command line.

    Raises:
        MetricError: no such statistic.
    """
    return input_of(catalog().find_statistic(name).metric)[0] in SAMPLES


def expects(name: str) -> bool:
    """Return whether a statistic compares counts with an expectation."""
    return input_of(catalog().find_statistic(name).metric)[0] == COUNTS


def titles() -> dict[str, str]:
    """Return the title of every statistic by its name."""
    return {name: definition.title for name, definition in sorted(catalog().statistics.items())}


def _param(definition: Definition, param: Param) -> Iterator[str]:
    """Yield each choice of a parameter with its meaning, or the default."""
    for choice, said in meanings(catalog(), definition, param).items():
        value = choice or ("..." if param.required else written(param.default))
        is_usual = bool(choice) and choice == param.default
        yield f"{param.name}={value}: {said}{' (default)' if is_usual else ''}"


def _listed(definition: Definition, table: Any) -> Any:
    """Return counts in a list and the values of an evaluation as a table; any other table as it is."""
    wanted, _ = input_of(definition)
    if wanted == PER_QUERY and isinstance(table, Evaluation):
        return table.per_query
    return tabled(table, wanted=wanted) if wanted in SAMPLES else table


def _asked(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters; a baseline or control that nobody named stays open until the data are read."""
    asked = dict(params)
    alias = catalog().find_statistic(name)
    for key in CONTESTANTS:
        param = alias.metric.own_params.get(key)
        if asked.get(key) is not None:
            # Between quotes, so that a name in the data is read as it stands.
            asked[key] = f"'{_label(asked[key])}'"
        elif param is not None and param.required:
            asked[key] = "''"
    return asked


def _label(value: Any) -> str:
    """Return a name as the database writes it, with quotes doubled."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("'", "''")


def _kept(engine: Engine, data: Tested) -> tuple[str, list[str]]:
    """Check the data and keep them under a name; return that and the warnings."""
    kept = engine.name(data.table)
    try:
        warnings = check_counts(catalog(), engine, data) if data.is_counted else []
        engine.keep(kept, data.grouped())
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(data.label, f"cannot be read: {error}", "check it") from error
    return kept, warnings + check_kept(catalog(), engine, data, kept)


def _computed(engine: Engine, measure: Measure, data: Tested, kept: str) -> pa.Table:
    query, macros = linked(catalog(), over_data(catalog(), measure, data, kept))
    engine.define(macros)
    return _ran(engine, query)


def _ran(engine: Engine, query: exp.Query) -> pa.Table:
    """Run a query, and keep its text for the result."""
    text = query.sql(engine.dialect, pretty=True)
    found = engine.few(text)
    engine.ran.append(text)
    return found


def _warnings(measure: Measure, rows: list[dict[str, Any]]) -> list[str]:
    """Return the warnings that the numbers themselves call for."""
    definition = measure.metric
    if not rows:
        return ["no rows: there is nothing to compare, or no unit has a value on both sides"]
    warnings = [definition.header["warning"]] if "warning" in definition.header else []
    if measure.values.get(EXACT) and not all(row[EXACT] for row in rows):
        warnings.append(NOT_EXACT)
    expected = [row["min_expected"] for row in rows if row.get("min_expected") is not None]
    if expected and min(expected) < FEW:
        warnings.append(
            f"the smallest expected count is {min(expected):.3g}; below {FEW} the p-value is rough"
        )
    if not _MANY & set(input_of(definition)[1]) and "small" not in definition.header:
        numbers = [value for row in rows for name, value in row.items()
                   if isinstance(value, int) and _counts_units(name)]  # fmt: skip
        if numbers and min(numbers) < FEW_UNITS:
            warnings.append(
                f"{min(numbers)} units are fewer than {FEW_UNITS}: tests and intervals depend on the "
                "distribution of the values"
            )
    return warnings


def _counts_units(name: str) -> bool:
    """Return whether a column of a result is the size of a sample: n and n_control are, n_systems is not."""
    return name == "n" or (name.startswith("n_") and name[2:-1] not in LABELS)


def _shown(name: str, value: Any) -> str:
    """Return a cell as a person wants to see it."""
    if value is None:
        return "NULL"
    if not isinstance(value, float):
        return str(value)
    return p_text(value) if P_NAME.fullmatch(name) else f"{value:.6g}"


# The kind of test of counts and of cells, and its statistic.
_TESTS = {
    COUNTS: ("goodness of fit", "chi_square"),
    CELLS: ("independence", "chi_square_independence"),
}


@dataclass(frozen=True, repr=False)
class ChiSquare(Printed):
    """The outcome of a chi-square test.

    Attributes:
        test: goodness of fit, or independence.
        method: pearson, or g for the likelihood ratio.
        statistic: the distance of the counts from the expected ones, 0 or more.
        df: degrees of freedom.
        p: the probability of a statistic at least as large if the expectation holds; at least 1e-300.
        n: the sum of the counts.
        min_expected: the smallest expected count.
        cramers_v: the strength of a dependence in [0, 1]; None for goodness of fit.
        correction: whether Yates' correction was applied.
        warnings: findings to read before the p-value is believed.
        sql: the SQL that ran.
    """

    command = "test"

    test: str
    method: str
    statistic: float
    df: int
    p: float
    n: float
    min_expected: float
    cramers_v: float | None = None
    correction: bool = False
    warnings: tuple[str, ...] = ()
    sql: str = field(default="", compare=False)
    _summary: pa.Table = field(default=None, compare=False)

    @property
    def summary(self) -> pa.Table:
        """The numbers as an Arrow table of one row."""
        return readable(self._summary)

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """The numbers as one dictionary."""
        return tuple(self.summary.to_pylist())

    @property
    def p_text(self) -> str:
        """The p-value to four digits; ``<1e-300`` stands for all smaller ones."""
        return p_text(self.p)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics test`` prints it in JSON, see docs/reference/json.md."""
        params = {"statistic": self.method, "correction": self.correction}
        numbers = ("statistic", "df", "p", "n", "min_expected", "cramers_v", "p_text")
        row = {name: getattr(self, name) for name in numbers}
        name = next(name for test, name in _TESTS.values() if test == self.test)
        return document(
            self.command, [row], warnings=self.warnings, name=name, title=self._title(), params=params
        )

    def shown(self) -> Shown:
        """Return the numbers, one per line, with the warnings below."""
        return Shown(["", ""], list(self._numbers().items()), (), self._title(), self._notes())

    def __repr__(self) -> str:
        lines = [self._title(), *(f"  {name:<14}{value}" for name, value in self._numbers().items())]
        return "\n".join([*lines, *self._notes()])

    def _title(self) -> str:
        kind = "G-test" if self.method == "g" else "Chi-square test"
        corrected = ", with Yates' correction" if self.correction else ""
        return f"{kind} of {self.test}{corrected}"

    def _numbers(self) -> dict[str, str]:
        """Return the numbers as a reader sees them."""
        shown = {
            "statistic": f"{self.statistic:.6g}",
            "df": str(self.df),
            "p": self.p_text,
            "n": f"{self.n:.15g}",
            "min_expected": f"{self.min_expected:.6g}",
        }
        return shown if self.cramers_v is None else {**shown, "cramers_v": f"{self.cramers_v:.4f}"}

    def _notes(self) -> list[str]:
        return [f"warning: {warning}" for warning in self.warnings]


def chi_square(
    observed: Any,
    expected: Any = None,
    *,
    columns: Mapping[str, str] | None = None,
    connection: duckdb.DuckDBPyConnection | DuckDBEngine | str | os.PathLike[str] | None = None,
    correction: bool = False,
    statistic: str = "pearson",
) -> ChiSquare:
    """Test whether counts are as a hypothesis expects, or whether two attributes depend on each other.

    A fair coin that shows 3 heads and 7 tails: ``chi_square([3, 7])`` has statistic 1.6, p = 0.2059.

    Args:
        observed: a list of counts (goodness of fit), a list of rows of counts (independence), or a
            table: a path or glob, a DuckDB table or view, SQL, a relation, a frame, or arrays by
            name. A table has either a row per category, with the column observed and maybe
            expected, or the columns row and column, and maybe n: one row per cell, or per
            observation where there is no n. Cells of one place add up, a cell that is not there is 0.
        expected: for a list of counts, as many counts or shares; only their proportions
            matter. Without them, the expected counts of all categories are equal.
        columns: canonical name -> your name, as in ``{"row": "variant", "column": "clicked"}``.
        connection: a DuckDB connection, or the path of a database file.
        correction: Yates' correction of a table of 2 by 2 (scipy and R apply it by default).
        statistic: ``"pearson"``, or ``"g"`` for the likelihood-ratio test.

    Returns:
        Statistic, degrees of freedom, p-value, n, the smallest expected count, Cramér's V of a
        table, and warnings, such as of expected counts below 5.

    Raises:
        MetricError: there is no such statistic, or nothing for the correction to correct.
        InputError: the counts cannot be read, are not counts, are all 0, or of fewer than two
            categories, or were observed where 0 was expected.
        EngineError: the database refused a query.

    Source:
        Pearson, Philosophical Magazine 1900, doi:10.1080/14786440009463897.

    Example:
        duckmetrics.chi_square([3, 7]).p  # 0.2059
        clicks = {"row": ["A", "A", "B", "B"], "column": [0, 1, 0, 1], "n": [90, 10, 70, 30]}
        duckmetrics.chi_square(clicks).statistic  # 12.5
    """
    engine = open_engine(connection=connection)
    before = len(engine.ran)

    def attach(table: Any, role: Role) -> Source:
        return engine.once(engine.attach(table, role))

    with engine.exclusive(keep=False):
        counts = read_counts(observed, expected, dict(columns or {}), attach)
        test, name = _TESTS[counts.table]
        measure = read_statistic(name, _params(name, statistic, correction))
        found, warnings = computed_on(engine, measure, counts)
        sql = ";\n\n".join(engine.ran[before:]) + ";"
    (row,) = found.to_pylist()
    return ChiSquare(
        test, statistic, **row, correction=correction, warnings=tuple(warnings), sql=sql, _summary=found
    )


def _params(name: str, statistic: str, correction: bool) -> dict[str, Any]:
    """Return the parameters of a statistic.

    Raises:
        MetricError: there is no such statistic, or nothing for the correction to correct.
    """
    known = catalog().statistics[name].own_params
    choices = known["statistic"].choices
    if statistic not in choices:
        raise MetricError("statistic", *unknown("statistic", str(statistic), map(str, choices)))
    if correction and "correction" not in known:
        raise MetricError("correction", "is for tables of 2 by 2, not for one list of counts", "leave it out")
    return {"statistic": statistic, **({"correction": True} if correction else {})}
