"""A server of the built page, and scenarios in headless Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = ROOT / "docs/try"
DIST = FOLDER / "dist"
DRIVER = ROOT / "tests/try/browser.mjs"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class _Handler(SimpleHTTPRequestHandler):
    """Files with the types that browsers expect of modules and of WebAssembly."""

    extensions_map = {  # noqa: RUF012  the base class declares it so
        **SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript",
    }  # fmt: skip

    def log_message(self, *args: object) -> None:
        """Write nothing."""


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Chromium; skip if something is not there."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None or shutil.which("node") is None:
        pytest.skip("the page is not driven: chromium or node is not installed")
    if not (DIST / "main.js").exists() or not (FOLDER / "node_modules/playwright-core").exists():
        pytest.skip("the page is not driven: 'python docs/try/build.py' has not built it")
    return found


@pytest.fixture(scope="session")
def page() -> Iterator[str]:
    """Serve the built page; return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(DIST)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
    server.shutdown()
    server.server_close()


@pytest.fixture
def browse(chromium: str, page: str) -> Callable[..., dict[str, Any]]:
    """Return a function that runs a scenario of scenarios.mjs and returns what it found."""

    def run(scenario: str, **given: Any) -> dict[str, Any]:
        modules = str(FOLDER / "package.json")
        told = {"page": page, "chromium": chromium, "modules": modules, "scenario": scenario, **given}
        done = subprocess.run(
            ["node", str(DRIVER), json.dumps(told, default=str)],
            capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["outside"] == []
        assert found["errors"] == []
        result: dict[str, Any] = found["result"]
        return result

    return run
