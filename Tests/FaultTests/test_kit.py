"""The kit itself: faults come where they are wanted."""

import socket
import threading
import time

import pytest

from harness.waiting import until
from kit.frames import Frames
from kit.proxy import Fault, FaultProxy, Weather


class Echo:
    """A server that sends back what comes, and keeps it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.taken = b""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                end, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(end,), daemon=True).start()

    def _serve(self, end: socket.socket) -> None:
        try:
            while data := end.recv(65536):
                self.taken += data
                end.sendall(data)
        except OSError:
            pass
        end.close()


@pytest.fixture
def echo():
    echo = Echo()
    yield echo
    echo.listener.close()


def connect(proxy: FaultProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=20)


def read(end: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := end.recv(count - len(data))):
        data += more
    return data


@pytest.mark.parametrize("offset", [1, 999, 1000])
def test_reset_comes_at_its_byte(echo, line, offset):
    proxy = line(echo.port)
    proxy.next.append([Fault(1000 + offset, "reset")])
    with connect(proxy) as end:
        end.sendall(b"a" * 1000)
        assert read(end, offset) == b"a" * offset
        with pytest.raises(ConnectionResetError):
            while end.recv(1):
                pass
    assert echo.taken == b"a" * 1000
    assert proxy.happened == ["reset"]


def test_close_is_an_end_in_order(echo, line):
    proxy = line(echo.port)
    proxy.next.append([Fault(4, "close")])
    with connect(proxy) as end:
        end.sendall(b"abcdef")
        assert read(end, 10) == b""
    until(lambda: echo.taken == b"abcd", "what came before the end")


def test_stalls_and_trickles_lose_nothing(echo, line):
    proxy = line(echo.port)
    proxy.next.append([Fault(1_500, "stall", 0.3), Fault(40_000, "trickle", 0.3), Fault(60_000, "stall", 0.1)])
    data = bytes(range(256)) * 200
    with connect(proxy) as end:
        threading.Thread(target=end.sendall, args=(data,), daemon=True).start()
        assert read(end, len(data)) == data
    assert proxy.happened == ["stall", "trickle", "stall"]


def test_bad_weather_delays_everything_and_keeps_its_order(echo, line):
    weather = Weather(delay=0.05, jitter=0.05, losses=3, again=0.1, rate=4_000_000)
    proxy = line(echo.port, weather=weather)
    data = bytes(range(256)) * 4_000
    with connect(proxy) as end:
        begin = time.monotonic()
        end.sendall(b"x")
        assert read(end, 1) == b"x"
        # There and back.
        assert time.monotonic() - begin >= 2 * weather.delay
        threading.Thread(target=end.sendall, args=(data,), daemon=True).start()
        assert read(end, len(data)) == data
        # A megabyte each way at four a second.
        assert time.monotonic() - begin >= len(data) / weather.rate
    assert echo.taken == b"x" + data


def test_an_end_in_bad_weather_comes_behind_what_was_sent_before(echo, line):
    proxy = line(echo.port, weather=Weather(delay=0.05))
    end = connect(proxy)
    end.sendall(b"last words")
    end.close()
    until(lambda: echo.taken == b"last words", "what was sent before the end")


def test_swallowed_connections_say_nothing_until_they_are_reset(echo, line):
    proxy = line(echo.port)
    proxy.next.append([Fault(6, "swallow", 0.5)])
    with connect(proxy) as end:
        end.sendall(b"abc")
        assert read(end, 3) == b"abc"
        end.sendall(b"def")
        with pytest.raises(ConnectionResetError):
            end.recv(1)
    assert echo.taken == b"abc"


def test_refused_connections_are_reset_and_later_ones_are_not(echo, line):
    proxy = line(echo.port)
    proxy.refusing = True
    with pytest.raises(ConnectionResetError), connect(proxy) as end:
        end.recv(1)
    proxy.refusing = False
    with connect(proxy) as end:
        end.sendall(b"x")
        assert read(end, 1) == b"x"


def test_frames_are_told_apart_wherever_they_are_cut():
    payload = b"payload" * 40
    mask = b"\x01\x02\x03\x04"
    masked = bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload))
    up = b"GET / HTTP/1.1\r\n\r\n" + b"\x81\xfe" + len(payload).to_bytes(2, "big") + mask + masked + b"\x8a\x80" + mask
    for step in (1, 7, len(up)):
        frames = Frames()
        for start in range(0, len(up), step):
            frames(1, "up", up[start : start + step])
        assert frames.since(0) == [(1, "up", Frames.TEXT, payload), (1, "up", Frames.PONG, b"")]
