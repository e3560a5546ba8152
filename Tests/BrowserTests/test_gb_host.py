"""The identity journey's bridge, rows about parked requests, time-outs, events, logs, views and addresses."""

import json

import pytest
from harness.journey import Bench, client
from harness.waiting import until


def test_GB_29_request_without_a_handler_is_parked(bench):
    page = bench()
    page.begin("parked", "biometrics.palm")
    page.wait_received(action="biometrics.palm")
    page.fence()
    assert len(page.state()["pending"]) == 1
    assert page.sent(action="biometrics.palm") == []


def test_GB_30_parked_request_is_answered_later(bench):
    page = bench()
    page.begin("parked", "biometrics.palm")
    asked = page.wait_received(action="biometrics.palm")["correlationId"]
    assert page.do("Respond", request=asked, data={"left": True}) is True
    assert page.end("parked") == {"data": {"left": True}}
    assert page.state()["pending"] == []
    assert page.do("Respond", request=asked, data={}) is False


def test_GB_31_parked_request_is_offered_to_a_new_handler(bench):
    page = bench()
    page.begin("document", "camera.document.capture")
    page.begin("chip", "nfc.read", {"n": 1})
    page.wait_received(action="nfc.read")
    assert len(page.state()["pending"]) == 2
    page.do("Slot", slot="document", handler="answer", reason="from the slot")
    page.do("Custom", capability="nfc.read", how="echo")
    assert page.end("document")["error"]["message"] == "from the slot"
    assert page.end("chip") == {"data": {"n": 1}}
    assert page.state()["pending"] == []


def test_GB_32_unanswered_request_times_out(bench):
    page = bench()
    error = page.request("biometrics.palm", timeout=200)["error"]
    assert (error["code"], error["recoverable"]) == ("TIMEOUT", True)
    page.window.js("GBGBridge.configure({timeouts: {request: 150, discovery: 160}})")
    assert page.request("biometrics.palm")["error"]["code"] == "TIMEOUT"


def test_GB_32_usual_time_outs(bench):
    page = bench()
    page.window.js(
        """window.delays = []; const real = setTimeout;
           window.setTimeout = (work, delay) => { delays.push(delay); return real(work, delay); };
           for (const action of ['capability.query', 'biometrics.palm', 'camera.document.capture', 'camera.selfie.capture'])
             GBGBridge.request(action).catch(() => 0);
           window.setTimeout = real;"""
    )
    assert page.window.value("delays") == [5000, 30000, 120000, 120000]


def test_GB_33_late_answer_is_ignored(bench):
    page = bench()
    assert page.request("biometrics.palm", timeout=100)["error"]["code"] == "TIMEOUT"
    asked = page.received(action="biometrics.palm")[0]["correlationId"]
    assert page.do("Respond", request=asked, data={"late": True}) is True
    page.fence()
    assert page.errors() == []
    assert page.state()["lastError"] is None


EVENTS = [
    ("host.ready", {"timestamp": 1764471720.25}),
    ("host.background", {}),
    ("host.foreground", {}),
    ("host.orientation", {"orientation": "landscape"}),
    ("journey.cancel", {"reason": "user tapped “Back”"}),
    ("user.action", {"action": "tapped_help", "screen": "document_capture"}),
]


def test_GB_34_host_events_reach_the_pages_listeners(bench):
    page = bench()
    page.listen()
    page.window.js("window.cancelled = []; GBGBridge.on('journey.cancel', (data) => cancelled.push(data.reason))")
    for action, data in EVENTS:
        page.do("Send", event=action, data=data)
    page.window.wait_equal("heard.map(([action, data]) => [action, data])", [list(each) for each in EVENTS])
    assert page.window.value("cancelled") == ["user tapped “Back”"]


def test_GB_35_event_ids_are_unique(bench):
    page = bench()
    page.listen()
    sent = [page.do("Send", event="tick") for _ in range(10)]
    page.window.wait_equal("heard.map((each) => each[2])", sent)
    assert len(set(sent)) == 10
    assert page.window.value("heard.every((each) => /^ios-event-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(each[2]))")


def test_GB_36_nested_data(bench):
    page = bench()
    page.listen()
    page.do("Send", event="host.deviceInfo", data={"device": {"model": "Desktop", "osVersion": "13"}})
    page.window.wait_equal("heard[0] && [heard[0][1].device.model, heard[0][1].device.osVersion]", ["Desktop", "13"])


def test_GB_37_page_event_is_recorded_and_never_answered(bench):
    page = bench()
    sent = page.window.js("return GBGBridge.send('journey.step', {index: 3})")
    page.fence()
    entry = page.received(type="event")[0]
    assert (entry["correlationId"], entry["action"], entry["data"]) == (sent, "journey.step", {"index": 3})
    state = page.state()
    assert sent in state["received"] and state["pending"] == []
    assert page.sent(correlationId=sent) == []


def test_GB_38_received_messages_are_counted(bench):
    page = bench()
    page.do("Observe", observer="badge")
    for index in range(5):
        page.window.js("GBGBridge.send('tick', {index: arguments[0]})", index)
    page.fence()
    assert page.state()["receivedCount"] == len(page.state()["received"]) == 6
    until(
        lambda: page.host.journal.matching(event="observed", observer="badge")[-1]["count"] == 6, "the badge to say 6"
    )


def test_GB_39_log_keeps_the_last_two_hundred(bench):
    page = bench()
    ids = page.window.js("return Array.from({length: 250}, () => GBGBridge.send('tick'))")
    page.wait_received(250, action="tick")
    state = page.state()
    assert state["receivedCount"] == 250
    assert state["received"] == ids[-200:]


def test_GB_40_many_parked_requests_warn(bench):
    page = bench()
    page.window.js("for (let index = 0; index < 50; index += 1) GBGBridge.request('x').catch(() => 0)")
    page.wait_received(50, action="x")
    assert page.state()["lastError"] is None
    page.window.js("GBGBridge.request('x').catch(() => 0)")
    page.wait("lastError", "51 pending requests")


def test_GB_45_error_is_shown_until_it_is_cleared(bench):
    page = bench()
    page.post("nonsense")
    page.wait("lastError", "Decode failed: the text is no JSON")
    page.do("ClearError")
    assert page.state()["lastError"] is None


def released(page: Bench) -> None:
    """A view that belongs to no visitor, with the bridge, which is let go again."""
    view = page.host.do("create")["view"]
    page.wait("isAttached", True)
    page.host.do("release", view=view)


def test_GB_46_view_that_is_gone_cannot_be_told(bench):
    page = bench()
    released(page)
    page.wait("isAttached", False)
    page.do("Send", event="host.ready")
    assert page.state()["lastError"] == "WebView not attached"


def test_GB_46_page_that_is_closed_cannot_be_told(bench):
    page = bench()
    page.fence()
    page.window.close()
    # The tab's session ends ten seconds after it was left, and its view with it.
    until(lambda: not page.state()["isAttached"], "the view to go", 30)
    page.do("Send", event="host.ready")
    assert page.state()["lastError"] == "WebView not attached"


def test_GB_47_host_outlives_its_view(bench):
    page = bench()
    released(page)
    page.wait("isAttached", False)
    assert page.do("IsAlive") is True
    page.do("Free")
    assert page.do("IsAlive") is False


def test_GB_48_host_moves_to_a_new_page(bench):
    page = bench()
    old = page.window
    old.js("window.kept = webkit.messageHandlers.gbgBridge")
    page.fence()
    page.do("Wire", how="configure")
    page.open()
    page.listen()
    page.do("Send", event="host.ready", data={})
    page.window.wait_equal("heard.length", 1)
    old.wait("window.webkit === undefined")
    before = page.state()["receivedCount"]
    old.js("Promise.resolve(kept.postMessage({type: 'event', correlationId: 'old', payload: {action: 'old'}})).catch(() => 0)")
    assert page.fence()["hostVersion"] == "1.0.0"
    assert page.state()["receivedCount"] == before + 1


def dropped_in(page: Bench, url: str, mode: str = "production") -> None:
    """The next visitor's page shows the journey of a new host, which is `window` then."""
    page.do("New", host="journey")
    page.do("Wire", host="journey", how="dropIn", url=url, mode=mode)
    page.open()
    page.window.wait("location.href === arguments[0]", url)
    page.window.attached()


COUNT = "sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1"


def test_GB_49_changed_address_is_navigated_to_once(bench):
    page = bench()
    first, second = page.serve(COUNT, "-first"), page.serve(COUNT, "-second")
    dropped_in(page, first)
    assert page.window.value("sessionStorage.loads") == "1"
    for _ in range(2):
        page.do("URL", host="journey", url=second)
        page.window.wait("location.href === arguments[0]", second)
        page.window.attached()
        page.fence()
    assert page.window.value("sessionStorage.loads") == "2"


def test_GB_50_bridge_survives_a_navigation(bench):
    page = bench()
    second = page.serve("", "-step2")
    first = page.serve(f"addEventListener('load', () => document.body.innerHTML = '<a id=next href={second}>next</a>')", "-step1")
    dropped_in(page, first)
    page.begin("lost", "biometrics.palm")
    page.fence()
    page.window.click("#next")
    page.window.wait("location.href === arguments[0]", second)
    page.window.attached()
    assert page.fence()["hostVersion"] == "1.0.0"
    # Nobody waits for what the first page asked.
    assert page.state("journey")["pending"] == []


def test_GB_51_host_that_is_freed_cancels_the_capture(bench):
    page = bench()
    page.do("Slot", slot="document", handler="await")
    page.begin("photo", "camera.document.capture")
    page.wait_received(action="camera.document.capture")
    page.do("Free")
    error = page.end("photo")["error"]
    assert (error["code"], error["message"], error["recoverable"]) == ("CANCELLED", "Host deallocated", True)
    assert page.do("IsAlive") is False


def test_GB_52_two_observers_see_the_same_counts(bench):
    page = bench()
    for observer in ("one", "two"):
        page.do("Observe", observer=observer)
    for _ in range(3):
        page.window.js("GBGBridge.send('tick')")
    page.fence()

    def counts(observer: str) -> list:
        return [entry["count"] for entry in page.host.journal.matching(event="observed", observer=observer)]

    until(lambda: counts("one")[-1] == counts("two")[-1] == 4, lambda: f"{counts('one')} and {counts('two')}")


def test_GB_53_foreign_links_open_outside(bench, pages):
    page = bench()
    foreign = pages.put("/foreign.html", "<title>foreign</title>").replace("127.0.0.1", "localhost")
    own = page.serve("", "-own")
    links = f"addEventListener('load', () => document.body.innerHTML = '<a id=foreign href={foreign}>foreign</a><p><a id=own href={own}>own</a>')"
    first = page.serve(links, "-links")
    dropped_in(page, first)
    page.window.click("#foreign")
    opened = page.host.journal.wait(event="openedOutside", host="journey")
    assert opened["url"] == foreign
    assert page.window.value("location.href") == first
    page.window.click("#own")
    page.window.wait("location.href === arguments[0]", own)
    page.window.attached()
    # A script may lead anywhere.
    page.window.js("location.href = arguments[0]", foreign)
    page.window.wait("document.title === 'foreign'")
    assert len(page.host.journal.matching(event="openedOutside")) == 1


def test_GB_54_two_hosts_are_independent(bench):
    page = bench()
    first = page.window
    page.do("New", host="b", version="2.0.0")
    page.do("Wire", host="b", how="make")
    page.open()
    assert page.fence()["hostVersion"] == "2.0.0"
    page.window = first
    assert page.fence()["hostVersion"] == "1.0.0"
    assert (page.state("a")["receivedCount"], page.state("b")["receivedCount"]) == (1, 1)


def test_GB_54_second_view_takes_the_first_ones_place(bench):
    page = bench()
    first = page.window
    page.open()
    first.wait("window.webkit === undefined")
    assert page.fence()["hostVersion"] == "1.0.0"


def test_GB_55_namespace_that_is_gone_is_an_evaluation_error(bench):
    page = bench()
    page.window.js("window.kept = GBGBridge; delete window.GBGBridge")
    page.do("Send", event="host.ready")
    until(
        lambda: (page.state()["lastError"] or "").startswith("JavaScript evaluation failed: "),
        lambda: str(page.state()),
    )
    page.window.js("window.GBGBridge = kept")
    assert page.fence()["hostVersion"] == "1.0.0"


def test_GB_56_everything_happens_on_the_main_actor(bench):
    page = bench()
    page.do("Slot", slot="document", handler="throw")
    page.request("camera.document.capture")
    page.post("nonsense")
    page.fence()
    seen = page.host.journal.matching(lambda entry: entry["event"].startswith("bridge"))
    assert {entry["event"] for entry in seen} == {"bridgeReceived", "bridgeSent", "bridgeError"}
    assert all(entry["isOnMainQueue"] is True for entry in seen)


def test_GB_58_standalone_page_drops_what_it_sends(pages, relay, app, open_window):
    url = pages.put(f"/{app}.html", f"<!DOCTYPE html><link rel=icon href=data:,><script>window.errors = []; onerror = (each) => errors.push(each)</script>{client(relay)}")
    window = open_window(url)
    assert window.value("[GBGBridge.environment, GBGBridge.isEmbedded]") == ["standalone", False]
    assert window.value("typeof GBGBridge.send('page.note')") == "string"
    code = window.promise("GBGBridge.request('capability.query', undefined, {timeout: 50}).catch((error) => error.code)")
    assert code == "TIMEOUT"
    assert window.value("errors") == []


def test_GB_59_page_with_the_bridge_is_in_the_app(bench):
    page = bench()
    assert page.window.value("[GBGBridge.environment, GBGBridge.isEmbedded]") == ["ios", True]


def test_GB_59_android_takes_text(pages, relay, app, open_window):
    native = "<script>window.posted = []; window.GBGBridge = {postMessage: (text) => posted.push(text)}</script>"
    window = open_window(pages.put(f"/{app}.html", f"<!DOCTYPE html><link rel=icon href=data:,>{native}{client(relay)}"))
    assert window.value("GBGBridge.environment") == "android"
    window.js("GBGBridge.request('capability.query').then((data) => { window.answer = data; })")
    message = json.loads(window.value("posted[0]"))
    assert (message["type"], message["payload"]) == ("request", {"action": "capability.query"})
    window.js(
        "GBGBridge.receive(arguments[0])",
        {"type": "response", "correlationId": message["correlationId"], "payload": {"action": "x", "status": "success", "data": {"a": 1}}},
    )
    window.wait_equal("window.answer", {"a": 1})


EVENT = {"type": "event", "correlationId": "e", "payload": {"action": "told", "data": {"n": 1}}}


@pytest.mark.console("Failed to execute 'postMessage' on 'DOMWindow'")
def test_GB_60_iframe_takes_from_whom_it_names(pages, elsewhere, relay, app, open_window):
    child = pages.put(
        f"/{app}-child.html",
        f"<!DOCTYPE html>{client(relay)}<script>window.heard = []; GBGBridge.on('*', (data) => heard.push(data.n))</script>",
    )
    parent = elsewhere.put(
        f"/{app}.html",
        "<!DOCTYPE html><link rel=icon href=data:,><script>window.posted = []; onmessage = (event) => posted.push([event.data.payload.action, event.origin])</script>"
        f"<iframe src='{child}'></iframe>",
    )
    window = open_window(parent)
    tell = "frames[0].postMessage({...arguments[0], payload: {action: 'told', data: {n: arguments[1]}}}, '*')"

    def heard(number: int) -> list:
        window.js(tell, EVENT, number)
        with window.inside("iframe"):
            # A message of the frame to itself comes behind those of its parent, and is no parent's.
            window.promise("new Promise((done) => { addEventListener('message', (event) => { if (event.data === 'fence') done(1); }); postMessage('fence', '*'); })")
            return window.value("heard")

    with window.inside("iframe"):
        window.wait("window.GBGBridge !== undefined")
        assert window.value("[GBGBridge.environment, GBGBridge.isEmbedded]") == ["iframe", True]
    # An empty list accepts everybody.
    assert heard(1) == [1]
    with window.inside("iframe"):
        window.js("GBGBridge.configure({allowedOrigins: ['https://other.example']})")
    assert heard(2) == [1]
    with window.inside("iframe"):
        window.js("GBGBridge.configure({allowedOrigins: [arguments[0]]})", elsewhere.origin)
    assert heard(3) == [1, 3]
    # Its own messages go to its own origin unless another is named.
    with window.inside("iframe"):
        window.js("GBGBridge.send('first')")
        window.js("GBGBridge.configure({targetOrigin: arguments[0]}); GBGBridge.send('second')", elsewhere.origin)
    window.wait_equal("posted", [["second", pages.origin]])


def test_GB_63_production_opens_secure_journeys_only(bench):
    page = bench()
    page.do("New", host="plain")
    page.do("Wire", host="plain", how="dropIn", url="http://journey.example/", mode="production")
    page.open()
    page.wait("lastError", "Journey refused: journey.example is not reached by https", host="plain")
    # This machine is an exception.
    dropped_in(page, page.serve("", "-loopback"))
    assert page.state("journey")["lastError"] is None
