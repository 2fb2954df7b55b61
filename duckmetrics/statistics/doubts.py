"""Warnings that the differences of an experiment cannot be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duckmetrics.results.experiment import SampleRatio
    from duckmetrics.statistics.arms import Arm
    from duckmetrics.statistics.outcomes import Outcome

    # Tests whether numbers of units by variant are as their shares call for.
    RatioOf = Callable[[dict[str, int], dict[str, float]], SampleRatio]


def mismatch(ratio: SampleRatio) -> list[str]:
    """Warn that the variants do not have the units that their shares call for."""
    if not ratio.mismatch:
        return []
    return [
        f"SAMPLE RATIO MISMATCH (p < {ratio.alpha:g}): the variants do not have the units that their shares "
        "call for. Do not trust any difference below; find out where the units went"
    ]


def lost(outcome: Outcome, arms: Sequence[Arm], ratio_of: RatioOf) -> list[str]:
    """Warn that the variants lack values, or values from before the experiment, in other shares."""
    tallies = {arm.name: arm.of(outcome) for arm in arms}
    known = {name: tally.known for name, tally in tallies.items()}
    units = {arm.name: arm.n for arm in arms}
    advice = "the others are no random sample; do not trust the difference, and find out why"
    warnings = _uneven(f"{outcome.name}: values are", known, units, advice, ratio_of)
    if outcome.before is None:
        return warnings
    before = {name: tally.before for name, tally in tallies.items()}
    what = f"{outcome.name}: values of {outcome.before} are"
    advice = "CUPED counts more of the variance as removed than it removes; do not trust p, and find out why"
    return warnings + _uneven(what, before, known, advice, ratio_of)


def _uneven(
    what: str, known: Mapping[str, int], units: Mapping[str, int], advice: str, ratio_of: RatioOf
) -> list[str]:
    """Return a warning if the known units are not spread over the variants as all units are."""
    total = sum(units.values())
    if sum(known.values()) in (0, total):
        return []
    ratio = ratio_of(dict(known), {name: n / total for name, n in units.items() if n})
    if not ratio.mismatch:
        return []
    each = ", ".join(f"{n - known[name]:,} of {n:,} units of {name}" for name, n in units.items())
    return [f"{what} missing more often in some variants (p < {ratio.alpha:g}): {each}; {advice}"]


def moved(outcome: Outcome, p_values: Mapping[str, float | None], alpha: float) -> list[str]:
    """Warn that a value from before the experiment differs between the variants.

    Args:
        p_values: of the difference to the control, by variant.
        alpha: a smaller p is no chance.
    """
    names = [name for name, p in p_values.items() if p is not None and p < alpha]
    if not names:
        return []
    what = f"{outcome.before} differs between the control and {', '.join(names)} (p < {alpha:g})"
    return [
        f"{outcome.name}: {what}, which chance does not explain; if the experiment changed it, CUPED removes "
        "a part of the effect: use a value from before the experiment"
    ]
