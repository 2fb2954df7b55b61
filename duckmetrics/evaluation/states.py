"""States: what an evaluation leaves behind, so that days can be merged without their rows.

A state is a Parquet file. Its column ``state`` has the same JSON in every row, the header.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, MULTICLASS, RANKING
from duckmetrics.catalog.measure import GIVEN_VALUES
from duckmetrics.engines import targets
from duckmetrics.engines.engine import keep_new, keep_readable
from duckmetrics.errors import InputError, MetricError, UnsupportedError
from duckmetrics.evaluation.state_sums import cells
from duckmetrics.expressions.build import hash_of_all, quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.kept_sums import N_POSITIVE, UNITS, N, summable
from duckmetrics.inputs.classification import GROUP, UNIT, unit_rows
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.inputs.inputs import CLUSTER
from duckmetrics.inputs.interval_options import LEVEL, read_inference
from duckmetrics.inputs.slices import taken_name
from duckmetrics.inputs.values import FLAGS
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.report_data import Opened
    from duckmetrics.inputs.inputs import Inputs


# The column with the header, and the version of the schema.
STATE, FORMAT = "state", 1
# The column that tells the two kinds of rows of classifiers apart.
PART, COUNTED, SUMMED = "part", "rows", "sums"
# The columns of each family that no slice, cluster or id may be called like.
OF_VALUES = (STATE, "system", "metric", WEIGHT, "value", *FLAGS)
OF_ROWS = (STATE, PART, "system", "label", "score", WEIGHT, "n", N_POSITIVE, UNITS)
SUFFIX = ".parquet"


@dataclass(frozen=True)
class Header:
    """The contents of a state.

    Attributes:
        metrics: the metrics as typed -> their signatures.
        by: the slicing columns.
        ids: the columns that identify a query, or a group.
        clusters: the columns that identify a cluster; none if queries or rows are units.
        systems: the names of the systems; none for a single one without a name.
        weighted: whether rows, or queries, have weights.
        counted: whether there are rows of classifiers, next to sums or without any.
        summed: the metrics that are functions of sums.
        sums: the columns of these sums.
        grid: scores are rounded to multiples of 1 / grid; None if they are kept as they are.
        n: the number of queries of all systems, or of rows.
        content: a hash of the rows.
    """

    family: str
    metrics: dict[str, str]
    by: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    weighted: bool = False
    counted: bool = False
    summed: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    grid: int | None = None
    n: int = 0
    content: str = ""
    release: str = __version__
    format: int = FORMAT

    def text(self) -> str:
        """Return the header as the file has it."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Header:
        """Read a header of this format.

        Raises:
            ValueError: it is another text, or lacks a part.
        """
        found: dict[str, Any] = json.loads(text)
        names = [field.name for field in fields(cls)]
        known = {name: found[name] for name in names if name in found}
        lists = {name: tuple(one) for name, one in known.items() if isinstance(one, list)}
        return cls(**{**known, **lists})

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose names are those of the caller."""
        return tuple(dict.fromkeys((*self.by, *self.ids, *self.clusters)))

    @property
    def weights(self) -> tuple[str, ...]:
        """The column of the weights, if there are some."""
        return (WEIGHT,) if self.weighted else ()

    @property
    def groupings(self) -> tuple[str, ...]:
        """The columns that values can be sliced and clustered by: sums do not have those of groups."""
        return self.columns if self.family == RANKING else tuple(dict.fromkeys((*self.by, *self.clusters)))


def write_state(
    session: Opened, parts: Sequence[FamilyEvaluation], path: str | Path, grid: int | None
) -> None:
    """Write what merging needs of an evaluation.

    Raises:
        MetricError: metrics of both families, or one that cannot be merged.
        InputError: the file must not be written, or a column has the name of one of the state.
        UnsupportedError: Spark has the rows.
    """
    engine = session.engine
    if engine.dialect != DIALECT:
        raise UnsupportedError("state", "not on Spark", "write the rows to Parquet, and use DuckDB")
    families = {measure.family for part in parts for measure in part.measures}
    if len(families) > 1:
        raise MetricError(
            "state", "metrics of rankings and of classifiers together", "write a state for each of the two"
        )
    if MULTICLASS in families:
        what = "metrics of several classes, whose counts are not kept"
        raise MetricError("state", what, "keep the rows, and evaluate those of all days together")
    if targets.url_of(path) is None and not str(path).endswith(SUFFIX):
        raise InputError(path, "a state is a Parquet file", f"call it {path}{SUFFIX}")
    write = _values if RANKING in families else _rows
    with engine.exclusive(keep=False):
        query, header = write(session, parts, grid)
        table = keep_new(engine, STATE, query)
        kept = exp.select(exp.Star()).from_(table)
        ((n, content),) = engine.rows(_hashed(table, [name for name, _ in engine.columns(kept)], header))
        header = replace(header, n=n, content=content)
        engine.copy(
            exp.select(literal(header.text()).as_(STATE), exp.Star()).from_(kept.subquery("kept")), path
        )


def _hashed(table: str, columns: Sequence[str], header: Header) -> exp.Select:
    """Return the query of the number of queries or rows, and of a hash that no order of the rows changes."""
    texts = (exp.func("coalesce", exp.cast(quoted(name), "VARCHAR"), literal("NULL")) for name in columns)
    row = exp.Anonymous(this="concat_ws", expressions=[literal("|"), *texts])
    n: exp.Expr = exp.Sum(this=exp.column("n"))
    if header.family == CLASSIFICATION:
        part = exp.column(PART).eq(exp.select(exp.Min(this=exp.column(PART))).from_(table).subquery())
        n = exp.Filter(this=n, expression=exp.Where(this=part))
    else:
        first = exp.column("metric").eq(literal(next(iter(header.metrics))))
        n = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=first))
    return exp.select(exp.cast(n, "BIGINT"), hash_of_all(row)).from_(table)


# --- rankings ----------------------------------------------------------------------------------------


def _values(
    session: Opened, parts: Sequence[FamilyEvaluation], grid: int | None
) -> tuple[exp.Select, Header]:
    """Return the query of the values of all queries, and the header."""
    if grid is not None:
        raise MetricError("grid", "is for scores of classifiers", "leave it out")
    summaries = []
    for part in parts:
        if part.values is None:
            raise MetricError(
                part.measures[0].text, "has one value for all lists together, which days do not add up to",
                "leave it out of the state, and compute it from the rows",
            )  # fmt: skip
        for measure in part.measures:
            if GIVEN_VALUES in measure.values:
                raise MetricError(
                    measure.text, "was computed elsewhere, and its values are a state already",
                    "keep their table; values= (--values) reads those of several days together",
                )  # fmt: skip
        _refuse_overflow(part)
        summaries.append(part.values)
    whole = summaries[0].with_flags()  # nothing else has values of queries
    inputs = summaries[0].inputs
    header = Header(
        RANKING, _signatures(parts), inputs.by_columns, inputs.query_parts or ("query_id",),
        () if inputs.cluster is None else (inputs.cluster,), _systems(parts),
        weighted=inputs.weight is not None,
    )  # fmt: skip
    _refuse_taken(header, OF_VALUES)
    columns: dict[str, exp.Expr] = {"system": exp.column("system"), "metric": exp.column("metric")}
    columns |= dict(_parts_of("query_id", header.ids))
    columns |= {name: quoted(name) for name in header.by}
    columns |= {name: exp.column(CLUSTER) for name in header.clusters}
    columns |= {name: exp.column(name) for name in (*header.weights, "value", *FLAGS)}
    query = _selected(columns).from_(whole.subquery("queries"))
    return query.order_by("metric", "system", *map(quoted, header.ids)), header


def _refuse_overflow(part: FamilyEvaluation) -> None:
    """Refuse values that are too large for a number: the mean of all days would leave them out.

    Raises:
        MetricError: names the metric.
    """
    for row in part.rows:
        if row["slice"] == "" and row["reason"] == "the values overflow":
            raise MetricError(row["metric"], "values of queries overflow", "leave it out of the state")


# --- classifiers -------------------------------------------------------------------------------------


def _rows(session: Opened, parts: Sequence[FamilyEvaluation], grid: int | None) -> tuple[exp.Select, Header]:
    """Return the query of the counted rows, and the header."""
    request, engine = session.request, session.engine
    measures = [measure for part in parts for measure in part.measures]
    session.refuse_changed()
    asked = request.of(session.catalog, measures)
    if asked.inference is None:
        asked = replace(asked, inference=read_inference(LEVEL))
    if asked.own_columns.get("predictions"):
        raise MetricError(
            measures[0].text,
            "reads columns of its own, which a state does not have",
            "compute it from the rows",
        )
    inputs = unit_rows(asked, measures, session.attach, partial(keep_readable, engine))
    if grid is not None:
        score = exp.Star(replace=[_on_grid(exp.column("score"), grid).as_("score")])
        rows = exp.select(score).from_(inputs.queries["predictions"].subquery("rows"))
        inputs = replace(inputs, queries={**inputs.queries, "predictions": rows})
    groups = inputs.column_label("predictions", GROUP).split("+") if _has_groups(inputs) else []
    header = Header(
        CLASSIFICATION, _signatures(parts), inputs.by_columns, tuple(groups),
        () if inputs.cluster is None else tuple(inputs.cluster.split("+")), _systems(parts),
        inputs.weighted, grid=grid,
    )  # fmt: skip
    _refuse_taken(header, OF_ROWS)
    summed = [] if inputs.weighted else summable(session.catalog, measures)
    header = replace(header, counted=len(summed) < len(measures), summed=tuple(one.text for one in summed))
    counted = _counted(inputs, header)
    if not summed:
        return counted, header
    query, names = _summed(session, inputs, header, summed)
    header = replace(header, sums=tuple(names))
    if not header.counted:
        return query, header
    nothing = [exp.cast(exp.null(), "DOUBLE").as_(name) for name in names if name != N]
    rows = exp.select(exp.Star(), *nothing).from_(counted.subquery("counted"))
    both = exp.Union(this=rows, expression=query, distinct=False, by_name=True)
    return exp.select(exp.Star()).from_(both.subquery("parts")), header


def _slices(inputs: Inputs) -> dict[str, exp.Expr]:
    return {name: exp.column(f"by_{i}") for i, name in enumerate(inputs.by_columns, start=1)}


def _system(inputs: Inputs) -> exp.Expr:
    return exp.cast(exp.null(), "VARCHAR") if inputs.one_system else exp.column("system")


def _counted(inputs: Inputs, header: Header) -> exp.Select:
    """Return the distinct rows with their number."""
    columns: dict[str, exp.Expr] = {PART: literal(COUNTED), "system": _system(inputs), **_slices(inputs)}
    columns |= dict(_parts_of(GROUP, header.ids))
    columns |= dict(_parts_of(UNIT, header.clusters))
    columns |= {"label": exp.column("label"), "score": exp.column("score")}
    columns |= {WEIGHT: exp.column(WEIGHT)} if inputs.weighted else {}
    rows = _selected(columns).from_(inputs.queries["predictions"].subquery("predictions"))
    names = list(map(quoted, columns))
    counted = exp.select(*names, exp.Count(this=exp.Star()).as_(N)).from_(rows.subquery("rows"))
    keys = [name.copy() for name in names]
    return counted.group_by(*keys).order_by(*(key.copy() for key in keys))


def _summed(
    session: Opened, inputs: Inputs, header: Header, measures: Sequence[Measure]
) -> tuple[exp.Select, list[str]]:
    """Return the sums of each slice and cluster, and the names of their columns."""
    slices = _slices(inputs)
    query, names = cells(
        session.catalog, session.engine, inputs, measures, [column.name for column in slices.values()]
    )
    columns: dict[str, exp.Expr] = {PART: literal(SUMMED), "system": _system(inputs), **slices}
    columns |= dict(_parts_of(UNIT, header.clusters))
    columns |= {name: exp.column(name) for name in names}
    found = _selected(columns).from_(query.subquery("cells"))
    return found.order_by(*map(quoted, columns)), names


def _has_groups(inputs: Inputs) -> bool:
    return f"predictions.{GROUP}" in inputs.names


def _on_grid(score: exp.Expr, grid: int | None) -> exp.Expr:
    """Round a score to a multiple of 1 / grid."""
    if grid is None:
        return score
    size = literal(float(grid))
    return exp.Div(this=exp.Round(this=exp.Mul(this=score, expression=size)), expression=size.copy())


# --- both --------------------------------------------------------------------------------------------


def _signatures(parts: Sequence[FamilyEvaluation]) -> dict[str, str]:
    """Return the signatures of the metrics, as their rows show them."""
    return {row["metric"]: row["signature"] for part in parts for row in part.rows}


def _systems(parts: Sequence[FamilyEvaluation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["system"] for row in parts[0].rows if row["system"] is not None))


def _parts_of(column: str, names: Sequence[str]) -> Iterator[tuple[str, exp.Expr]]:
    """Yield the columns that form an id, by their names."""
    for name in names:
        whole = exp.column(column)
        field = exp.to_identifier(name, quoted=True)
        yield name, whole if len(names) == 1 else exp.Dot(this=whole, expression=field)


def _selected(columns: dict[str, exp.Expr]) -> exp.Select:
    return exp.select(*(exp.alias_(one, name, quoted=True) for name, one in columns.items()))


def _refuse_taken(header: Header, names: Sequence[str]) -> None:
    """Refuse columns of the caller that are called like one of the state.

    Raises:
        InputError: names the column.
    """
    for name in header.columns:
        if name.lower() in names and name in header.by:
            raise taken_name(name, "the state")
        if name.lower() in names:
            raise InputError(
                STATE, f"column {name!r} is also a column of the state", "rename it in the table"
            )
