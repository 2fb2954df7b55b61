"""Every metric once more in plain Python, written from its formula.

The tests compare the SQL with it, so it shares nothing with the SQL: no query, no database, no
array library, only the standard library. Slow and short on purpose.

`ranking`, `popularity`, `propensity`, `categories` and `versions` have one function per metric (one
query, one number), and `exposure` one per metric of all lists (one system, one number). `per_query` adds
the policies (ties, duplicates, population, missing queries, ...), `per_system` finds the lists that count,
`aggregate` makes one number of many.
"""

from __future__ import annotations

from duckmetrics.reference.aggregation import aggregate
from duckmetrics.reference.policies import Status, per_query, status
from duckmetrics.reference.query import Query, Row
from duckmetrics.reference.systems import per_system

__all__ = ["Query", "Row", "Status", "aggregate", "per_query", "per_system", "status"]
