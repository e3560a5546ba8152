"""Servers of the pages of one case at a time, each page with the bridge's tag first."""

import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

START = "/case-start"
BLANK = "/case-blank"
# How long an answer may wait; some cases name more than they ever wait for.
LONGEST = 4.0


class CaseServer:
    """One origin."""

    def __init__(self, host: str = "127.0.0.1"):
        server = self
        self.pages: dict = {}
        self.tag = ""

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                page = server.page(self.path.split("?")[0])
                if "delayMillis" in page and self.command != "HEAD":
                    time.sleep(min(page["delayMillis"] / 1000, LONGEST))
                body = page.get("body", "").encode()
                try:
                    self.send_response(page.get("status", 200))
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                    self.send_header("Content-Length", str(len(body)))
                    self.send_header("Cache-Control", "no-store")
                    if "location" in page:
                        self.send_header("Location", page["location"])
                    for name, value in page.get("headers", {}).items():
                        self.send_header(name, value)
                    self.end_headers()
                    if self.command != "HEAD":
                        self.wfile.write(body)
                except OSError:
                    pass  # The page has left.

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.host = host
        self.origin = f"http://{host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def page(self, path: str) -> dict:
        """What is answered: a page of the case, the first page of a view, or an empty one without a bridge."""
        if path == BLANK:
            return {"body": "<!doctype html><title>blank</title>"}
        page = self.pages.get(path, "<!doctype html><title></title>" if path == START else {"status": 404})
        page = dict(page) if isinstance(page, dict) else {"body": page}
        if page.get("body"):
            # A view's first page only holds the place: what the case loads first comes instead of it.
            page["body"] = self.tagged(page["body"], self.tag.replace(" src", " data-blank src") if path == START else self.tag)
        return page

    @staticmethod
    def tagged(html: str, tag: str) -> str:
        start = re.match(r"\s*<!doctype html>", html, re.I)
        at = start.end() if start else 0
        return html[:at] + tag + html[at:]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class ClosedPort:
    """A port that is taken and refuses connections."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]

    def stop(self) -> None:
        self.socket.close()
