"""The sentence about the margin of a comparison, and the columns that only a margin gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The columns of a comparison with a margin: the margin in the units of the metric, the share of the
# baseline if it is relative, and the p-values of its tests.
OF_MARGINS = (
    "margin", "relative_margin", "p_not_worse", "p_not_worse_adjusted", "p_equivalent",
    "p_equivalent_adjusted",
)  # fmt: skip
# The column of the pairs of a leaderboard with the system whose loss against the other one is tested.
WORSE_SYSTEM = "worse_system"


def has_margin(row: Mapping[str, Any]) -> bool:
    """Return whether a row was tested with a margin."""
    return "p_equivalent" in row and not row["margin"] is row["relative_margin"] is None


def margin_sentence(
    rows: Iterable[Mapping[str, Any]], baseline: str, alpha: float, is_adjusted: bool
) -> str | None:
    """Return the margins of a comparison and how they are tested; None without a margin."""
    margins: dict[str, dict[str, None]] = {}
    for row in rows:
        if has_margin(row):
            margins.setdefault(_text(row, baseline), {})[visible(row["metric"])] = None
    if not margins:
        return None
    named = [f"{text} ({', '.join(metrics)})" for text, metrics in margins.items()]
    told = ", ".join(named) if len(named) > 1 else next(iter(margins))
    how = "corrected in the same way" if is_adjusted else "not corrected"
    return f"margin {told}: its tests (not worse, equivalent) are one-sided at {alpha:.4g}, {how}"


def _text(row: Mapping[str, Any], baseline: str) -> str:
    share = row["relative_margin"]
    return f"{row['margin']:.6g}" if share is None else f"{100 * share:.6g} % of {visible(baseline)}"
