"""The offer of one macro for many metrics: the metrics by name, and parameters that they share.

A parameter that all metrics declare alike is one parameter with its default. Where they differ, the
default of the macro is NULL, which means to every metric its own default; any other value goes to the
metrics that allow it, and one that no metric asked for allows is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.catalog import Alias
from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, RANKING
from duckmetrics.catalog.meanings import meanings
from duckmetrics.catalog.measure import AGGREGATION, CUTOFF, Measure, condition_in_words, is_share
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.shell.macro import (
    Argument,
    call,
    concatenated,
    fixed,
    is_distinct,
    is_null,
    reference,
    typed,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition, Param
    from duckmetrics.expressions.folding import Value


KINDS: dict[type, str] = {
    int: "a whole number", float: "a number", bool: "true or false", str: "a word", tuple: "a list of numbers"
}  # fmt: skip
# The choice that stands for any table, which people name instead.
TABLE = "table"
# The macros of many metrics.
LISTS = {RANKING: "evaluate", CLASSIFICATION: "evaluate_classification"}


@dataclass(frozen=True)
class OfferedMetric:
    """A metric as a macro offers it.

    Attributes:
        names: its names in a list of metrics.
        agg: the aggregation that an alias binds, None where it is open.
    """

    measure: Measure
    names: tuple[str, ...]
    agg: str | None = None

    @property
    def has_cutoff(self) -> bool:
        return CUTOFF in self.measure.values


@dataclass
class Variant:
    """One way in which metrics declare a parameter."""

    param: Param
    symbol: str
    measures: list[str] = field(default_factory=list)


def is_listed(metric: Definition) -> bool:
    """Return whether the macros of many metrics offer a metric.

    They offer a metric with a value per query, or of rows, that reads no table next to predictions and truth.
    Every further metric makes the text of these macros longer, and DuckDB binds all of it in each call.
    """
    return not (metric.is_of_systems or metric.further_inputs)


def aliases_of(catalog: Catalog, family: str, only: Collection[str] = ()) -> dict[str, Alias]:
    """Return metrics of a family by name and alias.

    Args:
        only: the names that are wanted; if it is empty, those of all metrics that macros of many metrics
            offer.
    """
    return {
        name: alias for (known, name), alias in catalog.names.items()
        if known == family and (name in only if only else is_listed(alias.metric))
    }  # fmt: skip


def other_macros(catalog: Catalog, known: Collection[str]) -> exp.Expr:
    """Write the macros of metrics and tables that a macro does not know, as `other_macro.sql` reads them."""
    found: dict[str, str] = {}
    for (family, name), alias in catalog.names.items():
        if name not in known and family in LISTS:
            own = alias.metric.macros.get(name, name)
            found.setdefault(name, LISTS[family] if is_listed(alias.metric) else own)
    found |= {name: name for family, name in catalog.tables if name not in known and family in LISTS}
    return literal("".join(f"|{name}={macro}" for name, macro in found.items()) + "|")


def unknown_metric(catalog: Catalog, metrics: exp.Expr, known: Collection[str]) -> exp.Expr:
    """Return the message about the first metric that a macro does not know, NULL if it knows all."""
    return call(catalog, "unknown_metric", metrics, literal("|".join(known)), other_macros(catalog, known))


class Offer:
    """The metrics of a family, and the parameters of a macro that computes any of them.

    Args:
        settled: parameters that the macro does not have, with their value.
        words: parameters that take more than their header says, with the condition for it.
    """

    def __init__(
        self,
        catalog: Catalog,
        aliases: Mapping[str, Alias],
        settled: Mapping[str, Value],
        words: Mapping[str, exp.Expr] | None = None,
    ) -> None:
        self.catalog = catalog
        self.words = dict(words or {})
        self.variants: dict[str, list[Variant]] = {}
        # Parameters that a metric declares, but with one value only.
        self.settled_variants: list[Variant] = []
        groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
        for name, alias in aliases.items():
            groups.setdefault((alias.metric.name, tuple(alias.bound.items())), []).append(name)
        self.settled = settled
        self.asked = [self._offered(aliases[names[0]], tuple(names)) for names in groups.values()]

    def add(self, table: Definition) -> list[OfferedMetric]:
        """Offer a table, too."""
        self.asked.append(self._offered(Alias(table, {}), (table.name,)))
        return self.asked

    def _offered(self, alias: Alias, names: tuple[str, ...]) -> OfferedMetric:
        values: dict[str, Value] = {}
        declared = self.catalog.params(alias.metric)
        for name, param in declared.items():
            if name in alias.bound:
                values[name] = param.type(alias.bound[name])
            elif fixed(param):
                values[name] = param.default
                self.settled_variants.append(Variant(param, "", [names[0]]))
            elif name in self.settled:
                values[name] = self.settled[name]
            else:
                values[name] = Parameter(self._variant(param, names[0]).symbol)
        measure = Measure(
            alias.metric, names[0], names[0], tuple(values.items()), None, tuple(declared.values())
        )
        return OfferedMetric(measure, names, alias.bound.get(AGGREGATION))

    def _variant(self, param: Param, measure: str) -> Variant:
        known = self.variants.setdefault(param.name, [])
        for variant in known:
            if _same(variant.param, param):
                break
        else:
            # Wider choices with the same default need no symbol of their own: a file with the
            # narrower declaration treats every other value as the default.
            wider = known and known[0].param.default == param.default and param.choices
            symbol = param.name if wider or not known else f"{param.name}_{len(known) + 1}"
            variant = Variant(param, symbol)
            known.append(variant)
        variant.measures.append(measure)
        return variant

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(
            Argument(name, self._default(name), choices=self._choices(name), meanings=self._meanings(name))
            for name in self.variants if name != CUTOFF
        )  # fmt: skip

    def _choices(self, name: str, *params: Param) -> tuple[Value, ...]:
        """Return the values that a parameter may have, as the help shows them."""
        declared = params or tuple(variant.param for variant in self.variants[name])
        choices = dict.fromkeys(choice for param in declared for choice in param.choices)
        return tuple(choice for choice in choices if choice != TABLE)

    def _meanings(self, name: str) -> Mapping[str, str]:
        """Return the effect of each choice of a parameter, if it is the same for every metric that has it."""
        found: dict[str, set[str]] = {}
        for one in self.asked:
            for param in one.measure.declared:
                if param.name == name and isinstance(one.measure.values[name], Parameter):
                    for choice, meaning in meanings(self.catalog, one.measure.metric, param).items():
                        found.setdefault(choice, set()).add(meaning)
        return _told({choice: said.pop() for choice, said in found.items() if len(said) == 1})

    def _default(self, name: str) -> Value:
        defaults = {variant.param.default for variant in self.variants[name]}
        return defaults.pop() if len(defaults) == 1 else None

    def arguments_of(self, asked: OfferedMetric) -> tuple[Argument, ...]:
        """Return the parameters of the macro of one metric, those of the metric itself first."""
        return tuple(
            Argument(
                p.name, p.default, p.required, self._choices(p.name, p),
                meanings=_told(meanings(self.catalog, asked.measure.metric, p)),
            )
            for p in asked.measure.declared if isinstance(asked.measure.values[p.name], Parameter)
        )  # fmt: skip

    def values(self) -> dict[str, exp.Expr]:
        """Return the expression for every open parameter of the metrics."""
        values: dict[str, exp.Expr] = {}
        for name, variants in self.variants.items():
            symbols = dict.fromkeys(variant.symbol for variant in variants)
            for symbol in symbols:
                param = max((v.param for v in variants if v.symbol == symbol), key=lambda p: len(p.choices))
                value = self.words.get(name, typed(param))
                alone = len(symbols) == 1 and name not in {v.param.name for v in self.settled_variants}
                if not alone or param.default != self._default(name):
                    taken = exp.and_(exp.not_(is_null(reference(name))), allowed(param))
                    value = exp.Case().when(taken, value).else_(literal(param.default))
                values[symbol] = value
        return values

    def problems(self, lenient: exp.Expr | None = None) -> Iterator[exp.Select]:
        """Yield the queries of the problems of the parameters, for the metrics asked for.

        Args:
            lenient: the condition under which a value may change nothing, because a tool sets it.
        """
        text = exp.Case()
        for name, variants in self.variants.items():
            if name != CUTOFF and name not in self.words:
                for condition, said in self._refusals(name, variants, lenient):
                    text = text.when(condition, said, copy=False)
        if text.args.get("ifs"):
            found = exp.select(text.as_("problem")).from_("specs").subquery("given")
            yield exp.select("problem").from_(found).where(exp.not_(is_null(exp.column("problem"))))
        for variant in (variant for variants in self.variants.values() for variant in variants):
            for check in variant.param.checks:
                if _mentions(check) - {variant.param.name}:
                    yield self._with_others(variant, check)

    def _refusals(
        self, name: str, variants: Sequence[Variant], lenient: exp.Expr | None
    ) -> Iterator[tuple[exp.Expr, exp.Expr]]:
        """Yield conditions and messages: a value that no metric takes, or a missing one."""
        default = self._default(name)
        settled = [v for v in self.settled_variants if v.param.name == name]
        taken = exp.or_(*(self._is_one_of(v.measures, allowed(v.param)) for v in (*variants, *settled)))
        given, usual = (exp.cast(value, "VARCHAR") for value in (reference(name), literal(default)))
        nobody = exp.EQ(this=_count(taken), expression=literal(0))
        changed = is_distinct(given, usual)
        takers = {measure for v in (*variants, *settled) for measure in v.measures}
        if takers != {one.measure.text for one in self.asked}:
            without = exp.EQ(this=_count(self._is_one_of(sorted(takers), exp.true())), expression=literal(0))
            yield (
                exp.and_(changed.copy(), without),
                literal(f"{name}: no metric asked for takes it; leave it out"),
            )
        yield exp.and_(changed, nobody), refusal(name, [v.param for v in variants])
        if any(name in self.catalog.idle(one.measure.metric) for one in self.asked):
            effective = exp.or_(*(self._effective(variant) for variant in variants))
            idle = exp.EQ(this=_count(effective), expression=literal(0))
            strict = [] if lenient is None else [exp.not_(lenient.copy())]
            yield exp.and_(changed.copy(), *strict, idle), self._changes_nothing(name)
        for variant in variants:
            if variant.param.required or (default is not None and variant.param.default is not None):
                missing = exp.and_(is_null(reference(name)), self._is_one_of(variant.measures, exp.true()))
                some = exp.GT(this=_count(missing), expression=literal(0))
                yield some, literal(f"{name} is missing; give it {_kind(variant.param)}")

    def _effective(self, variant: Variant) -> exp.Expr:
        """Return the condition for the metrics that allow a value and are changed by it."""
        name, parts = variant.param.name, []
        groups: dict[exp.Expr, list[str]] = {}
        for one in self.asked:
            if one.measure.text in variant.measures:
                idle = self.catalog.idle(one.measure.metric).get(name, exp.false())
                groups.setdefault(idle, []).append(one.measure.text)
        for idle, measures in groups.items():
            condition = idle.copy()
            for column in list(condition.find_all(exp.Column)):
                column.replace(self._typed(column.name))
            changes: exp.Expr = exp.not_(exp.func("coalesce", exp.paren(condition), exp.false()))
            given, usual = (exp.cast(v, "VARCHAR") for v in (reference(name), literal(variant.param.default)))
            changes = exp.paren(exp.or_(changes, exp.not_(exp.paren(is_distinct(given, usual)))))
            parts.append(self._is_one_of(measures, exp.and_(allowed(variant.param), changes)))
        return exp.or_(*parts)

    def _typed(self, name: str) -> exp.Expr:
        """Return the value of a parameter of the call, or the cut-off of each metric."""
        return exp.column(CUTOFF) if name == CUTOFF else typed(self.variants[name][0].param)

    def _changes_nothing(self, name: str) -> exp.Expr:
        """Return the error message for a value that changes none of the metrics asked for."""
        conditions = {
            condition.sql(DIALECT) for one in self.asked
            if (condition := self.catalog.idle(one.measure.metric).get(name))
        }  # fmt: skip
        where = f" where {conditions.pop()}" if len(conditions) == 1 else ""
        shown = exp.cast(reference(name), "VARCHAR")
        return concatenated(f"{name} := '", shown, f"' changes nothing of what is asked{where}; leave it out")

    def _with_others(self, variant: Variant, check: exp.Expr) -> exp.Select:
        """Return the violations of a CHECK of several parameters, for each metric asked for."""
        condition = check.copy()
        for column in list(condition.find_all(exp.Column)):
            column.replace(self._typed(column.name))
        advice = "write the cut-off k" if CUTOFF in _mentions(check) else "change one of them"
        text = concatenated(
            f"{variant.param.name} is '", exp.cast(reference(variant.param.name), "VARCHAR"),
            f"', but must satisfy {check.sql(DIALECT)}; {advice}",
        )  # fmt: skip
        violated = self._is_one_of(variant.measures, exp.not_(exp.paren(condition)))
        return exp.select(text.as_("problem")).from_("specs").where(violated)

    def _is_one_of(self, measures: Sequence[str], condition: exp.Expr) -> exp.Expr:
        """Restrict a condition to some of the metrics."""
        if set(measures) == {one.measure.text for one in self.asked}:
            return condition
        named = exp.In(this=exp.column("measure"), expressions=[literal(name) for name in measures])
        return named if condition == exp.true() else exp.and_(named, condition)


def _told(meanings_: Mapping[str, str]) -> Mapping[str, str]:
    """Return what the help says about a parameter, which may take a table in place of a word."""
    return {**meanings_, "": "a table of queries, or a word"} if TABLE in meanings_ else meanings_


def refusal(name: str, params: Sequence[Param]) -> exp.Expr:
    """Return the error message for a value that none of these declarations allows."""
    shown = exp.func("coalesce", exp.cast(reference(name), "VARCHAR"), literal("NULL"))
    choices = dict.fromkeys(str(choice) for param in params for choice in param.choices)
    if choices:
        wanted = f"choose {' or '.join(choices)}"
    else:
        kind = KINDS[params[0].type]
        ways = dict.fromkeys(" and ".join([kind, *map(_required, p.checks)]) for p in params)
        wanted = f"it must be {' or '.join(ways)}"
    text = concatenated(f"{name} cannot be '", shown, f"' for what is asked; {wanted}")
    return concatenated(text, _share(name)) if all(map(is_share, params)) else text


def _required(check: exp.Expr) -> str:
    """Return what a CHECK requires: a condition in SQL, or in words."""
    return condition_in_words(check).removeprefix("satisfy ")


def _share(name: str) -> exp.Expr:
    """Return advice to write a percentage as a share, empty for other values."""
    number: exp.Expr = try_cast(reference(name), "DOUBLE")
    is_percentage = exp.and_(
        exp.GTE(this=number, expression=literal(2)), exp.LT(this=number.copy(), expression=literal(100))
    )
    share = exp.cast(
        exp.Div(this=number.copy(), expression=literal(100.0), typed=False, safe=True), "VARCHAR"
    )
    return exp.Case().when(is_percentage, concatenated("; write ", share)).else_(literal(""))


def _same(one: Param, other: Param) -> bool:
    return one == other and [c.sql() for c in one.checks] == [c.sql() for c in other.checks]


def _kind(param: Param) -> str:
    return f"{param.choices[0]} or another value" if param.choices else KINDS[param.type]


def _mentions(check: exp.Expr) -> set[str]:
    return {column.name for column in check.find_all(exp.Column)}


def allowed(param: Param) -> exp.Expr:
    """Return the condition on a value that involves no other parameter."""
    raw = reference(param.name)
    conditions: list[exp.Expr] = []
    if param.type in (int, float):
        number = try_cast(raw, "DOUBLE")
        readable: exp.Expr = exp.Anonymous(this="isfinite", expressions=[number])
        if param.type is int:
            whole = exp.EQ(this=number.copy(), expression=exp.Floor(this=number.copy()))
            readable = exp.and_(readable, whole)
        conditions.append(readable)
    for check in param.checks:
        if _mentions(check) == {param.name}:
            condition = check.copy()
            for column in list(condition.find_all(exp.Column)):
                column.replace(typed(param))
            conditions.append(exp.paren(condition))
    whole_condition = exp.func("coalesce", exp.and_(exp.true(), *conditions), exp.false())
    if param.default is None and not param.required:
        return exp.paren(exp.or_(is_null(raw.copy()), whole_condition))
    return whole_condition


def _count(condition: exp.Expr) -> exp.Expr:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=condition))
