"""Several states put together: which files they are, whether they fit, and the request that reads them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING
from duckmetrics.catalog.given import signed_measure
from duckmetrics.catalog.measure import Signature
from duckmetrics.catalog.spec_text import read_specs
from duckmetrics.compose.composer import Composer
from duckmetrics.engines.targets import url_of
from duckmetrics.errors import EngineError, InputError, MetricError, suggestion
from duckmetrics.evaluation.given_values import read_given
from duckmetrics.evaluation.session import Session
from duckmetrics.evaluation.state_sums import evaluate_sums
from duckmetrics.evaluation.states import COUNTED, FORMAT, PART, STATE, SUMMED, Header
from duckmetrics.expressions.build import picked, quoted, row_count
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.kept_sums import needed_sums
from duckmetrics.inputs.classification import GROUP
from duckmetrics.inputs.columns import ColumnMap
from duckmetrics.inputs.interval_options import BOOTSTRAP
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.values import FLAGS
from duckmetrics.results.findings import NOTE, Finding
from duckmetrics.words.lists import counted, joined
from duckmetrics.words.visible import hashable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.inference.ranking_summary import RankingSummary
    from duckmetrics.inputs.interval_options import Inference
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.results.evaluation import Evaluation

WHERE = "merge"
WRITE = "write it with 'duckmetrics state' (Evaluation.state)"
AGAIN = "write the states again with the same options"
REPEATED = "repeated_queries"
_HEAD = b"PAR1"


@dataclass(frozen=True)
class States:
    """States that fit together.

    Attributes:
        headers: path -> the header.
    """

    headers: Mapping[str, Header]

    @property
    def first(self) -> Header:
        return next(iter(self.headers.values()))

    @property
    def label(self) -> str:
        """The name of the states in messages."""
        return _name(next(iter(self.headers))) if len(self.headers) == 1 else f"{len(self.headers)} states"

    @property
    def notes(self) -> list[Finding]:
        """Notes on what a reader of the merged values should know."""
        found = []
        releases = sorted({header.release for header in self.headers.values()})
        if len(releases) > 1:
            found.append(f"the states were written by the releases {joined(releases)}")
        if self.first.grid is not None:
            found.append(f"scores are rounded to multiples of 1/{self.first.grid}, as the states have them")
        return [Finding(WHERE, NOTE, WHERE, "", 0, (), f"{WHERE}: {what}", "") for what in found]

    def table(self) -> exp.Table:
        """Return the rows of all states."""
        return _read(self.headers)


def read_states(engine: Engine, paths: Iterable[str | os.PathLike[str]]) -> States:
    """Read the headers of states, and check that they fit together.

    Raises:
        InputError: there is none, a file is no state, or two of them do not fit together.
    """
    files = list(_files(engine, paths))
    if not files:
        raise InputError(WHERE, "no state is given", "name files such as 'states/*.parquet'")
    headers = _headers(engine, files)
    first, *others = headers.items()
    for other in others:
        _refuse_unlike(first, other)
    known: dict[str, str] = {}
    for path, header in headers.items():
        if header.content in known:
            what = f"has the same rows as {_name(known[header.content])}, which would be counted twice"
            raise InputError(path, what, "leave one of the two out")
        known[header.content] = path
    return States(headers)


def _files(engine: Engine, paths: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    """Yield the files that paths, patterns and folders mean, each once.

    Raises:
        InputError: there is no such file.
    """
    found: dict[str, None] = {}
    for given in paths:
        text = os.path.expanduser(os.fspath(given))
        if os.path.isfile(text):  # its name may hold characters of a pattern
            found[text] = None
            continue
        pattern = f"{text.rstrip('/')}/*.parquet" if os.path.isdir(text) else text
        listed = exp.Table(this=exp.Anonymous(this="glob", expressions=[literal(url_of(pattern) or pattern)]))
        names = [name for (name,) in engine.rows(exp.select("file").from_(listed).order_by("file"))]
        if not names:
            raise InputError(given, "no such file", WRITE)
        found |= dict.fromkeys(names)
    seen: set[str] = set()
    for name in found:
        real = name if url_of(name) else os.path.realpath(name)
        if real not in seen:
            seen.add(real)
            yield name


def _headers(engine: Engine, files: Sequence[str]) -> dict[str, Header]:
    """Return the headers of the files.

    Raises:
        InputError: a file is not a state, or of a version that this release does not read.
    """
    for path in files:
        if url_of(path) is None and _begins(path) != _HEAD:
            raise InputError(path, "is not a Parquet file", f"name states; {WRITE}")
    schema = exp.Anonymous(this="parquet_schema", expressions=[_listed(files)])
    try:
        columns = engine.rows(exp.select("file_name", "name").from_(exp.Table(this=schema)))
        having = {path for path, name in columns if name == STATE}
        texts = (
            exp.select("filename", exp.Min(this=exp.column(STATE))).from_(_read(having)).group_by("filename")
        )
        found = dict(engine.rows(texts)) if having else {}
    except EngineError as error:
        raise InputError(WHERE, f"a state cannot be read: {error}", "write it again") from error
    headers = {}
    for path in files:
        try:
            header = Header.read(found.get(path) or "")
        except (ValueError, TypeError) as error:
            raise InputError(path, "is a Parquet file, and no state", WRITE) from error
        if header.format != FORMAT:
            what = f"is a state of version {header.format}, and this release reads version {FORMAT}"
            raise InputError(path, what, f"merge it with duckmetrics {header.release}, or write it again")
        headers[path] = header
    return headers


def _begins(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(len(_HEAD))


def _listed(files: Iterable[str]) -> exp.Expr:
    return exp.Array(expressions=[literal(path) for path in files])


def _read(files: Iterable[str]) -> exp.Table:
    """Return the rows of Parquet files, with the column filename."""
    options = [
        exp.EQ(this=exp.to_identifier(name), expression=exp.true()) for name in ("union_by_name", "filename")
    ]
    return exp.Table(this=exp.Anonymous(this="read_parquet", expressions=[_listed(files), *options]))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


# --- states that do not fit together -----------------------------------------------------------------


def _refuse_unlike(first: tuple[str, Header], other: tuple[str, Header]) -> None:
    """Refuse two states of different kinds of rows.

    Raises:
        InputError: says in what they differ.
    """
    (before, one), (path, two) = first, other
    kinds = {True: "rankings", False: "classifiers"}
    facts = {
        "is of": tuple(kinds[header.family == RANKING] for header in (one, two)),
        "has the systems": tuple(joined(sorted(h.systems)) or "one without a name" for h in (one, two)),
        "identifies queries or groups by": tuple("+".join(h.ids) or "nothing" for h in (one, two)),
        "has the clusters": tuple("+".join(h.clusters) or "of single queries or rows" for h in (one, two)),
        "has weights:": tuple(str(header.weighted).lower() for header in (one, two)),
        "has scores": tuple(
            "as they are" if header.grid is None else f"rounded to 1/{header.grid}" for header in (one, two)
        ),
    }
    for fact, (here, there) in facts.items():
        if here != there:
            raise InputError(path, f"{fact} {there}, and {_name(before)} {fact} {here}", AGAIN)


def chosen_metrics(states: States, metrics: str | Sequence[str] | None) -> dict[str, str]:
    """Return the metrics to merge with their signatures, by default those of the first state.

    Raises:
        MetricError: a state does not have one of them, or under other conventions.
    """
    names = read_specs(metrics) if metrics is not None else list(states.first.metrics)
    found: dict[str, str] = {}
    for name in names:
        for path, header in states.headers.items():
            if name not in header.metrics:
                known = [
                    one for one in header.metrics if all(one in h.metrics for h in states.headers.values())
                ]
                ask = f"ask for those that all states have: -m {','.join(known)}" if known else AGAIN
                advice = suggestion(name, header.metrics, ask) if metrics is not None else ask
                raise MetricError(name, f"is not in {_name(path)}", advice)
            signature = header.metrics[name]
            _refuse_conventions(name, found.setdefault(name, signature), path, signature)
    return found


def _refuse_conventions(metric: str, first: str, path: str, other: str) -> None:
    """Refuse values of other conventions; the release may differ.

    Raises:
        MetricError: names what differs.
    """
    differing = Signature.parse(first).differences(Signature.parse(other))
    differing.pop("version", None)
    if differing:
        shown = "; ".join(f"{key}: {here} and {there}" for key, (here, there) in differing.items())
        raise MetricError(metric, f"{_name(path)} follows other conventions ({shown})", AGAIN)


def refuse_absent_columns(states: States, option: str, columns: Iterable[str]) -> None:
    """Refuse slices and clusters that a state does not have.

    Raises:
        InputError: names the column and the state.
    """
    for column in columns:
        for path, header in states.headers.items():
            if column not in header.groupings:
                there = ", ".join(header.groupings) or "none"
                advice = suggestion(
                    column, header.groupings, f"write the states again with --{option} {column}"
                )
                raise InputError(option, f"{_name(path)} has no column {column!r}; found {there}", advice)


def _refuse_repeated(catalog: Catalog, engine: Engine, states: States) -> None:
    """Refuse queries that are in several states.

    Raises:
        InputError: names one of them.
    """
    metric = exp.column("metric").eq(literal(next(iter(states.first.metrics))))
    query_id = _key(states.first.ids).as_("query_id")
    rows = (
        exp.select(exp.column("filename").as_(STATE), "system", query_id).from_(states.table()).where(metric)
    )
    composer = Composer(catalog, {"state_queries": rows})
    step = composer.relation(REPEATED, {})
    (count, query, one, other), = engine.rows(composer.complete(exp.select(
        exp.Count(this=exp.Star()), exp.cast(exp.Min(this=exp.column("query_id")), "VARCHAR"),
        exp.func("arg_min", exp.column("first_state"), exp.column("query_id")),
        exp.func("arg_min", exp.column("last_state"), exp.column("query_id")),
    ).from_(step)))  # fmt: skip
    if count:
        key = "+".join(states.first.ids)
        what = (
            f"{counted(count, 'query is', 'queries are')} in several states, such as {query} in {_name(one)} "
        )
        advice = (
            f"leave one of the states out; or, if each day has its own queries, make the day a part of their "
            f"id: --column query_id={key}+day"
        )
        raise InputError(WHERE, f"{what}and {_name(other)}, and would be counted twice", advice)


def _key(names: Sequence[str]) -> exp.Expr:
    """Write an id; several columns become a struct."""
    if len(names) == 1:
        return quoted(names[0])
    fields = (exp.PropertyEQ(this=exp.to_identifier(n, quoted=True), expression=quoted(n)) for n in names)
    return exp.Struct(expressions=list(fields))


# --- requests ----------------------------------------------------------------------------------------


def request_of(
    states: States, metrics: Mapping[str, str], by: tuple[tuple[str, ...], ...], inference: Inference | None
) -> Request:
    """Return the request that evaluates the rows of all states.

    Args:
        metrics: the metrics to merge -> their signatures.
    """
    header = states.first
    if inference is not None and inference.cluster is None and header.clusters:
        inference = replace(inference, cluster="+".join(header.clusters))
    ids = "+".join(header.ids)
    cluster = None if inference is None else inference.cluster
    if header.family == RANKING:
        return Request(
            None, values=_sql(_values(states, metrics)), flagged=True, by=by, inference=inference,
            columns=ColumnMap({"query_id": ids, **{f"queries.{name}": name for name in header.weights}}),
            queries=_sql(_attributes(states)) if by or cluster or header.weighted else None,
        )  # fmt: skip
    columns = {f"predictions.{GROUP}": ids} if header.ids else {}
    columns |= {f"predictions.{name}": name for name in header.weights}
    has_rows = all(header.counted for header in states.headers.values())
    return Request(
        _sql(_repeated_rows(states)) if has_rows else None, by=by, inference=inference,
        system="system" if header.systems else None, columns=ColumnMap(columns),
    )  # fmt: skip


def _sql(query: exp.Query) -> str:
    return f"sql:{query.sql(DIALECT)}"


def _values(states: States, metrics: Mapping[str, str]) -> exp.Select:
    """Return the values per query of some metrics."""
    columns = (*map(quoted, states.first.columns), *map(exp.column, ("system", "metric", "value", *FLAGS)))
    query = exp.select(*columns).from_(states.table())
    return query.where(exp.column("metric").isin(*map(literal, metrics)))


def _attributes(states: States) -> exp.Select:
    """Return the queries with their attributes; all systems and metrics have the same."""
    header = states.first
    query = exp.select(*map(quoted, (*header.columns, *header.weights))).from_(states.table())
    query = query.where(exp.column("metric").eq(literal(next(iter(header.metrics)))))
    return query.where(exp.column("system").eq(literal(header.systems[0]))) if header.systems else query


def _repeated_rows(states: States) -> exp.Select:
    """Return the rows of classifiers, each as many times as it was counted."""
    header = states.first
    names = [*header.columns, *(["system"] if header.systems else []), "label", "score"]
    names += header.weights
    copies = exp.Explode(this=exp.Anonymous(this="range", expressions=[exp.column("n")]))
    columns = (quoted(name) for name in names)
    rows = exp.select(*columns, copies.as_("copy")).from_(states.table())
    rows = rows.where(exp.column(PART).eq(literal(COUNTED)))
    return picked(rows.subquery("rows"), *names)


def _sums(states: States, sums: Sequence[str]) -> exp.Select:
    """Return some columns of the sums of all states, with the columns of the rows that they stand for."""
    header = states.first
    names = [*header.groupings, *(["system"] if header.systems else []), *sums]
    known = (literal(0).as_("label"), literal(0.0).as_("score"))
    rows = exp.select(*map(quoted, dict.fromkeys(names)), *known).from_(states.table())
    return rows.where(exp.column(PART).eq(literal(SUMMED)))


class MergedSession(Session):
    """A session on states; of classifiers, on their sums where these suffice, else on their rows."""

    def __init__(self, catalog: Catalog, states: States, request: Request, engine: Engine) -> None:
        super().__init__(catalog, request, engine)
        self._states = states

    def attach(self, table: Any, role: Role, request: Request | None = None) -> Source:
        """Find out what a table argument means.

        Raises:
            InputError: the states have no rows.
        """
        if table is None:
            without = next(path for path, header in self._states.headers.items() if not header.counted)
            advice = "write it with a metric that needs rows, such as auc"
            raise InputError(without, "has sums, and no rows", advice)
        return replace(super().attach(table, role, request), label=self._states.label)

    def measures_of(self, metrics: Mapping[str, str]) -> list[Measure]:
        """Return the measures of metrics by their signatures; values of queries are read."""
        found = [signed_measure(self.catalog, signature, name) for name, signature in metrics.items()]
        if not self.request.flagged:
            return found
        known = {measure.text: measure for measure in found}
        self._given = read_given(self.catalog, self.engine, self.request, self.attach, known)
        return found

    def parts(self, measures: Sequence[Measure]) -> list[FamilyEvaluation]:
        """Evaluate the measures, those of classifiers that sums suffice for from them.

        Raises:
            InputError: a query is in several states.
        """
        if self.request.flagged:
            parts = super().parts(measures)
            summary = cast("RankingSummary", parts[0].values)
            ((n,),) = self.engine.rows(row_count(exp.to_table(summary.table)))
            if n < sum(header.n for header in self._states.headers.values()):
                _refuse_repeated(self.catalog, self.engine, self._states)
            return parts
        inference = self.request.inference
        spread = inference is not None and inference.cluster is None
        names = self._sums_of(measures, spread)
        summed = [measure for measure in measures if measure.text in names]
        rest = [measure for measure in measures if measure.text not in names]
        parts = super().parts(rest) if rest else []
        if not summed:
            return parts
        needed = needed_sums(self.catalog, summed, spread)
        request = replace(
            self.request.of(self.catalog, summed), predictions=_sql(_sums(self._states, needed)),
            own_columns={"predictions": dict.fromkeys(needed, summed[0].text)}, columns=ColumnMap({}),
        )  # fmt: skip

        def attach(table: Any, role: Role) -> Source:
            return replace(self.engine.attach(table, "queries"), label=self._states.label)

        part = evaluate_sums(self.catalog, self.engine, request, summed, attach)
        return [part, *parts]

    def _sums_of(self, measures: Sequence[Measure], spread: bool) -> set[str]:
        """Return the texts of the measures whose sums all states have, computed as this release does.

        A bootstrap of rows needs the rows.
        """
        headers = self._states.headers.values()
        is_resampled = self.request.inference is not None and self.request.inference.method == BOOTSTRAP
        if spread and is_resampled:
            return set()
        known = [one for one in measures if all(one.text in header.summed for header in headers)]
        needed = {one.text: {*needed_sums(self.catalog, [one], spread)} for one in known}
        return {text for text, names in needed.items() if all(names <= {*header.sums} for header in headers)}

    def assembled(self, parts: Sequence[FamilyEvaluation]) -> Evaluation:
        """Put the results together, the metrics of each slice in the order of the states."""
        result = super().assembled(parts)
        metrics = list(self._states.first.metrics)
        slices: dict[tuple[Any, ...], int] = {}

        def place(row: dict[str, Any]) -> tuple[int, int]:
            key = (row["slice"], *(hashable(row[column]) for column in result.by))
            return slices.setdefault(key, len(slices)), metrics.index(row["metric"])

        return replace(result, rows=tuple(sorted(result.rows, key=place)))
