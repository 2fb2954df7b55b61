"""Tests of significance on counts: they take lists and tables, and return a readable result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import catalog
from duckmetrics.engines.opening import open_engine
from duckmetrics.errors import MetricError, unknown
from duckmetrics.results.document import document
from duckmetrics.results.notebook import readable
from duckmetrics.results.tabular import Printed, Shown, p_text
from duckmetrics.statistics.counts import read_counts
from duckmetrics.statistics.data import CELLS, COUNTS
from duckmetrics.statistics.run import computed_on, read_statistic

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    import duckdb
    import pyarrow as pa

    from duckmetrics.engines.duckdb import DuckDBEngine
    from duckmetrics.inputs.sources import Role, Source

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
