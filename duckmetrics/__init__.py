"""Evaluation metrics of rankings and classifiers, defined as SQL files and run by DuckDB."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import (
    DefinitionError,
    DuckmetricsError,
    EngineError,
    InputError,
    MetricError,
    UnsupportedError,
)
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from duckmetrics.api.ab import ab
    from duckmetrics.api.catalogue import describe, metrics
    from duckmetrics.api.data import Data
    from duckmetrics.api.database import append
    from duckmetrics.api.functions import (
        check,
        compare,
        conventions,
        curve,
        data,
        evaluate,
        explain,
        from_values,
        leaderboard,
        plan,
        sampled,
        ties,
    )
    from duckmetrics.api.merging import merge
    from duckmetrics.api.runs import runs, trend
    from duckmetrics.api.sql import sql
    from duckmetrics.catalog.measure import Signature
    from duckmetrics.checks.findings import Findings
    from duckmetrics.comparison.corrections import SampledEvaluation
    from duckmetrics.comparison.leaderboard import Leaderboard
    from duckmetrics.comparison.peers import ToolComparison
    from duckmetrics.comparison.plan import Plan
    from duckmetrics.comparison.ties import TieReport
    from duckmetrics.comparison.trend import Trend
    from duckmetrics.engines.progress import progress
    from duckmetrics.pages.chart import Chart
    from duckmetrics.results.comparison import Comparison
    from duckmetrics.results.evaluation import Evaluation, Verification
    from duckmetrics.results.experiment import Experiment
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.shell.shipped import macros_database, macros_sql
    from duckmetrics.statistics.run import ChiSquare, TestResult, chi_square, run_test

_LAZY = {
    "Signature": "catalog.measure",
    "TieReport": "comparison.ties",
    "ToolComparison": "comparison.peers",
    "Data": "api.data",
    "Findings": "checks.findings",
    "ab": "api.ab",
    "append": "api.database",
    "check": "api.functions",
    "data": "api.functions",
    "conventions": "api.functions",
    "ties": "api.functions",
    "curve": "api.functions",
    "describe": "api.catalogue",
    "evaluate": "api.functions",
    "explain": "api.functions",
    "Explanation": "results.explanation",
    "ExplainedGroups": "results.explanation",
    "macros_database": "shell.shipped",
    "macros_sql": "shell.shipped",
    "metrics": "api.catalogue",
    "progress": "engines.progress",
    "sql": "api.sql",
    "Evaluation": "results.evaluation",
    "Experiment": "results.experiment",
    "SampledEvaluation": "comparison.corrections",
    "from_values": "api.functions",
    "merge": "api.merging",
    "runs": "api.runs",
    "trend": "api.runs",
    "Trend": "comparison.trend",
    "sampled": "api.functions",
    "Chart": "pages.chart",
    "Comparison": "results.comparison",
    "compare": "api.functions",
    "Leaderboard": "comparison.leaderboard",
    "Plan": "comparison.plan",
    "plan": "api.functions",
    "leaderboard": "api.functions",
    "ChiSquare": "statistics.run",
    "chi_square": "statistics.run",
    "TestResult": "statistics.run",
    "run_test": "statistics.run",
    "Verification": "results.evaluation",
}

__all__ = [
    "Chart",
    "ChiSquare",
    "Comparison",
    "Data",
    "DefinitionError",
    "DuckmetricsError",
    "EngineError",
    "Evaluation",
    "Experiment",
    "ExplainedGroups",
    "Explanation",
    "Findings",
    "InputError",
    "Leaderboard",
    "MetricError",
    "Plan",
    "SampledEvaluation",
    "Signature",
    "TestResult",
    "TieReport",
    "ToolComparison",
    "Trend",
    "UnsupportedError",
    "Verification",
    "__version__",
    "ab",
    "append",
    "check",
    "chi_square",
    "compare",
    "conventions",
    "curve",
    "data",
    "describe",
    "evaluate",
    "explain",
    "from_values",
    "leaderboard",
    "macros_database",
    "macros_sql",
    "merge",
    "metrics",
    "plan",
    "progress",
    "run_test",
    "runs",
    "sampled",
    "sql",
    "ties",
    "trend",
]


if not TYPE_CHECKING:  # with it, a type checker would take every misspelled name for one of ours

    def __getattr__(name: str) -> Any:
        """Import the database and the parser only when somebody evaluates."""
        if name not in _LAZY:
            # With the module in the error, Python itself shows what was probably meant.
            raise AttributeError(
                f"module 'duckmetrics' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
            )
        from importlib import import_module

        return getattr(import_module(f"duckmetrics.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    """List the public names, so that tab completion offers those that are not imported yet."""
    return sorted(__all__)
