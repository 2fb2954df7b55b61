"""The query behind the macros of a family: its checks, and only the metrics that are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, conditions_of, substituted
from duckmetrics.checks.counting import repeated
from duckmetrics.checks.examination import concerned, is_off
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.functions import linked
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inputs.ranking import table_of
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.shell.macro import (
    BY_RANK,
    FUNCTIONS,
    ORDER,
    call,
    closure,
    concatenated,
    given,
    hidden,
    nested,
    query_of,
    reference,
    source,
    with_steps,
    without_with,
)
from duckmetrics.shell.template import joined

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Binding
    from duckmetrics.expressions.folding import Value
    from duckmetrics.shell.macro import Argument
    from duckmetrics.shell.parameters import Offer, OfferedMetric


Only = Callable[["Sequence[Measure]"], "exp.Expr | None"]
INPUTS = ("predictions", "truth", "population")
# Stands for the row in the messages of the checks of a scan.
ROW = "{row}"
_SETTING = re.compile(r"\b(\w+)=(\w+)")
_KEYWORD = re.compile(r"\b(\w+)=(?!\w)")


def of_data(
    catalog: Catalog,
    measures: Sequence[Measure],
    steps: Mapping[str, exp.Query],
    constants: Mapping[str, Value],
    only: Only = lambda measures: None,
    absent: Collection[str] = (),
    further: Mapping[str, Value] | None = None,
) -> tuple[list[exp.Query], list[tuple[str, exp.Query]]]:
    """Return the checks of severity error that apply to the measures.

    Args:
        steps: those of the macro; a check shares them where they are the same.
        only: the condition under which some of the measures are asked for, None if they always are.
        absent: inputs that the macro does not read.
        further: parameters of checks that are none of the measures, such as how deep they look.
    Returns: the queries of the problems, and the steps that they need in addition to those of the macro.
    """
    composer = Composer(catalog, {}, constants, {BY_RANK: Parameter(BY_RANK)})
    filters: dict[str, list[tuple[exp.Expr, Mapping[str, str], Sequence[str]]]] = {}
    others: list[exp.Query] = []
    for header, offenders, concern in (
        *_offenders(catalog, composer, measures, further or {}),
        *_required(measures),
    ):
        condition = only(concern)
        table = _filtered(offenders)
        if table is not None:
            where = offenders.args["where"].this
            where = exp.and_(condition, where) if condition else where
            filters.setdefault(table, []).append((where, header, _shown(offenders)))
        else:
            query = _found(composer, header, offenders, told(header, offenders))
            others.append(query.where(condition) if condition else query)
    scans = [_scan(table, found) for table, found in filters.items() if table not in absent]
    return _shared(composer, [*scans, *others], steps)


def _filtered(offenders: exp.Query) -> str | None:
    """Return the input that a check only filters, None if it does more."""
    clauses = {name for name, value in offenders.args.items() if value}
    source = offenders.args.get("from_")
    if (
        clauses != {"expressions", "from_", "where"}
        or source is None
        or not isinstance(source.this, exp.Table)
    ):
        return None
    return source.this.name if source.this.name in INPUTS else None


def _offenders(
    catalog: Catalog, composer: Composer, measures: Sequence[Measure], further: Mapping[str, Value]
) -> Iterator[tuple[Mapping[str, str], exp.Query, list[Measure]]]:
    """Yield each check with its rows, and the measures that call for it."""
    asked: list[tuple[Measure, set[str], dict[str, Value]]] = [
        (measure, concerned(catalog, measure) | {table_of(name) for name in measure.metric.further_inputs},
         {**measure.values, "truth_lists": False, "sampled": "consistent", "counted": False,
          **composer.facts, **further})
        for measure in measures
    ]  # fmt: skip
    for definition in catalog.checks.values():
        found: list[tuple[exp.Query, list[Measure]]] = []
        # By the parameters of the check: measures with the same ones have the same rows, or none.
        bound: dict[Binding, list[Measure]] = {}
        for measure, names, values in asked if definition.header["severity"] == "error" else ():
            if names.isdisjoint(definition.subjects):
                continue
            binding = composer.binding(definition, composer.known(definition, values))
            if binding not in bound:
                bound[binding] = []
                if not is_off(definition, values):
                    offenders = composer.resolved(definition, values)
                    known = next((concern for query, concern in found if query == offenders), None)
                    if known is None:
                        found.append((offenders, known := bound[binding]))
                    bound[binding] = known
            bound[binding].append(measure)
        for offenders, concern in found:
            yield {"title": definition.title, "when": "", **definition.header}, offenders, concern


def _required(measures: Sequence[Measure]) -> Iterator[tuple[Mapping[str, str], exp.Query, list[Measure]]]:
    """Yield the checks of the conditions that single metrics impose on the rows of an input."""
    for measure in measures:
        for table, condition in measure.metric.requires.items():
            columns = [c.name for c in condition.find_all(exp.Column) if c.name not in measure.values]
            bound = substituted(condition, measure.values)
            header = {
                "column": f"{table}.{columns[0]}", "advice": "correct them or change the parameter",
                "title": f"rows outside of what {measure.text} needs, {condition.sql(DIALECT)}", "when": "",
            }  # fmt: skip
            yield (
                header,
                exp.select("query_id", "item_id", *columns).from_(table).where(exp.not_(bound)),
                [measure],
            )


def in_the_shell(advice: str) -> str:
    """Write advice in the words of macros."""
    return _KEYWORD.sub(r"\1 := ...", _SETTING.sub(r"\1 := '\2'", advice))


def told(
    header: Mapping[str, str], offenders: exp.Query, left_out: Collection[str] = ("system",)
) -> exp.Expr:
    """Write the message of a check, with the row as an example, without the columns `left_out`."""
    begun, advice = _said(header)
    shown = _shown(offenders, left_out)
    return joined([begun, *_example(shown), f"; {advice}"]) if shown else literal(f"{begun}; {advice}")


def _said(header: Mapping[str, str]) -> tuple[str, str]:
    """Return what the message of a check says before and after the example."""
    return f"{header['column']}: {header['title']}", in_the_shell(header["advice"])


def _shown(offenders: exp.Query, left_out: Collection[str] = ("system",)) -> list[str]:
    """Return the columns of the example of a check."""
    selects = offenders.expressions if isinstance(offenders, exp.Select) else []
    return [p.alias_or_name for p in selects if p.alias_or_name not in left_out]


def _example(shown: Sequence[str]) -> Iterator[str | exp.Expr]:
    """Yield the parts of the text of a row."""
    for i, name in enumerate(shown):
        yield f"{', ' if i else ' ('}{name}="
        yield exp.func("coalesce", exp.cast(exp.column(name), "VARCHAR"), literal("NULL"))
    yield ")"


def _scan(table: str, found: Sequence[tuple[exp.Expr, Mapping[str, str], Sequence[str]]]) -> exp.Select:
    """Return one scan of an input for all checks that only filter it (plan rule).

    The text of the row is there once: DuckDB binds the text of every check in each call.
    """
    text = exp.Case()
    for condition, header, _ in found:
        text = text.when(condition.copy(), literal(ROW.join(_said(header))), copy=False)
    shown = dict.fromkeys(name for _, _, names in found for name in names)
    row = joined([*_example([*shown]), "; "])
    problem = exp.Anonymous(this="replace", expressions=[text, literal(ROW), row])
    conditions = exp.or_(*(exp.paren(condition.copy()) for condition, _, _ in found))
    return exp.select(problem.as_("problem")).from_(table).where(conditions)


def _found(composer: Composer, header: Mapping[str, str], offenders: exp.Query, text: exp.Expr) -> exp.Select:
    if isinstance(offenders, exp.Select) and offenders.args.get("having"):
        some = exp.GT(this=repeated(offenders, composer.constants).subquery(), expression=literal(0))
        offenders = offenders.where(some)
    query = exp.select(text.as_("problem")).from_(offenders.subquery("offenders"))
    for condition in conditions_of(header):
        asked = composer.linked(exp.select("1").where(condition.copy()), {})
        query = query.where(asked.args["where"].this)
    return query


def _shared(
    composer: Composer, queries: Sequence[exp.Query], steps: Mapping[str, exp.Query]
) -> tuple[list[exp.Query], list[tuple[str, exp.Query]]]:
    """Point the checks at steps that the macro already has; the other steps get names of their own."""
    needed: dict[str, exp.Query] = {}
    written: list[exp.Query] = []
    for query in queries:
        rest, own = without_with(composer.complete(query))
        needed |= dict(own)
        written.append(rest)
    names = {n: n for n, step in needed.items() if n in steps and steps[n] == step}
    names |= {n: f"check_{n}" for n in needed if n not in names}
    for tree in (*written, *needed.values()):
        for table in tree.find_all(exp.Table):
            if table.name in names and names[table.name] != table.name:
                alias = table.alias or table.name
                table.replace(exp.table_(names[table.name], alias=alias))
    return written, [(names[n], step) for n, step in needed.items() if names[n] != n]


METRICS, SOURCE, SYSTEM = "metrics", "source", "system"
# Whether the column that may distinguish systems is named in front of its value.
NAMES_RUNS = "names_runs"
# The ids, and the step with those of the truth, whose types are read before the predictions.
IDS, JUDGED = ("query_id", "item_id"), "judged_ids"
COUNTS = ("n", "n_missing", "n_no_relevant", "n_undefined")
Steps = list[tuple[str, exp.Query]]


class Body:
    """The composed query of every metric of an offer, and what its steps need to be a macro.

    Args:
        arguments: the parameters of the macro.
        query: one row per unit, with columns for every metric.
    """

    def __init__(
        self, catalog: Catalog, offer: Offer, arguments: Sequence[Argument], query: exp.Query
    ) -> None:
        self.catalog = catalog
        self.offer = offer
        self.asked = offer.asked
        self.arguments = arguments
        self.outer, steps = without_with(query)
        self.steps = dict(steps)

    def shell(self, name: str) -> exp.Query:
        """Return the query of a file under sql/macros; parameters that the macro lacks have defaults."""
        taken = {argument.name for argument in self.arguments}
        declared = self.catalog.shell[name].own_params.values()
        absent = {p.name: literal(p.default) for p in declared if not p.required and p.name not in taken}
        return query_of(self.catalog, name, {**absent, **self.internal()})

    def internal(self) -> dict[str, exp.Expr]:
        """Return the values of parameters that the query has, and the macro does not take."""
        return {}

    def specs(self) -> Steps:
        """Return the step with the metrics asked for, one row each."""
        return specs_of(self.catalog, self.known(), reference(METRICS))

    def known(self) -> exp.Query:
        """Return the table of all metrics."""
        return known_metrics(self.asked, self.columns_of)

    def columns_of(self, one: OfferedMetric) -> dict[str, Value | exp.Expr]:
        """Return the columns of one metric in the table of metrics."""
        return spec_columns(one)

    def is_asked(self, asked: Iterable[OfferedMetric]) -> exp.Expr:
        """Return the condition that one of the metrics is asked for, known before the data are read."""
        return asks_for(self.catalog, reference(METRICS), [name for one in asked for name in one.names])

    def checked(self, constants: Mapping[str, Value], *further: str, also: Sequence[exp.Query] = ()) -> Steps:
        """Return the steps that check the call and the data.

        Args:
            further: files under sql/macros.
            also: queries of other problems.
        """

        def only(measures: Sequence[Measure]) -> exp.Expr | None:
            concerned = [one for one in self.asked if any(one.measure is m for m in measures)]
            return self.is_asked(concerned) if len(concerned) < len(self.asked) else None

        found, own = of_data(self.catalog, [one.measure for one in self.asked], self.steps, constants, only)
        refused = [*(self.shell(name) for name in further), *also, *self.offer.problems(), *found]
        return [*own, ("problems", in_one(refused)), ("checked", self.shell("checked"))]

    def needed(self, columns: Iterable[str]) -> set[str]:
        """Return the steps that columns of the outer query need."""
        wanted = set(columns)
        trees = [p for p in self.outer.selects if p.alias_or_name in wanted]
        read = {column.table for tree in trees for column in tree.find_all(exp.Column)}
        return closure(self.steps, {self.outer.args["from_"].this.name, *read})


def spec_columns(one: OfferedMetric) -> dict[str, Value | exp.Expr]:
    """Return the columns of one metric that every table of metrics has."""
    return {"measure": one.measure.text, "has_cutoff": one.has_cutoff}


def known_metrics(
    offered: Sequence[OfferedMetric],
    columns_of: Callable[[OfferedMetric], dict[str, Value | exp.Expr]] = spec_columns,
) -> exp.Select:
    """Return the table of metrics that can be asked for, a row for each name."""
    columns = [exp.to_identifier(name) for name in ("name", *columns_of(offered[0]))]
    rows = [
        exp.Tuple(expressions=[
            literal(name),
            *(v if isinstance(v, exp.Expr) else or_no_text(v) for v in columns_of(one).values()),
        ])
        for one in offered for name in one.names
    ]  # fmt: skip
    alias = exp.TableAlias(this=exp.to_identifier("names"), columns=columns)
    return exp.select(*(name.name for name in columns)).from_(exp.Values(expressions=rows, alias=alias))


def specs_of(catalog: Catalog, known: exp.Query, metrics: exp.Expr) -> Steps:
    """Return the steps with the metrics asked for, a row each, as checks read them.

    Args:
        known: the table of metrics that can be asked for.
    """
    return [("known", known), ("specs", query_of(catalog, "several_metrics", {METRICS: metrics}))]


def asks_for(catalog: Catalog, metrics: exp.Expr, names: Sequence[str]) -> exp.Expr:
    """Return the condition that one of some metrics is among those asked for."""
    return call(catalog, "asks_for", metrics, literal("|".join(names)))


def tables_of_user(
    catalog: Catalog,
    *,
    has_systems: bool,
    renamed: Mapping[str, str] | None = None,
    advised: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, exp.Query]]:
    """Yield the steps that read the predictions and the truth, with canonical names of columns.

    Args:
        has_systems: whether the macro may name the column that distinguishes systems.
        renamed: column -> the parameter with its name, where that is not the name of the column.
        advised: column -> the parameter that messages name.
    """
    columns = {column: reference(known) for column, known in (renamed or {}).items()}
    readers = {"predictions": "read_trec_run", "truth": "read_trec_qrels"}
    yield JUDGED, query_of(catalog, JUDGED, {SOURCE: source(catalog, reference("truth"), readers["truth"])})
    for (name, reader), other in zip(readers.items(), (JUDGED, "predictions"), strict=True):
        read = {SOURCE: source(catalog, reference(name), reader), **columns}
        query = query_of(catalog, name, {**read, NAMES_RUNS: exp.true()})
        (named,) = {*readers} - {name}
        refuse_other_kinds(catalog, cast("exp.Select", query), name, other, named)
        advise(query, advised or {})
        yield name, query if has_systems else of_one_system(query)
        if name == "predictions":
            yield ORDER, query_of(catalog, ORDER, read)


def refuse_other_kinds(catalog: Catalog, query: exp.Select, name: str, other: str, named: str) -> None:
    """Let ids of another kind than in another table be an error, in place.

    Args:
        name: the table that the query reads. The truth has NULL then: the predictions say what is wrong.
        other: the step whose ids have the types of the other table.
        named: the other table.
    """
    for projection in query.selects:
        column = projection.alias_or_name
        if column in IDS:
            # A type that is unknown until the rows are read must not read more than one.
            of_other = exp.select(column).from_(other).limit(literal(1)).subquery()
            type_ = exp.Anonymous(this="typeof", expressions=[of_other])
            id_ = _as_given(projection.unalias())
            told = (reference(column), literal(name), literal(named))
            value = (
                call(catalog, "of_same_kind", id_, type_) if name == "truth"
                else call(catalog, "of_kind", id_, *told, type_, literal(f"{column} := ..."))
            )  # fmt: skip
            projection.replace(value.as_(column))


def _as_given(value: exp.Expr) -> exp.Expr:
    """Return an id without the macro that checks it: DuckDB binds an argument wherever a macro reads it."""
    is_checked = isinstance(value, exp.Anonymous) and value.name == f"{FUNCTIONS}identifier"
    return (value.expressions[0] if is_checked else value).copy()


def advise(query: exp.Query, advised: Mapping[str, str]) -> None:
    """Let the messages of a query name the parameters that stand for columns, in place."""
    for text in query.find_all(exp.Literal):
        for column, known in advised.items() if text.is_string else ():
            text.set("this", text.this.replace(f"{column} := ", f"{known} := "))


def of_one_system(query: exp.Query) -> exp.Query:
    """Leave out the columns that distinguish systems, in place."""
    for select in query.find_all(exp.Select):
        kept = []
        for projection in select.selects:
            if isinstance(projection.unalias(), exp.Case) and projection.alias == SYSTEM:
                kept.append(literal(ONE_SYSTEM).as_(SYSTEM))
            elif not projection.alias.startswith(SYSTEM):
                kept.append(projection)
        select.set("expressions", kept)
    for var in list(query.find_all(exp.Var)):
        if var == reference(SYSTEM):
            var.replace(exp.null())
    return query


def whole(catalog: Catalog, query: exp.Query, steps: Steps) -> exp.Query:
    """Put the steps before a query, and hide every name."""
    kept, query = nested(steps, query)
    calling, _ = linked(catalog, with_steps(query, kept), FUNCTIONS)
    return cast("exp.Query", given(hidden(calling), {}))


def shown(query: exp.Query) -> exp.Query:
    """Give the columns of the result the names that people see."""
    for projection in query.selects:
        if isinstance(projection, exp.Var):
            continue
        projection.replace(projection.unalias().as_(projection.alias_or_name.removeprefix("_")))
    return query


def refusing(problem: exp.Expr, columns: Iterable[str]) -> exp.Select:
    """Return the query with these columns that raises a problem, whichever of them are asked for."""
    raised = exp.Anonymous(this="error", expressions=[concatenated("duckmetrics: ", problem.copy())])
    nothing = exp.select(*(exp.null().as_(name, quoted=True) for name in columns))
    return nothing.where(exp.cast(raised, "BOOLEAN"))


def in_one(refused: Sequence[exp.Query]) -> exp.Query:
    """Put the queries of problems below each other."""
    union = placed(refused[0], 0)
    for place, other in enumerate(refused[1:], start=1):
        union = exp.union(union, placed(other, place), distinct=False, copy=False)
    return union


def placed(problems: exp.Query, place: int) -> exp.Query:
    """Add their place to problems: the macro reports the first one."""
    if not isinstance(problems, exp.Select):
        problems = exp.select("problem").from_(problems.subquery("found"))
    return problems.select(literal(place).as_("place"))


def or_no_text(value: Value) -> exp.Expr:
    """Return a literal; NULL gets the type VARCHAR, because the values in its column are texts."""
    return exp.cast(exp.null(), "VARCHAR") if value is None else literal(value)


def finite(name: str) -> exp.Expr:
    """Leave numbers out that are refused, so that a statistic does not fail over them first."""
    is_finite = exp.Anonymous(this="isfinite", expressions=[exp.column(name)])
    return exp.Case().when(is_finite, exp.column(name))


def read_from(query: exp.Query, names: Mapping[str, str]) -> exp.Query:
    """Point the tables of a query at other steps."""
    query = query.copy()
    for table in query.find_all(exp.Table):
        if table.name in names:
            alias = table.alias or table.name
            table.replace(exp.table_(names[table.name], alias=alias))
    return query
