"""The planned shares of the variants of an experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.expressions.numbers import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_shares(given: Any, variants: Sequence[str]) -> dict[str, float]:
    """Return the planned share of every variant; equal shares unless some are given.

    Args:
        given: variant -> share, or None; only the proportions count, so 1 and 2 are shares as well.
        variants: those in the data.

    Raises:
        MetricError: a variant has no share, or a share is not a positive number.
    """
    if given is None:
        return dict.fromkeys(variants, 1 / len(variants))
    if not isinstance(given, Mapping) or not given:
        raise MetricError("shares", f"{given!r} maps no variant", "write {'A': 0.5, 'B': 0.5}")
    shares = {arm_named(name, variants): _share(name, share) for name, share in given.items()}
    if len(shares) < len(given):
        raise MetricError("shares", f"{given!r} names a variant twice", "give each variant one share")
    total = math.fsum(shares.values())
    lacking = [name for name in variants if name not in shares]
    for name in lacking:
        # The rest of 1 for those that have none; without a rest, as much as the others have.
        left = (1 - total) / len(lacking) if total < 1 - ROUNDING else total / len(shares)
        spare = [share for share in shares if share not in variants]
        add = f"add one: {name}={left:.4g}"
        advice = suggestion(spare[0], [name], add) if spare else add
        raise MetricError("shares", f"variant {name!r} has none; given for {', '.join(shares)}", advice)
    ordered = [*variants, *(name for name in shares if name not in variants)]
    return {name: shares[name] / total for name in ordered}


def arm_named(given: Any, variants: Sequence[str]) -> str:
    """Return the variant that a name means: a boolean as the database writes it, blanks around it aside."""
    name = str(given).lower() if isinstance(given, bool) else str(given)
    alike = [variant for variant in variants if variant.strip() == name.strip()]
    return alike[0] if name not in variants and len(alike) == 1 else name


def _share(name: object, share: Any) -> float:
    try:
        number = math.nan if isinstance(share, bool) else float(share)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < math.inf:
        raise MetricError(f"shares {name}", f"{share!r} is not a positive number", "write one such as 0.5")
    return number
