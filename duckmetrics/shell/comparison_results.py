"""The macro `compare`: intervals, tests, adjusted p-values and verdicts over the values of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inference.adjustment import NONE
from duckmetrics.shell.macro import call, concatenated, is_null, query_of, reference, without_with
from duckmetrics.shell.parameters import allowed, refusal
from duckmetrics.shell.query import COUNTS, SYSTEM, in_one, read_from
from duckmetrics.shell.ranking_call import RankingText
from duckmetrics.shell.ranking_query import EACH, PLACED, Answer
from duckmetrics.shell.ranking_rows import ABSENT, COLUMNS, COMPARED, NUMBER, PER_QUERY, SLICE_KEYS, UNIT
from duckmetrics.shell.template import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.shell.query import Steps
    from duckmetrics.shell.ranking_call import RankingCall
    from duckmetrics.shell.template import Part, Template


UNITS, NUMBERS, ADJUSTED = "units", "numbers", "adjusted"
INTERVALS, TESTED = "mean_intervals", "paired_tests"
# The rows of the paired t-test, before another test gives p and the intervals.
TESTED_ONCE, LOOKED_AT = "paired_once", "looked_at"
INTERVAL, TEST, ADJUSTMENT = "unit_intervals", "paired_t", "adjusted_p"
BASELINE, ADJUST, ALLOW = "baseline", "adjust", "allow_different"
# The parameter that names the test, the test that holds at every look, and the parameter of its plan.
NAMED_TEST, ALWAYS_VALID, PLANNED = "test", "always_valid", "planned"
NUMBERS_GIVEN = ("level", "alpha", "power")
# The words for the tests.
ONCE, EVERY_LOOK = ("t", TEST), (ALWAYS_VALID, "valid", "always")
NO_PLAN = f"{PLANNED}: {TEST} looks once and has no plan; add test := 'always_valid'"
OTHER_TESTS = (
    f"'; choose {TEST} or {ALWAYS_VALID}, or store the rows of evaluate_by_query and call the macro of "
    "another test"
)
# The slicings whose p-values are adjusted together: the overall rows, and the slices.
FAMILIES = (0, 1)
SEGMENT = "segment"


class ComparisonAnswer(Answer):
    """One row for every system, slice and metric, next to the baseline."""

    rows = COMPARED
    metric_column = "_metric"
    own = (BASELINE, *NUMBERS_GIVEN, ADJUST, ALLOW, NAMED_TEST, PLANNED)

    def further_calls(self) -> list[exp.Expr]:
        """Return the condition that a metric is not one of those that are compared, which is refused."""
        return [exp.not_(self.of.asked_for.can_be_written)]

    def of_one_call(self, template: Template) -> list[Part]:
        asked = template.raw(call(self.of.catalog, "list_literal", self.of.asked_for.asked))
        place = exp.Anonymous(this="list_position", expressions=[asked, exp.column(self.metric_column)])
        placed = exp.select(place.as_(PLACED), exp.Star()).from_(exp.to_table(EACH))
        before, after = template.text(placed).split(EACH)
        return [f"WITH {EACH} AS ({before}(", *self._call(template), f"){after})", *self.of_calls(template)]

    def of_calls(self, template: Template) -> list[Part]:
        """Return the comparison of the rows of the calls, which are adjusted together."""
        return _ComparedQueries(self.of, template).parts()


class _ComparedQueries(RankingText):
    """Writes the last part of a comparison, which reads values and means."""

    def __init__(self, of: RankingCall, template: Template) -> None:
        super().__init__(of, template)
        self.values |= {name: template.quoted(reference(name), "DOUBLE") for name in NUMBERS_GIVEN}
        self.values |= {
            ALLOW: template.quoted(reference(ALLOW), "BOOLEAN"),
            PLANNED: template.quoted(reference(PLANNED), "DOUBLE"),
        }

    def parts(self) -> list[Part]:
        """Return the steps that check the arguments and compare, with slices or without them."""
        names = exp.select(exp.column("system").as_("name")).distinct().from_(exp.to_table(EACH))
        steps = {"contestants": names, "problems": in_one(self._problems()), "checked": self.shell("checked")}
        checks = [f", {self.cte(name, step)}" for name, step in steps.items()]
        parts = ([", ", *self._of_calls(has_slices=has_slices)] for has_slices in (True, False))
        return [*checks, chosen(self.of.has_slices, *parts)]

    def _problems(self) -> list[exp.Query]:
        """Return the queries of the problems of the arguments of a comparison."""
        planned = self.catalog.statistics[ALWAYS_VALID].own_params[PLANNED]
        choices = [literal(word) for word in (*ONCE, *EVERY_LOOK)]
        text = concatenated(f"{NAMED_TEST} cannot be '", _word(), OTHER_TESTS)
        is_other = exp.NEQ(this=reference(PLANNED), expression=literal(planned.default))
        return [
            *problems_of_comparison(self.catalog, reference(SYSTEM)),
            exp.select(text.as_("problem")).where(exp.not_(exp.In(this=_word(), expressions=choices))),
            exp.select(refusal(PLANNED, [planned]).as_("problem")).where(exp.not_(allowed(planned))),
            exp.select(literal(NO_PLAN).as_("problem")).where(exp.and_(is_other, exp.not_(_is_always()))),
        ]

    def _of_calls(self, *, has_slices: bool) -> list[Part]:
        segment = _segment(SLICE_KEYS if has_slices else (), PLACED)
        each = exp.to_table(EACH)
        units = exp.select(segment.as_("metric"), *UNIT, *ABSENT).from_(each).where(exp.column("is_unit"))
        numbers = exp.select(
            segment.as_(SEGMENT), "slice_number", "slice", *NUMBER, "value", "reason", *COUNTS
        )  # fmt: skip
        numbers = numbers.from_(each).join("checked", join_type="cross")
        numbers = numbers.where(exp.and_(exp.column("fine"), exp.not_(exp.column("is_unit"))))
        texts = [self.cte(UNITS, units), self.cte(NUMBERS, numbers)]
        return [", ".join(texts), *self._compared(has_slices)]

    def _compared(self, has_slices: bool) -> list[Part]:
        """Return the steps of the statistics, which read the units and numbers, and the result."""
        families = FAMILIES if has_slices else FAMILIES[:1]
        parts: list[Part] = [", "]
        once, always = self._statistics()
        parts += [f"{self.cte(name, step)}, " for name, step in once]
        of_queries = exp.cast(exp.null(), "DOUBLE").as_("n_effective")
        usual = [(TESTED, exp.select("*", of_queries).from_(TESTED_ONCE))]
        looks = [*always, (TESTED, query_of(self.catalog, LOOKED_AT, {}))]
        texts = (["".join(f"{self.cte(n, s)}, " for n, s in steps)] for steps in (looks, usual))
        parts.append(chosen(_is_always(), *texts))
        for name, step in adjusted_steps(self.catalog, families):
            parts += [self.cte(name, step), ", "]
        test = self.template.quoted(exp.Case().when(_is_always(), literal(ALWAYS_VALID)).else_(literal(TEST)))
        values = {**self.values, "cluster": exp.null(), NAMED_TEST: test}
        compared = query_of(self.catalog, "compared", values)
        by = [exp.var("_attributes.*")] if has_slices else []
        attributes = exp.Anonymous(
            this="struct_extract", expressions=[exp.column(SEGMENT), literal("_attributes")]
        )
        rows = exp.select("*", *([attributes.as_("attributes")] if has_slices else [])).from_("compared")
        shown = exp.select("system", "metric", "slice", *by, *COLUMNS).from_(rows.subquery("compared"))
        known = {n: exp.column(n, "compared") for n in ("slice_number", SEGMENT, "system", "baseline")}
        is_other = exp.NEQ(this=known["system"].copy(), expression=known["baseline"])
        order = [known["slice_number"], known[SEGMENT], is_other, known["system"]]
        return [*parts, self.cte("compared", compared), " ", self.shown(shown.order_by(*order))]

    def _statistics(self) -> tuple[Steps, Steps]:
        """Return the steps of the statistics, which read the units, and those of the test for every look."""
        params = {name: Parameter(name) for name in (*NUMBERS_GIVEN, BASELINE, PLANNED)}
        composer = Composer(self.catalog)
        found: list[Steps] = []
        known: set[str] = set()
        for name, file in (
            (INTERVALS, self.catalog.relations[INTERVAL]),
            (TESTED_ONCE, self.catalog.statistics[TEST]),
            (ALWAYS_VALID, self.catalog.statistics[ALWAYS_VALID]),
        ):
            step = composer.step(name, composer.resolved(file, {**params, "clustered": False}))
            _, steps = without_with(composer.complete(exp.select("*").from_(step)))
            new = [(n, read_from(s, {PER_QUERY: UNITS})) for n, s in steps if n not in known]
            known |= {n for n, _ in new}
            found.append(new)
        return [*found[0], *found[1]], found[2]


def _word() -> exp.Expr:
    """Return the word for the test."""
    text = exp.func("coalesce", exp.cast(reference(NAMED_TEST), "VARCHAR"), literal("NULL"))
    return exp.Anonymous(this="replace", expressions=[exp.Lower(this=text), literal("-"), literal("_")])


def _is_always() -> exp.Expr:
    """Return the condition that the results hold at every look."""
    return exp.In(this=_word(), expressions=[literal(word) for word in EVERY_LOOK])


def _segment(keys: Sequence[str], place: str = "place") -> exp.Expr:
    """Return the columns that identify a metric in a slice, in the order of the rows."""
    columns = {**{name: name for name in _of_slice(keys)}, "place": place}
    return exp.Struct(expressions=[
        exp.PropertyEQ(this=exp.to_identifier(f"_{name}"), expression=exp.column(column))
        for name, column in columns.items()
    ])  # fmt: skip


def _of_slice(keys: Sequence[str]) -> list[str]:
    return [name for name in keys if name in ("slice_number", "attributes")]


def contestants() -> exp.Select:
    """Return the query of the systems."""
    names = exp.select(exp.column("system").as_("name")).distinct().from_("predictions")
    return names.where(exp.not_(is_null(exp.column("system"))))


def problems_of_comparison(catalog: Catalog, system: exp.Expr) -> Iterator[exp.Query]:
    """Yield the queries of the problems of the arguments that all comparisons have.

    Args:
        system: the name of the column of systems, NULL if it is missing.
    """
    known = {p.name: p for f in (TEST, ADJUSTMENT) for p in catalog.statistics[f].own_params.values()}
    yield query_of(catalog, "no_systems", {SYSTEM: system})
    for param in (known[name] for name in NUMBERS_GIVEN):
        yield exp.select(refusal(param.name, [param]).as_("problem")).where(exp.not_(allowed(param)))
    choices = (NONE, *known["method"].choices)
    is_choice = exp.In(this=reference(ADJUST), expressions=[literal(choice) for choice in choices])
    text = concatenated(
        f"{ADJUST} cannot be '", exp.cast(reference(ADJUST), "VARCHAR"),
        f"'; choose {' or '.join(map(str, choices))}",
    )  # fmt: skip
    yield exp.select(text.as_("problem")).where(exp.not_(is_choice))
    yield query_of(catalog, "no_contestant", {
        "given": reference(BASELINE), "parameter": literal(BASELINE), "kind": literal("system"),
        "is_needed": exp.true(), "is_expression": exp.false(),
    })  # fmt: skip
    yield query_of(catalog, "one_system", {})


def adjusted_steps(catalog: Catalog, families: Sequence[int]) -> Iterator[tuple[str, exp.Query]]:
    """Yield the steps that adjust the p-values of each family, which the last step puts together."""
    parts = [_adjusted(catalog, family) for family in families]
    for steps, _ in parts:
        yield from steps
    union: exp.Query = exp.select("test", "p_adjusted").from_(parts[0][1])
    for _, name in parts[1:]:
        union = exp.union(union, exp.select("test", "p_adjusted").from_(name), distinct=False)
    yield ADJUSTED, union


def _adjusted(catalog: Catalog, family: int) -> tuple[Steps, str]:
    """Return the steps that adjust the p-values of one family, and the name of the last one."""
    test = exp.Struct(expressions=[
        exp.PropertyEQ(this=exp.to_identifier(name), expression=exp.column(name, TESTED))
        for name in ("system", "metric")
    ])  # fmt: skip
    p_values = exp.select(test.as_("test"), exp.column("p", TESTED)).from_(TESTED)
    same = exp.and_(
        exp.EQ(this=exp.column("system", NUMBERS), expression=exp.column("system", TESTED)),
        exp.EQ(this=exp.column(SEGMENT, NUMBERS), expression=exp.column("metric", TESTED)),
    )
    p_values = p_values.join(NUMBERS, on=same).where(
        exp.EQ(this=exp.column("slice_number", NUMBERS), expression=literal(family))
    )
    composer = Composer(catalog)
    query = composer.resolved(catalog.statistics[ADJUSTMENT], {"method": Parameter("adjust")})
    name = composer.step("adjusted_p", query)
    _, steps = without_with(composer.complete(exp.select("*").from_(name)))
    names = {n: f"{n}_{family}" for n, _ in steps} | {"p_values": f"p_values_{family}"}
    renamed = [(names[n], read_from(s, names)) for n, s in steps]
    return [(f"p_values_{family}", p_values), *renamed], renamed[-1][0]
