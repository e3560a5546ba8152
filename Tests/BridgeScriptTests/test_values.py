"""Which values cross, as what, and which are refused."""

import json

import pytest

UNDEFINED = {"$": ["undefined"]}


def number(name):
    return {"$": ["number", name]}


VALUES = [
    ("undefined", UNDEFINED),
    ("", UNDEFINED),
    ("var x = 1", UNDEFINED),
    ("null", None),
    ("true", True),
    ("5", 5),
    ("'5'", "5"),
    ("1e21", 1e21),
    ("-0.5", -0.5),
    ("9007199254740991", 9007199254740991),
    ("NaN", number("NaN")),
    ("-Infinity", number("-Infinity")),
    ("-0", number("-0")),
    ("10n", UNDEFINED),
    ("Symbol('s')", UNDEFINED),
    ("'a\\u2028b\\u2029c\\u0000d\\uFEFF</script>'", "a\u2028b\u2029c\u0000d\uFEFF</script>"),
    ("'\\ud83d\\ude00'", "😀"),
    ("'a\\udc00'", "a\udc00"),
    ("new Date(1500)", {"$": ["date", 1500]}),
    ("new Date(NaN)", {"$": ["date", "NaN"]}),
    ("[]", []),
    ("[1, , undefined, null]", [1, UNDEFINED, UNDEFINED, None]),
    ("Object.assign([1], {extra: 2})", [1]),
    ("({a: undefined, b: Symbol(), c: 1n, d: 4})", {"d": 4}),
    ("({[Symbol('k')]: 1, k: 2})", {"k": 2}),
    ("({$: 1, $$: 2, $a: 3, a$: 4})", {"$$": 1, "$$$": 2, "$a": 3, "a$": 4}),
    ("({'': 1, 'a.b': 2, 2: 'b', 1: 'a'})", {"1": "a", "2": "b", "": 1, "a.b": 2}),
    ("JSON.parse('{\"__proto__\": 1, \"z\": 2}')", {"__proto__": 1, "z": 2}),
    ("Object.assign(Object.create(null), {k: 1})", {"k": 1}),
    ("Object.create({inherited: 1}, {own: {value: 2, enumerable: true}})", {"inherited": 1, "own": 2}),
    ("(() => { class P { constructor() { this.x = 1 } get y() { return 2 } m() {} } return new P })()", {"x": 1}),
    ("(() => { function P() { this.x = 1 } P.prototype.m = function () {}; return new P })()", {"x": 1}),
    ("({get a() { return 1 }, get bad() { throw 1 }})", {"a": 1}),
    ("new Error('x')", {}),
    ("/re/g", {}),
    ("new Map([[1, 2]])", {}),
    ("Object.assign(new Set([1]), {extra: 1})", {"extra": 1}),
    ("new ArrayBuffer(4)", {}),
    ("new Uint8Array([7, 8])", {"0": 7, "1": 8}),
    ("new String('ab')", {"0": "a", "1": "b"}),
    ("new Number(5)", {}),
    ("new Blob(['x'])", None),
    ("new ImageData(1, 1)", None),
    ("document.documentElement.getBoundingClientRect()", UNDEFINED),
    ("new DOMException('a', 'b')", UNDEFINED),
    ("({toJSON: 1})", {"toJSON": 1}),
    ("(() => { const shared = {a: 1}; return [shared, shared] })()", [{"a": 1}, {"a": 1}]),
]

REFUSED = [
    "(function () {})", "(class {})", "Promise.resolve(1)", "[1, Promise.resolve(1)]", "({a: {b: () => 1}})", "window",
    "location", "document.body", "[document.body]", "document.querySelectorAll('p')", "new Proxy({}, {})",
    "[new Proxy([], {})]", "new WeakMap", "[1][Symbol.iterator]()", "(function* () {})()", "Math", "JSON", "Reflect",
    "new FormData", "new Headers", "(function () { return arguments })()", "({toJSON() { return 1 }})",
    "(() => { const a = {}; a.a = a; return a })()", "(() => { const a = []; a.push([a]); return a })()",
]


def test_resultsFollowTheConversionTable(relay, tab):
    host = relay.add_host()
    tab.open()
    assert [(source, host.evaluate(source)) for source, _ in VALUES] == VALUES


def test_bodiesFollowTheSameTable(relay, tab):
    host = relay.add_host()
    tab.open()
    for source, _ in VALUES:
        host.evaluate("webkit.messageHandlers.echo.postMessage((0, eval)(%s)); 0" % json.dumps(source))
    host.wait(lambda: len(host.messages) == len(VALUES))
    assert [(source, body) for (source, _), (_, body) in zip(VALUES, host.messages)] == VALUES


def test_refusedResultsAreUnsupported(relay, tab):
    host = relay.add_host()
    tab.open()
    for source in REFUSED:
        assert (source, host.evaluate(source).get("code")) == (source, 5)


def test_refusedBodiesThrowDataCloneErrorAndSendNothing(relay, tab):
    host = relay.add_host()
    tab.open()
    for source in REFUSED:
        name = host.evaluate(
            "try { webkit.messageHandlers.echo.postMessage((0, eval)(%s)); 'sent' } "
            "catch (e) { (e instanceof DOMException) + e.name }" % json.dumps(source)
        )
        assert (source, name) == (source, "trueDataCloneError")
    assert host.messages == []


def test_aBodyIsASnapshot(relay, tab):
    host = relay.add_host()
    tab.open()
    tab.run("const body = {a: [1]}; webkit.messageHandlers.echo.postMessage(body); body.a.push(2)")
    host.wait(lambda: host.messages)
    assert host.messages == [("echo", {"a": [1]})]


def test_deepValuesCrossAndTooDeepOnesAreRefused(relay, tab):
    host = relay.add_host()
    tab.open()
    build = "(() => { let v = 0; for (let i = 0; i < %d; i++) v = [v]; return v })()"
    for depth in (40_000, 39_999):
        assert host.evaluate(build % depth) == "[" * depth + "0" + "]" * depth
    wide = "(() => { let v = 0; for (let i = 0; i < %d; i++) v = {a: 1, v, b: [v]}; return v })()"
    objects = "(() => { let v = 0; for (let i = 0; i < %d; i++) v = {v}; return v })()"
    assert host.evaluate(objects % 40_000) == '{"v":' * 40_000 + "0" + "}" * 40_000
    for source in (build % 40_001, objects % 40_001, build % 200_000, "[[%s]]" % (build % 39_999)):
        assert host.evaluate(source)["code"] == 5
    assert host.evaluate(wide % 3) == {"a": 1, "v": {"a": 1, "v": {"a": 1, "v": 0, "b": [0]}, "b": [{"a": 1, "v": 0, "b": [0]}]},
                                       "b": [{"a": 1, "v": {"a": 1, "v": 0, "b": [0]}, "b": [{"a": 1, "v": 0, "b": [0]}]}]}
    assert host.evaluate("1") == 1


def test_deepArgumentsArrive(relay, tab):
    host = relay.add_host()
    tab.open()
    future = relay.future()

    def act():
        host.calls["deep-1"] = future
        nested = "[" * 40_000 + "7" + "]" * 40_000
        source = "let n = 0; while (Array.isArray(v)) { v = v[0]; n++ } return [n, v]"
        host.channel.enqueue('"id":"deep-1","method":"callAsync","params":{"source":"%s","arguments":{"v":%s}}}' % (source, nested))

    relay.run(act)
    assert future.result(20)["result"] == [40_000, 7]


@pytest.mark.parametrize("source", ["(() => { const a = []; a.length = 4e9; return a })()",
                                    "(() => { let a = ['xxxxxxxx']; for (let i = 0; i < 40; i++) a = [a, a]; return a })()"])
def test_hugeValuesEndAtTheLimit(relay, tab, source):
    host = relay.add_host()
    tab.open()
    assert host.evaluate(source, timeout=20)["code"] in (1, 5)
    assert host.evaluate("1") == 1


def test_argumentsArriveAsValuesOfThePage(relay, tab):
    host = relay.add_host()
    tab.open()
    arguments = {
        "nothing": UNDEFINED, "nan": number("NaN"), "zero": number("-0"), "date": {"$": ["date", 1500]},
        "list": [1, UNDEFINED, {"$$": 5, "$$$": {"x": number("Infinity")}}], "flag": True, "text": "é",
    }
    assert host.call_async("""
        return [nothing === undefined, Number.isNaN(nan), Object.is(zero, -0), date instanceof Date && date.getTime() === 1500,
                list[1] === undefined, list[2].$ === 5, list[2].$$.x === Infinity, flag === true, text,
                Object.getPrototypeOf(list[2]) === Object.prototype, Object.keys(list[2]).join()]
    """, arguments) == [True] * 8 + ["é", True, "$,$$"]
