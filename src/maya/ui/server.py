"""A server for the person at this machine: loopback only, and only for who has its token."""

import secrets
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from maya.errors import MayaError
from maya.ui.listing import run_directories, search_directories, state_json
from maya.ui.pages import diff_html, run_html, search_html

_HOST = "127.0.0.1"
_HTML, _JSON = "text/html; charset=utf-8", "application/json"
_COOKIE = "maya-token"


class UiServer(ThreadingHTTPServer):
    """Serves what is below `root`."""

    daemon_threads = True

    def __init__(self, root: Path, port: int = 0) -> None:
        try:
            super().__init__((_HOST, port), _Handler)
        except OSError as error:
            raise MayaError(f"cannot listen on port {port}: {error.strerror}") from error
        self.root = root.resolve()
        self.token = secrets.token_urlsafe(24)

    @property
    def url(self) -> str:
        """To be opened; the token goes into a cookie with the first request."""
        return f"http://{_HOST}:{self.server_port}/?token={self.token}"


class _Handler(BaseHTTPRequestHandler):
    server: UiServer
    server_version = "maya"

    def do_GET(self) -> None:
        """Every request is one for a page or for the state."""
        asked = urlsplit(self.path)
        words = {key: values[-1] for key, values in parse_qs(asked.query).items()}
        if not self._is_local() or not self._is_known(words.get("token", "")):
            return self._answer(HTTPStatus.FORBIDDEN, "open the address that `maya ui` printed")
        try:
            return self._page(asked.path, words)
        except MayaError as error:
            return self._answer(HTTPStatus.CONFLICT, error.message)

    def _page(self, path: str, words: dict[str, str]) -> None:
        root = self.server.root
        if path == "/":
            return self._answer(HTTPStatus.OK, _list_html(), _HTML)
        if path == "/state":
            return self._answer(HTTPStatus.OK, state_json(root), _JSON)
        made = self._made(path, words)
        if made is None:
            return self._answer(HTTPStatus.NOT_FOUND, "there is no such page")
        return self._answer(HTTPStatus.OK, made, _HTML)

    def _made(self, path: str, words: dict[str, str]) -> str | None:
        runs = run_directories(self.server.root)
        kind, _, key = path.strip("/").partition("/")
        if kind == "run" and key in runs:
            return run_html(runs[key])
        if kind == "diff" and words.get("a") in runs and words.get("b") in runs:
            return diff_html(runs[words["a"]], runs[words["b"]])
        searches = search_directories(self.server.root)
        return search_html(searches[key]) if kind == "search" and key in searches else None

    def _is_local(self) -> bool:
        """A page elsewhere whose name was made to mean 127.0.0.1 sends another Host."""
        port = self.server.server_port
        return self.headers.get("Host") in (f"{_HOST}:{port}", f"localhost:{port}")

    def _is_known(self, token: str) -> bool:
        return any(secrets.compare_digest(one, self.server.token) for one in (token, self._kept()))

    def _kept(self) -> str:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(_COOKIE)
        except CookieError:
            return ""
        return cookie.value if cookie and cookie.value.isascii() else ""

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("X-Content-Type-Options", "nosniff")
        if status == HTTPStatus.OK:
            kept = f"{_COOKIE}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
            self.send_header("Set-Cookie", kept)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal is the user's."""


def _list_html() -> str:
    return (files("maya.ui") / "list.html").read_text("utf-8")
