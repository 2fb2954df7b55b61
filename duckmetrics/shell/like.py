"""The parameter ``like`` of macros of one metric: the conventions of another tool stand in for defaults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, MULTICLASS, required, substituted
from duckmetrics.catalog.measure import CUTOFF, is_violated, written
from duckmetrics.catalog.presets import ALWAYS, NEVER, presets
from duckmetrics.expressions.folding import constant, literal
from duckmetrics.shell.macro import (
    FUNCTIONS,
    Argument,
    Macro,
    Overload,
    call,
    concatenated,
    hidden,
    is_null,
    query_of,
    reference,
    source,
    with_steps,
    without_with,
)
from duckmetrics.shell.query import SOURCE
from duckmetrics.shell.template import BETWEEN_PIECES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.presets import Preset, PresetEntry
    from duckmetrics.expressions.folding import Value


LIKE = "like"
TRUTH = "truth"
# Any cut-off below the first rank, for entries that only need to have a cut-off.
DEEP = 10
TABLE = "duckmetrics_conventions"
KEPT = ("tool_key", "tool", "family", "metric", "name", "settings", "note")
TOLD = ("tool_key", "tool", "family", "metric", "name", "parameter", "value", "note")


class Likeness:
    """Conventions of the presets for one metric, for its macro.

    Args:
        own: the parameters of the macro that belong to the metric.
    """

    def __init__(self, catalog: Catalog, metric: Definition, own: Sequence[Argument]) -> None:
        self.catalog = catalog
        self.own = own
        self.metric = metric
        self.idle = catalog.idle(metric)
        self.declared = catalog.params(metric)
        self.defaults = {name: param.default for name, param in self.declared.items()}
        self.entries: dict[str, PresetEntry] = {}
        self.refused: dict[str, str] = {}
        for tool in presets().values():
            known = tool.families.get(metric.family)
            if known and metric.name in known.metrics:
                self.entries[tool.name] = known.metrics[metric.name]
            elif known and metric.name in known.refused:
                self.refused[tool.name] = known.refused[metric.name]
        names = {name for entry in self.entries.values() for name in (*entry.sets, *entry.at)}
        self.open = [a for a in own if a.name in names and not a.required]
        self.has_cutoff = any(argument.name == CUTOFF for argument in own)

    @property
    def like(self) -> Argument:
        """The parameter that names the tool."""
        return Argument(LIKE, None, choices=tuple(self.entries))

    def opened(self, own: Sequence[Argument]) -> tuple[Argument, ...]:
        """Return the parameters of the metric: NULL stands for the value of the tool, or else the default."""
        return tuple(replace(a, default=None, usual=a.default) if a in self.open else a for a in own)

    def passed(self) -> dict[str, exp.Expr]:
        """Return the expressions of the open parameters."""
        return {argument.name: self._value(argument) for argument in self.open}

    @property
    def problem(self) -> exp.Expr:
        """The text that says why the tool cannot be followed; NULL if it can."""
        given = reference(LIKE)
        said = exp.Case()
        for name, entry in self.entries.items():
            for condition, text in self._limits(entry):
                is_tool = exp.EQ(this=given.copy(), expression=literal(name))
                said = said.when(exp.and_(is_tool, condition), literal(f"like={name}: {text}"), copy=False)
        for name, because in self.refused.items():
            text = f"like={name}: {self._not_imitated(because)}"
            said = said.when(exp.EQ(this=given.copy(), expression=literal(name)), literal(text), copy=False)
        unknown = exp.not_(exp.In(this=given.copy(), expressions=[literal(name) for name in self.entries]))
        shown = exp.cast(given.copy(), "VARCHAR")
        near = call(self.catalog, "likely", shown.copy(), literal("|".join(self.entries)))
        choices = f"'? choose {' or '.join(self.entries)}"
        parts = ("like cannot be '", shown, f"' for {self.metric.name}; did you mean '", near, choices)
        return said.when(unknown, concatenated(*parts), copy=False)

    def problem_macro(self, name: str) -> Macro:
        """Return the macro of the problem, which the macros of a metric call.

        Args:
            name: that of one of them.
        """
        problem = self.problem
        known = {reference(name): name for name in (LIKE, *(argument.name for argument in self.own))}
        read = dict.fromkeys(known[var] for var in problem.find_all(exp.Var) if var in known)
        arguments = tuple(Argument(name, required=True) for name in read)
        return Macro(f"{FUNCTIONS}{LIKE}_{name}", (Overload(arguments, problem),), "", is_table=False)

    def can_be_followed(self, problem: Macro) -> exp.Expr:
        """Return a condition that is true, or an error that says why the tool cannot be followed.

        Args:
            problem: the macro of the problem.
        """
        (overload,) = problem.overloads
        read = [reference(argument.name) for argument in overload.arguments]
        return call(self.catalog, "followed", exp.Anonymous(this=problem.name, expressions=read))

    def lines(self) -> Iterator[str]:
        """Yield a line for every tool, with a cut-off and without one, as `tool_entry.sql` reads it."""
        for tool, entry in self.entries.items():
            needed = required(entry.requires).get(TRUTH)
            breached = "" if needed is None else _breached(needed)
            need = "" if needed is None else needed.sql(DIALECT)
            otherwise = "".join(f"|{name}={entry.name}: {why}" for name, why in entry.otherwise.items())
            for ranked in (True, False) if self.has_cutoff else (False,):
                known = {name: self._bound(entry, name, ranked) for name in entry.settings(ranked)}
                sets = ",".join(f"{name}={written(v)}" for name, v in known.items() if v is not None)
                refused = _of_cutoff(entry, ranked) or _of_rows(entry)
                yield self._line(tool, ranked, sets, otherwise, refused, need, breached)
        for tool, because in self.refused.items():
            for ranked in (True, False):
                yield self._line(tool, ranked, "", "", self._not_imitated(because))

    def _line(self, tool: str, ranked: bool, *parts: str) -> str:
        return BETWEEN_PIECES.join((f"{tool} {self.metric.name}{'@' if ranked else ''}", *parts))

    def _not_imitated(self, because: str) -> str:
        return f"{self.metric.name} is not imitated: {because}"

    def _limits(self, entry: PresetEntry) -> Iterator[tuple[exp.Expr, str]]:
        """Yield conditions on calls of a macro that the tool has nothing for, and the reasons."""
        without = is_null(reference(CUTOFF)) if self.has_cutoff else exp.true()
        for condition, ranked in ((without, False), (exp.not_(without), True)):
            if refused := _of_cutoff(entry, ranked):
                yield condition, refused
        for name in entry.otherwise:
            given = next((a for a in self.own if a.name == name), None)
            if given is not None:
                is_given = exp.not_(is_null(reference(name)))
                yield is_given, f"{name} is not imitated of {entry.name}: {entry.otherwise[name]}"
        conditions = required(entry.requires)
        if TRUTH in conditions:
            yield self._breach(conditions[TRUTH]), _breached(conditions[TRUTH])
        if refused := _of_rows(entry):
            yield exp.true(), refused

    def _breach(self, condition: exp.Expr) -> exp.Expr:
        """Return whether a row of the truth is not as a tool needs it."""
        rows = query_of(
            self.catalog, TRUTH, {SOURCE: source(self.catalog, reference(TRUTH), "read_trec_qrels")}
        )
        found = (
            exp.select(literal(1))
            .from_(rows.subquery("truth_rows"))
            .where(exp.not_(exp.paren(condition.copy())))
        )
        return exp.Exists(this=hidden(found))

    def _value(self, argument: Argument) -> exp.Expr:
        """Return the value given, that of the tool, or the default; as text, to be cast to its type.

        The values of all tools are one text in which the value is looked up: DuckDB repeats the expression
        wherever the parameter stands, and every node of it takes time.
        """
        values = {r: self._looked_up(argument, ranked=r) for r in (False, True)}
        found: exp.Expr = values[False]
        if self.has_cutoff and values[True] != values[False]:
            found = exp.Case().when(is_null(reference(CUTOFF)), found).else_(values[True])
        given = exp.cast(reference(argument.name), "VARCHAR")
        return exp.func("coalesce", given, found, _text(argument.default))

    def _looked_up(self, argument: Argument, *, ranked: bool) -> exp.Expr:
        """Look up the value of the tool, NULL if it is the default."""
        values = {name: self._bound(entry, argument.name, ranked) for name, entry in self.entries.items()}
        told = "".join(f" {name}={written(value)}" for name, value in values.items() if value is not None)
        after = _part(literal(told), concatenated(" ", reference(LIKE), "="), 2)
        return _part(after, literal(" "), 1)

    def _bound(self, entry: PresetEntry, name: str, ranked: bool) -> Value:
        """Return the value to which a tool binds a parameter, None if it changes nothing."""
        values = {**self.defaults, **entry.settings(ranked), CUTOFF: DEEP if ranked else None}
        condition = self.idle.get(name)
        if condition is not None and constant(substituted(condition, values)) is True:
            return None
        checks = self.declared[name].checks if name in self.declared and name in entry.shared else ()
        if any(is_violated(check, values) for check in checks):
            return None
        return entry.settings(ranked).get(name)


def _of_cutoff(entry: PresetEntry, ranked: bool) -> str:
    """Return why a tool has nothing with a cut-off, or without one; empty if it has."""
    if ranked and entry.cutoff == NEVER:
        return f"{entry.name} has no cut-off; leave k out"
    if not ranked and entry.cutoff == ALWAYS:
        return f"{entry.name} needs a cut-off; give it k := 10, or another"
    return ""


def _of_rows(entry: PresetEntry) -> str:
    """Return why a macro cannot follow a tool that needs rows of a kind; empty if it can."""
    if set(required(entry.requires)) <= {TRUTH} and not entry.untied:
        return ""
    need = ", ".join(need for need in entry.needs if not need.startswith(TRUTH))
    return f"it needs {need}, which is checked in Python and on the command line only"


def _breached(condition: exp.Expr) -> str:
    return f"it needs truth ({condition.sql(DIALECT)}); the tool treats other rows otherwise"


def conventions_macro(catalog: Catalog) -> Macro:
    """Return the macro that lists the presets, one row for each parameter that a preset sets."""
    definition = catalog.shell[TABLE]
    rows = [tuple(row) for tool in presets().values() for row in _rows(tool)]
    listed = exp.values(rows, alias="presets", columns=KEPT)
    setting = exp.Anonymous(this="string_split", expressions=[exp.column("settings"), literal(",")])
    each = exp.select(
        *(name for name in KEPT if name != "settings"), exp.Explode(this=setting).as_("setting")
    )
    parts = {
        name: exp.Nullif(
            this=exp.func("split_part", exp.column("setting"), literal("="), literal(place), dialect=DIALECT),
            expression=literal(""),
        )
        for place, name in enumerate(("parameter", "value"), start=1)
    }
    told = exp.select(*(parts.get(n, exp.column(n)).as_(n) for n in TOLD)).from_(
        each.from_(listed).subquery("each")
    )
    body, steps = without_with(query_of(catalog, TABLE, {}))
    body = with_steps(body, [("told", told), *steps])
    shown = [exp.column(name).as_(LIKE if name == TOLD[0] else name, quoted=True) for name in TOLD]
    query = cast("exp.Query", hidden(exp.select(*shown).from_(body.subquery("listed"))))
    for projection in query.selects:
        projection.replace(projection.unalias().as_(projection.alias.removeprefix("_"), quoted=True))
    return Macro(TABLE, (Overload((Argument("pattern", ""),), query),), definition.title, definition)


def _rows(tool: Preset) -> Iterator[list[str | None]]:
    """Yield the entries of a tool, each with its settings, separated by commas.

    No macro has several classes.
    """
    for family, known in tool.families.items():
        if family == MULTICLASS:
            continue
        for metric, entry in known.metrics.items():
            head = [tool.name, tool.tool, family, metric, entry.name]
            limits = [f"{entry.cutoff} with a cut-off"] if entry.cutoff else []
            note = "; ".join([*limits, *(f"needs {need}" for need in entry.needs)]) or None
            yield [*head, ",".join(f"{name}={written(value)}" for name, value in entry.sets.items()), note]
            for name, value in entry.at.items():
                yield [*head, f"{name}={written(value)}", "with a cut-off"]
        for metric, because in known.refused.items():
            yield [tool.name, tool.tool, family, metric, None, "", f"not imitated: {because}"]


def _part(text: exp.Expr, delimiter: exp.Expr, place: int) -> exp.Expr:
    """Return a part of a text, NULL if there is none; `split_part`, a macro, writes its text twice."""
    parts = exp.Anonymous(this="string_split", expressions=[text, delimiter])
    return exp.Anonymous(this="list_extract", expressions=[parts, literal(place)])


def _text(value: Value) -> exp.Expr:
    return exp.cast(exp.null(), "VARCHAR") if value is None else literal(written(value))
