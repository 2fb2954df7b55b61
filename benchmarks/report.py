"""The results of a benchmark as a page, a table and a picture."""

from __future__ import annotations

import platform
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.timing import Run
    from benchmarks.works import Claim, Work

# Peers that are not tools: the bare work of DuckDB, and our macros in its shell.
OWN = ("bare", "shell")
PACKAGES = ("duckdb", "sqlglot", "polars", "scikit-learn", "chdb", "pytrec_eval-terrier", "ranx")


@dataclass
class Outcome:
    """The result of a work: the runs of each contestant, and the reasons of those without runs."""

    work: Work
    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[str, str] = field(default_factory=dict)

    def ratios(self, claim: Claim) -> list[float]:
        """Return one ratio for every turn."""
        pairs = zip(self.runs[claim.one], self.runs[claim.other], strict=False)
        return [one.seconds / other.seconds for one, other in pairs]

    def lines(self) -> list[str]:
        """Return the lines of the page."""
        lines = [f"### {self.work.name}", "", "| process | seconds | peak MiB |", "|---|---:|---:|"]
        for name in self.work.contestants:
            if name in self.failures:
                lines.append(f"| {name} | not run: {self.failures[name]} | |")
            elif runs := self.runs[name]:
                seconds = statistics.median(run.seconds for run in runs)
                lines.append(f"| {name} | {seconds:.2f} | {max(run.mib for run in runs):.0f} |")
        lines += [
            "",
            "| ratio | median | smallest | largest | target | met |",
            "|---|---:|---:|---:|---:|---|",
        ]
        lines += [self._line(claim) for claim in self.work.claims if self.ratios(claim)]
        return [*lines, *self._memory(), ""]

    def _line(self, claim: Claim) -> str:
        ratios = self.ratios(claim)
        median = statistics.median(ratios)
        met = {">=": median >= claim.bound, "<=": median <= claim.bound}.get(claim.sign)
        told = "" if met is None else "yes" if met else "**no**"
        target = f"{claim.sign} {claim.bound:g}" if claim.sign else ""
        return (f"| {claim.one} / {claim.other} | {median:.3g} | {min(ratios):.3g} | {max(ratios):.3g} "
                f"| {target} | {told} |")  # fmt: skip

    def _memory(self) -> list[str]:
        if self.work.most_mib is None:
            return []
        ours = [run.mib for name, c in self.work.contestants.items() if not c.peer for run in self.runs[name]]
        told = "yes" if ours and max(ours) <= self.work.most_mib else "**no**"
        return [
            f"| peak MiB of duckmetrics | {max(ours, default=0):.0f} | | "
            f"| <= {self.work.most_mib:.0f} | {told} |"
        ]


def rows_of(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """Return one row for every process that ran."""
    return [
        {"suite": outcome.work.suite, "work": outcome.work.name, "process": name, "turn": turn,
         "seconds": run.seconds, "mib": run.mib}
        for outcome in outcomes for name, runs in outcome.runs.items() for turn, run in enumerate(runs, 1)
    ]  # fmt: skip


def write(outcomes: list[Outcome], folder: Path, rows: int, turns: int) -> None:
    """Write results.md, results.parquet and, with matplotlib, results.png."""
    folder.mkdir(parents=True, exist_ok=True)
    head = [
        "# Results", "",
        f"Written by `python -m benchmarks`: {rows:,} predictions, {turns} turns after one that does not "
        f"count; whole processes from Parquet, in turns. {platform.machine()}, "
        f"Python {platform.python_version()}, {', '.join(_versions())}.", "",
        "Ratios are medians over the turns; seconds and memory hold for this machine only.",
        "", "![Seconds of each process](results.png)", "",
    ]  # fmt: skip
    body = [line for outcome in outcomes for line in outcome.lines()]
    (folder / "results.md").write_text("\n".join([*head, *body]), "utf-8")
    pq.write_table(pa.Table.from_pylist(rows_of(outcomes)), folder / "results.parquet")
    draw(outcomes, folder / "results.png")


def draw(outcomes: list[Outcome], path: Path) -> None:
    """Draw a bar for every process of the works that another tool does, too."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    shown = [
        o for o in outcomes if any(not c.peer.startswith(OWN) for c in o.work.contestants.values() if c.peer)
    ]
    if not shown:
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


def _versions() -> list[str]:
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return found
