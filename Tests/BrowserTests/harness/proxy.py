"""A TCP proxy that cuts, holds and delays connections at exact places."""

import socket
import struct
import threading


class Proxy:
    """Stands between an end and the relay.

    `budgets`: how many bytes each connection may carry (both directions together) before it is reset; one entry is
    used up by each connection that carries a WebSocket, later ones are not limited.
    """

    def __init__(self, port: int, budgets: list[int] | None = None):
        self.target = port
        self.budgets = list(budgets or [])
        self.cuts = 0
        self.refusing = False
        self.lock = threading.Lock()
        self.pairs: set[tuple[socket.socket, socket.socket]] = set()
        self.sockets: set[tuple[socket.socket, socket.socket]] = set()
        self.swallowed: set[tuple[socket.socket, socket.socket]] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.websockets = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refusing:
                _reset(client)
                continue
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            first = client.recv(65536)
            websocket = b"upgrade: websocket" in first.lower()
            if websocket:
                self.gate.wait()
            relay = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        for end in (client, relay):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = (client, relay)
        with self.lock:
            self.pairs.add(pair)
            if websocket:
                self.sockets.add(pair)
                self.websockets += 1
            budget = [self.budgets.pop(0)] if websocket and self.budgets else None
        threading.Thread(target=self._pump, args=(relay, client, pair, budget, b""), daemon=True).start()
        self._pump(client, relay, pair, budget, first)

    def _pump(self, source, sink, pair, budget, data: bytes) -> None:
        try:
            while True:
                if not data:
                    data = source.recv(16384)
                    if not data:
                        break
                if pair in self.swallowed:
                    data = b""
                    continue
                if budget is not None:
                    with self.lock:
                        room = budget[0]
                        budget[0] -= len(data)
                    if len(data) >= room:
                        # The message that is on its way is cut in its middle.
                        sink.sendall(data[: max(0, room)])
                        if self._end(pair):
                            self.cuts += 1
                        return
                sink.sendall(data)
                data = b""
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            self._end(pair)

    def _end(self, pair) -> bool:
        with self.lock:
            if pair not in self.pairs:
                return False
            self.pairs.discard(pair)
            self.sockets.discard(pair)
        for end in pair:
            _reset(end)
        return True

    def cut(self) -> int:
        """Resets all WebSockets that go through here and says how many."""
        with self.lock:
            pairs = list(self.sockets)
        ended = sum(self._end(pair) for pair in pairs)
        self.cuts += ended
        return ended

    def swallow(self) -> int:
        """Lets nothing through the present WebSockets any more and closes nothing, like a network that is gone."""
        with self.lock:
            self.swallowed |= self.sockets
            return len(self.sockets)

    def hold_sockets(self) -> None:
        """WebSocket handshakes wait from now on; other requests go through."""
        self.gate.clear()

    def release_sockets(self) -> None:
        self.gate.set()

    def refuse(self, refusing: bool = True) -> None:
        """New connections are reset at once."""
        self.refusing = refusing

    def stop(self) -> None:
        self.listener.close()
        self.gate.set()
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self._end(pair)


def _reset(end: socket.socket) -> None:
    try:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    try:
        end.close()
    except OSError:
        pass
