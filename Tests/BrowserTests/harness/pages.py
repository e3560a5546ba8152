"""A static server for pages of another origin than the relay's."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Pages:
    """Serves what was put under a path, on a port of its own; knows what was asked for."""

    def __init__(self, host: str = "127.0.0.1"):
        pages = self
        self.content: dict[str, tuple[str, bytes, dict]] = {}
        self.requests: list[str] = []
        self.gates: dict[str, threading.Event] = {}
        self.cuts: dict[str, int] = {}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("?")[0]
                pages.requests.append(self.path)
                if path == "/favicon.ico":
                    self.send_response(204)
                    self.end_headers()
                    return
                kind, body, headers = pages.content.get(path, ("text/plain", b"not here", {}))
                gate = pages.gates.get(path) if self.command != "HEAD" else None
                cut = pages.cuts.get(path)
                if gate and cut is None:
                    gate.wait(60)
                self.send_response(200 if path in pages.content else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command == "HEAD":
                    return
                try:
                    self.wfile.write(body[:cut])
                except BrokenPipeError:
                    return  # The browser has gone elsewhere meanwhile.
                if cut is not None:
                    gate.wait(60)
                    self.close_connection = True

            # The bridge asks for a page's head before it leaves for it.
            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.origin = f"http://{host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def put(self, path: str, text: str, kind: str = "text/html; charset=utf-8", **headers) -> str:
        """Serves the text under the path and gives its URL."""
        self.content[path] = (kind, text.encode(), headers)
        return self.origin + path

    def hold(self, url: str) -> threading.Event:
        """Answers requests for a URL only once the event that this gives is set."""
        return self.gates.setdefault(url.removeprefix(self.origin), threading.Event())

    def cut(self, url: str, length: int) -> threading.Event:
        """Breaks answers for a URL off behind so many bytes, once the event that this gives is set."""
        self.cuts[url.removeprefix(self.origin)] = length
        return self.hold(url)

    def restore(self, url: str) -> None:
        """Answers later requests for a URL whole and at once again."""
        path = url.removeprefix(self.origin)
        self.cuts.pop(path, None)
        self.gates.pop(path, None)

    def stop(self) -> None:
        for gate in self.gates.values():
            gate.set()
        self.server.shutdown()
        self.server.server_close()


def page(relay: str, app: str, script: str = "", body: str = "", head: str = "", attributes: str = "") -> str:
    """A page with the bridge's one script tag first in its head, then `script` as the page's own first script."""
    return f"""<!DOCTYPE html>
<html lang="en"><head>
<script src="{relay}/bridge.js" data-app="{app}"{" " + attributes if attributes else ""}></script>
<script>
window.errors = [];
addEventListener('error', (event) => errors.push(String(event.message)));
addEventListener('unhandledrejection', (event) => errors.push('rejected: ' + event.reason));
{script}
</script>
<meta charset="utf-8"><link rel="icon" href="data:,"><title>{app}</title>{head}</head>
<body>{body}</body></html>"""
