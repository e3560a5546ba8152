"""Handlers that reply, worlds beside the page's, and scripts in frames."""

import pytest

UNDEFINED = {"$": ["undefined"]}
ECHO = {"name": "ask", "reply": True}


def echo(params):
    return {"result": params["body"]}


def test_aReplySettlesThePromise(relay, tab):
    host = relay.add_host(handlers=["echo", ECHO])
    host.answer_message = echo
    tab.open()
    body = "return await webkit.messageHandlers.ask.postMessage(v)"
    for value in (0, "text", None, True, [1, {"a": None}], {"$": ["date", 7]}, {"$": ["number", "NaN"]}, {"$$": 1}, UNDEFINED):
        assert host.call_async(body, {"v": value}) == value
    host.answer_message = lambda params: {"error": {"code": 4, "message": "no \0😀"}}
    caught = "try { await webkit.messageHandlers.ask.postMessage(0) } catch (e) { return [e instanceof Error, e.message] }"
    assert host.call_async(caught) == [True, "no \0😀"]
    assert host.call_async(body, {"v": 1})["message"] == "Error: no \0😀"


def test_repliesMayComeInAnyOrderAndKeepTheirPromise(relay, tab):
    host = relay.add_host(handlers=[ECHO])
    tab.open()
    ids = []
    original = host.handle
    host.handle = lambda channel, value: (ids.append(value["id"]) if value.get("method") == "message" else None, original(channel, value))
    call = host.start_call("callAsync", {"source": "return await Promise.all([1, 2, 3].map((i) => webkit.messageHandlers.ask.postMessage(i)))"})
    relay.wait(lambda: len(ids) == 3, what="three messages")
    assert len(set(ids)) == 3
    for number in (2, 0, 1):
        relay.run(lambda: host.channel.enqueue('"id":"%s","result":%d}' % (ids[number], number + 10)))
    assert call.result(10)["result"] == [10, 11, 12]


def test_refusedBodiesOfReplyHandlersReject(relay, tab):
    host = relay.add_host(handlers=[ECHO])
    host.answer_message = echo
    tab.open()
    body = "return webkit.messageHandlers.ask.postMessage(%s).then(() => 'sent', (error) => error.name)"
    for value in ("() => 1", "[Promise.resolve()]", "window", "(() => { const c = {}; c.c = c; return c })()"):
        assert host.call_async(body % value) == "DataCloneError"
    assert host.messages == []


def test_aRemovedHandlerIsDeadAndAddingItAgainDoesNotReviveIt(relay, tab):
    host = relay.add_host(handlers=["echo", ECHO])
    host.answer_message = echo
    tab.open()
    host.evaluate("var held = webkit.messageHandlers.ask; 0")
    assert host.evaluate("held === webkit.messageHandlers.ask") is True
    host.configure(["echo"])
    assert host.call_async("return held.postMessage(1).catch((error) => error.name)") == "InvalidAccessError"
    host.configure(["echo", ECHO])
    assert host.call_async("return held.postMessage(1).catch((error) => error.name)") == "InvalidAccessError"
    assert host.call_async("return webkit.messageHandlers.ask.postMessage(1)") == 1


def test_handlersAreReadOnlyHiddenAndOwn(relay, tab):
    host = relay.add_host(handlers=["h", "toString", "with space", "__proto__", "constructor"])
    tab.open()
    assert host.evaluate("Object.keys(webkit.messageHandlers)") == []
    assert host.evaluate("webkit.messageHandlers.h = 1; typeof webkit.messageHandlers.h") == "object"
    assert host.evaluate("delete webkit.messageHandlers.h") is False
    assert host.evaluate("['h' in webkit.messageHandlers, webkit.messageHandlers.hasOwnProperty('h'), 'no' in webkit.messageHandlers]") == [True, True, False]
    assert host.evaluate("(() => { 'use strict'; try { webkit.messageHandlers.h.postMessage = 1 } catch (e) { return e.name } })()") == "TypeError"
    for name in ("toString", "with space", "__proto__", "constructor"):
        assert host.evaluate("typeof webkit.messageHandlers['%s'].postMessage" % name) == "function"


WORLD = {"world": "named:A"}


def test_worldsKeepTheirGlobalsApart(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>var pages = 1; const shared = 2</script>")
    assert host.evaluate("var v = 'one'; function f() { return v } w = 'implicit'; window.x = 'property'; 0", **WORLD) == 0
    assert host.evaluate("[v, f(), w, x, typeof pages, typeof nothing]", **WORLD) == ["one", "one", "implicit", "property", "undefined", "undefined"]
    for other in ({}, {"world": "named:B"}, {"world": "client"}):
        assert host.evaluate("[typeof v, typeof f, typeof w, typeof x]", **other) == ["undefined"] * 4
    assert host.evaluate("pages = 'worlds'; pages", **WORLD) == "worlds"
    assert host.evaluate("pages") == 1
    assert host.call_async("v = a; return v", {"a": 5}, **WORLD) == 5
    assert host.evaluate("v", **WORLD) == 5


def test_worldsShareTheDocument(relay, tab):
    host = relay.add_host()
    tab.open(body="<p id=p>hi</p>")
    world = {"world": "client"}
    assert host.evaluate("this === window && self === window && globalThis === window && top === window", **world) is True
    assert host.evaluate("document.body instanceof HTMLElement && document.body.constructor === HTMLBodyElement", **world) is True
    assert host.evaluate("document.getElementById('p').textContent = 'changed'; setTimeout(() => 0); getComputedStyle(p).display", **world) == "block"
    assert host.evaluate("document.getElementById('p').textContent") == "changed"
    host.evaluate("addEventListener('ping', () => { window.seen = true }); 0", **world)
    host.evaluate("dispatchEvent(new Event('ping')); 0")
    assert host.evaluate("window.seen", **world) is True
    assert host.evaluate("typeof seen") == "undefined"


@pytest.mark.parametrize("source, start, line", [
    ("\nthrow new Error('in world')", "Error: in world", 2),
    ("noSuchName", "ReferenceError", 1),
    ("\n\n a b", "SyntaxError", 3),
    ("return 5", "SyntaxError", 1),
])
def test_exceptionsOfAWorldAreTold(relay, tab, source, start, line):
    host = relay.add_host()
    tab.open()
    error = host.evaluate(source, **WORLD)
    assert error["code"] == 4 and error["message"].startswith(start)
    assert error["data"]["line"] == line
    assert host.evaluate("1 + 1", **WORLD) == 2


def test_handlersBelongToTheirWorld(relay, tab):
    in_world = {"name": "h", "world": "named:A", "reply": True}
    host = relay.add_host(handlers=[in_world])
    host.answer_message = echo
    tab.open()
    assert host.evaluate("typeof window.webkit") == "undefined"
    assert host.evaluate("typeof window.webkit", world="client") == "undefined"
    assert host.call_async("return await webkit.messageHandlers.h.postMessage(v)", {"v": 3}, **WORLD) == 3
    assert host.worlds == ["named:A"]
    host.configure([in_world, "z"])
    assert host.evaluate("[typeof webkit.messageHandlers.h, typeof webkit.messageHandlers.z]") == ["undefined", "object"]
    host.configure(["z"])
    assert host.evaluate("typeof window.webkit", **WORLD) == "undefined"
    assert host.evaluate("webkit.messageHandlers.z.postMessage(1); 0") == 0
    assert host.worlds == ["named:A", None]


def test_userScriptsRunInTheirWorld(relay, tab):
    scripts = [{"source": "var mine = document.readyState", "time": "start", "mainFrameOnly": True, "world": "client"}]
    host = relay.add_host(scripts=scripts)
    tab.open()
    assert host.evaluate("mine", world="client") == "loading"
    assert host.evaluate("typeof mine") == "undefined"


FRAME = "<script>webkit.messageHandlers.echo.postMessage(document.title)</script>"


def frames(relay, tab, **configuration):
    host = relay.add_host(**configuration)
    tab.page(path="/frame", head="<title>inner</title>" + FRAME)
    tab.open(body="<iframe id=f src=/frame></iframe>")
    relay.wait(lambda: host.messages, what="the frame's message")
    return host, host.frames[0]


def test_aFrameOfTheOriginSpeaksForItself(relay, tab):
    host, frame = frames(relay, tab)
    assert frame["main"] is False and frame["url"] == relay.url + "/frame" and frame["origin"] == relay.url
    assert host.evaluate("document.title", frame=frame["id"]) == "inner"
    assert host.evaluate("var here = 1; this === window && window !== top", frame=frame["id"]) is True
    assert host.evaluate("[typeof here, frames[0].here]") == ["undefined", 1]
    assert host.call_async("return [a, document.title]", {"a": 4}, frame=frame["id"]) == [4, "inner"]
    error = host.evaluate("\nthrow new Error('x')", frame=frame["id"])
    assert (error["code"], error["message"], error["data"]["line"]) == (4, "Error: x", 2)
    assert host.evaluate("() => 1", frame=frame["id"])["code"] == 5


def test_aReplyReachesTheFrameThatAsked(relay, tab):
    host, frame = frames(relay, tab, handlers=["echo", ECHO])
    host.answer_message = echo
    body = "const r = await webkit.messageHandlers.ask.postMessage({a: 1}); return r instanceof Object && r.a"
    assert host.call_async(body, frame=frame["id"]) == 1
    assert host.frames[-1]["id"] == frame["id"]


def test_aFrameThatIsGoneIsNoTarget(relay, tab):
    host, frame = frames(relay, tab)
    waiting = host.start_call("callAsync", {"source": "return new Promise(() => {})", "frame": frame["id"]})
    host.evaluate("document.getElementById('f').remove(); 0")
    assert waiting.result(10)["error"]["message"] == "Completion handler for function call is no longer reachable"
    error = host.evaluate("1", frame=frame["id"])
    assert error["code"] == 12
    assert host.evaluate("1", frame="nonsense")["code"] == 12


def test_userScriptsOfAllFramesRunInFramesAndTheOthersDoNot(relay, tab):
    scripts = [
        {"source": "window.all = (window.all || 0) + 1", "time": "start", "mainFrameOnly": False},
        {"source": "window.main = 1", "time": "start", "mainFrameOnly": True},
        {"source": "window.end = document.readyState", "time": "end", "mainFrameOnly": False},
    ]
    host, frame = frames(relay, tab, scripts=scripts)
    tab.wait_run("return frames[0].document.readyState === 'complete' && frames[0].end")
    assert host.evaluate("[all, typeof window.main, end]", frame=frame["id"]) == [1, "undefined", "interactive"]
    assert host.evaluate("[all, window.main, end]") == [1, 1, "interactive"]


def test_promisesOfHostilePagesStillSettle(relay, tab):
    host = relay.add_host(handlers=[ECHO])
    host.answer_message = echo
    tab.open()
    host.evaluate("""
      for (const name of ['then', 'catch', 'finally', 'constructor']) Promise.prototype[name] = () => { throw 1 };
      for (const name of ['Promise', 'JSON', 'Map', 'Set', 'Reflect', 'WebSocket', 'Error', 'Proxy', 'eval']) delete window[name];
      Object.getPrototypeOf(function* () {}).prototype.next = () => ({});
      Object.prototype.toJSON = Array.prototype.toJSON = () => 'hacked';
      Array.prototype[Symbol.iterator] = () => { throw 2 };
      0""")
    assert host.call_async("return [await 1, a]", {"a": 2}) == [1, 2]
    assert host.evaluate("({a: [1]})") == {"a": [1]}
    assert host.evaluate("var mine = 3; mine", **WORLD) == 3
    # The page's own `await` would call what it has broken; the reply comes all the same.
    host.evaluate("webkit.messageHandlers.ask.postMessage([4]); 0")
    assert host.messages == [("ask", [4])]
