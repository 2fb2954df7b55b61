"""The steps of the macro `explain`: the terms of the metric asked for, composed as Python composes them."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.compose.composer import Composer
from duckmetrics.compose.contribution_queries import (
    BY_GRADE,
    BY_ITEM,
    BY_RANK,
    MOST_GROUPS,
    groups_query,
    items_query,
)
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.macro_queries.macro import reference, without_with
from duckmetrics.macro_queries.query import read_from
from duckmetrics.macro_queries.ranking_steps import POPULATION
from duckmetrics.macro_queries.shell_files import BY_RANK as RANKS_GIVEN
from duckmetrics.macro_queries.shell_files import is_null
from duckmetrics.macro_queries.template import chosen, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.macro_queries.forms import Entry, Form
    from duckmetrics.macro_queries.ranking_text import RankingText
    from duckmetrics.macro_queries.template import Part

GROUPINGS = (BY_RANK, BY_GRADE, BY_ITEM)
# The names of the systems in the steps, see sql/macros/asked_predictions.sql.
SYSTEMS, ASKED_SYSTEMS, BASELINE = "systems", "asked_systems", "baseline"
# The tables of the user, and what the steps read of them: the rows of the systems and queries asked for.
READ = {name: f"asked_{name}" for name in ("predictions", "truth", POPULATION)}
# The result of the steps.
EXPLAINED = "explained"


class ExplainedSteps:
    """Writes the steps up to the contributions of items or groups."""

    def __init__(self, text: RankingText) -> None:
        self.text, self.of, self.catalog = text, text.of, text.catalog
        self._texts: dict[tuple[str, exp.Expr], str] = {}

    def asked(self, form: Form) -> list[Part]:
        """Return the steps that read the rows of the systems and queries asked for."""
        names = [name for table, name in READ.items() if form.is_open or table != POPULATION]
        return [f"{self.text.cte(name, self.text.shell(name))}, " for name in (*names, ASKED_SYSTEMS)]

    def steps(self, form: Form) -> list[Part]:
        """Return the steps of the items of a query, or of groups of items."""
        kinds = {by: self._steps(form, by) for by in (None, *GROUPINGS)}
        found = kinds[GROUPINGS[-1]]
        for by in reversed(GROUPINGS[:-1]):
            found = merged(exp.EQ(this=reference("by"), expression=literal(by)), kinds[by], found)
        return [chosen(is_null(reference("by")), kinds[None], found)]

    def _steps(self, form: Form, by: str | None) -> list[Part]:
        """Return the steps of each metric; a step that several metrics have is there once."""
        lists = [self._of_metric(entry, form, by) for entry in self.of.entries]
        return [self.text.template.needed(f"{text}, ", has) for text, has in in_one_order(lists)]

    def _of_metric(self, entry: Entry, form: Form, by: str | None) -> list[str]:
        """Return the steps of one metric."""
        inputs = {SYSTEMS: exp.select("system").from_(ASKED_SYSTEMS)}
        composer = Composer(self.catalog, inputs, {}, {RANKS_GIVEN: Parameter(RANKS_GIVEN)})
        measure = entry.measure(form)
        if by is None:
            query = items_query(composer, measure)
        else:
            n = Parameter(MOST_GROUPS)
            query = groups_query(composer, measure, by, form.plan, ONE_SYSTEM, BASELINE, n)
        outer, steps = without_with(query)
        return [self._text(name, step) for name, step in (*steps, (EXPLAINED, outer))]

    def _text(self, name: str, step: exp.Query) -> str:
        if (name, step) not in self._texts:
            self._texts[name, step] = self.text.cte(name, read_from(step, READ))
        return self._texts[name, step]


def in_one_order(lists: Sequence[Sequence[str]]) -> list[tuple[str, list[bool]]]:
    """Put the texts of several lists in one list that keeps the order of each.

    Returns:
        Each text, and whether each list has it at this place.
    """
    found: list[tuple[str, list[bool]]] = []
    for place, texts in enumerate(lists):
        known = [text for text, _ in found]
        whole: list[tuple[str, list[bool]]] = []
        for kind, i1, i2, j1, j2 in SequenceMatcher(None, known, texts, autojunk=False).get_opcodes():
            whole += found[i1:i2]
            if kind == "equal":
                for _, has in found[i1:i2]:
                    has[place] = True
            else:
                whole += [(text, [i == place for i in range(len(lists))]) for text in texts[j1:j2]]
        found = whole
    return found
