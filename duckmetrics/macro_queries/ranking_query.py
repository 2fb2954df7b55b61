"""The query of a ranking macro, which the macro writes when it is called.

DuckDB takes longer to plan a query of every metric and switch than to compute one metric. The text of the
query therefore holds only the metrics and switches of the call. The composer writes the same steps for
Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.forms import OPEN
from duckmetrics.macro_queries.macro import QUERY
from duckmetrics.macro_queries.ranking_checks import RankingChecks
from duckmetrics.macro_queries.ranking_rows import SHOWN, RankingRows, SystemRows
from duckmetrics.macro_queries.ranking_steps import RankingSteps, SystemSteps
from duckmetrics.macro_queries.ranking_text import RankingText
from duckmetrics.macro_queries.shell_files import call
from duckmetrics.macro_queries.template import Template, bound_once, chosen, conditions_once, joined, merged

if TYPE_CHECKING:
    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.ranking_call import RankingCall


def ranking_body(of: RankingCall) -> exp.Select:
    """Return the body of the macro that computes metrics of rankings, all with the same arguments.

    Args:
        of: the metrics, and the conditions on the arguments.
    """
    template = Template([argument.name for argument in of.arguments])
    text = RankingText(of, template)
    of_systems = of.offered[0].measure.metric.is_of_systems
    steps = SystemSteps(text) if of_systems else RankingSteps(text)
    rows = SystemRows(text) if of_systems else RankingRows(text)
    checks = RankingChecks(text, rows.problems())
    whole = [
        *steps.tables(), *merged(of.is_open, steps.steps(OPEN), of.closed(steps.steps)), *steps.slices(),
        *checks.checked(), *rows.result(),
    ]  # fmt: skip
    text_ = joined([chosen(of.asked_for.can_be_written, whole, checks.refused(SHOWN))])
    run = exp.Anonymous(this=QUERY, expressions=[with_metrics(of, template, text_)])
    return exp.select("*").from_(exp.Table(this=run))


def with_metrics(of: RankingCall, template: Template, text: exp.Expr) -> exp.Expr:
    """Return the expression of a whole text, with the pieces of the metrics asked for and all values."""
    read = with_pieces(of.catalog, text, of.asked_for.pieces(template.texts))
    return template.filled(call(of.catalog, "with_systems", read, of.has_systems))


def with_pieces(catalog: Catalog, text: exp.Expr, pieces: exp.Expr) -> exp.Expr:
    """Return the expression of a text with the pieces of the metrics asked for."""
    # Bound once and outside of the lambdas that read them: DuckDB binds what is in a lambda twice.
    both = {"text": text, "pieces": pieces}
    named = {n: exp.Bracket(this=exp.column("_both"), expressions=[literal(n)]) for n in both}
    pairs = [exp.PropertyEQ(this=exp.to_identifier(n), expression=value) for n, value in both.items()]
    needed = call(catalog, "with_needed", *named.values())
    read = call(catalog, "with_pieces", needed, named["pieces"].copy())
    return bound_once("_both", conditions_once(exp.Struct(expressions=pairs)), read)
