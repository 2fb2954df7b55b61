"""Findings of checks as rows of a macro, slices of NULL, and the parts of a message.

They read tables of the user as they are: values that other macros refuse are NULL here, and findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, conditions_of
from duckmetrics.checks.counting import (
    SEGMENT,
    TOTAL,
    counted_together,
    finite,
    of_the_row,
    repeated,
    singular,
)
from duckmetrics.checks.examination import METRIC
from duckmetrics.checks.notes import GIVE_ATTRIBUTES
from duckmetrics.expressions.build import stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.slices import RESERVED
from duckmetrics.results.findings import ERROR, EXAMPLES, NOTE
from duckmetrics.shell.macro import (
    FUNCTIONS,
    Argument,
    Macro,
    Overload,
    call,
    concatenated,
    hidden,
    query_of,
    reference,
    with_steps,
    without_with,
)
from duckmetrics.shell.query import SOURCE, in_the_shell, shown, whole
from duckmetrics.shell.ranking_call import BY
from duckmetrics.shell.ranking_steps import MARKED, attributes_of_queries, sources_of_attributes
from duckmetrics.shell.template import Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.compose.composer import Composer
    from duckmetrics.expressions.folding import Value
    from duckmetrics.shell.query import Steps


KNOWN = (
    "place", "severity", "reported", "of_table", "of_column", "title", "one", "advice", "switch", "value",
    "is_among", "is_share", "is_of_value", "reads",
)  # fmt: skip
SYSTEM = "system"
IDS = ("query_id", "item_id")
# Files under sql/macros that refuse values, with the files in their place; the first argument is kept.
REFUSING = {"identifier": None, "number": "seen_number", "grade": "seen_number", "unquoted": "seen_number"}


class FindingRows:
    """Counts the rows that checks find, and takes examples; one scan of an input for those that filter it.

    Args:
        composer: writes the queries of the checks.
        labels: the user's names of the columns, by ``table.column``; the name itself where none is given.
    """

    def __init__(self, catalog: Catalog, composer: Composer, labels: Mapping[str, exp.Expr]) -> None:
        self.catalog = catalog
        self.composer = composer
        self.labels = labels
        self.steps: dict[str, exp.Query] = {}
        self._known: list[exp.Tuple] = []
        self._found: list[exp.Query] = []
        self._filters: dict[str, list[tuple[int, exp.Query, exp.Expr | None]]] = {}

    def add(
        self,
        definition: Definition,
        values: Mapping[str, Value],
        only: exp.Expr | None = None,
        explained: Sequence[tuple[Definition, Mapping[str, Value]]] = (),
    ) -> int:
        """Add a check, and return its place.

        Args:
            only: a condition on the arguments of the macro.
            explained: the checks of which one must have found something.
        """
        offenders = self.composer.resolved(definition, values)
        counted = None if conditions_of(definition.header) else counted_together(offenders)
        known = {**definition.header, "reported": definition.reported, "title": definition.title}
        place = self._listed(known, definition, offenders, counted)
        if counted is not None and not explained:
            table = offenders.args["from_"].this.name
            self._filters.setdefault(table, []).append((place, offenders, only))
            return place
        if not conditions_of(definition.header) and offenders.args.get("having"):
            keys = repeated(cast("exp.Select", offenders), self.composer.constants)
            offenders = offenders.where(exp.GT(this=keys.subquery(), expression=literal(0)))
        query = self._counted(definition.header["column"].partition(".")[0], place, offenders)
        for other, own in explained:
            found = exp.select("1").from_(self.composer.resolved(other, own).subquery("explained"))
            query = query.where(exp.Exists(this=self._conditioned(found, other, own)))
        query = self._conditioned(query, definition, values)
        self._keep(query if only is None else query.where(only.copy()))
        return place

    def _conditioned(
        self, query: exp.Select, definition: Definition, values: Mapping[str, Value]
    ) -> exp.Select:
        """Add the conditions under which the rows of a check are findings."""
        for condition in conditions_of(definition.header):
            asked = self.composer.linked(exp.select("1").where(condition.copy()), values)
            query = query.where(asked.args["where"].this)
        return query

    def _keep(self, query: exp.Query) -> None:
        """Keep a query of findings, and the steps that it needs."""
        rest, own = without_with(self.composer.complete(query))
        self.steps |= {name: step for name, step in own if name not in self.steps}
        self._found.append(rest)

    def _listed(
        self,
        header: Mapping[str, str],
        definition: Definition | None,
        offenders: exp.Query,
        counted: exp.Expr | None,
    ) -> int:
        """List the facts about a check that are known before the data are read, and return its place."""
        place = len(self._known)
        table, _, column = header["column"].partition(".")
        is_among = TOTAL in offenders.named_selects
        is_scan = counted is not None and offenders.args["from_"].this.name == table
        if counted is not None and is_scan:
            reads = {f"{table}.{c.name}" for c in counted.expression.find_all(exp.Column)}
        else:
            reads = {
                f"{t}.{c}"
                for t, columns in (definition.inputs if definition else {}).items()
                for c in columns
            }
        reads |= {header["column"], *(f"{read.partition('.')[0]}.*" for read in reads)}
        switch, _, value = header.get("settles", "").partition("=")
        texts = (
            header["severity"], header["reported"], table, column, header["title"],
            singular(header["title"]), in_the_shell(header["advice"]),
        )  # fmt: skip
        settled = [literal(text) if text else exp.cast(exp.null(), "VARCHAR") for text in (switch, value)]
        is_share = header["severity"] == NOTE and not is_among and is_scan
        cells: list[exp.Expr] = [
            literal(place), *map(literal, texts), *settled, literal(is_among), literal(is_share),
            literal(definition is not None and METRIC in definition.tables),
            exp.Array(expressions=[*map(literal, sorted(reads))]),
        ]  # fmt: skip
        self._known.append(exp.Tuple(expressions=cells))
        return place

    def _counted(self, table: str, place: int, offenders: exp.Query) -> exp.Select:
        """Write the number of offenders of a check, and examples, as one row."""
        parts = [offenders.this, offenders.expression] if isinstance(offenders, exp.Union) else [offenders]
        rows: exp.Query = parts[0].select(literal(0).as_("part"))
        for i, part in enumerate(parts[1:], start=1):
            numbered = part.select(literal(i).as_("part"))
            rows = exp.union(rows, numbered, distinct=False, copy=False)
        names = offenders.named_selects
        columns = {name: exp.column(name) for name in names}
        lists = []
        for i in range(len(parts)):
            of_part = exp.EQ(this=exp.column("part"), expression=literal(i)) if len(parts) > 1 else None
            lists.append(self._examples(table, columns, of_part))
        among: exp.Expr = (
            exp.Max(this=exp.column(TOTAL)) if TOTAL in names else exp.cast(exp.null(), "BIGINT")
        )
        examples = lists[0] if len(lists) == 1 else exp.Anonymous(this="list_concat", expressions=lists)
        return exp.select(
            literal(place).as_("place"), exp.Count(this=exp.Star()).as_("n"), among.as_("among"),
            examples.as_("examples"),
        ).from_(rows.subquery("offenders"))  # fmt: skip

    def _examples(self, table: str, columns: Mapping[str, exp.Expr], where: exp.Expr | None) -> exp.Expr:
        """Write the first three offenders as texts, in the order of their columns."""
        fields = [
            exp.PropertyEQ(this=exp.to_identifier(f"f{i}"), expression=value.copy())
            for i, value in enumerate(columns.values())
        ]
        texts: list[exp.Expr] = []
        for name, value in columns.items():
            if name not in (TOTAL, SEGMENT):
                label = self.labels.get(f"{table}.{name}", literal(name))
                text = concatenated(label, "=", call(self.catalog, "shown_value", value.copy()))
                if name == SYSTEM:
                    text = exp.Case().when(exp.NEQ(this=value.copy(), expression=literal("")), text)
                texts.append(text)
        text = exp.Anonymous(this="concat_ws", expressions=[literal(", "), *texts])
        first = exp.Anonymous(
            this="arg_min", expressions=[text, exp.Struct(expressions=fields), literal(EXAMPLES)]
        )
        return first if where is None else exp.Filter(this=first, expression=exp.Where(this=where))

    def rows(self) -> Steps:
        """Return the steps that yield one row per check: its place, the number of offenders, and examples."""
        for table, filters in self._filters.items():
            self._keep(self._scan(table, filters))
        known = table_of(KNOWN, [row.expressions for row in self._known])
        return [*self.steps.items(), ("counted_findings", stacked(self._found)), ("known_checks", known)]

    def _scan(self, table: str, filters: Sequence[tuple[int, exp.Query, exp.Expr | None]]) -> exp.Select:
        """Return one scan of an input for all checks that only filter it (plan rule).

        One condition for all of them leaves nothing to count in clean data.
        """
        conditions = [offenders.args["where"].this for _, offenders, _ in filters]
        any_of_them = exp.or_(*map(exp.paren, finite([of_the_row(one) for one in conditions])))
        columns: list[exp.Expr] = []
        for (place, offenders, only), condition in zip(filters, conditions, strict=True):
            where = exp.Where(
                this=condition.copy() if only is None else exp.and_(condition.copy(), only.copy())
            )
            named = {p.alias_or_name: p.unalias() for p in offenders.selects}
            examples = exp.Filter(this=self._examples(table, named, None), expression=where.copy())
            n = exp.Filter(this=exp.Count(this=exp.Star()), expression=where)
            columns += [n.as_(f"n_{place}"), examples.as_(f"examples_{place}")]
        places = [place for place, *_ in filters]
        scanned = exp.select(*columns).from_(table).where(any_of_them)
        among = exp.select(exp.Count(this=exp.Star())).from_(table).subquery()
        return exp.select(
            unnested([literal(place) for place in places]).as_("place"),
            unnested([exp.column(f"n_{place}") for place in places]).as_("n"), among.as_("among"),
            unnested([exp.column(f"examples_{place}") for place in places]).as_("examples"),
        ).from_(scanned.subquery("scanned"))  # fmt: skip


def unnested(values: Sequence[exp.Expr]) -> exp.Expr:
    """Write values below each other."""
    return exp.Anonymous(this="unnest", expressions=[exp.Array(expressions=list(values))])


def with_examples(
    catalog: Catalog,
    problems: str,
    values: Mapping[str, exp.Expr],
    labels: Mapping[str, exp.Expr],
    columns: Mapping[str, exp.Query],
    more: Sequence[exp.Query] = (),
) -> Steps:
    """Return the steps that find the problems of tables and columns as a whole.

    Args:
        problems: the file under sql/macros that finds it, with the values of its parameters.
        columns: the values of every column that may have a wrong type.
        more: problems found otherwise, with the columns of the file `problem_rows`.
    """
    examples: list[exp.Query] = []
    for place, (column, rows) in enumerate(columns.items()):
        read = {"of_column": literal(column), "label": labels[column]}
        query = cast("exp.Select", query_of(catalog, "column_examples", read))
        query.args["from_"].this.replace(rows.subquery("given"))
        examples.append(query.select(literal(column).as_("of_column"), literal(place).as_("place")))
    return [
        ("type_problems", query_of(catalog, problems, values)), ("column_examples", stacked(examples)),
        ("problem_rows", stacked([query_of(catalog, "problem_rows", {}), *more])),
    ]  # fmt: skip


def column_names(labels: Mapping[str, exp.Expr]) -> exp.Query:
    """Return the user's names of tables and columns as a table."""
    return table_of(("name", "label"), [*labels.items()])


def table_of(names: Sequence[str], rows: Sequence[Sequence[Value | exp.Expr]]) -> exp.Query:
    """Write rows as a table; if there are none, a row of NULL that is left out."""
    cells = [
        exp.Tuple(expressions=[v.copy() if isinstance(v, exp.Expr) else literal(v) for v in row])
        for row in rows or [[None] * len(names)]
    ]
    columns = [exp.to_identifier(name) for name in names]
    alias = exp.TableAlias(this=exp.to_identifier("listed"), columns=columns)
    query = exp.select(*names).from_(exp.Values(expressions=cells, alias=alias))
    return query if rows else query.where(exp.false())


def prefixed(query: exp.Query, prefix: str) -> Steps:
    """Return the steps of a query under names of their own, and the query itself, called by the prefix."""
    outer, steps = without_with(query)
    names = {name: f"{prefix}_{name}" for name, _ in steps}
    for tree in (outer, *(step for _, step in steps)):
        for table in list(tree.find_all(exp.Table)):
            if table.name in names:
                table.replace(exp.table_(names[table.name], alias=table.alias_or_name))
    return [*((names[name], step) for name, step in steps), (prefix, outer)]


def of_findings(catalog: Catalog, steps: Steps) -> exp.Query:
    """Return the findings, the worst first, with the steps that they need."""
    result, own = without_with(query_of(catalog, "findings", {}))
    return shown(whole(catalog, result, [*steps, *own]))


def lenient(query: exp.Query) -> exp.Query:
    """Return the query of a file under sql/macros that refuses nothing, not even a missing column."""
    query = query.copy()
    for found in reversed(list(query.find_all(exp.Anonymous))):  # the calls within a call first
        name = found.name.lower().removeprefix(FUNCTIONS)
        if name == "error":
            found.replace(exp.null())
        elif name in REFUSING:
            kept, other = found.expressions[0], REFUSING[name]
            found.replace(
                exp.Anonymous(this=f"{FUNCTIONS}{other}", expressions=[kept.copy()]) if other else kept.copy()
            )
    for columns in list(query.find_all(exp.Columns)):
        escaped = columns.find(exp.Anonymous)
        if escaped is not None and escaped.name.lower() == "regexp_escape":
            columns.replace(column_or_null(*escaped.expressions))
    return query


def column_or_null(*names: exp.Expr) -> exp.Expr:
    """Return a column by its name; NULL if there is none, of the type "NULL"."""
    pattern = exp.Anonymous(this=f"{FUNCTIONS}one_of", expressions=[name.copy() for name in names])
    return exp.Coalesce(this=exp.Columns(this=pattern, unpack=True), expressions=[])


def with_system(query: exp.Query) -> exp.Query:
    """Read the system from the column of that name, where a file assumes one system.

    Other columns that may distinguish systems are then ignored.
    """
    query = query.copy()
    (named,) = query.ctes
    name = exp.func("coalesce", reference("system"), literal(""))
    cast("exp.Select", named.this).select(column_or_null(name).as_("system"), copy=False)
    for projection in query.selects:
        if projection.alias_or_name == "system":
            projection.replace(exp.cast(exp.column("system"), "VARCHAR").as_("system"))
        elif projection.alias_or_name == "run":
            projection.replace(exp.cast(exp.null(), "VARCHAR").as_("run"))
    return query


def with_common_ids(query: exp.Query, step: str, *others: str) -> exp.Select:
    """Read a step, with ids of the type that all steps have in common.

    UNION ALL finds this type before the rows are read: that of the ids if they are of one kind, else text.
    """
    names = query.named_selects
    rows: exp.Query = exp.select(*names).from_(step)
    for other in others:
        none = [exp.column(name) if name in IDS else exp.null().as_(name) for name in names]
        rows = exp.union(rows, exp.select(*none).from_(other).where(exp.false()), distinct=False, copy=False)
    return exp.select(*names).from_(rows.subquery("known"))


# The mark of the query in the text of the macro.
NULL_SLICES = "__null_slices__"


def null_slices(catalog: Catalog, arguments: Sequence[Argument]) -> exp.Expr:
    """Return the text of the query of the queries without a slice; of nothing if results are not split."""
    names = call(catalog, "slice_names", reference(BY))
    label = call(catalog, "slice_label", names, exp.Array(expressions=[*map(literal, RESERVED)]))
    attributes, texts = attributes_of_queries(catalog, names)
    texts["__nulls__"] = call(catalog, "attribute_nulls", names.copy())
    found, steps = without_with(query_of(catalog, "null_slice", {
        **MARKED, SOURCE: sources_of_attributes(catalog)[0], "nulls": exp.var("__nulls__"),
        "slice_label": label, "advice": literal(in_the_shell(GIVE_ATTRIBUTES)),
    }))  # fmt: skip
    wrong = query_of(catalog, "bad_attributes", {"slice_label": label.copy()})
    query = with_steps(found, [("attributes", attributes), ("wrong_attributes", wrong), *steps])
    template = Template([argument.name for argument in arguments])
    text = template.filled(literal(f"({template.marked(cast('exp.Query', hidden(query)), texts)})"))
    nothing = exp.select(*(exp.null() for _ in found.named_selects)).where(exp.false())
    split_by = exp.func("coalesce", exp.cast(reference(BY), "VARCHAR"), literal(""))
    is_whole = exp.EQ(
        this=exp.Anonymous(this="trim", expressions=[split_by, literal("[] ")]), expression=literal("")
    )
    return exp.Case().when(is_whole, literal(f"({nothing.sql(DIALECT)})")).else_(text)


NAME = "duckmetrics_problem"
KNOWN_PROBLEMS = "known_problems"


def problem_macro(catalog: Catalog) -> Macro:
    """Return the macro that finds the check behind a message, by the words that its file has."""
    definition = catalog.shell[NAME]
    arguments = tuple(Argument(name, required=True) for name in definition.own_params)
    result, steps = without_with(query_of(catalog, NAME, {}))
    known = table_of(definition.inputs[KNOWN_PROBLEMS], [*_known(catalog)])
    body = shown(whole(catalog, result, [(KNOWN_PROBLEMS, known), *steps]))
    return Macro(NAME, (Overload(arguments, body),), definition.title, definition)


def _known(catalog: Catalog) -> Iterator[tuple[str | None, ...]]:
    """Yield the checks that refuse data: code, column, title, advice, and the switch that settles them.

    The macros of rows give the advice in the words of the file, the others in those of the shell.
    """
    shelves = catalog.checks, catalog.count_checks, catalog.statistic_checks
    for check in (check for shelf in shelves for check in shelf.values()):
        header = check.header
        if header["severity"] == ERROR:
            switch, _, value = header.get("settles", "").partition("=")
            for advice in dict.fromkeys((in_the_shell(header["advice"]), header["advice"])):
                column = header.get("column", "")
                yield check.reported, column, check.title, advice, switch or None, value or None
