"""The Squad app: its page object and its messages, both ways. One test a row of the feature table."""

import json
from pathlib import Path

import pytest

from harness.waiting import until

VECTORS = json.loads((Path(__file__).parents[1] / "Vectors/squad.json").read_text())
OBJECT = "[typeof window.squadBridge, typeof squadBridge.postMessage, typeof squadBridge.handleNativeMessage]"
CALL = {"type": "call", "data": {"action": "start", "callId": "c-1", "title": "Pre-game predictions"}}
ROUTE = {"type": "navigation", "data": {"route": "/squads/42"}}


@pytest.fixture
def public(own_squad, relay, app):
    """A Squad app whose page is the test's, from the relay's origin: `public(script=..., body=...)`."""

    def open_page(script: str = "", body: str = "", *options: str):
        url = relay.put(
            f"pages/squad/{app}-page.html",
            f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<script src="/bridge.js" data-app="{app}"></script><script>{script}</script><link rel="icon" href="data:,">
<title>{app}</title></head><body>{body}</body></html>""",
        )
        return own_squad("--squad-url", url, *options).loaded()

    return open_page


def test_SQ_01_post_reaches_the_host(squad):
    shown = squad()
    shown.script("webkit.messageHandlers.squadBridge.postMessage(JSON.parse(arguments[0]))", json.dumps(ROUTE))
    assert shown.wait_named("received")["value"] == ROUTE


def test_SQ_02_object_is_there_for_the_first_script_and_forwards_the_body(public):
    shown = public("window.early = " + OBJECT)
    assert shown.page("early") == ["object", "function", "function"]
    body = {"type": "navigation", "data": {"route": "/a", "more": [1, 2.5, None, True, "😀\u2028"]}}
    shown.say(body)
    assert shown.wait_named("received")["value"] == body


def test_SQ_03_frame_inside_the_page_has_no_object(public, relay, app):
    inner = relay.put(
        f"pages/squad/{app}-inner.html",
        f'<!DOCTYPE html><script src="/bridge.js" data-app="{app}"></script><script>window.ran = true</script>',
    )
    shown = public(body=f"<iframe id=inner src='{inner}'></iframe>")
    with shown.window.inside(), shown.window.inside("#inner"):
        shown.window.wait("window.ran === true")
        assert shown.window.value("typeof window.squadBridge") == "undefined"
        # What a frame posts past the object is refused.
        shown.window.js("webkit.messageHandlers.squadBridge.postMessage({type: 'navigation', data: {route: '/'}})")
    shown.wait_named("refusal", reason="notTheMainFrame")
    assert shown.named("received") == []


def test_SQ_04_object_is_there_once_after_a_reload(squad):
    shown = squad()
    mark = shown.mark()
    shown.script("window.before = squadBridge; location.reload()")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_page("window.before === undefined && window.squadBridge")
    assert shown.page(OBJECT) == ["object", "function", "function"]
    shown.say(ROUTE)
    shown.fence()
    assert len(shown.named("received", mark)) == 1


def test_SQ_05_message_waits_for_the_first_listener(public):
    shown = public()
    for number in (1, 2):
        shown.tell_page(json.dumps({"type": "state", "data": {"n": number}}))
        shown.wait_named("sent", result="queued", count=number)
    shown.listen()
    assert shown.page("heard") == [{"type": "state", "data": {"n": 1}}, {"type": "state", "data": {"n": 2}}]
    shown.tell_page('{"type":"state","data":{"n":3}}')
    shown.wait_named("sent", result="delivered")
    assert shown.page("heard.length") == 3


def test_SQ_05_function_that_the_page_assigns_is_a_listener(public):
    shown = public()
    shown.tell_page('{"type":"first"}')
    shown.wait_named("sent", result="queued")
    shown.script("window.heard = []; squadBridge.handleNativeMessage = (message) => heard.push(message.type)")
    assert shown.page("heard") == ["first"]
    # A page that puts an object of its own in its place loses nothing.
    shown.script("window.squadBridge = {handleNativeMessage: (message) => heard.push('other ' + message.type)}")
    shown.tell_page('{"type":"second"}')
    shown.wait_named("sent", result="delivered")
    assert shown.page("heard") == ["first", "other second"]
    shown.say(ROUTE)
    shown.wait_named("received")


def test_SQ_06_call_message_reaches_its_handler_whole(squad):
    shown = squad()
    shown.say(CALL)
    assert shown.wait_named("received", kind="call")["value"] == CALL
    shown.wait_state("call", {"id": "c-1", "title": "Pre-game predictions", "phase": "active", "emoji": []})


def test_SQ_07_navigation_message_reaches_its_handler_whole(squad):
    shown = squad()
    shown.say(ROUTE)
    assert shown.wait_named("received", kind="navigation")["value"] == ROUTE
    shown.wait_state("route", "/squads/42")
    shown.window.wait_equal("document.getElementById('navigation-title').textContent", "42")
    shown.click("[data-route='/polls']")
    shown.wait_state("route", "/polls")
    shown.click("#open-polls")
    assert shown.wait_named("opened")["url"] == "https://app.squadforsports.com/polls"


def test_SQ_08_error_message_reaches_its_handler_whole(squad):
    shown = squad()
    body = {"type": "error", "data": {"code": "ODD", "message": "Something of the page"}}
    shown.say(body)
    assert shown.wait_named("received", kind="error")["value"] == body
    shown.wait_state("productError", {"code": "ODD", "text": "Something of the page"})


def test_SQ_09_unknown_type_is_logged_with_its_name(squad):
    shown = squad()
    shown.say({"type": "reaction", "data": {}})
    shown.wait_named("log", text="refused, unknown message type: reaction")
    assert shown.named("received") == []


def test_SQ_10_message_without_a_text_as_type_is_counted(squad):
    shown = squad()
    for body in ({}, {"type": None}, {"type": 1, "data": {}}, {"type": ["call"], "data": {}}, {"data": {"action": "start"}}):
        shown.say(body)
    shown.wait_state("ignored", 5)
    assert [entry["reason"] for entry in shown.named("refusal")] == [
        "typeMissing", "typeMissing", "typeNotText", "typeNotText", "typeMissing",
    ]
    assert shown.named("received") == []


def test_SQ_11_body_that_is_no_dictionary_is_ignored(squad):
    shown = squad()
    for body in ("call", 0, True, None, [], [CALL]):
        shown.say(body)
    shown.wait_state("ignored", 6)
    assert {entry["reason"] for entry in shown.named("refusal")} == {"notAnObject"}
    assert shown.named("received") == []


@pytest.mark.parametrize("kind", ["call", "navigation", "error"])
def test_SQ_12_data_must_be_an_object(squad, kind):
    shown = squad()
    shown.say({"type": kind})
    for data in (None, "start", [{"action": "start"}], 7):
        shown.say({"type": kind, "data": data})
    shown.wait_state("refused", 5)
    assert [entry["reason"] for entry in shown.named("refusal")] == ["dataMissing"] * 2 + ["dataNotAnObject"] * 3
    assert shown.named("received") == []


def test_SQ_13_each_type_has_checks_of_its_own(squad):
    shown = squad()
    bad = [
        ({"type": "call", "data": {"callId": "c"}}, "fieldMissing", "action"),
        ({"type": "call", "data": {"action": "sing", "callId": "c"}}, "unknownAction", "action"),
        ({"type": "call", "data": {"action": "start"}}, "fieldMissing", "callId"),
        ({"type": "call", "data": {"action": "emoji", "callId": "c"}}, "fieldMissing", "emoji"),
        ({"type": "navigation", "data": {}}, "fieldMissing", "route"),
        ({"type": "navigation", "data": {"route": 7}}, "fieldNotText", "route"),
        ({"type": "navigation", "data": {"url": "https://squadforsports.com.evil.test/"}}, "addressNotAllowed", "url"),
        ({"type": "error", "data": {"message": "no code"}}, "fieldMissing", "code"),
    ]
    for body, _, _ in bad:
        shown.say(body)
    shown.wait_state("refused", len(bad))
    assert [(entry["reason"], entry["field"]) for entry in shown.named("refusal")] == [each[1:] for each in bad]
    for body in (CALL, ROUTE, {"type": "error", "data": {"code": "X"}}):
        shown.say(body)
    shown.wait_named("received", count=3)


def test_SQ_13_without_validation_a_known_type_is_enough(own_squad):
    shown = own_squad("--squad-validate", "false").loaded()
    shown.say({"type": "error", "message": "flat form"})
    shown.wait_named("received", kind="error")


def test_SQ_14_page_gets_an_equal_object(squad):
    shown = squad()
    shown.listen()
    body = {
        "type": "state",
        "data": {"deep": [{"list": [1, 2.5, "x", None, True, {}]}], "キー": "値 😀 שלום e\u0301", "sep": "\u2028</script><!-- \u0000"},
    }
    shown.tell_page(json.dumps(body))
    shown.wait_named("sent", result="delivered")
    assert shown.page("heard") == [body]
    assert json.loads(shown.page("JSON.stringify(heard[0])")) == body


def test_SQ_15_unencodable_message_is_an_error_and_nothing_else(squad):
    shown = squad()
    shown.listen()
    shown.panel("tools")
    shown.press_view("message.broken")
    shown.wait_named("sent", result="unencodable")
    shown.wait_named("bridgeError", text="the message cannot be encoded")
    for text in ("[]", '"hello"', "null", "{", ""):
        shown.tell_page(text)
    shown.wait_named("sent", result="unencodable", count=6)
    shown.tell_page('{"type":"state"}')
    shown.wait_named("sent", result="delivered")
    assert shown.page("heard") == [{"type": "state"}]


def test_SQ_16_function_of_the_page_that_throws_is_a_bridge_error(squad):
    shown = squad()
    shown.script("window.heard = []; squadBridge.addListener((message) => { if (message.bad) throw new RangeError('too much'); heard.push(message) })")
    shown.tell_page('{"type":"state","bad":true}')
    assert shown.wait_named("bridgeError")["text"] == "RangeError: too much"
    shown.wait_named("log", text="bridge error: RangeError: too much")
    shown.tell_page('{"type":"state"}')
    shown.wait_named("sent", result="delivered")
    assert shown.page("heard") == [{"type": "state"}]


def test_SQ_45_log_has_every_message_both_ways(squad):
    shown = squad()
    shown.say(ROUTE)
    shown.wait_named("received")
    shown.tell_page('{"type":"state","data":{"score":"3:1"}}')
    shown.wait_named("sent", result="delivered")
    shown.say({"type": "call"})
    shown.wait_named("refusal")
    lines = [(entry["direction"], entry["text"]) for entry in shown.named("log") if entry["direction"] != "app"]
    assert lines == [
        ("fromPage", '{type: "navigation", data: {route: "/squads/42"}}'),
        ("toPage", '{data: {score: "3:1"}, type: "state"}'),
        ("fromPage", "refused, call: data is missing"),
    ]
    shown.panel("log")
    until(
        lambda: all(text in (shown.view_text("log") or "") for _, text in lines),
        lambda: str(shown.view_text("log")),
    )


def test_SQ_46_call_goes_both_ways(squad):
    shown = squad()
    # The app calls; the page accepts; both react; the page ends it.
    shown.press_view("ring")
    shown.wait_page_equal("document.getElementById('ring').hidden", False)
    assert shown.page("document.getElementById('ring-title').textContent") == "Did you see that?!"
    shown.click("#accept")
    shown.wait_state("call", {"id": "app-1", "title": "Did you see that?!", "phase": "active", "emoji": []})
    shown.click(".emoji[value='👏']")
    until(lambda: (shown.state("call") or {}).get("emoji") == ["👏"], lambda: str(shown.state("call")))
    shown.press_view("call.react")
    shown.wait_page("document.getElementById('feed').textContent.includes('Your squad reacted')")
    shown.click("#end")
    shown.wait_state("call", None)
    # The page calls; the app accepts and ends it.
    shown.click("#call-form .button")
    shown.wait_page_equal("document.getElementById('call-state').textContent", "Connected")
    assert shown.state("call")["phase"] == "active"
    shown.press_view("call.end")
    shown.wait_page_equal("document.getElementById('call').hidden", True)
    received = [entry["value"]["data"]["action"] for entry in shown.named("received", kind="call")]
    sent = [entry["value"]["data"]["action"] for entry in shown.sent()]
    assert received == ["accept", "emoji", "end", "start"] and sent == ["incoming", "emoji", "accept", "end"]


def test_SQ_46_page_may_decline(squad):
    shown = squad()
    shown.press_view("ring")
    shown.wait_page_equal("document.getElementById('ring').hidden", False)
    shown.click("#decline")
    shown.wait_state("call", None)
    assert shown.page("document.getElementById('ring').hidden") is True


CODES = {
    "API_KEY_REQUIRED": "This app has no key for Squad.",
    "PARTNER_NOT_FOUND": "Squad does not know this app’s partner.",
    "PARTNER_MISMATCH": "This account belongs to another partner.",
    "INVALID_TOKEN": "You have been signed out. Sign in again.",
    "RATE_LIMIT_EXCEEDED": "Too many requests. Wait a moment.",
    "Network Error": "Squad cannot be reached. What you write is sent later.",
}


def test_SQ_47_product_errors_are_shown(squad):
    shown = squad()
    shown.click("[data-route='/account']")
    for number, (code, text) in enumerate(CODES.items(), start=1):
        shown.click(f"#errors .chip:nth-child({number})")
        shown.wait_state("productError", {"code": code, "text": text})
        until(
            lambda: shown.view_text("productError") == f"{code}\n{text}\nOK",
            lambda: str(shown.view_text("productError")),
        )
        shown.press_view("productError.dismiss")
        shown.wait_state("productError", None)


def test_messages_of_the_table_have_their_effect_or_their_refusal(squad):
    shown = squad()
    shown.listen()
    for vector in VECTORS:
        mark = shown.mark()
        if vector["from"] == "host":
            shown.tell_page(json.dumps(vector["message"]))
            shown.wait_named("sent", mark, result=vector["result"])
            if vector["result"] == "delivered":
                assert shown.page("heard.at(-1)") == vector["message"]
            continue
        shown.say(vector["message"])
        if "received" in vector:
            assert shown.wait_named("received", mark)["value"] == vector["message"]
            assert shown.wait_named("received", mark)["kind"] == vector["received"]
        else:
            entry = shown.wait_named("refusal", mark)
            assert {name: entry[name] for name in vector["refusal"]} == vector["refusal"], vector
        # The bridge works after it.
        shown.fence()
        assert len(shown.named("received", mark)) == ("received" in vector), vector
    # What a message holds changes no prototype of the page.
    shown.tell_page('{"type":"state","__proto__":{"polluted":true}}')
    shown.wait_named("sent", result="delivered", predicate=lambda entry: "__proto__" in entry["value"])
    assert shown.page("[({}).polluted === undefined, Object.getPrototypeOf(heard.at(-1)) === Object.prototype]") == [True, True]
