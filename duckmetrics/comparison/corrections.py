"""From ranks among sampled candidates to metrics among all items.

One relevant item has rank r of n. Of the other items m are drawn, uniformly and with replacement, so
that its rank among the candidates is 1 + Binomial(m, (r - 1) / (n - 1)). The files under sql/sampling
hold the sums over all ranks; their results have one number for each rank among the candidates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from operator import mul
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.errors import MetricError, unknown
from duckmetrics.expressions.build import everything
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.results.findings import Examined
from duckmetrics.results.tabular import Printed, Shown, document, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.results.findings import Finding


def solver(entry: Callable[[int, int], float], size: int) -> Callable[[Sequence[float]], list[float]]:
    """Factor a symmetric positive definite matrix into L L', which needs no pivoting to be stable.

    Args:
        entry: row, column -> the entry; asked where row >= column.

    Returns:
        A function from the right side of an equation to its solution.

    Raises:
        ValueError: the matrix is not positive definite in double precision.

    Source:
        Golub and Van Loan, Matrix Computations, 4.2.
    """
    rows: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j, above in enumerate(rows):
            row.append((entry(i, j) - sum(map(mul, row, above))) / above[j])
        pivot = entry(i, i) - sum(map(mul, row, row))
        if not pivot > 0:
            raise ValueError(f"pivot {i} is {pivot}")
        rows.append([*row, math.sqrt(pivot)])
    columns = [[row[j] for row in rows[j:]] for j in range(size)]

    def solve(right: Sequence[float]) -> list[float]:
        forward: list[float] = []
        for row, value in zip(rows, right, strict=True):
            forward.append((value - sum(map(mul, row, forward))) / row[-1])
        backward: list[float] = []
        for column, value in zip(reversed(columns), reversed(forward), strict=True):
            backward.insert(0, (value - sum(map(mul, column[1:], backward))) / column[0])
        return backward

    return solve


# Ranks are above it; 0 and below stand for the rank of a query that has none, see
# sql/sampling/queries.sql.
MISSING = 0


@dataclass(frozen=True)
class SampledRanks:
    """The number of queries of each rank, under the conventions that some measures share.

    Attributes:
        histograms: system -> rank, or the number in its place -> number of queries.
        n_missing: system -> number of queries without predictions.
        candidates: the smallest and the largest number of candidates of a query; None where there are none.
        grades: the smallest and the largest grade of a relevant item.
    """

    measures: tuple[Measure, ...]
    histograms: dict[str, dict[int, int]]
    n_missing: dict[str, int]
    candidates: tuple[int, int] | None
    grades: tuple[float, float]

    def shares(self) -> dict[str, dict[int, float]]:
        """Return system -> rank -> its share of the queries with a rank, for systems that have ranks."""
        ranked = {
            system: {rank: n for rank, n in histogram.items() if rank > MISSING}
            for system, histogram in self.histograms.items()
        }
        return {
            system: {rank: n / sum(counts.values()) for rank, n in counts.items()}
            for system, counts in ranked.items() if counts
        }  # fmt: skip


def sampled_ranks(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> list[SampledRanks]:
    """Count the ranks among the candidates, once for the measures that rank in the same way."""
    composer = inputs.composer(catalog)
    definition = catalog.sampling["sampled_ranks"]
    alike: dict[str, list[Measure]] = {}
    for measure in measures:
        query = composer.resolved(definition, {**measure.values, "depth": None})
        alike.setdefault(composer.step(definition.name, query), []).append(measure)
    found = []
    for step, those in alike.items():
        table = engine.name(step)
        engine.keep(table, composer.complete(everything(step)))
        found.append(_read(tuple(those), engine.rows(engine.kept(table).order_by("system", "place"))))
    return found


def _read(measures: tuple[Measure, ...], rows: Sequence[tuple[Any, ...]]) -> SampledRanks:
    histograms: dict[str, dict[int, int]] = {}
    n_missing: dict[str, int] = {}
    for system, place, n, missing, *_ in rows:
        histograms.setdefault(system, {})[place] = n
        n_missing[system] = n_missing.get(system, 0) + missing
    extremes = [row[4:] for row in rows if row[4] is not None]
    if not extremes:
        return SampledRanks(measures, histograms, n_missing, None, (1.0, 1.0))
    fewest, most, lowest, highest = zip(*extremes, strict=True)
    return SampledRanks(
        measures, histograms, n_missing, (min(fewest), max(most)), (min(lowest), max(highest))
    )


@dataclass(frozen=True, repr=False)
class SampledEvaluation(Examined, Printed):
    """The values of metrics over sampled candidates, as they are and corrected.

    Attributes:
        rows: one dictionary per system, metric and method: system, metric, method, value, n (the queries
            whose value entered), n_items, n_negatives, gamma (of the method bv) and signature (the
            conventions behind the ranks).
        methods: those asked for.
        checks: warnings and notes about the data.
        sql: the SQL that ran.
    """

    command = "sampled"

    rows: tuple[dict[str, Any], ...]
    methods: tuple[str, ...]
    checks: tuple[Finding, ...]
    sql: str = field(compare=False)

    @property
    def summary(self) -> pa.Table:
        """One row per system, metric and method."""
        import pyarrow as pa

        types = {"value": pa.float64(), "gamma": pa.float64()}
        types |= {name: pa.int64() for name in ("n", "n_items", "n_negatives")}
        names = list(self.rows[0])
        schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
        return readable(pa.Table.from_pylist(list(self.rows), schema))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``duckmetrics sampled`` prints it in JSON, see docs/reference/json.md."""
        return document(self.command, self.summary.to_pylist(), self.checks)

    def value(self, metric: str, method: str, system: str | None = None) -> float | None:
        """Return one value.

        Raises:
            MetricError: no such metric, method or system, or several systems and none named.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.sampled(run, qrels, "mrr", n_items=100, methods="naive")
            result.value("mrr", method="naive")  # 0.75
        """
        asked = {"metric": metric, "method": method, **({} if system is None else {"system": system})}
        for name, wanted in asked.items():
            known = dict.fromkeys(str(row[name]) for row in self.rows)
            if wanted not in known:
                raise MetricError("value", *unknown(name, wanted, known))
        found = [row["value"] for row in self.rows if all(row[k] == v for k, v in asked.items())]
        if len(found) > 1:
            raise MetricError(metric, f"evaluated for {len(found)} systems", "name one with system=")
        value: float | None = found[0]
        return value

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns of `cells` that hold numbers."""
        return (*self.methods, "n")

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns and cells for a reader: the methods side by side."""
        keys = ["system", "metric"] if any(row["system"] is not None for row in self.rows) else ["metric"]
        lines: dict[tuple[str, ...], dict[str, str]] = {}
        for row in self.rows:
            line = lines.setdefault(tuple(str(row[key]) for key in keys), {})
            line[row["method"]] = "NULL" if row["value"] is None else f"{row['value']:.4f}"
            line["n"] = str(row["n"])
        return [*keys, *self.numeric], [
            [*key, *(line[name] for name in self.numeric)] for key, line in lines.items()
        ]

    @property
    def assumption(self) -> str:
        """The sampling of the candidates, in a line."""
        first = self.rows[0]
        gamma = next((row["gamma"] for row in self.rows if row["gamma"] is not None), None)
        return (
            f"one relevant item, and {first['n_negatives']} drawn uniformly from {first['n_items']} items"
            + ("" if gamma is None else f"; bv: gamma={gamma:g}")
        )

    def shown(self) -> Shown:
        """Return the methods side by side, with the assumption and the findings below."""
        found = (f"{finding.severity}: {finding.message}" for finding in self.checks)
        return Shown(*self.cells(), self.numeric, notes=[self.assumption, *found])


# The uniform distribution is where expectation maximization starts, and it ends where a step raises the
# mean log-likelihood of a query by less than this, or after this number of steps. Samples do not
# distinguish neighboring ranks, so that many distributions are about as likely: the start and the end
# are part of the estimate.
TOLERANCE = 1e-9
STEPS = 500

Values = dict[int, float | None]


@dataclass(frozen=True)
class Curves:
    """The measures as functions of the rank of the one relevant item.

    Attributes:
        table: where they are kept; query_id is the rank, or one of the two other places.
        columns: one for each measure.
    """

    table: str
    columns: tuple[str, ...]


class SamplingModel:
    """The estimates of measures over n items from ranks among m + 1 candidates.

    Args:
        measures: functions of the rank of one relevant item.
        grade: the grade of the relevant items.
    """

    def __init__(
        self,
        catalog: Catalog,
        engine: Engine,
        measures: Sequence[Measure],
        n_items: int,
        n_negatives: int,
        grade: float = 1.0,
    ) -> None:
        self.catalog = catalog
        self.engine = engine
        self.measures = measures
        self.n_items = n_items
        self.n_negatives = n_negatives
        self.grade = grade
        self.sizes: dict[str, Value] = {"n_items": n_items, "n_draws": n_negatives}
        self._known: dict[str, Curves] = {}

    def naive(self) -> list[Values]:
        """Return each measure by place, as if the candidates were all items."""
        n = self.n_negatives + 1
        return self._by_place(self._curves("naive", self._file("all_ranks", {"n_items": n}), n))

    def rank_estimate(self) -> list[Values]:
        """Return each measure by place, at the rank that makes the estimate of the rank unbiased."""
        ranks = self._file("estimated_ranks", self.sizes)
        by_estimate = self._by_place(self._curves("estimated", ranks, self.n_items))
        return [_by_rank(values) for values in by_estimate]

    def bias_variance(self, gamma: float) -> list[Values]:
        """Return each measure by place, by least squares with a penalty of the variance.

        The estimate solves ((1 - gamma) A'A + gamma diag(c)) x = A'b for all ranks being equally likely.
        Two samples of m are one of 2m, so that A'A depends only on the ranks in one of 2m.

        Args:
            gamma: the weight of the variance in (0, 1]; 1 is the posterior mean.

        Raises:
            MetricError: a measure has no value at some rank, or gamma is too small for doubles.

        Source:
            Krichene and Rendle, KDD 2020, doi:10.1145/3394486.3403226.
        """
        m = self.n_negatives
        self._refuse_undefined()
        sums = self._sums(m, self._all)
        both = [row[0] for row in self._sums(2 * m, None)]
        ways = [math.comb(m, i) for i in range(m + 1)]
        ways_of_both = [math.comb(2 * m, i) for i in range(2 * m + 1)]

        def entry(i: int, j: int) -> float:
            product = ways[i] * ways[j] / ways_of_both[i + j] * both[i + j]
            return (1 - gamma) * product + (gamma * sums[i][0] if i == j else 0.0)

        try:
            solve = solver(entry, m + 1)
        except ValueError:
            raise MetricError(
                f"gamma={gamma:g}", "too small to be computed with", "take a larger one"
            ) from None
        return [
            dict(enumerate(solve([row[1 + number] for row in sums]), start=1))
            for number in range(len(self.measures))
        ]

    def maximum_likelihood(
        self, shares: Mapping[str, Mapping[int, float]], steps: int = STEPS, tolerance: float = TOLERANCE
    ) -> dict[str, list[float]]:
        """Return the mean of each measure under the distribution of ranks that explains the samples best.

        Adjacent ranks that samples hardly distinguish have the same probability; see
        sql/sampling/rank_groups.sql.

        Args:
            shares: system -> rank among the candidates -> its share of the queries.

        Raises:
            MetricError: a measure has no value at some rank.

        Source:
            Jin et al., AAAI 2021, doi:10.1609/aaai.v35i5.16537.
        """
        if not shares:
            return {}
        self._refuse_undefined()
        sources = {name: self._file(name, self.sizes) for name in ("chances", "rank_groups")}
        grouped = {
            "group_chances": self._kept("group_chances", sources),
            "shares": _rows(("system", "sampled_rank", "share"), (
                (system, rank, share) for system, of in shares.items() for rank, share in of.items()
            )),
        }  # fmt: skip
        lists = {name: self._kept(name, grouped) for name in ("groups", "observed")}
        ended: dict[str, Value] = {"steps": steps, "tolerance": tolerance}
        distribution = self._kept("rank_distribution", lists, ended)
        curves = self._all
        of_group = exp.select("number", *(exp.Avg(this=exp.column(c)).as_(c) for c in curves.columns))
        of_group = of_group.from_(sources["rank_groups"].subquery("rank_groups"))
        of_group = of_group.join(exp.to_table(curves.table), on="query_id = rank").group_by("number")
        chance = exp.Bracket(this=exp.column("probabilities"), expressions=[exp.column("number")])
        means = (exp.Sum(this=exp.Mul(this=chance.copy(), expression=exp.column(c))) for c in curves.columns)
        query = exp.select("system", *means).from_(distribution.subquery("distribution"))
        query = query.join(of_group.subquery("of_group"), join_type="cross").group_by("system")
        return {row[0]: list(row[1:]) for row in self._run(query)}

    @property
    def _all(self) -> Curves:
        """The measures at every rank."""
        return self._curves("all", self._file("all_ranks", {"n_items": self.n_items}), self.n_items)

    def _curves(self, name: str, ranks: exp.Query, n: int) -> Curves:
        """Keep the measures for one relevant item at these ranks of n, composed from the metrics' files."""
        if name not in self._known:
            sizes: dict[str, Value] = {"n_items": n, "grade": self.grade}
            inputs = {
                relation: _reading(self._file(relation, sizes), {"ranks": ranks})
                for relation in ("relevant", "queries", "judged_queries")
            }
            query, columns = Composer(self.catalog, inputs, {"system": ONE_SYSTEM}).per_query(self.measures)
            self._known[name] = Curves(self._keep("curves", query), tuple(c.value for c in columns))
        return self._known[name]

    def _by_place(self, curves: Curves) -> list[Values]:
        rows = self._run(exp.select("query_id", *curves.columns).from_(curves.table))
        return [{row[0]: row[number] for row in rows} for number in range(1, len(self.measures) + 1)]

    def _refuse_undefined(self) -> None:
        curves = self._all
        counts = (exp.Count(this=exp.column(column)) for column in curves.columns)
        ranks = exp.GT(this=exp.column("query_id"), expression=literal(MISSING))
        (defined,) = self._run(exp.select(*counts).from_(curves.table).where(ranks))
        for measure, n in zip(self.measures, defined, strict=True):
            if n < self.n_items:
                raise MetricError(
                    measure.text,
                    (
                        f"has no value at {self.n_items - n} of {self.n_items} ranks, and a correction needs "
                        "all of them"
                    ),
                    "ask for it without a cut-off, or for the method naive",
                )

    def _sums(self, n_draws: int, curves: Curves | None) -> list[tuple[float, ...]]:
        """Return the mean over all ranks of chance, and of chance times value, per rank among n_draws + 1."""
        chance = exp.column("chance")
        terms: list[exp.Expr] = [chance]
        if curves is not None:
            terms += [exp.Mul(this=chance.copy(), expression=exp.column(c)) for c in curves.columns]
        n = literal(float(self.n_items))
        means = (exp.Div(this=exp.Sum(this=term), expression=n.copy()) for term in terms)
        chances = self._file("chances", {"n_items": self.n_items, "n_draws": n_draws})
        query = exp.select("sampled_rank", *means).from_(chances.subquery("chances"))
        if curves is not None:
            query = query.join(exp.to_table(curves.table), on="query_id = rank")
        query = query.group_by("sampled_rank").order_by("sampled_rank")
        return [row[1:] for row in self._run(query)]

    def _file(self, name: str, values: Mapping[str, Value]) -> exp.Query:
        return cast("exp.Query", bind(self.catalog.sampling[name].query, values))

    def _kept(
        self, name: str, sources: Mapping[str, exp.Query], values: Mapping[str, Value] | None = None
    ) -> exp.Query:
        """Keep the rows of a file that reads these sources."""
        query = _reading(self._file(name, values or {}), sources)
        return exp.select(exp.Star()).from_(self._keep(name, query))

    def _run(self, query: exp.Query) -> list[tuple[Any, ...]]:
        text = query.sql(self.engine.dialect, pretty=True)
        self.engine.ran.append(text)
        return self.engine.rows(text)

    def _keep(self, stem: str, query: exp.Query) -> str:
        table = self.engine.name(stem)
        self.engine.keep(table, query)
        return table


def _by_rank(values: Values) -> Values:
    """Number estimated ranks in their order; the places of queries without a rank stay."""
    ranks = sorted(place for place in values if place > MISSING)
    others = {place: value for place, value in values.items() if place <= MISSING}
    return others | {rank: values[place] for rank, place in enumerate(ranks, start=1)}


def _rows(columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> exp.Select:
    """Return a query that yields these rows."""
    names = [exp.to_identifier(column) for column in columns]
    tuples = [exp.Tuple(expressions=[literal(value) for value in row]) for row in rows]
    alias = exp.TableAlias(this=exp.to_identifier("given"), columns=names)
    return exp.select(*columns).from_(exp.Values(expressions=tuples, alias=alias))


def _reading(query: exp.Query, sources: Mapping[str, exp.Query]) -> exp.Query:
    """Put queries in place of the tables of these names, in place."""
    for table in list(query.find_all(exp.Table)):
        if table.name in sources:
            table.replace(sources[table.name].subquery(table.alias_or_name))
    return query
