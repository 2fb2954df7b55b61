"""The option ``--all-must-run``: a missing program or package is a failure, and so is a run without tests.

CI runs with it. Without it, a test whose engine, server or browser is not on the machine is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

# Begins the reason of a skip that nothing to install changes.
NO_CASE = "no case: "


def no_case(why: str) -> NoReturn:
    """Skip one combination of parameters that does not exist, whatever is installed."""
    pytest.skip(NO_CASE + why)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    help_ = "fail if a test is skipped because something is missing, and if no test ran"
    parser.addoption("--all-must-run", action="store_true", help=help_)


def _is_asked(config: pytest.Config) -> bool:
    return bool(config.getoption("--all-must-run"))


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure, unless the case does not exist."""
    if not report.skipped or hasattr(report, "wasxfail") or not isinstance(report.longrepr, tuple):
        return
    path, line, why = report.longrepr
    why = why.removeprefix("Skipped: ")
    if not why.startswith(NO_CASE):
        report.outcome = "failed"
        report.longrepr = f"{path}:{line}: did not run: {why}; install it, or leave out --all-must-run"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Refuse the skip of a test, or of a fixture that it needs."""
    report = yield
    if _is_asked(item.config):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse the skip of a whole file."""
    report = yield
    if _is_asked(collector.config):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """Fail a run in which no test passed or failed; a process of xdist knows only a part of the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if _is_asked(session.config) and reporter is not None and not hasattr(session.config, "workerinput"):
        has_run = any(reporter.stats.get(outcome) for outcome in ("passed", "failed", "error", "xfailed"))
        if not has_run and session.exitstatus == pytest.ExitCode.OK:
            reporter.write_line("no test ran; --all-must-run needs one", red=True)
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
    yield
