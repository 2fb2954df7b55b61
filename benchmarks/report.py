"""The results of a benchmark as a page, a table and a picture.

The table has every process that ran. The page and the picture are written from it, so a run of some works
changes only their part.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import Run
from benchmarks.works import WORKS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.works import Claim, Work

# Peers that are not tools: the bare work of DuckDB, and our macros in its shell.
OWN = ("bare", "shell")
COLUMNS = pa.schema([
    ("work", pa.string()), ("process", pa.string()), ("turn", pa.int32()), ("seconds", pa.float64()),
    ("cpu", pa.float64()), ("mib", pa.float64()), ("failure", pa.string()), ("rows", pa.int64()),
    ("place", pa.string()),
])  # fmt: skip


@dataclass
class Outcome:
    """The result of a work: the runs of each contestant, and the reasons of those without runs.

    Attributes:
        rows: the number of predictions.
        place: the machine, and the versions of the packages.
    """

    work: Work
    rows: int
    place: str
    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[str, str] = field(default_factory=dict)

    def ratios(self, claim: Claim) -> list[float]:
        """Return one ratio for every turn."""
        pairs = zip(self.runs[claim.one], self.runs[claim.other], strict=False)
        return [one.seconds / other.seconds for one, other in pairs]

    def lines(self) -> list[str]:
        """Return the lines of the page."""
        turns = max(map(len, self.runs.values()), default=0)
        counted = f"{turns} counted {'turn' if turns == 1 else 'turns'}"
        lines = [f"### {self.work.name}", "", f"{self.rows:,} predictions, {counted}.", "",
                 "| process | seconds | CPU seconds | peak MiB |", "|---|---:|---:|---:|"]  # fmt: skip
        for name in self.work.contestants:
            if name in self.failures:
                lines.append(f"| {name} | not run: {self.failures[name]} | | |")
            elif runs := self.runs[name]:
                seconds, cpu = (
                    statistics.median(getattr(r, what) for r in runs) for what in ("seconds", "cpu")
                )
                lines.append(f"| {name} | {seconds:.2f} | {cpu:.2f} | {max(run.mib for run in runs):.0f} |")
        claims = [self._line(claim) for claim in self.work.claims if self.ratios(claim)]
        limits = [*self._times(), *self._memory()]
        if claims or limits:
            lines += ["", "| ratio | median | smallest | largest | target | met |",
                      "|---|---:|---:|---:|---:|---|", *claims, *limits]  # fmt: skip
        return [*lines, ""]

    def _line(self, claim: Claim) -> str:
        ratios = self.ratios(claim)
        median = statistics.median(ratios)
        met = {">=": median >= claim.bound, "<=": median <= claim.bound}.get(claim.sign)
        told = "" if met is None else "yes" if met else "**no**"
        target = f"{claim.sign} {claim.bound:g}" if claim.sign else ""
        return (f"| {claim.one} / {claim.other} | {median:.3g} | {min(ratios):.3g} | {max(ratios):.3g} "
                f"| {target} | {told} |")  # fmt: skip

    def _times(self) -> Iterator[str]:
        """Yield a line for each limit of the time of a process on its own."""
        for name, most in self.work.most_cpu.items():
            if found := [run.cpu for run in self.runs[name]]:
                median = statistics.median(found)
                told = "yes" if median <= most else "**no**"
                yield (f"| CPU seconds of {name} | {median:.3g} | {min(found):.3g} | {max(found):.3g} "
                       f"| <= {most:g} | {told} |")  # fmt: skip

    def _memory(self) -> list[str]:
        if self.work.most_mib is None:
            return []
        ours = [run.mib for name, c in self.work.contestants.items() if not c.peer for run in self.runs[name]]
        told = "yes" if ours and max(ours) <= self.work.most_mib else "**no**"
        return [
            f"| peak MiB of duckmetrics | {max(ours, default=0):.0f} | | "
            f"| <= {self.work.most_mib:.0f} | {told} |"
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return one row for every process that ran, and for every contestant that cannot run."""
        same = {"work": self.work.name, "rows": self.rows, "place": self.place}
        ran = [
            {**same, "process": name, "turn": turn, "seconds": run.seconds, "cpu": run.cpu, "mib": run.mib}
            for name, runs in self.runs.items() for turn, run in enumerate(runs, 1)
        ]  # fmt: skip
        return ran + [{**same, "process": name, "failure": why} for name, why in self.failures.items()]


def stored(folder: Path) -> dict[str, Outcome]:
    """Return the last results of each work that is still there, by its name."""
    path = folder / "results.parquet"
    if not path.exists() or not pq.read_schema(path).equals(COLUMNS):
        return {}
    works = {work.name: work for work in WORKS}
    found: dict[str, Outcome] = {}
    for row in pq.read_table(path).to_pylist():
        work = works.get(row["work"])
        if work is None or row["process"] not in work.contestants:
            continue
        outcome = found.setdefault(work.name, Outcome(work, row["rows"], row["place"]))
        if row["failure"] is None:
            outcome.runs[row["process"]].append(Run(row["seconds"], row["cpu"], row["mib"], {}))
        else:
            outcome.failures[row["process"]] = row["failure"]
    return found


def write(folder: Path, new: Outcome | None = None) -> None:
    """Write results.md, results.parquet and, with matplotlib, results.png.

    Args:
        new: the results of one work, which replace its last ones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = stored(folder) | ({} if new is None else {new.work.name: new})
    outcomes = [known[work.name] for work in WORKS if work.name in known]
    rows = [row for outcome in outcomes for row in outcome.table()]
    pq.write_table(pa.Table.from_pylist(rows, COLUMNS), folder / "results.parquet")
    draw(outcomes, folder / "results.png")
    (folder / "results.md").write_text("\n".join(_page(outcomes)), "utf-8")


def _page(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield the lines of the page: works that were measured with the same versions together."""
    yield from (
        "# Results", "",
        "Written by `python -m benchmarks`. Whole processes from Parquet run in turns, after one turn that "
        "does not count. Ratios are medians over the turns; seconds and memory hold for this machine.", "",
        "![Seconds of each process](results.png)", "",
    )  # fmt: skip
    for place in dict.fromkeys(outcome.place for outcome in outcomes):
        yield from (f"Measured on {place}.", "")
        for outcome in outcomes:
            if outcome.place == place:
                yield from outcome.lines()


def draw(outcomes: list[Outcome], path: Path) -> None:
    """Draw a bar for every process of the works that another tool does, too."""
    shown = [
        o for o in outcomes if any(not c.peer.startswith(OWN) for c in o.work.contestants.values() if c.peer)
    ]
    if not shown:
        return
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    heights = [len([runs for runs in outcome.runs.values() if runs]) for outcome in shown]
    figure, axes = plt.subplots(
        len(shown),
        figsize=(8, 0.5 * sum(heights) + len(shown)),
        gridspec_kw={"height_ratios": heights},
        squeeze=False,
    )
    for axis, outcome in zip(axes[:, 0], shown, strict=True):
        medians = {n: statistics.median(r.seconds for r in runs) for n, runs in outcome.runs.items() if runs}
        names = sorted(medians, key=medians.__getitem__, reverse=True)
        colors = ["tab:orange" if name.startswith("duckmetrics") else "tab:gray" for name in names]
        bars = axis.barh(names, [medians[name] for name in names], color=colors)
        axis.bar_label(bars, fmt="%.2f s", padding=3)
        axis.set_title(outcome.work.name, loc="left", fontsize="medium")
        axis.margins(x=0.15)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    plt.close(figure)
