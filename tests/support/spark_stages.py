"""The jobs and stages that a session of Spark ran, from the store of their status."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Stage = tuple[int, int, int]


def stages(spark: Any) -> list[Stage]:
    """Return the id, the number of tasks and the number of read rows of every stage so far."""
    store = spark.sparkContext._jsc.sc().statusStore()
    none = spark.sparkContext._gateway.new_array(spark.sparkContext._jvm.double, 0)
    listed = store.stageList(None, False, False, none, None)
    found = []
    for i in range(listed.size()):
        stage = listed.apply(i)
        rows = stage.inputRecords() + stage.shuffleReadRecords()
        found.append((stage.stageId(), stage.numTasks(), rows))
    return found


def jobs(spark: Any) -> list[Any]:
    """Return the jobs so far, the newest first."""
    listed = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return [listed.apply(i) for i in range(listed.size())]


def largest_task(spark: Any, number: int) -> int:
    """Return the most rows that a task of a stage read."""
    listed = spark.sparkContext._jsc.sc().statusStore().taskList(number, 0, 10_000)
    found = [listed.apply(i).taskMetrics().get() for i in range(listed.size())]
    return max(m.inputMetrics().recordsRead() + m.shuffleReadMetrics().recordsRead() for m in found)


@contextmanager
def new_stages(spark: Any, **settings: str) -> Iterator[list[Stage]]:
    """Collect the stages that run within, with settings of the session that are taken back."""
    before, ran = {number for number, *_ in stages(spark)}, []
    known = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield ran
    finally:
        for name, value in known.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)
    ran += [stage for stage in stages(spark) if stage[0] not in before]
