"""A TCP proxy that resets, closes, stalls, trickles or swallows connections at exact or random byte offsets, and delays what passes."""

import asyncio
import random
import socket
import struct
import threading
from collections import deque
from dataclasses import dataclass, field

KINDS = ("reset", "close", "stall", "trickle", "swallow")


@dataclass(order=True)
class Fault:
    """What befalls a connection once it has carried so many bytes, both directions together.

    `reset` ends it with a TCP reset, `close` in order; `stall` holds everything for `seconds`, `trickle` lets single
    bytes through for so long, and `swallow` lets nothing through any more and says nothing, until `seconds` are over and the
    connection is reset.
    """

    offset: int
    kind: str = field(compare=False)
    seconds: float = field(default=1.0, compare=False)


@dataclass
class Weather:
    """What every piece of data suffers in each direction; its order stays, as TCP sees to.

    It takes `delay` seconds and up to `jitter` more. One in `losses` pieces is lost and sent again, which ends see as a pause of
    `again` seconds for it and all that follows. No more than `rate` bytes a second pass, if that is given.
    """

    delay: float = 0.0
    jitter: float = 0.0
    losses: int = 0
    again: float = 0.2
    rate: float | None = None
    seed: int = 1

    def __post_init__(self):
        self.dice = random.Random(self.seed)

    def late(self) -> float:
        """By how much the next piece is late."""
        lost = self.losses and self.dice.randrange(self.losses) == 0
        return self.delay + self.dice.uniform(0, self.jitter) + (self.again if lost else 0.0)


class FaultProxy:
    """Stands between an end and the relay; one thread serves all connections.

    `window` makes its socket buffers so small, in bytes, that its peers write a little at a time. `tap` is called with a
    number of the connection, `up` (towards the relay) or `down`, and the bytes that are passed on. With a `weather` all data
    are late.
    """

    # How many bytes of one direction may be on their way through bad weather before it is not read any more.
    UNDER_WAY = 262_144

    def __init__(self, port: int, *, window: int | None = None, tap=None, weather: Weather | None = None):
        self.target = port
        self.window = window
        self.tap = tap
        self.weather = weather
        # Faults for the next connections, a list of them for each.
        self.next: deque[list[Fault]] = deque()
        self.refusing = False
        self.opened = 0
        self.happened: list[str] = []
        self.connections: dict[int, Connection] = {}
        self._storm: asyncio.Task | None = None
        self.loop = asyncio.new_event_loop()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        if window:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.port = self.listener.getsockname()[1]
        self.http = f"http://127.0.0.1:{self.port}"
        self.ws = f"ws://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    # What tests ask, from their own thread.

    def each(self, kind: str, seconds: float = 1.0) -> int:
        """The fault befalls every connection now; says how many there were."""

        def act() -> int:
            found = list(self.connections.values())
            for connection in found:
                connection.suffer(Fault(0, kind, seconds))
            return len(found)

        return self._call(act)

    def storm(self, seed: int, rate: float = 1.0, kinds=KINDS, within: int = 6_000, seconds: float = 3.0) -> None:
        """From now on so many faults a second befall connections at random, each at a random one of its next bytes."""
        self._call(lambda: self._begin(random.Random(seed), rate, kinds, within, seconds))

    def calm(self) -> None:
        """Ends the storm; faults that wait for their offset are forgotten."""

        def end() -> None:
            if self._storm:
                self._storm.cancel()
                self._storm = None
            for connection in self.connections.values():
                connection.faults.clear()

        self._call(end)

    def stop(self) -> None:
        self.calm()
        self.each("reset")
        self.loop.call_soon_threadsafe(self.server.cancel)
        self.thread.join(10)
        self.loop.close()
        self.listener.close()

    # The proxy's own thread.

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.create_task(self._serve())
        try:
            self.loop.run_until_complete(self.server)
        except asyncio.CancelledError:
            pass

    def _call(self, work):
        done: list = []
        ready = threading.Event()

        def act() -> None:
            try:
                done.append(work())
            finally:
                ready.set()

        self.loop.call_soon_threadsafe(act)
        assert ready.wait(30), "the proxy's thread does not answer"
        return done[0]

    def _begin(self, dice, rate, kinds, within, seconds) -> None:
        self._storm = self.loop.create_task(self._rage(dice, rate, kinds, within, seconds))

    async def _rage(self, dice, rate, kinds, within, seconds) -> None:
        while True:
            await asyncio.sleep(dice.expovariate(rate))
            if not self.connections:
                continue
            connection = self.connections[dice.choice(list(self.connections))]
            offset = connection.carried + dice.randrange(within)
            connection.plan([Fault(offset, dice.choice(kinds), dice.uniform(0.1, seconds))])

    async def _serve(self) -> None:
        self.listener.setblocking(False)
        while True:
            client, _ = await self.loop.sock_accept(self.listener)
            if self.refusing:
                reset(client)
                continue
            self.opened += 1
            self.loop.create_task(Connection(self, self.opened).open(client))


class Connection:
    """One connection: two sockets, and the faults that are still to come."""

    def __init__(self, proxy: FaultProxy, number: int):
        self.proxy = proxy
        self.number = number
        self.carried = 0
        self.faults: list[Fault] = list(proxy.next.popleft()) if proxy.next else []
        self.faults.sort()
        self.waiting: deque[tuple[Side, bytes]] = deque()
        self.is_held = False
        self.is_swallowed = False
        self.is_over = False
        self.trickles_until = 0.0
        self.up = Side(self, "up")
        self.down = Side(self, "down")

    async def open(self, client: socket.socket) -> None:
        loop = self.proxy.loop
        relay = socket.socket()
        try:
            if self.proxy.window:
                relay.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.proxy.window)
            relay.setblocking(False)
            await loop.sock_connect(relay, ("127.0.0.1", self.proxy.target))
            for end in (client, relay):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.proxy.connections[self.number] = self
            # The client's bytes go up to the relay.
            await loop.create_connection(lambda: self.down, sock=relay)
            await loop.create_connection(lambda: self.up, sock=client)
        except OSError:
            reset(client)
            relay.close()
            self.proxy.connections.pop(self.number, None)

    def plan(self, faults: list[Fault]) -> None:
        self.faults = sorted([*self.faults, *faults])

    def received(self, side: "Side", data: bytes) -> None:
        weather = self.proxy.weather
        if weather is None:
            self.arrive(side, data)
            return
        loop = self.proxy.loop
        # Each piece takes the line for its time, and comes no earlier than the one before it.
        side.free_at = max(side.free_at, loop.time()) + (len(data) / weather.rate if weather.rate else 0.0)
        # Truly later, for the loop keeps no order among timers of one moment.
        side.arrives_at = max(side.arrives_at + 1e-6, side.free_at + weather.late())
        side.under_way += len(data)
        loop.call_at(side.arrives_at, self.passed, side, data)
        if side.under_way > self.proxy.UNDER_WAY:
            side.read(False)

    def passed(self, side: "Side", data: bytes) -> None:
        """It has come through the weather."""
        side.under_way -= len(data)
        self.arrive(side, data)
        if side.under_way <= self.proxy.UNDER_WAY // 2 and not self.is_held and not self.is_over:
            side.read(True)

    def arrive(self, side: "Side", data: bytes) -> None:
        self.waiting.append((side, data))
        self.drain()

    def drain(self) -> None:
        while self.waiting and not self.is_held and not self.is_over:
            side, data = self.waiting.popleft()
            if self.is_swallowed:
                continue
            if self.faults and self.carried + len(data) >= self.faults[0].offset:
                fault = self.faults.pop(0)
                head = max(0, fault.offset - self.carried)
                self.pass_on(side, data[:head])
                if data[head:]:
                    self.waiting.appendleft((side, data[head:]))
                self.suffer(fault)
            elif self.proxy.loop.time() < self.trickles_until:
                self.pass_on(side, data[:1])
                if data[1:]:
                    self.waiting.appendleft((side, data[1:]))
                self.hold(0.002)
            else:
                self.pass_on(side, data)

    def pass_on(self, side: "Side", data: bytes) -> None:
        if not data:
            return
        self.carried += len(data)
        if self.proxy.tap:
            self.proxy.tap(self.number, side.name, data)
        other = self.down if side is self.up else self.up
        if other.transport:
            other.transport.write(data)

    def suffer(self, fault: Fault) -> None:
        if self.is_over:
            return
        self.proxy.happened.append(fault.kind)
        loop = self.proxy.loop
        match fault.kind:
            case "reset":
                self.end(abruptly=True)
            case "close":
                self.end(abruptly=False)
            case "stall":
                self.hold(fault.seconds)
            case "trickle":
                self.trickles_until = loop.time() + fault.seconds
            case "swallow":
                self.is_swallowed = True
                loop.call_later(fault.seconds, lambda: self.end(abruptly=True))
            case _:
                raise ValueError(fault.kind)

    def hold(self, seconds: float) -> None:
        self.is_held = True
        for side in (self.up, self.down):
            side.read(False)
        self.proxy.loop.call_later(seconds, self.release)

    def release(self) -> None:
        self.is_held = False
        if self.is_over:
            return
        self.drain()
        if not self.is_held:
            for side in (self.up, self.down):
                side.read(True)

    def end(self, abruptly: bool) -> None:
        if self.is_over:
            return
        self.is_over = True
        self.proxy.connections.pop(self.number, None)
        for side in (self.up, self.down):
            if not side.transport:
                continue
            if abruptly:
                end = side.transport.get_extra_info("socket")
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                side.transport.abort()
            else:
                side.transport.close()


class Side(asyncio.Protocol):
    """One socket of a connection; `up` reads what goes up."""

    def __init__(self, connection: Connection, name: str):
        self.connection = connection
        self.name = name
        self.transport: asyncio.Transport | None = None
        self.is_full = False
        # What is on its way through the weather, when the line is free for more, and when the last of it arrives.
        self.under_way = 0
        self.free_at = 0.0
        self.arrives_at = 0.0

    @property
    def other(self) -> "Side":
        return self.connection.down if self is self.connection.up else self.connection.up

    def connection_made(self, transport) -> None:
        self.transport = transport
        if self.connection.proxy.window:
            transport.set_write_buffer_limits(high=self.connection.proxy.window)
        if self.connection.is_over:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        self.connection.received(self, data)

    def eof_received(self) -> bool:
        # Whoever has said its last word is gone for WebSockets and for requests that end with their answer.
        self.connection.proxy.loop.call_soon(self._follow)
        return True

    def _follow(self) -> None:
        connection = self.connection
        if connection.is_swallowed or connection.is_over:
            return
        if connection.waiting or self.under_way or self.other.under_way:
            connection.proxy.loop.call_later(0.01, self._follow)
            return
        connection.end(abruptly=False)

    def connection_lost(self, error) -> None:
        # A network that is gone tells neither side what became of the other.
        if not self.connection.is_swallowed:
            self.connection.end(abruptly=error is not None)

    def pause_writing(self) -> None:
        self.is_full = True
        self.other.read(False)

    def resume_writing(self) -> None:
        self.is_full = False
        if not self.connection.is_held:
            self.other.read(True)

    def read(self, wanted: bool) -> None:
        if not self.transport or self.transport.is_closing():
            return
        if wanted and not self.other.is_full and not self.transport.is_reading():
            self.transport.resume_reading()
        elif not wanted and self.transport.is_reading():
            self.transport.pause_reading()


def reset(end: socket.socket) -> None:
    """Ends a socket so that its peer sees a reset."""
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.close()
