"""The steps of the query of a ranking macro that refuse bad arguments and bad rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.checks.common_queries import NO_COMMON_QUERY
from duckmetrics.checks.examination import concerned, protected
from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries import checks
from duckmetrics.macro_queries.forms import OPEN
from duckmetrics.macro_queries.macro import HIDDEN
from duckmetrics.macro_queries.parameters import other_macros
from duckmetrics.macro_queries.query import METRICS, in_one, known_metrics, placed, specs_of
from duckmetrics.macro_queries.ranking_steps import POPULATION
from duckmetrics.macro_queries.template import chosen, merged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.macro_queries.forms import Form
    from duckmetrics.macro_queries.ranking_text import RankingText
    from duckmetrics.macro_queries.template import Part

# The place of problems after all others.
LAST = 99


class RankingChecks:
    """Writes the steps that raise the first problem.

    Attributes:
        is_partial: whether rows below the deepest rank may repeat items, because they change no value.

    Args:
        further: queries of problems of the call, other than those of metrics, switches and rows.
    """

    is_partial = True

    def __init__(self, text: RankingText, further: Sequence[exp.Query]) -> None:
        self.text, self.of, self.catalog, self.further = text, text.of, text.catalog, further

    def checked(self) -> list[Part]:
        """Return the steps that refuse bad arguments and bad rows."""
        usual, opened = self.of.closed(self._problems), self._problems(OPEN)
        problems = self.of.offer.problems(self.of.lenient)
        arguments = [f" UNION ALL {self.text.text(placed(query, -1))}" for query in problems]
        last = self.last()
        further = (self.text.text(placed(query, i - 100)) for i, query in enumerate(self.further))
        return [
            chosen(self.of.is_changed, [*self._specs(), ", "], []),
            *merged(self.of.is_open, opened, usual), *(f" UNION ALL {text}" for text in further),
            *self._without_rows(), chosen(self.of.is_changed, arguments, []), *last, "), ",
            self.text.cte("checked", self.text.shell("checked")), " ",
        ]  # fmt: skip

    def last(self) -> list[Part]:
        """Return the queries of the problems that are reported if there is no other one."""
        bad_slices = self.text.shell("bad_attributes", slice_label=self.text.label)
        slices = f" UNION ALL {self.text.text(placed(bad_slices, LAST))}"
        return [chosen(self.of.has_slices, [slices], [])]

    def shared(self, form: Form) -> Mapping[str, exp.Query]:
        """Return the steps of the query that checks may read."""
        return self.of.composed(form).steps

    def unreadable(self) -> list[exp.Query]:
        """Return the queries of the problems of metrics that are not known or cannot be read."""
        others = other_macros(self.catalog, [name for one in self.of.offered for name in one.names])
        return [self.text.shell("bad_metrics", others=others), self.text.shell("unreadable_metrics")]

    def _without_rows(self) -> list[Part]:
        """Return the queries of tables next to predictions and truth that have no rows."""
        needed = self.text.template.needed
        return [
            needed(f" UNION ALL {self.text.text(placed(query, -100))}", flags)
            for query, flags in (self.of.side.problems() if self.of.side else ())
        ]

    def _problems(self, form: Form) -> list[Part]:
        composed = self.of.composed(form)
        absent = () if form.is_open else (POPULATION,)
        found, steps = checks.of_data(
            self.catalog, composed.measures, self.shared(form), form.constants, self.of.only, absent,
            composed.reach if self.is_partial else {},
        )  # fmt: skip
        files = ("no_rows", *(("no_order", "bad_population") if form.is_open else ()))
        refused = [*(self.text.shell(name) for name in files), *found]
        read: dict[str, list[bool]] = {}
        own = []
        for name, step in steps:
            read[name] = self._readable(step, read)
            own.append(self.text.template.needed(f"{self.text.cte(name, step)}, ", read[name]))
        first, *others = [
            (self.text.text(placed(query, place)), self._readable(query, read))
            for place, query in enumerate(refused)
        ]
        problems = (self.text.template.needed(f" UNION ALL {text}", flags) for text, flags in others)
        return [*own, f"{HIDDEN}problems AS (", first[0], *problems, *self._strangers(form)]

    def _readable(self, query: exp.Query, known: Mapping[str, list[bool]]) -> list[bool]:
        """Return for each metric whether the query has all tables that a check reads.

        Args:
            known: step of the checks -> the same.
        """
        flags = [True] * len(self.of.entries)
        for table in query.find_all(exp.Table):
            side = self.of.side.needed(table.name) if self.of.side else flags
            flags = [all(both) for both in zip(flags, side, known.get(table.name, flags), strict=True)]
        return flags

    def _strangers(self, form: Form) -> list[Part]:
        """Return the query of the systems, of several, that share no query with the truth."""
        check = self.catalog.checks[RANKING, NO_COMMON_QUERY]
        concern = [
            measure for measure in self.of.composed(form).measures
            if protected(check) & concerned(self.catalog, measure)
        ]  # fmt: skip
        if not concern or "answers" not in self.shared(form):
            return []
        advice = literal(checks.in_the_shell(check.header["advice"]))
        query = cast("exp.Select", self.text.shell("strangers", title=literal(check.title), advice=advice))
        condition = self.of.only(concern)
        text = self.text.text(placed(query.where(condition) if condition else query, LAST - 1))
        return [chosen(self.of.has_systems, [f" UNION ALL {text}"], [])]

    def _specs(self) -> list[Part]:
        """Return the steps with the metrics asked for, a row each."""
        steps = specs_of(self.catalog, known_metrics(self.of.offered), self.text.values[METRICS])
        return [", ".join(self.text.cte(name, step) for name, step in steps)]

    def refused(self, names: Sequence[str]) -> list[Part]:
        """Return the query where a metric is not known or its cut-off cannot be read, which is an error.

        Args:
            names: the columns of the result.
        """
        problems = in_one(self.unreadable())
        nothing = (
            exp.select(*(exp.null().as_(name) for name in names)).from_("checked").where(exp.column("fine"))
        )
        return [
            "WITH ", *self._specs(), ", ", self.text.cte("problems", problems), ", ",
            self.text.cte("checked", self.text.shell("checked")), " ", self.text.shown(nothing),
        ]  # fmt: skip
