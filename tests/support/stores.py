"""A store of objects over a folder: it counts the bytes that are read, and it can fail."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

SECRET = "geheim"


class _Request(BaseHTTPRequestHandler):
    """A request for an object, or for a range of its bytes."""

    protocol_version = "HTTP/1.1"
    server: Store

    @property
    def path_of_object(self) -> Path:
        """The file of the object; the first part of the address is the bucket."""
        return self.server.folder / self.path.partition("?")[0].split("/", 2)[2]

    def do_HEAD(self) -> None:
        found = self.server.status == 200
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(self.path_of_object.stat().st_size if found else 0))
        self.send_header("Last-Modified", "Tue, 24 Nov 2026 00:00:00 GMT")
        self.end_headers()
        self.server.reads.append(("HEAD", self.path_of_object.name, 0))

    def do_GET(self) -> None:
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        data = self.path_of_object.read_bytes() if self.server.status == 200 else b""
        part = data[first : last + 1]
        self.send_response(206 if part else self.server.status)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        self.server.reads.append(("GET", self.path_of_object.name, len(part)))
        if part and self.server.is_cut:
            self.wfile.write(part[: len(part) // 2])
            self.close_connection = True
        elif part:
            self.wfile.write(part)

    def do_PUT(self) -> None:
        self.do_HEAD()

    def log_message(self, *message: object) -> None:
        """Log nothing."""


class Store(ThreadingHTTPServer):
    """A store of the files in a folder.

    Args:
        status: the status of all answers.
        is_cut: whether connections end after half of the bytes.

    Attributes:
        reads: the method, object and number of bytes of each request.
    """

    def __init__(self, folder: Path, status: int, is_cut: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.folder, self.status, self.is_cut = folder, status, is_cut
        self.reads: list[tuple[str, str, int]] = []

    def handle_error(self, *request: object) -> None:
        """Ignore a client that is gone."""


@contextmanager
def store_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, status: int = 200, is_cut: bool = False
) -> Iterator[Store]:
    """Serve the files of a folder as objects of any bucket, and let the variables of AWS name the server."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "abcd")
    with Store(folder, status, is_cut) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        yield server
        server.shutdown()
