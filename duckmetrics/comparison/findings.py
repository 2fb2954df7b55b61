"""Warnings of a comparison, next to its rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duckmetrics.comparison.families import steps_of
from duckmetrics.comparison.methods import PLANNED, SAMPLED, is_always_valid
from duckmetrics.expressions.numbers import ROUNDING
from duckmetrics.results.findings import NOTE, WARNING, Finding
from duckmetrics.sentences.families import MAX_T

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.comparison.pairing import Row
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation


def warning(check: str, message: str, advice: str) -> Finding:
    """Return a warning that belongs to no particular table."""
    return Finding(check, WARNING, "", "", 0, (), message, advice)


def warning_of_test(test: Definition) -> list[Finding]:
    """Return the warning that the file of a test holds, if there is one."""
    text = test.header.get("warning")
    return [] if text is None else [warning("test", f"{test.name}: {text}", "")]


def note_on_looks(test: Definition, planned: int | None) -> list[Finding]:
    """Name what holds at every look at growing data, if the test is an always-valid one."""
    if not is_always_valid(test):
        return []
    units = test.own_params[PLANNED].default if planned is None else planned
    message = (
        f"{test.name}: p and the intervals of changes hold at every look, and are tightest at {units:,} "
        "units; the intervals of values hold at one look"
    )
    return [Finding("test", NOTE, "", "", 0, (), message)]


def note_on_samples(part: FamilyEvaluation) -> list[Finding]:
    """Name the measures whose p comes from bootstrap samples, whatever the test."""
    if part.units is None or part.units.samples is None:
        return []
    samples = part.units.samples
    names = ", ".join(samples.units.measures)
    message = f"{names}: compared on {samples.number} bootstrap samples of the whole metric"
    return [Finding("test", NOTE, "", "", 0, (), message)]


def out_of_reach(rows: Sequence[Row], adjust: str, alpha: float) -> list[Finding]:
    """Warn of p-values that are too large for a verdict because too few resamples were drawn."""
    found = {}
    for row in rows:
        if row["p"] is None or row["resamples"] is None:
            continue
        smallest = (2 if row["test"] == SAMPLED else 1) / (1 + row["resamples"])
        steps = steps_of(row["n_tests"], adjust)
        # The resamples of max_t limit the adjusted p, those of a test limit its own.
        name = "p_adjusted" if adjust == MAX_T else "p"
        if smallest * steps >= alpha and row[name] >= smallest * (1 - ROUNDING):
            needed = math.ceil(2 * steps / alpha)
            found[row["metric"], row["slice"]] = warning(
                "test",
                f"{row['metric']}: {name} cannot be below {smallest:.2g} with {row['resamples']} resamples, "
                f"and a verdict in a family of {row['n_tests']} comparisons needs p < "
                f"{alpha / steps:.2g}",
                f"set resamples={needed} (--resamples {needed}) or more, or compare fewer",
            )
    return list(found.values())
