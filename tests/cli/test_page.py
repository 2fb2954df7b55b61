"""`duckmetrics try`: a server that sends the page and the given files to this machine, and nothing else."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from duckmetrics.cli import server as pages
from duckmetrics.cli.server import HEADERS, HOST, LISTED, PageServer, find_page, page_with
from duckmetrics.errors import InputError, UnsupportedError
from support.cases import ROOT
from support.command_line import Command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a small page, and a secret next to its folder."""
    folder = tmp_path / "page"
    (folder / "macros").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>page</title>")
    (folder / "main.js").write_text("export {};")
    (folder / "engine.wasm").write_bytes(b"\0asm")
    (folder / "macros/base.sql").write_text("SELECT 1;")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "my run.csv").write_text("query_id,item_id,score\n")
    (tmp_path / "truth.csv").write_text("query_id,item_id\n")
    return folder


@contextmanager
def served(folder: Path, *given: Path) -> Iterator[PageServer]:
    server = PageServer(page_with(folder, given))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def get(
    server: PageServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer, whose path is sent as it is written."""
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=5)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def test_the_page_is_sent_with_its_types_and_its_policy(folder: Path) -> None:
    with served(folder) as server:
        start = urlsplit(server.address)
        assert (start.hostname, start.query) == (HOST, "")
        types = {
            "index.html": "text/html; charset=utf-8", "main.js": "text/javascript; charset=utf-8",
            "engine.wasm": "application/wasm", "macros/base.sql": "text/plain; charset=utf-8",
        }  # fmt: skip
        for name, type_ in types.items():
            status, headers, body = get(server, f"/{server.token}/{name}")
            assert (status, headers["content-type"]) == (200, type_)
            assert body == (folder / name).read_bytes()
            assert "connect-src 'self'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
        status, headers, body = get(server, f"/{server.token}/main.js", "HEAD")
        assert (status, headers["content-length"], body) == (200, "10", b"")


def test_the_header_has_the_policy_of_the_page() -> None:
    page = (ROOT / "docs/try/index.html").read_text("utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert HEADERS["Content-Security-Policy"] == f"{policy}; frame-ancestors 'none'"


def test_the_given_files_are_listed_and_sent(folder: Path, tmp_path: Path) -> None:
    files = tmp_path / "my run.csv", tmp_path / "truth.csv"
    with served(folder, *files) as server:
        assert urlsplit(server.address).query == f"files={LISTED}"
        listed = json.loads(get(server, f"/{server.token}/{LISTED}")[2])["files"]
        assert [(one["name"], one["role"]) for one in listed] == [
            ("my run.csv", "predictions"), ("truth.csv", "truth"),
        ]  # fmt: skip
        for one, path in zip(listed, files, strict=True):
            status, headers, body = get(server, f"/{server.token}/{one['url']}")
            assert (status, headers["content-type"]) == (200, "application/octet-stream")
            assert body == path.read_bytes()
            assert one["bytes"] == len(body)


def test_nothing_else_is_sent(folder: Path, tmp_path: Path) -> None:
    with served(folder, tmp_path / "my run.csv") as server:
        asked = f"/{server.token}/"
        paths = [
            "/", "/index.html", "/x/index.html", asked, f"{asked}macros", f"{asked}secret.txt",
            f"{asked}../secret.txt", f"{asked}%2e%2e/secret.txt", f"{asked}..%2fsecret.txt",
            f"{asked}macros/../../secret.txt", f"{asked}/{tmp_path}/secret.txt", f"{asked}files/0/truth.csv",
            f"/{server.token[:-1]}/index.html",
        ]  # fmt: skip
        for path in paths:
            assert get(server, path)[0] == 404, path
        assert get(server, f"{asked}index.html", "POST")[0] == 501
        status, headers, _ = get(server, f"{asked}index.html", Host="evil.example")
        assert status == 404
        assert "content-security-policy" in headers


def test_two_servers_have_other_addresses(folder: Path) -> None:
    with served(folder) as one, served(folder) as other:
        assert one.token != other.token
        assert one.server_port != other.server_port
        assert get(one, f"/{other.token}/index.html")[0] == 404
        assert get(one, f"/{one.token}/{LISTED}")[0] == 404


def test_a_page_that_is_not_installed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert find_page(folder) == folder
    with pytest.raises(InputError, match=r"no index.html; name the folder"):
        find_page(tmp_path)
    monkeypatch.setattr(pages, "PLACES", (tmp_path / "none", folder))
    assert find_page() == folder
    monkeypatch.setattr(pages, "PLACES", (tmp_path / "none",))
    with pytest.raises(UnsupportedError, match="the page is not installed"):
        find_page()
    ended = Command(capsys)("try")
    assert ended.code == 2
    assert "docs/try/build.py" in ended.err


def test_a_file_that_is_not_there(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = Command(capsys)("try", str(tmp_path / "none.csv"), "--page", str(folder), "--no-open")
    assert ended.code == 2
    assert "none.csv: no such file" in ended.err


@pytest.mark.slow
def test_ctrl_c_ends_the_command(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "duckmetrics", "try", str(tmp_path / "my run.csv")]
    process = subprocess.Popen(
        [*command, "--page", str(folder), "--no-open"], stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stdout is not None
    address = urlsplit(process.stdout.readline().strip())
    connection = http.client.HTTPConnection(address.netloc, timeout=5)
    connection.request("GET", address.path)
    assert connection.getresponse().status == 200
    connection.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == 0
