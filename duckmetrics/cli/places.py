"""The places where teams look at results: GitHub Actions, the gates of a CI server, and MLflow."""

from __future__ import annotations

import os
import re
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from duckmetrics.engines import targets
from duckmetrics.engines.targets import JUNIT, WRITTEN_BY
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from duckmetrics.results.findings import Finding
    from duckmetrics.results.gates import GateOutcome
    from duckmetrics.results.tabular import Shown

GITHUB = "github"
# The file that GitHub shows on the page of a run.
SUMMARY = "GITHUB_STEP_SUMMARY"
# The keys, next to the options, of the time at which a command starts, and of whether GitHub gets the result.
STARTED, TO_GITHUB = "started", "to_github"
# The key of the folder with the files for MLflow.
FILES_OF_RUN = "files_of_run"
# The beginning of a mark of HTML, which a name may contain.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# Characters that XML cannot hold, in addition to control characters.
_NO_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


def prepare(options: dict[str, Any]) -> None:
    """Refuse places that cannot get the result, before anything is computed.

    Raises:
        InputError: the file of gates has another suffix, or a package is not there.
        UsageError: there are no gates.
    """
    options[STARTED] = monotonic()
    options[TO_GITHUB] = options.get("format_") == GITHUB
    if options[TO_GITHUB]:
        options["format_"] = None
    if options.get("junit") is not None:
        if not options["gates"]:
            raise click.UsageError("--junit: has a test for each gate; add --fail-if 'ndcg@10 < 0.35'")
        targets.refuse_other_xml(options["junit"])
    if options.get("mlflow"):
        from duckmetrics.results.mlflow_runs import mlflow_of

        mlflow_of("--mlflow")


def has_screen(options: Mapping[str, Any]) -> bool:
    """Return whether the result is shown as on a screen: not where its Markdown goes to the same place."""
    return not options[TO_GITHUB] or SUMMARY in os.environ


def publish(
    options: Mapping[str, Any], show: Callable[[], Shown], findings: Iterable[Finding] = (),
    told: Sequence[GateOutcome] = (), result: Any = None, warnings: Iterable[str] = (),
) -> None:  # fmt: skip
    """Bring a result to the places that the options name.

    Args:
        show: returns the table for a reader.
        findings: those of the checks.
        told: the outcomes of the gates.
        result: an evaluation or a comparison, for MLflow.
        warnings: sentences, of results without findings.
    """
    found = list(findings)
    if options.get("junit") is not None:
        _write_junit(options, told, found)
    if options[TO_GITHUB]:
        _summarize(_summary(show(), by_gate(options.get("gates", ()), told)))
        sys.stdout.writelines(f"{line}\n" for line in workflow_commands(found, told, warnings))
    if options.get("mlflow"):
        from duckmetrics.results.mlflow_runs import logged

        failed = [one.line for one in told if one.failed] if options["gates"] else None
        # MLflow prints where a run can be seen; the standard output belongs to the result.
        with redirect_stdout(sys.stderr):
            logged(result, options[FILES_OF_RUN], failed, options["run_id"])


def by_gate(gates: Iterable[str], told: Iterable[GateOutcome]) -> dict[str, list[str]]:
    """Return each gate with the reasons why it fails, none for a gate that passes."""
    found: dict[str, list[str]] = {gate.strip(): [] for gate in gates}
    for one in told:
        if one.failed:
            found[one.gate.text].append(one.why)
    return found


# --- GitHub Actions -----------------------------------------------------------------------------------


def _summary(shown: Shown, gates: Mapping[str, Sequence[str]]) -> str:
    """Write a result as Markdown: the verdict, the table with its notes, and the gates."""
    from duckmetrics.results.gates import FAILED, PASSED, VERDICT
    from duckmetrics.words.verdicts import SIGNS, with_sign

    command = click.get_current_context().command_path
    cells = [
        [with_sign(cell) if name == VERDICT and cell in SIGNS else cell
         for name, cell in zip(shown.header, row, strict=True)]
        for row in shown.cells
    ]  # fmt: skip
    # An asterisk at the beginning of a line would become the dot of a list.
    notes = [re.sub(r"^\*", r"\\*", note) for note in shown.notes]
    table = replace(shown, cells=cells, title="", notes=notes).markdown()
    if not cells:
        table = "".join(f"\n{visible(note)}\n" for note in notes)
    lines = [
        f"- {visible(line)}\n" for gate, reasons in gates.items()
        for line in ([f"{FAILED}{gate}: {why}" for why in reasons] or [f"{PASSED}{gate}"])
    ]  # fmt: skip
    told = [f"### {visible(shown.title) or command}\n\n", "".join(lines) and f"{''.join(lines)}\n", table]
    return _TAG.sub("&lt;", "".join(told))


def _summarize(text: str) -> None:
    """Append Markdown to the summary of the step, or print it if there is no such file."""
    path = os.environ.get(SUMMARY)
    if path is None:
        sys.stdout.write(text)
        return
    with open(path, "a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(f"{text}\n")


def workflow_commands(
    findings: Iterable[Finding], outcomes: Iterable[GateOutcome] = (), warnings: Iterable[str] = ()
) -> list[str]:
    """Return the commands that make GitHub show failed gates as errors, and findings as what they are."""
    from duckmetrics.results.findings import NOTE
    from duckmetrics.results.gates import FAILED

    failed = (one.line.removeprefix(FAILED) for one in outcomes if one.failed)
    gates = [_annotation("error", FAILED.strip(": "), line) for line in failed]
    told = [_annotation(one.severity, one.check, one.message) for one in findings if one.severity != NOTE]
    return [*gates, *told, *(_annotation("warning", "duckmetrics", text) for text in warnings)]


def _annotation(level: str, title: str, message: str) -> str:
    return f"::{level} title={_escaped(title, ':,')}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    """Escape the characters that end a command of GitHub, or one of its properties."""
    return "".join(f"%{ord(mark):02X}" if mark in f"%\r\n{more}" else mark for mark in text)


# --- JUnit --------------------------------------------------------------------------------------------


def _write_junit(
    options: Mapping[str, Any], told: Sequence[GateOutcome], findings: Iterable[Finding]
) -> None:
    command = click.get_current_context().info_name or ""
    gates = by_gate(options["gates"], told)
    text = junit_text(command, gates, findings, monotonic() - options[STARTED])
    with targets.replacing(options["junit"], JUNIT) as draft:
        targets.write_text(draft, text)


def junit_text(
    command: str, gates: Mapping[str, Sequence[str]], findings: Iterable[Finding], seconds: float
) -> str:
    """Return gates, and findings that are errors, as JUnit XML: a test for each.

    Args:
        gates: with the reasons why each fails.
        seconds: the time that the command took.
    """
    from xml.etree import ElementTree

    from duckmetrics.results.findings import ERROR

    errors = {one.check: [one.message] for one in findings if one.severity == ERROR}
    suite = ElementTree.Element("testsuite", name=f"duckmetrics {command}")
    for name, reasons in (*gates.items(), *errors.items()):
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"duckmetrics.{command}", name=_xml(name), time="0"
        )
        if reasons:
            lines = list(map(_xml, reasons))
            failure = ElementTree.SubElement(case, "failure", message="; ".join(lines), type="gate")
            failure.text = "\n".join(lines)
    counts = {
        "tests": str(len(suite)), "failures": str(len(suite.findall(".//failure"))), "errors": "0",
        "time": f"{seconds:.3f}",
    }  # fmt: skip
    suite.attrib |= {**counts, "timestamp": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"}
    whole = ElementTree.Element("testsuites", {"name": "duckmetrics", **counts})
    whole.append(suite)
    ElementTree.indent(whole)
    text = ElementTree.tostring(whole, encoding="unicode")
    return f"{targets.XML_HEAD}<!-- {WRITTEN_BY} -->\n{text}\n"


def _xml(text: str) -> str:
    """Return a text without characters that XML cannot hold."""
    return _NO_XML.sub("�", visible(text))
