"""A relay and a host in one process, small enough to see through: the other end of bridge.js in these tests.

It speaks `pagebridge.v1` as the protocol article describes it, and can misbehave on demand: cut sockets, lose single
wire messages, forget its host. Everything runs on one event loop in a thread; the methods for tests block until done.
"""

import asyncio
import collections
import json
import pathlib
import re
import secrets
import threading
import time

from aiohttp import WSMsgType, web

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
WINDOW_BYTES = 1_048_576
WINDOW_MESSAGES = 1024
WIRE_BYTES = 32_768
WRAPPER_BYTES = 47
NUMBERED = re.compile(r'^\{"n":(\d+),"a":(\d+),"d":(\d+),("again":true,)?"')
ACKNOWLEDGEMENT = re.compile(r'^\{"a":\d+,"d":\d+\}$')


def random_text(length):
    return secrets.token_urlsafe(length)[:length]


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Channel:
    """The host's end of one document."""

    def __init__(self, host, session, document):
        self.host = host
        self.session = session
        self.document = document
        self.client = {}
        self.last_number = 0
        self.held = collections.deque()  # [n, body, size]
        self.acknowledged = 0
        self.sent = 0
        self.received = 0
        self.done = 0
        self.parts = []
        self.carried = 0
        self.owed = 0
        self.attach = None
        self.socket = None
        self.synced = False

    def attached(self, attach, socket):
        self.attach, self.socket, self.synced = attach, socket, False
        self.host.channel = self
        self.send_sync()

    def detached(self):
        self.attach, self.socket, self.synced = None, None, False

    def send_sync(self):
        base = self.held[0][0] if self.held else self.last_number + 1
        sync = {
            "attach": self.attach, "document": self.document, "epoch": self.host.epoch,
            "base": base, "received": self.received, "carried": 0,
        }
        self.socket.send(dump({"sync": sync}))

    def enqueue(self, body):
        if len(body.encode("utf-8", "surrogatepass")) <= WIRE_BYTES - WRAPPER_BYTES - 100:
            self.append(body)
        else:
            text = "{" + body
            size = 8000
            count = (len(text) + size - 1) // size
            for index in range(count):
                piece = text[index * size:(index + 1) * size]
                self.append('"part":[%d,%d],"text":%s}' % (index + 1, count, json.dumps(piece, ensure_ascii=False)))
        self.pump()

    def append(self, body):
        self.last_number += 1
        self.held.append((self.last_number, body, len(body.encode("utf-8"))))

    def pump(self):
        if not self.synced:
            return
        flight_bytes = sum(size for n, _, size in self.held if self.acknowledged < n <= self.sent)
        for n, body, size in list(self.held):
            if n <= self.sent:
                continue
            if n - self.acknowledged > WINDOW_MESSAGES or flight_bytes + size > WINDOW_BYTES:
                return
            self.sent = n
            flight_bytes += size
            self.owed = 0
            self.socket.send('{"n":%d,"a":%d,"d":%d,%s' % (n, self.received, self.done, body))

    def receive(self, text):
        value = json.loads(text)
        if "sync" in value:
            return self.receive_sync(value["sync"])
        if "n" in value:
            assert NUMBERED.match(text), text[:80]
        else:
            assert ACKNOWLEDGEMENT.match(text), text[:80]
        if not self.synced:
            return
        self.acknowledged = max(self.acknowledged, value["a"])
        while self.held and self.held[0][0] <= min(value["d"], self.sent):
            self.held.popleft()
        self.pump()
        n = value.get("n")
        if n is None or n <= self.received:
            return
        if n > self.received + 1:
            self.host.relay.gaps += 1
            return self.send_sync()
        self.received = n
        if value.get("again"):
            self.host.again += 1
        if "from" in value:
            assert n <= self.carried, (n, self.carried)
            self.done = n
            self.host.open(self.session, value["from"]["document"], {}, arrives=False).receive_carried(value)
        else:
            self.take(n, value)
        self.owed += 1
        if self.owed >= 16:
            self.acknowledge()
        elif self.owed == 1:
            asyncio.get_running_loop().call_later(0.25, self.acknowledge)

    def take(self, n, value):
        if "part" in value:
            index, count = value["part"]
            assert index == len(self.parts) + 1, (index, len(self.parts))
            self.parts.append(value["text"])
            if index == count:
                whole = self.whole("".join(self.parts))
                self.parts = []
                self.done = n
                self.host.handle(self, whole)
        else:
            self.done = n
            self.host.handle(self, value)

    def receive_carried(self, value):
        """A message of this document that another one sends on."""
        n = value["from"]["n"]
        self.host.carried += 1
        if n <= self.received:
            return
        if n > self.received + 1:
            self.parts = []
        self.received = n
        self.take(n, value)

    @staticmethod
    def whole(text):
        """A long message; the result of one that is too deep for this language's parser is left as text."""
        try:
            return json.loads(text)
        except RecursionError:
            start, end = text.index('"result":') + 9, len(text) - 1
            return {**json.loads(text[:start] + "null}"), "result": text[start:end]}

    def acknowledge(self):
        if self.owed and self.synced:
            self.owed = 0
            self.socket.send('{"a":%d,"d":%d}' % (self.received, self.done))

    def receive_sync(self, sync):
        if sync["attach"] != self.attach:
            return
        assert sync["document"] == self.document
        if sync["base"] > self.received + 1:
            assert sync["epoch"] != self.host.epoch, "the page forgot what this host had not done"
            self.received = self.done = sync["base"] - 1
        self.carried = sync["carried"]
        self.acknowledged = self.sent = sync["received"] if sync["epoch"] == self.host.epoch else 0
        self.synced = True
        self.pump()


class Host:
    """A host's process life: its epoch, its configuration, its sessions."""

    def __init__(self, relay, handlers=("echo",), scripts=(), settings=None):
        self.relay = relay
        self.epoch = random_text(8)
        self.handlers = list(handlers)
        self.scripts = list(scripts)
        self.settings = settings or {}
        self.version = 1
        self.channels = {}  # (session, document) -> Channel
        self.order = []
        self.channel = None  # of the newest document
        self.calls = {}
        self.count = 0
        self.again = 0
        self.carried = 0  # messages that came with a later document
        self.messages = []  # (handler, body)
        self.frames = []
        self.navigations = []
        self.states = []
        self.results = []
        self.windows = []  # (method, params) of what pages want of windows
        self.answer_open = lambda params: None  # the host's answer to a link
        self.reports = []  # of dialogs that the browser has shown
        self.answer_navigation = lambda params: "allow"
        self.worlds = []  # of the messages
        self.script_token = random_text(22)
        self.sources = {}  # of calls, by id: (source, names of arguments)
        self.fetched = []  # names of the scripts that pages have fetched
        self.answer_message = lambda params: None  # the members of a reply, None for none

    # On the loop.

    def config(self):
        return {
            "handlers": self.handlers, "settings": self.settings, "version": self.version, "scriptToken": self.script_token,
        }

    def script(self, path):
        """The text of a script that a page fetches, once for each address; None for what is not there."""
        if path == "started.js":
            return "__pagebridge__.started()"
        folder, name = path.split("/")
        if folder == "user":
            return self.scripts[int(name.split(".")[1]) - 1]["source"]
        if folder not in self.sources or path in self.fetched:
            return None
        self.fetched.append(path)
        source, names = self.sources[folder]
        form, number, _, *place, _ = name.split(".")
        if form == "function":
            return "__pagebridge__.value(()=>(async function(%s){%s\n}))" % (",".join(names), source)
        if form == "statements":
            return source + "\nconst __pagebridge_%s=__pagebridge__.ended()" % number
        units = source.encode("utf-16-le")
        start, end = (2 * int(each) for each in place)
        if form == "expression":
            head, last, gap = "", units[:end], "\n"
        else:
            head = "__pagebridge__.began();\n" + units[:start].decode("utf-16-le") + ";\n"
            last, gap = units[start + 2:end], ""
        last = last.decode("utf-16-le")
        return head + "__pagebridge__.value(()=>(" + gap + last + "\n));0&&(()=>[\n" + last + "\n])"

    def open(self, session, document, client, arrives=True):
        channel = self.channels.get((session, document))
        if channel is None:
            channel = self.channels[session, document] = Channel(self, session, document)
            channel.client = client
            if arrives:
                self.order.append(channel)
                self.channel = channel
        return channel

    def handle(self, channel, value):
        with self.relay.changed:
            method = value.get("method")
            if method == "message":
                self.messages.append((value["params"]["handler"], value["params"]["body"]))
                self.frames.append(value["params"]["frame"])
                self.worlds.append(value["params"].get("world"))
                answer = "id" in value and self.answer_message(value["params"])
                if answer:
                    channel.enqueue(dump({"id": value["id"], **answer})[1:])
            elif method == "navigation":
                self.navigations.append(value["params"])
                if value["params"]["phase"] == "asked":
                    answer = self.answer_navigation(value["params"])
                    channel.enqueue('"id":%s,"result":%s}' % (dump(value["id"]), dump(answer)))
            elif method in ("open", "windowClose", "windowLoad"):
                self.windows.append((method, value["params"]))
                if "id" in value:
                    channel.enqueue(dump({"id": value["id"], "result": self.answer_open(value["params"])})[1:])
            elif method == "dialog":
                self.reports.append(value["params"])
            elif method == "state":
                self.states.append(value["params"])
            elif "id" in value:
                self.results.append(value)
                future = self.calls.pop(value["id"], None)
                if future is not None:
                    future.set_result(value)
            self.relay.changed.notify_all()

    # From tests.

    def start_call(self, method, params, channel=None):
        future = self.relay.future()

        def act():
            self.count += 1
            identity = "%s-%d" % (self.epoch, self.count)
            self.calls[identity] = future
            self.sources[identity] = (params.get("source"), list(params.get("arguments") or {}))
            text = '"id":"%s","method":"%s","params":%s}' % (identity, method, json.dumps(params))
            (channel or self.channel).enqueue(text)

        self.relay.run(act)
        return future

    def call(self, method, params, channel=None, timeout=10):
        return self.start_call(method, params, channel).result(timeout)

    def notify(self, method, params):
        self.relay.run(lambda: self.channel.enqueue('"method":"%s","params":%s}' % (method, dump(params))))

    def evaluate(self, source, timeout=10, **params):
        """The result's wire form, or the error object."""
        answer = self.call("evaluate", {"source": source, **params}, timeout=timeout)
        return answer["result"] if "result" in answer else answer["error"]

    def call_async(self, body, arguments=None, timeout=10, **params):
        answer = self.call("callAsync", {"source": body, "arguments": arguments or {}, **params}, timeout=timeout)
        return answer["result"] if "result" in answer else answer["error"]

    def configure(self, handlers):
        self.handlers = list(handlers)
        self.version += 1
        self.notify("configure", self.config())

    def wait(self, condition, timeout=10, what="the condition"):
        return self.relay.wait(condition, timeout, what)

    def state(self):
        """The newest told value of each name."""
        merged = {}
        for each in self.states:
            merged.update(each)
        return merged


class PageSocket:
    """One page's WebSocket: sends in order, can be cut, can lose messages."""

    def __init__(self, relay, ws, transport):
        self.relay = relay
        self.ws = ws
        self.transport = transport
        self.session = None
        self.document = None
        self.queue = asyncio.Queue()
        self.task = asyncio.create_task(self.write())

    def send(self, text):
        if self.relay.lose is not None and self.relay.lose("toPage", text):
            return
        self.queue.put_nowait(text)

    async def write(self):
        while True:
            text = await self.queue.get()
            try:
                await self.ws.send_str(text)
            except (ConnectionError, RuntimeError):
                return

    def cut(self):
        self.transport.abort()

    async def close(self, code, reason):
        while not self.queue.empty():
            await asyncio.sleep(0.005)
        await self.ws.close(code=code, message=reason.encode())


class FakeRelay:
    def __init__(self):
        self.changed = threading.Condition()
        self.pages = {}  # path -> (content type, text, headers)
        self.hits = []
        self.reset()
        started = threading.Event()
        self.loop = asyncio.new_event_loop()

        def main():
            asyncio.set_event_loop(self.loop)
            self.loop.run_until_complete(self.listen())
            started.set()
            self.loop.run_forever()

        threading.Thread(target=main, daemon=True).start()
        assert started.wait(10)

    def reset(self):
        self.pages.clear()
        self.hits.clear()
        self.hosts = []
        self.host = None
        self.keys = {}
        self.sockets = []
        self.hellos = []
        self.attaches = []
        self.scripts = {}
        self.attach_number = secrets.randbelow(1 << 40)
        self.violations = []
        self.gaps = 0
        self.closes = []
        self.probes = 0
        self.lose = None
        self.silent = False
        self.socket_delay = 0
        self.refuse_sockets = False
        self.tickets = {}
        self.refuse_attach = None
        self.script_requests = []
        self.refuse_scripts = None
        self.hold_scripts = None
        self.dialogs = []
        # What a dialog is answered: members, a future of them, or a status.
        self.answer_dialog = lambda body: {"unanswered": "no host"}

    # From tests.

    def run(self, action):
        """Runs on the loop and returns what the action returns."""
        done = self.future()

        async def act():
            try:
                value = action()
                done.set_result(await value if asyncio.iscoroutine(value) else value)
            except BaseException as error:
                done.set_exception(error)

        self.loop.call_soon_threadsafe(lambda: self.loop.create_task(act()))
        return done.result(20)

    def future(self):
        import concurrent.futures

        return concurrent.futures.Future()

    def wait(self, condition, timeout=10, what="the condition"):
        end = time.monotonic() + timeout
        with self.changed:
            while True:
                value = condition()
                if value:
                    return value
                left = end - time.monotonic()
                assert left > 0, "waited in vain for " + what
                self.changed.wait(min(left, 0.05))

    def add_host(self, **configuration):
        host = Host(self, **configuration)

        def act():
            self.hosts.append(host)
            self.host = host
            for socket in list(self.sockets):
                if socket.session is None:
                    socket.send('["host","attached"]')

        self.run(act)
        return host

    def end_host(self):
        """The host ends cleanly: its sessions are over."""

        def act():
            self.keys.clear()
            host, self.host = self.host, None
            for socket in list(self.sockets):
                if socket.session is not None:
                    socket.session = None
                    socket.send('["host","ended"]')

        self.run(act)

    def host_away(self):
        def act():
            for socket in list(self.sockets):
                socket.send('["host","away"]')
                if self.channel_of(socket) is not None:
                    self.channel_of(socket).detached()

        self.run(act)

    def host_back(self, new_epoch=False):
        """The host's socket is there again, after a restart with nothing but its sessions' ids if the epoch is new."""

        def act():
            if new_epoch:
                self.host.epoch = random_text(8)
                self.host.channels.clear()
            for socket in list(self.sockets):
                if socket.session is not None:
                    attach = self.next_attach()
                    socket.send(dump(["host", "attached", {"attach": attach}]))
                    self.host.open(socket.session, socket.document, {}).attached(attach, socket)

        self.run(act)

    def cut(self):
        self.run(lambda: [socket.cut() for socket in list(self.sockets)])

    def mint_ticket(self):
        session = random_text(33)
        ticket = session + "." + random_text(22)
        self.tickets[ticket] = session
        return ticket

    # On the loop.

    async def listen(self):
        app = web.Application(client_max_size=1 << 20)
        app.router.add_get("/bridge.js", self.serve_bridge)
        app.router.add_post("/attach", self.serve_attach)
        app.router.add_post("/dialog", self.serve_dialog)
        app.router.add_get("/b/{once}.js", self.serve_once)
        app.router.add_get("/s/{session}/_pagebridge/script/{token}/{rest:.*}", self.serve_script)
        app.router.add_get("/ws/{app}", self.serve_socket)
        app.router.add_route("*", "/{path:.*}", self.serve_page)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self.url = "http://127.0.0.1:%d" % self.port

    def next_attach(self):
        self.attach_number += 1
        return self.attach_number

    def key_of(self, session):
        return self.keys.setdefault(session, random_text(43))

    def channel_of(self, socket):
        """The channel that this socket serves now, None for sockets of earlier hosts and documents."""
        channel = self.host and self.host.channels.get((socket.session, socket.document))
        return channel if channel and channel.socket is socket else None

    async def serve_bridge(self, request):
        return web.Response(text=(WEB / "bridge.js").read_text(), content_type="text/javascript")

    async def serve_page(self, request):
        path = "/" + request.match_info["path"]
        with self.changed:
            self.hits.append((request.method, path, await request.text()))
            self.changed.notify_all()
        if path not in self.pages:
            return web.Response(status=404, text="no such page")
        content_type, text, headers = self.pages[path]
        return web.Response(text=text, content_type=content_type, headers={"Cache-Control": "no-store", **headers})

    @staticmethod
    def cors(request):
        return {"Access-Control-Allow-Origin": request.headers.get("Origin", "*")}

    async def serve_attach(self, request):
        body = json.loads(await request.text())
        with self.changed:
            self.attaches.append(body)
            self.changed.notify_all()
        headers = self.cors(request)

        def answer(value, status=200):
            return web.json_response(value, status=status, headers=headers)

        if self.refuse_attach:
            return web.Response(status=self.refuse_attach, text="refused", headers=headers)
        assert request.query["app"] == body["app"]
        session = body.get("session")
        if session is not None and self.keys.get(session) != body.get("key"):
            return answer({"error": {"code": "wrongKey", "message": "the key does not fit"}}, 403)
        if self.host is None:
            return answer({"waiting": "no host"})
        claimed = None
        if "ticket" in body:
            session = self.tickets.pop(body["ticket"], None)
            if session is None:
                return answer({"error": {"code": "wrongTicket", "message": "the ticket was used"}}, 403)
        elif session is not None and body.get("takes") == "claim":
            if any(socket.session == session for socket in self.sockets):
                session, claimed = None, False
        session = session or random_text(33)
        self.host.open(session, body["document"], body["client"])
        once = random_text(24)
        self.scripts[once] = self.host
        value = {"session": session, "key": self.key_of(session), "script": "/b/" + once + ".js"}
        if claimed is not None:
            value["claimed"] = claimed
        return answer(value)

    async def serve_dialog(self, request):
        text = await request.text()
        try:
            body = json.loads(text)
            text.encode("utf-8")
            json.dumps(body, ensure_ascii=False).encode("utf-8")  # no lone surrogates
            assert len(text.encode()) <= WIRE_BYTES, len(text.encode())
            assert request.query["app"] == body["app"]
            assert self.keys[body["session"]] == body["key"]
        except (AssertionError, ValueError, KeyError) as error:
            self.violations.append(repr(error))
            raise
        with self.changed:
            self.dialogs.append(body)
            self.changed.notify_all()
        answer = self.answer_dialog(body)
        if hasattr(answer, "result"):
            answer = await asyncio.wrap_future(answer)
        if isinstance(answer, int):
            error = {"error": {"code": "refused", "message": "refused"}}
            return web.json_response(error, status=answer, headers=self.cors(request))
        return web.json_response(answer, headers=self.cors(request))

    async def serve_once(self, request):
        host = self.scripts.pop(request.match_info["once"], None)
        if host is None:
            return web.Response(status=410, text="used")
        config = {**host.config(), "scripts": host.scripts}
        text = "__pagebridge__.boot(%s)" % json.dumps(json.dumps(config))
        return web.Response(text=text, content_type="text/javascript", headers=self.cors(request))

    async def serve_script(self, request):
        with self.changed:
            self.script_requests.append(request.match_info["rest"])
            self.changed.notify_all()
        refused = self.refuse_scripts and self.refuse_scripts(request)
        if refused == "break":
            request.transport.abort()
            return web.Response()
        text = None
        if not refused and self.host is not None and request.match_info["token"] == self.host.script_token:
            text = self.host.script(request.match_info["rest"])
        if self.hold_scripts is not None:
            await self.hold_scripts.wait()
        if text is None:
            return web.Response(status=404, text="no such script", headers=self.cors(request))
        return web.Response(
            text=text, content_type="text/javascript", charset="utf-8", headers={"Cache-Control": "no-store", **self.cors(request)}
        )

    async def serve_socket(self, request):
        if self.refuse_sockets:
            return web.Response(status=503)
        if self.socket_delay:
            await asyncio.sleep(self.socket_delay)
        ws = web.WebSocketResponse(protocols=("pagebridge.v1",), max_msg_size=65_536, autoping=True)
        await ws.prepare(request)
        if ws.ws_protocol != "pagebridge.v1":
            await ws.close(code=4003)
            return ws
        socket = PageSocket(self, ws, request.transport)
        self.sockets.append(socket)
        try:
            async for message in ws:
                if message.type != WSMsgType.TEXT:
                    break
                try:
                    await self.receive(socket, request.match_info["app"], message.data)
                except AssertionError as error:
                    self.violations.append(repr(error))
                    raise
        finally:
            socket.task.cancel()
            with self.changed:
                if socket in self.sockets:
                    self.sockets.remove(socket)
                self.closes.append(ws.close_code)
                self.changed.notify_all()
            channel = self.channel_of(socket)
            if channel is not None:
                channel.detached()
        return ws

    async def receive(self, socket, app, text):
        if socket.document is None:
            hello = json.loads(text)["hello"]
            with self.changed:
                self.hellos.append(hello)
                self.changed.notify_all()
            assert hello["role"] == "page" and hello["app"] == app
            assert len(text.encode()) <= 16_384
            return await self.greet(socket, hello)
        if text == '{"probe":{}}':
            self.probes += 1
            if not self.silent:
                socket.send('["alive"]')
            return
        assert text[0] == "{", text[:80]
        assert len(text.encode()) + WRAPPER_BYTES <= WIRE_BYTES, len(text.encode())
        if self.lose is not None and self.lose("toHost", text):
            return
        channel = self.channel_of(socket)
        if channel is not None:
            channel.receive(text)

    async def greet(self, socket, hello):
        socket.document = hello["document"]
        session = hello.get("session")
        extra = {}
        if session is None:
            if self.host is None or hello.get("late") == "reload":
                socket.send('["welcome",{"waiting":true}]')
                if self.host is not None:
                    socket.send('["host","attached"]')
                return
            session = random_text(33)
            once = random_text(24)
            self.scripts[once] = self.host
            extra = {"config": self.host.config(), "script": "/b/" + once + ".js"}
        elif self.keys.get(session) != hello.get("key"):
            return await socket.close(4010, "wrong key")
        for other in list(self.sockets):
            if other is not socket and other.session == session:
                other.send('["replaced",{}]')
                self.sockets.remove(other)
                await other.close(4002, "replaced")
        socket.session = session
        welcome = {"session": session, "key": self.key_of(session), "document": hello["document"], **extra}
        if self.host is None:
            socket.send(dump(["welcome", {**welcome, "host": "away"}]))
            return
        attach = self.next_attach()
        socket.send(dump(["welcome", {**welcome, "host": "attached", "attach": attach}]))
        self.host.open(session, hello["document"], {}).attached(attach, socket)
