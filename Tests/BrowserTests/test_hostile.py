"""Pages that mean harm: what they send changes nothing for others, and each violation has its own end."""

import json

import pytest

from harness.values import typed

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"

LOOK_ALIKES = [
    '["welcome",{"session":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","key":"k"}]',
    '["host","ended"]',
    '["alive"]',
    '{"probe":{}}',
    '{"sync":{"attach":1,"document":"AAAAAAAA","epoch":"","base":1,"received":99,"carried":0}}',
    '{"n":1,"a":9999,"d":9999}',
    '["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.BBBBBBBB",{"n":1}]',
    '{"end":{"session":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}',
    "'); alert(1); ('",
    "</script><script>alert(1)</script>",
    "\\u0022}]}",
    '"}},"method":"navigation"',
]

# Texts of JSON, so that no driver's own conversion has a part in them.
STRANGE = [
    '{"$":["undefined"]}',
    '{"$":["number","NaN"]}',
    '{"$$":{"$":["date",0]}}',
    '{"":0,"a.b":1,"constructor":2,"toString":3}',
    '{"__proto__":{"polluted":true},"x":1}',
    '{"n":1,"a":2,"d":3,"method":"evaluate","params":{"source":"alert(1)"}}',
    '[["welcome",{}],{"probe":{}}]',
]


def plain(value: dict):
    """The ordinary value of a typed one."""
    match value["kind"]:
        case "null" | "nil":
            return None
        case "array":
            return [plain(item) for item in value["value"]]
        case "object":
            return {key: plain(item) for key, item in value["value"].items()}
        case _:
            return value["value"]


def test_payloads_that_look_like_the_protocol_are_data_both_ways(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    neighbour = open_window(put(POST, path="-neighbour"))
    neighbour.attached()
    window = open_window(put(POST))
    window.attached()
    for text in LOOK_ALIKES:
        window.js("post(arguments[0]); post([arguments[0]]); post({[arguments[0]]: arguments[0]})", text)
    for text in STRANGE:
        window.js("post(JSON.parse(arguments[0]))", text)
    total = 3 * len(LOOK_ALIKES) + len(STRANGE)
    host.received("iOSNative", total)
    bodies = [entry["body"] for entry in host.messages()]
    expected = [value for text in LOOK_ALIKES for value in (text, [text], {text: text})]
    assert [plain(body) for body in bodies[: len(expected)]] == expected
    assert [plain(body) for body in bodies[len(expected) :]] == [json.loads(text) for text in STRANGE]
    # Back again: as results and inside sources.
    for text in LOOK_ALIKES:
        assert host.evaluate(f"window.got = {json.dumps(text)}", view=2) == typed(text)
        assert window.value("got") == text
    for text in STRANGE:
        assert plain(host.evaluate(f"JSON.parse({json.dumps(text)})", view=2)) == json.loads(text)
    assert window.value("[pagebridge.state, {}.polluted]") == ["attached", None]
    neighbour.js("post('undisturbed')")
    assert host.received("iOSNative", total + 1)["view"] == 1
    assert host.evaluate("typeof alert", view=1) == typed("function")


def test_page_that_changes_every_global_does_not_break_its_bridge(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    vandal = """
      const post = webkit.messageHandlers.iOSNative.postMessage.bind(webkit.messageHandlers.iOSNative);
      for (const name of ['WebSocket', 'JSON', 'Promise', 'Map', 'Set', 'Reflect', 'structuredClone', 'reportError', 'URL'])
        window[name] = () => { throw new Error('vandal'); };
      Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 'hacked';
      Array.prototype[Symbol.iterator] = () => { throw new Error('vandal'); };
      Object.prototype.method = 'evaluate'; Object.prototype.id = 'E-1'; Object.prototype.sync = {};
      Array.prototype.push = () => { throw new Error('vandal'); };
      Function.prototype.call = Function.prototype.apply = () => { throw new Error('vandal'); };
      post({list: [1, 'two'], inner: {three: 3}});
    """
    # The driver's own scripts need the globals too, so this page is watched by its host alone.
    open_window(put(vandal))
    assert plain(host.received("iOSNative")["body"]) == {"list": [1, "two"], "inner": {"three": 3}}
    assert plain(host.evaluate("[1, {a: 'b'}]")) == [1, {"a": "b"}]
    assert host.evaluate("post('again'); 5") == typed(5)
    assert host.received("iOSNative", 2)["body"] == typed("again")


def test_page_cannot_replace_or_remove_its_handlers(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.js(
        """const attempts = [
             () => { delete webkit.messageHandlers.iOSNative; },
             () => { webkit.messageHandlers.iOSNative = null; },
             () => { webkit.messageHandlers = null; },
             () => { window.webkit = null; },
             () => { Object.defineProperty(window, 'webkit', {value: null}); },
             () => { __pagebridge__.boot('{"handlers":["forged"],"version":99}'); },
           ];
           for (const attempt of attempts) try { attempt(); } catch (_) { /* Refused. */ }"""
    )
    assert window.value("[typeof webkit.messageHandlers.iOSNative, typeof webkit.messageHandlers.forged]") == [
        "object",
        "undefined",
    ]
    window.js("post('still here')")
    assert host.received("iOSNative")["body"] == typed("still here")


RAW = """
const [url, subprotocols, messages, binary] = arguments;
const done = arguments[arguments.length - 1];
const socket = subprotocols ? new WebSocket(url, subprotocols) : new WebSocket(url);
const heard = [];
socket.onopen = () => {
  for (const message of messages) socket.send(message);
  if (binary) socket.send(new Uint8Array([1, 2, 3]));
};
socket.onmessage = (event) => heard.push(event.data);
socket.onclose = (event) => done({code: event.code, reason: event.reason, heard});
"""


def hello(**members) -> str:
    return json.dumps({"hello": {"role": "page", "document": "AAAAAAAA", **members}})


VIOLATIONS = {
    "no subprotocol": (4003, None, [hello(app="APP")], False),
    "first message is not a hello": (4004, "pagebridge.v1", ['{"n":1,"a":0,"d":0,"method":"message"}'], False),
    "hello that is not JSON": (4005, "pagebridge.v1", ['{"hello":'], False),
    "hello that is too large": (4006, "pagebridge.v1", [hello(app="APP", url="x" * 17_000)], False),
    "unknown role": (4007, "pagebridge.v1", [hello(app="APP", role="relay")], False),
    "wrong app": (4008, "pagebridge.v1", [hello(app="another")], False),
    "malformed session": (4009, "pagebridge.v1", [hello(app="APP", session="short", key="k")], False),
    "wrong key": (4010, "pagebridge.v1", [hello(app="APP", session="SESSION", key="A" * 43)], False),
    "unknown control": (4014, "pagebridge.v1", [hello(app="APP", late="keep"), '["anything"]'], False),
    "a page that says host": (
        4015,
        "pagebridge.v1",
        ['{"hello":{"role":"host","app":"APP","epoch":"AAAAAAAA"}}'],
        False,
    ),
    "binary": (1003, "pagebridge.v1", [], True),
    "too large a message": (
        1009,
        "pagebridge.v1",
        [hello(app="APP", late="keep"), '{"n":1,"x":"' + "x" * 66_000 + '"}'],
        False,
    ),
}


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_violation_ends_with_its_own_code_and_text(violation, probe, relay, put, open_window, app):
    code, subprotocol, messages, binary = VIOLATIONS[violation]
    host = probe(handlers=["iOSNative"])
    neighbour = open_window(put(POST, path="-neighbour"))
    session = neighbour.session()
    messages = [message.replace("APP", app).replace("SESSION", session) for message in messages]
    neighbour._here()
    ended = neighbour.driver.execute_async_script(RAW, f"{relay.ws}/ws/{app}", subprotocol, messages, binary)
    assert ended["code"] == code, ended
    assert len(ended["reason"]) > 5, ended
    # The neighbour, on the same relay and host, goes on.
    neighbour.js("post('undisturbed')")
    assert host.received("iOSNative")["body"] == typed("undisturbed")
    assert host.evaluate("pagebridge.session", view=1) == typed(session)
    assert neighbour.value("pagebridge.state") == "attached"


@pytest.mark.console("WebSocket connection to", "400")
def test_unknown_subprotocol_is_refused_in_the_handshake(probe, relay, put, open_window, app):
    probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.attached()
    window._here()
    ended = window.driver.execute_async_script(RAW, f"{relay.ws}/ws/{app}", "chat", [], False)
    assert ended["code"] == 1006
    assert window.value("pagebridge.state") == "attached"


def test_second_page_for_a_live_session_is_refused(probe, relay, put, open_window, app):
    """It knows id and key, but the session has a live page and it has no right to take its place."""
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    session = window.session()
    key = window.value("Object.entries(sessionStorage).find(([name]) => name.endsWith(':key'))[1]")
    window._here()
    second = hello(app=app, document="BBBBBBBB", session=session, key=key)
    ended = window.driver.execute_async_script(RAW, f"{relay.ws}/ws/{app}", "pagebridge.v1", [second], False)
    assert ended["code"] == 4013, ended
    window.js("post('still mine')")
    assert host.received("iOSNative")["body"] == typed("still mine")
