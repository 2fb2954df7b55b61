"""Whether the differences of the slices differ from each other, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping


def heterogeneity_sentence(found: Mapping[str, Any], alpha: float, p: str, of: str = "") -> str:
    """Write the result of Cochran's Q for one slicing.

    Args:
        found: a row of `Comparison.heterogeneity`.
        p: its p, as it is shown.
        of: the system, if there are several.
    """
    what = f"{visible(of)}: the differences" if of else "the differences"
    by = f"{what} by {visible(found['slice'])}"
    told = (
        "differ by more than chance explains" if found["p"] < alpha else "differ no more than chance explains"
    )
    shown = f"< {p[1:]}" if p.startswith("<") else f"= {p}"
    return f"{by} {told}: Q = {found['q']:.1f}, p {shown}"
