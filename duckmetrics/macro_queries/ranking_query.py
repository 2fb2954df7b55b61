"""The query of a ranking macro, which the macro writes when it is called.

DuckDB takes longer to plan a query of every metric and switch than to compute one metric. The text of the
query therefore holds only the metrics and switches of the call. The composer writes the same steps for
Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.followed import Followed, each_cutoff
from duckmetrics.macro_queries.forms import OPEN
from duckmetrics.macro_queries.macro import QUERY
from duckmetrics.macro_queries.ranking_checks import RankingChecks
from duckmetrics.macro_queries.ranking_steps import RankingSteps
from duckmetrics.macro_queries.ranking_text import RankingText
from duckmetrics.macro_queries.shell_files import call
from duckmetrics.macro_queries.template import Template, bound_once, chosen, conditions_once, joined, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duckmetrics.macro_queries.asked_for import OneMetric
    from duckmetrics.macro_queries.ranking_call import RankingCall
    from duckmetrics.macro_queries.ranking_results import Results


@dataclass(frozen=True)
class RankingQuery:
    """Writes the body of a ranking macro.

    Attributes:
        of: the metrics, and the conditions on the arguments.
        results: the last part of the query.
        steps: the steps before it.
        macros: name of a metric -> its macro, if a list of metrics may follow a tool or have parameters in
            their texts; or under "", the macro of all metrics.
        cutoffs: those of the call, if each has a query of its own.
    """

    of: RankingCall
    results: type[Results]
    macros: Mapping[str, str] | None = None
    cutoffs: OneMetric | None = None
    steps: type[RankingSteps] = RankingSteps

    def body(self, inline: Callable[[exp.Expr], exp.Expr] | None = None) -> exp.Select:
        """Return the body of the macro.

        Args:
            inline: changes each query before it is written, such as to put in the macros that it calls.
        """
        of = self.of
        meant = of.likeness.passed() if of.likeness else {}
        template = Template([argument.name for argument in of.arguments], meant, inline)
        text = RankingText(of, template)
        steps, results = self.steps(text), self.results(text)
        checks = RankingChecks(text, [*(of.side.problems() if of.side else ()), *results.problems()])
        whole = [
            *steps.tables(), *merged(of.is_open, steps.steps(OPEN), of.closed(steps.steps)),
            *steps.slices(), *results.steps(), *checks.checked(), *results.result(),
        ]  # fmt: skip
        text_ = joined([chosen(of.asked_for.can_be_written, whole, checks.refused(results.columns))])
        written = with_metrics(of, template, text_)
        if self.macros is not None:
            is_alone = inline is not None
            written = Followed(of, self.macros, self._results, is_alone=is_alone).run(written)
        if self.cutoffs is not None:
            written = each_cutoff(self.cutoffs, written, results)
        run = exp.Anonymous(this=QUERY, expressions=[written])
        return exp.select("*").from_(exp.Table(this=run))

    def _results(self, template: Template) -> Results:
        return self.results(RankingText(self.of, template))


def with_metrics(of: RankingCall, template: Template, text: exp.Expr) -> exp.Expr:
    """Return the expression of a whole text, with the pieces of the metrics asked for and all values."""
    # Bound once and outside of the lambdas that read them: DuckDB binds what is in a lambda twice.
    both = {"text": text, "pieces": of.asked_for.pieces(template.texts)}
    named = {n: exp.Bracket(this=exp.column("_both"), expressions=[literal(n)]) for n in both}
    pairs = [exp.PropertyEQ(this=exp.to_identifier(n), expression=value) for n, value in both.items()]
    needed = call(of.catalog, "with_needed", *named.values()) if of.is_listed else named["text"]
    read = call(of.catalog, "with_pieces", needed, named["pieces"].copy())
    return template.filled(bound_once("_both", conditions_once(exp.Struct(expressions=pairs)), read))
