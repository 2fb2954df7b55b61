"""The page on this machine: where it is installed, and a server that only this machine can reach."""

from __future__ import annotations

import json
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from duckmetrics.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


START = "index.html"
# The list of the given files, which the page reads if its address names it.
LISTED = "files.json"
# The folders that may hold the page: in a clone of the repository, and next to the modules of the package.
_PACKAGE = Path(__file__).parents[1]
PLACES = (_PACKAGE.parent / "docs/try/dist", _PACKAGE / "try")
ROLES = ("predictions", "truth")


@dataclass(frozen=True)
class Page:
    """The content of a server: files by their paths below the address, and the list of the given files.

    Attributes:
        files: path -> the file on this machine.
        listed: the text of `LISTED`; empty if no files are given.
    """

    files: Mapping[str, Path]
    listed: str = ""

    @property
    def start(self) -> str:
        """The path and the query of the page, below the address."""
        return f"{START}?files={LISTED}" if self.listed else START


def find_page(folder: Path | None = None) -> Path:
    """Return the folder of the page.

    Args:
        folder: the only folder to look at, if given.
    Raises:
        InputError: the given folder does not hold the page.
        UnsupportedError: the page is not installed.
    """
    if folder is not None:
        if not (folder / START).is_file():
            raise InputError(folder, f"no {START}", "name the folder that 'python docs/try/build.py' writes")
        return folder
    for place in PLACES:
        if (place / START).is_file():
            return place
    raise UnsupportedError(
        "try",
        "the page is not installed",
        "build it in a clone of the repository with 'python docs/try/build.py', which needs node, "
        "or name its folder with --page",
    )


def page_with(folder: Path, given: Sequence[Path]) -> Page:
    """Return the page with files of the user: predictions, then truth.

    Raises:
        InputError: a file is not there.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    listed = []
    for place, path in enumerate(given):
        if not path.is_file():
            raise InputError(path, "no such file")
        url = f"files/{place}/{path.name}"
        files[url] = path
        role = ROLES[place] if len(given) > 1 else None  # one file may also hold labels and scores
        listed.append({"name": path.name, "role": role, "url": quote(url), "bytes": path.stat().st_size})
    return Page(files, json.dumps({"files": listed}) if listed else "")


HOST = "127.0.0.1"
# Browsers refuse modules and WebAssembly with another type. Python's own table depends on the machine.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".sql": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
}
OTHER_TYPE = "application/octet-stream"
# The policy of the page itself; as a header, it also forbids other pages to embed this one.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; "
        "connect-src 'self' blob:; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class PageServer(ThreadingHTTPServer):
    """Sends the files of a page to whoever knows its address, which has a random part.

    Args:
        page: the files that the server may send; it sends no others.
    """

    daemon_threads = True

    def __init__(self, page: Page) -> None:
        super().__init__((HOST, 0), _Handler)
        self.page = page
        self.token = secrets.token_urlsafe(16)

    @property
    def origin(self) -> str:
        """The name and the port of the server."""
        return f"{HOST}:{self.server_port}"

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{self.origin}/{self.token}/{self.page.start}"

    def found(self, target: str) -> Path | str | None:
        """Return what a request asks for: a file, the list of the given files, or None."""
        start, path = f"/{self.token}/", unquote(urlsplit(target).path)
        if not secrets.compare_digest(path[: len(start)].encode(), start.encode()):
            return None
        name = path[len(start) :]
        return (self.page.listed or None) if name == LISTED else self.page.files.get(name)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(has_body=True)

    def do_HEAD(self) -> None:
        self._answer(has_body=False)

    def _answer(self, has_body: bool) -> None:
        """Send a file. A page of another site must not reach this one under a name of its own."""
        is_ours = self.headers.get("Host") == self.server.origin
        found = self.server.found(self.path) if is_ours else None
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        elif isinstance(found, str):
            self._head(TYPES[".json"], len(found.encode()))
            if has_body:
                self.wfile.write(found.encode())
        else:
            with found.open("rb") as file:
                self._head(TYPES.get(found.suffix, OTHER_TYPE), found.stat().st_size)
                if has_body:
                    shutil.copyfileobj(file, self.wfile)

    def _head(self, type_: str, length: int) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing: the terminal shows the address only."""


def serve(server: PageServer) -> None:
    """Send the files until the user presses Ctrl+C."""
    with server, suppress(KeyboardInterrupt):
        server.serve_forever()
