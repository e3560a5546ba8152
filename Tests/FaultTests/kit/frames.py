"""Reads the WebSocket frames out of what a proxy passes on."""

import threading
from collections import defaultdict


class Frames:
    """A tap for a FaultProxy: collects `(direction, opcode, payload)` of each connection's frames in order."""

    TEXT, CLOSE, PING, PONG = 1, 8, 9, 10

    def __init__(self):
        self.lock = threading.Lock()
        self.seen: list[tuple[int, str, int, bytes]] = []
        self._rest: dict[tuple[int, str], bytes] = defaultdict(bytes)
        self._past_head: set[tuple[int, str]] = set()

    def __call__(self, number: int, direction: str, data: bytes) -> None:
        key = (number, direction)
        with self.lock:
            rest = self._rest[key] + data
            if key not in self._past_head:
                head, found, rest_of = rest.partition(b"\r\n\r\n")
                if not found:
                    self._rest[key] = rest
                    return
                rest = rest_of
                self._past_head.add(key)
            while (frame := self._take(rest)) is not None:
                opcode, payload, rest = frame
                self.seen.append((number, direction, opcode, payload))
            self._rest[key] = rest

    @staticmethod
    def _take(data: bytes):
        if len(data) < 2:
            return None
        size, at = data[1] & 0x7F, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if len(data) < at + width:
                return None
            size, at = int.from_bytes(data[at : at + width], "big"), at + width
        mask = b""
        if data[1] & 0x80:
            mask, at = data[at : at + 4], at + 4
        if len(data) < at + size or (data[1] & 0x80 and len(mask) < 4):
            return None
        payload = data[at : at + size]
        if mask:
            payload = bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload))
        return data[0] & 0x0F, payload, data[at + size :]

    def mark(self) -> int:
        with self.lock:
            return len(self.seen)

    def since(self, mark: int) -> list[tuple[int, str, int, bytes]]:
        with self.lock:
            return self.seen[mark:]
