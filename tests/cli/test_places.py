"""Results where teams look: the summary and the annotations of GitHub, gates as JUnit XML, and MLflow."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import click
import pytest

from duckmetrics.cli.main import cli
from duckmetrics.cli.places import SUMMARY, by_gate, junit_text, workflow_commands
from duckmetrics.results.evaluation import Verification
from duckmetrics.results.findings import Finding
from duckmetrics.results.gates import GateOutcome, read_gates
from support.cases import ROOT
from support.command_line import Command, exports, run
from support.little import RR

__all__ = ["exports", "run"]

ONE = ("evaluate", "p.parquet", "t.parquet", "-m", "rr")
SLICED = ("evaluate", *ONE[1:3], "-m", "rr,dcg", "--by", "country", "--queries", "users.parquet")
TWO = ("models.parquet", "--truth", "t.parquet", "-m", "rr", "--system", "model")
COMPARED = ("compare", *TWO, "--baseline", "A")
GITHUB = ("--format", "github")
FOREIGN = '<?xml version="1.0"?>\n<testsuites/>\n'


@pytest.fixture(autouse=True)
def no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    """CI itself may run on GitHub."""
    monkeypatch.delenv(SUMMARY, raising=False)


@pytest.fixture
def summary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "summary"
    path.write_text("of a step before\n")
    monkeypatch.setenv(SUMMARY, str(path))
    return path


# ---- GitHub ---------------------------------------------------------------------------------------


def test_markdown_has_the_verdict_the_gates_and_the_table(run: Command) -> None:
    done = run(*COMPARED, *GITHUB, "--fail-if", "rr < 0.99", "--fail-if", "rr delta < -1")
    title, _, failed, passed, *_ = done.out.splitlines()
    assert done.code == 1
    assert title == "### B does not clearly differ from A"
    assert failed == "- gate failed: rr < 0.99: value of B is 0.5"
    assert passed == "- gate passed: rr delta < -1"
    table = run(*COMPARED, "--format", "markdown").out.splitlines()
    assert [line.replace("○ ", "") for line in done.out.splitlines() if line.startswith("|")] == table
    assert "| ○ unclear |" in done.out
    assert f"::error title=gate failed::{failed.removeprefix('- gate failed: ')}" in done.out.splitlines()


def test_the_summary_is_appended_and_the_log_has_the_screen(run: Command, summary: Path) -> None:
    screen = run(*COMPARED)
    done = run(*COMPARED, *GITHUB, "--fail-if", "rr < 0.99")
    begins, *more = summary.read_text().splitlines()
    assert begins == "of a step before"
    assert "\n".join(more).startswith("### B ")
    assert done.out.startswith(screen.out)
    commands = done.out.removeprefix(screen.out).splitlines()
    assert commands
    assert all(line.startswith(("::error title=gate failed::rr ", "::warning title=")) for line in commands)
    assert "::" not in summary.read_text()
    assert done.err.startswith(screen.err)  # findings and gates stay in the log


def test_a_file_and_a_table_get_the_results_next_to_the_summary(run: Command, summary: Path) -> None:
    for target in (("-o", "github.csv"), ("-o", "github.duckdb", "--table", "runs")):
        done = run(*ONE, *GITHUB, *target)
        assert (done.code, "metric" in done.out) == (0, False), done.err
    assert Path("github.csv").read_text().startswith("system,metric,slice,value")
    assert summary.read_text().count("| rr |") == 2


@pytest.mark.some(2)
@pytest.mark.parametrize("command", [
    SLICED, ("leaderboard", *TWO), ("check", "p.parquet", "t.parquet", "-m", "rr"),
    ("explain", "p.parquet", "t.parquet", "-m", "rr", "--query", "q1"),
    ("curve", "roc_curve", "SELECT i % 2 AS label, i / 500 AS score FROM range(500) AS t(i)"),
    ("ties", "p.parquet", "t.parquet", "-m", "rr"), ("conventions", "p.parquet", "t.parquet", "-m", "rr"),
    ("plan", "--sd", "0.2", "--difference", "0.005"), ("test", "chi-square", "3", "7"),
    ("test", "paired-t", "SELECT s AS system, 'm' AS metric, q AS query_id, s * q / 9 AS value FROM range(2)"
     " AS a(s), range(9) AS t(q)", "--set", "baseline=0"),
    ("ab", "SELECT i % 2 AS v, i % 3 AS x FROM range(40) AS t(i)", "--variant", "v", "--control", "0",
     "-m", "x"),
], ids=lambda command: "-".join(command[:2]))  # fmt: skip
def test_every_result_has_markdown(run: Command, command: tuple[str, ...]) -> None:
    done = run(*command, *GITHUB)
    assert done.code == 0, done.err
    heading, _, first, rule, *rest = [line for line in done.out.splitlines() if not line.startswith("::")]
    assert heading.startswith("### ")
    assert first.startswith("| ")
    assert re.fullmatch(r"\|( -+:? \|)+", rule)
    assert 0 < sum(line.startswith("| ") for line in rest) <= 40


def test_a_warning_of_an_experiment_is_an_annotation(run: Command) -> None:
    unequal = "SELECT (i > 30)::INT AS v, i % 3 AS x FROM range(400) AS t(i)"
    done = run("ab", unequal, "--variant", "v", "--control", "0", "-m", "x", *GITHUB)
    assert re.search(r"^::warning title=duckmetrics::.*sample ratio", done.out, re.MULTILINE | re.IGNORECASE)


def test_a_name_is_no_markup(run: Command) -> None:
    run_ = (
        "SELECT '<img src=x>|y' AS model, * FROM 'p.parquet' UNION ALL SELECT 'B', * FROM 'reverse.parquet'"
    )
    done = run("evaluate", run_, "t.parquet", "-m", "dcg", "--system", "model", *GITHUB)
    markdown = done.out.partition("\n::")[0]
    assert "&lt;img src=x>\\|y" in markdown
    assert "<img" not in markdown
    assert "\n\\* best value" in done.out  # an asterisk at the beginning of a line makes a list


def test_a_command_of_github_ends_where_it_should() -> None:
    """The escapes are those of actions/toolkit, packages/core/src/command.ts."""
    message, title = "100% of a,b: x\r\n::error::y", "a:b,c%\n"
    finding = Finding(title, "warning", "", "", 1, (), message)
    (line,) = workflow_commands([finding], [])
    assert line == "::warning title=a%3Ab%2Cc%25%0A::100%25 of a,b: x%0D%0A::error::y"
    title_part, text = line.removeprefix("::warning title=").split("::", 1)
    assert (unquote(title_part), unquote(text)) == (title, message)
    assert workflow_commands([Finding("x", "note", "", "", 1, (), "y")], []) == []


# ---- JUnit ----------------------------------------------------------------------------------------


def test_each_gate_is_a_test(run: Command) -> None:
    gates = ["rr < 0.99", "rr < 0.1", "rr by country < 0.99", "dcg < 0"]
    flags = [part for gate in gates for part in ("--fail-if", gate)]
    done = run(*SLICED, *flags, "--junit", "gates.xml")
    assert done.code == 1
    root = ElementTree.parse("gates.xml").getroot()
    (suite,) = root
    assert [case.get("name") for case in suite] == gates
    assert {case.get("classname") for case in suite} == {"duckmetrics.evaluate"}
    failed = {case.get("name"): case[0] for case in suite if len(case)}
    assert list(failed) == ["rr < 0.99", "rr by country < 0.99"]
    said = [f"duckmetrics: gate failed: {name}: {line}" for name, failure in failed.items()
            for line in (failure.text or "").splitlines()]  # fmt: skip
    assert said == [line for line in done.err.splitlines() if "gate failed" in line]
    assert failed["rr < 0.99"].get("message") == f"value is {RR:.6g}"
    assert len((failed["rr by country < 0.99"].text or "").splitlines()) == 2
    for element in (root, suite):
        counts = {name: element.get(name) for name in ("tests", "failures", "errors")}
        assert counts == {"tests": "4", "failures": "2", "errors": "0"}
        assert 0 < float(element.get("time", "")) < 600
    # The attributes that the schema of Jenkins, junit-10.xsd, allows.
    known = {
        "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
        "testsuite": {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "id"},
        "testcase": {"name", "classname", "time", "status"}, "failure": {"type", "message"},
    }  # fmt: skip
    assert all(set(element.attrib) <= known[element.tag] for element in root.iter())


def test_a_file_of_gates_is_replaced_and_no_other(run: Command) -> None:
    Path("foreign.xml").write_text(FOREIGN)
    gate = ("--fail-if", "rr < 0.1", "--junit")
    for name, words in (
        ("foreign.xml", "is not a JUnit XML file of duckmetrics"), ("gates.json", "call it gates.xml"),
        ("s3://bucket/gates.xml", "of this machine"), ("no/gates.xml", "existing folder"),
    ):  # fmt: skip
        done = run(*ONE, *gate, name)
        assert (done.code, words in done.err) == (2, True), done.err
    assert Path("foreign.xml").read_text() == FOREIGN
    for wanted in ("1", "2"):
        more = ("--fail-if", "rr < 0.2") if wanted == "2" else ()
        assert run(*ONE, *more, *gate, "again.xml").code == 0
        assert ElementTree.parse("again.xml").getroot().get("tests") == wanted
    assert "--junit: has a test for each gate" in run(*ONE, "--junit", "again.xml").err


def test_the_file_of_options_names_the_file_of_gates(run: Command) -> None:
    Path("nightly").mkdir(exist_ok=True)
    Path("nightly/gate.toml").write_text('junit = "gates.xml"\nfail-if = "rr < 0.1"\n')
    assert run(*ONE, "--config", "nightly/gate.toml").code == 0
    assert ElementTree.parse("nightly/gates.xml").getroot().get("tests") == "1"


def test_what_xml_cannot_hold_is_shown() -> None:
    name = "a<b>&\"c' \x00\x1b[31m\ufffe\ud800"
    text = junit_text("compare", {name: [f"{name} fails"]}, [], 0.5)
    (case,) = ElementTree.fromstring(text.encode()).iter("testcase")
    assert case.get("name") == "a<b>&\"c' \\x00\\x1b[31m��"
    assert case[0].get("message") == f"{case.get('name')} fails"


def test_an_error_of_the_checks_is_a_failed_test() -> None:
    finding = Finding("verify", "error", "", "", 1, (), "SQL and Python differ")
    warning = Finding("few_units", "warning", "", "", 1, (), "few")
    (suite,) = ElementTree.fromstring(
        junit_text("evaluate", {"rr < 0.1": []}, [warning, finding], 1).encode()
    )
    assert [(case.get("name"), len(case)) for case in suite] == [("rr < 0.1", 0), ("verify", 1)]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_a_number_that_python_denies_is_a_failed_test(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # First the module that has its own name for it, which would keep the changed number otherwise.
    monkeypatch.setattr("duckmetrics.evaluation.recomputed.TOLERANCE", -1.0)
    monkeypatch.setattr("duckmetrics.results.evaluation.TOLERANCE", -1.0)
    assert not Verification("rr", 1, 0.0, "", 1, "queries").agrees
    done = run(*ONE, "--verify", "5", "--fail-if", "rr < 0.1", "--junit", "verified.xml")
    assert done.code == 1
    assert ElementTree.parse("verified.xml").getroot().get("failures") == "1"


def test_each_gate_has_its_own_reasons() -> None:
    first, second = read_gates(["a < 1", "a < 12"])
    told = [GateOutcome(first, True, "value is 0"), GateOutcome(second, True, "value is 2"),
            GateOutcome(first, False, "value is 3"), GateOutcome(second, True, "value is 4")]  # fmt: skip
    assert by_gate([" a < 1", "a < 12", "b > 2"], told) == {
        "a < 1": ["value is 0"], "a < 12": ["value is 2", "value is 4"], "b > 2": [],
    }  # fmt: skip


# ---- MLflow, of which tests/results/test_mlflow_runs.py has more ------------------------------------


def test_without_mlflow_nothing_is_computed(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    done = run("evaluate", "no_such_file.parquet", "t.parquet", "-m", "rr", "--mlflow")
    assert done.code == 2
    assert done.err == (
        "duckmetrics: --mlflow: the package mlflow is not installed; pip install 'duckmetrics[mlflow]', or "
        "pip install mlflow\n"
    )


# ---- the examples of the documentation --------------------------------------------------------------


def blocks_of(page: str, language: str) -> list[str]:
    """Return the blocks of a page in a language."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_workflow_of_the_tutorial_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, summary: Path
) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    page = "tutorials/gate-in-ci.md"
    scripts = "".join(blocks_of(page, "bash"))
    (options,) = re.findall(r"cat > gate\.toml <<'END'\n(.*?)^END", scripts, re.MULTILINE | re.DOTALL)
    Path("gate.toml").write_text(options)
    (workflow,) = blocks_of(page, "yaml")
    commands = re.findall(r"run: duckmetrics (.*)", workflow)
    assert [command.split()[0] for command in commands] == ["check", "compare"]
    for command in commands:
        done = Command(capsys)(*command.split())
        assert done.code == 0, done.err
    headings = re.findall(r"^### (.*)", summary.read_text("utf-8"), re.MULTILINE)
    assert headings == ["duckmetrics check", "candidate is better than baseline"]
    uploaded = re.findall(r"^ +(\w+\.\w+)$", workflow, re.MULTILINE)
    assert uploaded
    assert all(Path(name).is_file() for name in uploaded)


@pytest.mark.parametrize(("code", "error"), [
    (0, None), (1, "AirflowFailException"), (2, "AirflowFailException"), (3, "RuntimeError"),
])  # fmt: skip
def test_the_dag_repeats_only_what_may_work_again(
    monkeypatch: pytest.MonkeyPatch, code: int, error: str | None
) -> None:
    """Airflow itself is a large package, so modules with its names stand in."""
    calls: list[list[str]] = []
    tasks: dict[str, Any] = {}

    def task(**_: Any) -> Any:
        return lambda function: tasks.setdefault(function.__name__, lambda: function(ds="2026-11-29"))

    def called(command: list[str]) -> SimpleNamespace:
        calls.append(command)
        return SimpleNamespace(returncode=code)

    failed = type("AirflowFailException", (Exception,), {})
    modules = {
        "airflow": ModuleType("airflow"), "airflow.exceptions": SimpleNamespace(AirflowFailException=failed),
        "airflow.sdk": SimpleNamespace(dag=lambda **_: lambda function: function, task=task),
    }  # fmt: skip
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("subprocess.run", called)
    (text,) = [block for block in blocks_of("howto/every-night.md", "python") if "airflow" in block]
    found = None
    try:
        exec(compile(text, "dag.py", "exec"), {})
    except (failed, RuntimeError) as raised:
        found = type(raised).__name__
    assert found == error
    assert list(tasks) == ["compare"]
    ((program, command, *options),) = calls
    known = {opt for param in cli.get_command(click.Context(cli), command).params for opt in param.opts}  # type: ignore[union-attr]
    assert program == "duckmetrics"
    assert {option for option in options if option.startswith("-")} <= known
