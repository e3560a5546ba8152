"""Policies of pages: which way scripts take, that they run once and in order, and what the page itself allows."""

import asyncio

import pytest

UNDEFINED = {"$": ["undefined"]}
NONCE = "script-src 'nonce-abc'; connect-src 'self' ws:"
STRICT = "script-src 'self'"
INLINE = "script-src 'self' 'unsafe-inline'"
DYNAMIC = "script-src 'nonce-abc' 'strict-dynamic'; connect-src 'self' ws:"

WAYS = {
    "inline, by a nonce": (NONCE, 'nonce="abc"'),
    "inline, allowed": (INLINE, ""),
    "strict-dynamic": (DYNAMIC, 'nonce="abc"'),
    "from the relay": (STRICT, ""),
}


def open_under(relay, tab, way, head="", body="", **configuration):
    policy, attributes = WAYS[way]
    host = relay.add_host(**configuration)
    tab.open(attributes=attributes, headers={"Content-Security-Policy": policy}, body=body, head=head)
    host.wait(lambda: host.channel and host.channel.synced)
    return host


VALUES = [
    ("6 * 7", 42),
    ("'text'", "text"),
    ("null", None),
    ("undefined", UNDEFINED),
    ("", UNDEFINED),
    ("// nothing", UNDEFINED),
    ("({a: [1, {b: null}]})", {"a": [1, {"b": None}]}),
    ("[1, 2] // comment", [1, 2]),
    ("6;\n ;", 6),
    ("this === window", True),
    ("typeof arguments", "undefined"),
    ("1, 2", 2),
    ("`</script>${1}`", "</script>1"),
    ("<!-- old comment\n5", 5),
    ("var here = 3; here + 1", 4),
    ("let once = 5; once", 5),
    ("once", 5),
    ("var s = 'a;b'; s;", "a;b"),
    ("var r = /;/; r.test(';')", True),
    ("var t = `;`; t + `;`", ";;"),
    ("var o = {m() { return 1; }}; o.m()", 1),
    ("document.title = 'é😀'; document.title", "é😀"),
    ("function f() { return 1; }; f()", 1),
    ("1; function g() {}", UNDEFINED),
    ("g(); 7", 7),
    ("if (true) { 5 }", UNDEFINED),
    ("for (let i = 0; i < 3; i++) i", UNDEFINED),
    ("{ 6 }", UNDEFINED),
    ("x1 = 1; x2 = 2 // ; x1 = 9", UNDEFINED),
    ("[x1, x2]", [1, 2]),
    ("'use strict'; (function () { return this })() === undefined", UNDEFINED),
    ("await1 = 0; var await = 2; await", 2),
]


@pytest.mark.parametrize("way", WAYS)
def test_evaluateWorksWithoutEvalAndExpressionsHaveTheirValue(relay, tab, way):
    host = open_under(relay, tab, way)
    assert [(source, host.evaluate(source)) for source, _ in VALUES] == VALUES
    assert host.state()["policy"] == "script"


@pytest.mark.parametrize("way", WAYS)
def test_eachScriptRunsOnce(relay, tab, way):
    host = open_under(relay, tab, way)
    host.evaluate("var runs = 0")
    for source in ("runs++", "runs++; 1", "var a = 1\nruns++\n{}", "runs++; throw 1", "if (true) { runs++; throw 2 }", "runs++, fail()",
                   "runs++; JSON.parse('{')", "({get a() { return runs++ }})", "runs++; ({}) // ; runs++", "runs++; (function () {})"):
        before = host.evaluate("runs")
        host.evaluate(source)
        # A getter runs for each copy that is made of its object.
        assert (source, host.evaluate("runs") - before) == (source, 2 if "get a" in source else 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source, message, line", [
    ("noSuchName", "ReferenceError: ", 1),
    ("\n\nthrow new Error('third')\r\n4", "Error: third", 3),
    ("\n\nthrow 'text'", "text", 3),
    ("\n\nvar x = 1;\nnoSuchName", "ReferenceError: ", 4),
    ("\nvar x = 1; noSuchName", "ReferenceError: ", 2),
    ("\nvar x = noSuchName; 1", "ReferenceError: ", 2),
    ("\n  a b c", "SyntaxError: ", 2),
    ("return 5", "SyntaxError: ", 1),
    ("1)); window.broken = 1; ((2", "SyntaxError: ", 1),
    ("throw new DOMException('m', 'N')", "N: m", 1),
    ("throw null", "null", 1),
    ("throw undefined", "undefined", 1),
    ("\nJSON.parse('{\\n\\n\\nx')", "SyntaxError: ", 2),
    ("if (1)", "SyntaxError: ", None),
    ("var y = 1; if (1) {\n JSON.parse('x') }", "SyntaxError: ", 2),
])
def test_exceptionsHaveMessageAndLine(relay, tab, way, source, message, line):
    host = open_under(relay, tab, way)
    error = host.evaluate(source)
    assert error["code"] == 4, error
    assert error["message"].startswith(message) if message.endswith(": ") else error["message"] == message
    if line is not None:
        assert error["data"]["line"] == line
    assert error["data"]["sourceURL"] == relay.url + "/page"
    assert host.evaluate("typeof broken") == "undefined"


@pytest.mark.parametrize("way", WAYS)
def test_thePagesHandlersHearOfAnExceptionOnceAndOfNoOtherTry(relay, tab, way):
    relay.pages["/log.js"] = ("text/javascript", "var log = []; onerror = (m, s, l, c, e) => { log.push(String(e)) };"
                              "addEventListener('securitypolicyviolation', (e) => log.push(e.blockedURI))", {})
    host = open_under(relay, tab, way, head='<script nonce="abc" src="/log.js"></script>')
    host.evaluate("throw new Error('x')")
    host.evaluate("var a = 1; a")
    host.evaluate("if (true) {}")
    host.evaluate("if (true) { throw new Error('y') }")
    assert host.evaluate("log") == ["Error: x", "Error: y"]


@pytest.mark.parametrize("way", WAYS)
def test_anExceptionOfAnInnerHandlerIsNotTheScripts(relay, tab, way):
    host = open_under(relay, tab, way)
    source = "addEventListener('x', () => { throw new Error('inner') }); dispatchEvent(new Event('x')); %s"
    assert host.evaluate(source % "7") == 7
    assert host.evaluate(source % "{}") == UNDEFINED
    assert host.evaluate(source % "throw new Error('outer')")["message"] == "Error: outer"


@pytest.mark.parametrize("way", WAYS)
def test_callAsyncWorksWithoutEval(relay, tab, way):
    host = open_under(relay, tab, way)
    assert host.call_async("return a + (await Promise.resolve(b)) // comment", {"a": 1, "b": 2}) == 3
    assert host.call_async("return this === window && arguments.length", {"a": 1}) == 1
    assert host.call_async("1") == UNDEFINED
    assert host.call_async("throw new Error('x')")["message"] == "Error: x"
    assert host.call_async("return }")["message"].startswith("SyntaxError")
    error = host.call_async("return 1", {"not a name": 1})
    assert error["code"] == 4 and error["message"].startswith("SyntaxError") and error["data"]["line"] == 0
    assert host.call_async("return () => 1")["code"] == 5


@pytest.mark.parametrize("way", WAYS)
def test_callsAndMessagesKeepTheirOrder(relay, tab, way):
    host = open_under(relay, tab, way)
    order = []
    original = host.handle

    def handle(channel, value):
        if value.get("method") in ("message", None):
            order.append(value["params"]["body"] if "method" in value else value["result"])
        original(channel, value)

    host.handle = handle
    calls = []
    for number in range(20):
        post = "webkit.messageHandlers.echo.postMessage('m%d')" % number
        form = ("%s, %d", "var a = 1; %s, %d", "if (true) { %s } // %d")[number % 3]
        calls.append(host.start_call("evaluate", {"source": form % (post, number)}))
    calls.append(host.start_call("callAsync", {"source": "return 'last'"}))
    for call in calls:
        call.result(20)
    expected = []
    for number in range(20):
        expected += ["m%d" % number, UNDEFINED if number % 3 == 2 else number]
    assert order == expected + ["last"]


def test_aConfigurationAndAReloadWaitForTheScriptBeforeThem(relay, tab):
    host = open_under(relay, tab, "from the relay")
    gate = relay.run(lambda: asyncio.Event())
    relay.hold_scripts = gate
    first = host.start_call("evaluate", {"source": "typeof webkit.messageHandlers.later"})
    relay.run(lambda: host.channel.enqueue('"method":"configure","params":{"handlers":["echo","later"],"settings":{},"version":9}}'))
    second = host.start_call("evaluate", {"source": "typeof webkit.messageHandlers.later"})
    relay.wait(lambda: relay.script_requests, what="the first script's request")
    assert not first.done()
    relay.run(gate.set)
    assert (first.result(10)["result"], second.result(10)["result"]) == ("undefined", "object")


def test_aLostScriptIsFetchedAgainAndRunsOnce(relay, tab):
    host = open_under(relay, tab, "from the relay")
    host.evaluate("var runs = 0")
    tries = []
    relay.refuse_scripts = lambda request: tries.append(1) or ("break" if len(tries) < 3 else None)
    assert host.evaluate("++runs") == 1
    assert len(tries) == 3
    assert host.evaluate("runs") == 1


def test_aScriptThatNeverComesIsAnErrorOfItsOwn(relay, tab):
    host = open_under(relay, tab, "from the relay")
    relay.refuse_scripts = lambda request: "gone" if "/expression." in request.path else None
    call = host.start_call("evaluate", {"source": "1"})
    after = host.start_call("evaluate", {"source": "if (true) { window.after = 1 }"})
    assert call.result(60)["error"]["code"] == -32005
    assert after.result(10)["result"] == UNDEFINED


@pytest.mark.parametrize("moment", ["before the answer", "after the script"])
def test_aCutSocketRunsNoScriptTwice(relay, tab, moment):
    host = open_under(relay, tab, "from the relay")
    host.evaluate("var runs = 0")
    if moment == "before the answer":
        gate = relay.run(lambda: asyncio.Event())
        relay.hold_scripts = gate
        call = host.start_call("evaluate", {"source": "++runs"})
        count = len(relay.script_requests)
        relay.wait(lambda: len(relay.script_requests) >= count, what="the script's request")
        relay.cut()
        relay.run(gate.set)
    else:
        # The answer is lost on its way, and sent again after the cut.
        relay.lose = lambda way, text: way == "toHost" and '"result":1}' in text
        call = host.start_call("evaluate", {"source": "++runs"})
        tab.wait_run("return window.runs === 1")
        relay.lose = None
        relay.cut()
    assert call.result(20)["result"] == 1
    assert host.evaluate("runs") == 1


def test_thePageCannotForgeTheEndOfAScript(relay, tab):
    relay.pages["/forge.js"] = ("text/javascript", """
        var runs = 0;
        new MutationObserver((records) => {
          for (const {addedNodes} of records) for (const node of addedNodes) {
            if (node.localName !== 'script' || !node.src.includes('_pagebridge')) continue;
            node.dispatchEvent(new Event('load'));
            node.dispatchEvent(new Event('error'));
            __pagebridge__.value(() => 'forged');
            __pagebridge__.ended();
          }
        }).observe(document, {childList: true, subtree: true});""", {})
    host = open_under(relay, tab, "from the relay", head='<script src="/forge.js"></script>')
    assert host.evaluate("++runs") == 1
    assert host.evaluate("var b = ++runs; b") == 2
    assert host.evaluate("if (true) { runs++ }") == UNDEFINED
    assert host.evaluate("runs") == 3


def test_aLongScriptOfTheRelayIsOneScript(relay, tab):
    host = open_under(relay, tab, "from the relay")
    text = "é\\n" * 200_000
    assert host.evaluate("'%s'.length" % text) == 400_000


def test_aPolicyThatForbidsAllIsToldAtOnce(relay, tab, other_relay):
    """The page's bridge comes from its own origin, and the relay's scripts are refused."""
    host = relay.add_host()
    relay.pages["/page"] = (
        "text/html",
        '<!doctype html><script src="%s/bridge.js" data-app="test"></script>' % relay.url,
        {"Content-Security-Policy": "script-src %s/bridge.js; connect-src *" % relay.url},
    )
    tab.browser.get(relay.url + "/page")
    host.wait(lambda: host.state().get("policy") == "blocked")
    for error in (host.evaluate("1"), host.call_async("return 1")):
        assert error["code"] == -32002 and "script-src" in error["message"]


def test_aPolicyThatRefusesOnlyTheScriptsPathIsFoundAtTheFirstScript(relay, tab):
    host = relay.add_host()
    tab.open(headers={"Content-Security-Policy": "script-src %s/bridge.js %s/b/; connect-src *" % (relay.url, relay.url)})
    assert host.evaluate("1")["code"] == -32002
    host.wait(lambda: host.state()["policy"] == "blocked")
    assert host.evaluate("1")["code"] == -32002


def test_aPolicyThatComesLateChangesTheWay(relay, tab):
    host = relay.add_host()
    tab.open()
    assert host.evaluate("1") == 1 and host.state()["policy"] == "eval"
    host.evaluate("var m = document.createElement('meta'); m.httpEquiv = 'Content-Security-Policy'; m.content = \"script-src 'self' 'unsafe-inline'\";"
                  "document.head.append(m); 0")
    assert host.evaluate("2") == 2
    host.wait(lambda: host.state()["policy"] == "script")
    host.evaluate("m = document.createElement('meta'); m.httpEquiv = 'Content-Security-Policy'; m.content = \"script-src 'self'\";"
                  "document.head.append(m); 0")
    assert host.evaluate("3") == 3
    assert host.evaluate("var a = 4; a") == 4


def test_aWorldNeedsEvalAndSaysSo(relay, tab):
    host = open_under(relay, tab, "from the relay", scripts=[
        {"source": "window.us = 1", "time": "start", "mainFrameOnly": True, "world": "client"}])
    error = host.evaluate("1", world="client")
    assert error["code"] == -32006 and "eval" in error["message"]
    assert host.evaluate("typeof us") == "undefined"
    lines = tab.console()
    assert lines is None or any("content world was blocked" in line for line in lines)


SCRIPTS = [
    {"source": "let us = 5; var log = ['start ' + document.readyState]", "time": "start", "mainFrameOnly": True},
    {"source": "this is no script", "time": "start", "mainFrameOnly": True},
    {"source": "log.push('second ' + us)", "time": "start", "mainFrameOnly": False},
    {"source": "log.push('end ' + document.readyState + document.querySelectorAll('p').length)", "time": "end", "mainFrameOnly": True},
    {"source": "log.push('last')", "time": "end", "mainFrameOnly": True},
]


@pytest.mark.parametrize("way", WAYS)
def test_userScriptsRunInTheirOrderAndTime(relay, tab, way):
    relay.pages["/first.js"] = ("text/javascript", "log.push('page')", {})
    head = '<script nonce="abc" src="/first.js"></script>'
    host = open_under(relay, tab, way, scripts=SCRIPTS, head=head, body="<p>1<p>2")
    tab.wait_run("return window.log && log.length === 5")
    assert tab.run("return log") == ["start loading", "second 5", "page", "end interactive2", "last"]
    host.wait(lambda: any(each["phase"] == "finished" for each in host.navigations))
    assert host.evaluate("us") == 5


def test_theFirstEvaluationComesAfterTheUserScripts(relay, tab):
    host = relay.add_host(scripts=SCRIPTS)
    gate = relay.run(lambda: asyncio.Event())
    relay.hold_scripts = gate
    tab.browser.set_page_load_timeout(30)
    page = tab.page(headers={"Content-Security-Policy": STRICT})
    import threading

    opening = threading.Thread(target=tab.browser.get, args=(page,))
    opening.start()
    relay.wait(lambda: relay.script_requests, what="a user script's request")
    call = host.start_call("evaluate", {"source": "log.length"})
    relay.run(gate.set)
    opening.join(20)
    assert call.result(20)["result"] >= 2


def test_framesOfAStrictPageRunScriptsInOrder(relay, tab):
    policy = {"Content-Security-Policy": STRICT}
    host = relay.add_host(scripts=SCRIPTS)
    relay.pages["/post.js"] = ("text/javascript", "webkit.messageHandlers.echo.postMessage(window.log || 0)", {})
    tab.page(path="/frame", head='<title>inner</title><script src="/post.js"></script>', headers=policy)
    tab.open(body="<iframe id=f src=/frame></iframe>", headers=policy)
    relay.wait(lambda: host.messages, what="the frame's message")
    frame = host.frames[0]["id"]
    assert host.evaluate("document.title", frame=frame) == "inner"
    assert host.evaluate("var mine = 1; [this === window && window !== top, mine]", frame=frame) == [True, 1]
    assert host.call_async("return [a, document.title]", {"a": 4}, frame=frame) == [4, "inner"]
    calls = []
    for number in range(6):
        target = {"frame": frame} if number % 2 else {}
        calls.append(host.start_call("evaluate", {"source": "top.order = (top.order || '') + '%d'; 0" % number, **target}))
    for call in calls:
        assert call.result(10)["result"] == 0
    assert host.evaluate("order") == "012345"


@pytest.mark.parametrize("policy", [None, STRICT])
def test_registeredFunctionsAreCalled(relay, tab, policy):
    host = relay.add_host()
    relay.pages["/own.js"] = ("text/javascript", """
        pagebridge.register('sum', (a, b) => a + b);
        pagebridge.register('later', async (x) => ({x: await x, self: this === undefined}));
        pagebridge.register('self', function () { 'use strict'; return [this === undefined, arguments.length] });
        pagebridge.register('fail', () => { throw new RangeError('no') });
        pagebridge.register('bad', () => () => 1);
        pagebridge.register('gone', () => 1); pagebridge.register('gone', null);
        var problems = [];
        for (const pair of [[1, () => 1], ['', () => 1], ['x'.repeat(257), () => 1], ['x', 1]])
          try { pagebridge.register(...pair) } catch (error) { problems.push(error.name) }""", {})
    headers = {"Content-Security-Policy": policy} if policy else {}
    tab.open(head='<script src="/own.js"></script>', attributes='data-evaluate="registered"', headers=headers)

    def call(name, *arguments):
        answer = host.call("callRegistered", {"name": name, "arguments": list(arguments)})
        return answer["result"] if "result" in answer else answer["error"]

    assert tab.run("return problems") == ["TypeError"] * 4
    assert call("sum", 1, 2) == 3
    assert call("later", {"$": ["date", 5]}) == {"x": {"$": ["date", 5]}, "self": False}
    assert call("self", 1, UNDEFINED) == [True, 2]
    assert (call("fail")["code"], call("fail")["message"]) == (4, "RangeError: no")
    assert call("bad")["code"] == 5
    for name in ("gone", "toString", "__proto__"):
        assert call(name)["code"] == -32004 and name in call(name)["message"]
    assert host.evaluate("1")["code"] == -32003
    assert host.call_async("return 1")["code"] == -32003
    assert host.state()["policy"] == "registered"
    assert host.call("callRegistered", {"name": 5})["error"]["code"] == -32602


def test_aPageThatRefusesScriptsRunsNothing(relay, tab):
    host = relay.add_host(scripts=SCRIPTS)
    tab.open(head="<script>pagebridge.register('f', () => 1)</script>", attributes='data-evaluate="none"')
    assert host.evaluate("1")["code"] == -32001
    assert host.call_async("return 1")["code"] == -32001
    assert host.call("callRegistered", {"name": "f", "arguments": []})["error"]["code"] == -32001
    assert host.state()["policy"] == "none"
    assert tab.run("return [typeof log, typeof webkit.messageHandlers.echo]") == ["undefined", "object"]
    tab.run("webkit.messageHandlers.echo.postMessage(1)")
    host.wait(lambda: host.messages == [("echo", 1)])


def test_anUnknownSettingRefuses(relay, tab):
    host = relay.add_host()
    tab.open(attributes='data-evaluate="whatever"')
    assert host.evaluate("1")["code"] == -32001
