"""The identity journey's bridge, rows about names, envelopes, answers and errors: a page with the client, and a host that does
what the test says."""

import re

import pytest
from harness.waiting import until

UUID = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
CODES = {
    "UNSUPPORTED": False,
    "PERMISSION_DENIED": True,
    "CANCELLED": True,
    "TIMEOUT": True,
    "BUSY": True,
    "INVALID_REQUEST": False,
    "INTERNAL_ERROR": False,
    "VERSION_MISMATCH": False,
}


def request(name: str, action: str = "capability.query", **members) -> dict:
    return {"version": "1.0", "type": "request", "correlationId": name, "payload": {"action": action}, **members}


def test_GB_01_handler_has_its_name_and_no_other(bench):
    page = bench("window.first = [typeof webkit.messageHandlers.gbgBridge, typeof webkit.messageHandlers.GBGBridge]")
    assert page.window.value("first") == ["object", "undefined"]


def test_GB_02_namespace_is_there_before_page_scripts_and_after_each_navigation(bench):
    script = "window.first = typeof GBGBridge + ' ' + typeof GBGBridge?.postMessage"
    page = bench(script)
    assert page.window.value("first") == "object function"
    page.window.reload()
    page.window.attached()
    assert page.window.value("first") == "object function"
    page.window.go(page.serve(script, "-other"))
    page.window.attached()
    assert page.window.value("first") == "object function"
    assert page.fence()["hostVersion"] == "1.0.0"


def test_GB_03_object_and_text_are_the_same_request(bench):
    page = bench()
    page.post(request("as-object"))
    page.window.js("webkit.messageHandlers.gbgBridge.postMessage(JSON.stringify(arguments[0]))", request("as-text"))
    page.fence()
    first, second = page.received()[:2]
    assert [first["correlationId"], second["correlationId"]] == ["as-object", "as-text"]
    assert first["action"] == second["action"] and first["data"] == second["data"]
    assert [entry["status"] for entry in page.sent()[:2]] == ["success", "success"]


def test_GB_04_host_version_is_in_the_query(bench):
    assert bench().fence()["hostVersion"] == "1.0.0"


def test_GB_04_another_host_version(bench):
    assert bench(version="3.2.1").fence()["hostVersion"] == "3.2.1"


def test_GB_05_drop_in_view_needs_no_further_wiring(bench):
    page = bench()
    page.do("New", host="dropped")
    page.do("Wire", host="dropped", how="dropIn", url=page.serve("", "-journey"))
    page.open()
    page.window.wait("location.pathname.endsWith('-journey.html')")
    page.window.attached()
    assert page.fence()["hostVersion"] == "1.0.0"
    assert page.state("dropped")["receivedCount"] == 1


def test_GB_06_factory_view_carries_handler_and_bootstrap(bench):
    page = bench(how="make")
    assert page.window.value("[typeof webkit.messageHandlers.gbgBridge, GBGBridge.platform]") == ["object", "ios"]


def test_GB_07_view_with_settings_of_its_own_keeps_them(bench, probe, put, relay, open_window):
    page = bench(how="make")
    page.host.do("handlers", names=["own"])
    page.host.do("scripts", scripts=[{"source": "window.own = 'script'", "time": "start"}])
    page.do("New", host="b")
    page.do("Wire", host="b", how="configure")
    page.open()
    assert page.window.value("[typeof webkit.messageHandlers.own, own, typeof webkit.messageHandlers.gbgBridge]") == [
        "object", "script", "object",
    ]
    assert page.fence()["hostVersion"] == "1.0.0"


def test_GB_08_plain_view_has_no_bridge(bench):
    page = bench(how="make")
    page.host.do("handlers", names=["own"])
    page.do("Wire", how="none")
    page.open()
    assert page.window.value("[typeof webkit.messageHandlers.own, typeof webkit.messageHandlers.gbgBridge]") == [
        "object", "undefined",
    ]
    page.window.js("GBGBridge.send('nobody.hears')")
    page.window.js("webkit.messageHandlers.own.postMessage('fence')")
    page.host.received("own")
    assert page.state()["received"] == []


def test_GB_09_request_reaches_the_handler_of_its_action_only(bench):
    page = bench()
    page.do("Custom", capability="a.one", how="echo")
    page.do("Custom", capability="a.two", how="echo")
    assert page.request("a.two", {"n": 2}) == {"data": {"n": 2}}
    assert [entry["id"] for entry in page.host.journal.matching(event="custom")] == ["a.two"]


def test_GB_10_success_resolves_with_data_and_the_same_id(bench):
    page = bench()
    page.do("Custom", capability="x", how="echoId")
    answer = page.request("x")
    asked = page.received(action="x")[0]["correlationId"]
    assert answer == {"data": {"id": asked}}
    assert page.sent(action="x")[0]["correlationId"] == asked and re.fullmatch(f"web-{UUID}", asked)


def test_GB_11_error_has_code_message_flag_and_id(bench):
    page = bench()
    page.do("Custom", capability="x", how="answer", status="error", code="BUSY", message="Not now")
    error = page.request("x")["error"]
    assert error == {
        "code": "BUSY", "message": "Not now", "recoverable": True,
        "correlationId": page.received(action="x")[0]["correlationId"],
    }


def test_GB_12_cancelled_carries_its_reason(bench):
    page = bench()
    page.do("Custom", capability="x", how="answer", status="cancelled", reason="Changed my mind")
    error = page.request("x")["error"]
    assert (error["code"], error["recoverable"], error["message"]) == ("CANCELLED", True, "Changed my mind")


def test_GB_13_unsupported_is_not_recoverable(bench):
    page = bench()
    page.do("Custom", capability="x", how="answer", status="unsupported", message="No reader")
    error = page.request("x")["error"]
    assert (error["code"], error["recoverable"], error["message"]) == ("UNSUPPORTED", False, "No reader")


def test_GB_14_each_code_reaches_the_page_with_its_flag(bench):
    page = bench()
    for code, recoverable in CODES.items():
        page.do("Custom", capability=f"x.{code}", how="answer", status="error", code=code, message="m")
        error = page.request(f"x.{code}")["error"]
        assert (error["code"], error["recoverable"]) == (code, recoverable)


def test_GB_15_fifty_requests_answered_in_reverse(bench):
    page = bench()
    page.do("Custom", capability="x", how="hold")
    page.window.js(
        """window.all = Promise.all(Array.from({length: 50}, (_, index) => GBGBridge.request('x', {index})))
             .then((answers) => answers.map((each) => each.id))"""
    )
    page.wait_received(50, action="x")
    asked = [entry["correlationId"] for entry in page.received(action="x")]
    page.do("AnswerHeld", reversed=True)
    assert page.window.promise("all") == asked
    assert [entry["correlationId"] for entry in page.sent(action="x")] == asked[::-1]


def test_GB_21_slot_is_supported_with_a_handler_and_enabled(bench):
    page = bench()
    supported = []
    for members in ({}, {"handler": "await"}, {"enabled": False}, {"enabled": True}):
        page.do("Slot", slot="document", **members)
        supported.append((page.state()["documentSupported"], page.capabilities()["camera.document"]["supported"]))
    assert supported == [(False, False), (True, True), (False, False), (True, True)]


def test_GB_22_query_lists_ids_versions_and_permissions(bench):
    page = bench()
    page.do("Slot", slot="selfie", handler="await", permission="granted")
    page.do("Custom", capability="nfc.read", version="1.4", how="echo")
    assert page.capabilities() == {
        "camera.document": {"supported": False, "permissionState": "notDetermined"},
        "camera.selfie": {"supported": True, "version": "1.0", "permissionState": "granted"},
        "nfc.read": {"supported": True, "version": "1.4"},
    }
    # `capabilities` is the client's word for it.
    assert page.window.promise("GBGBridge.capabilities().then((each) => each.hostVersion)") == "1.0.0"


def test_GB_23_query_is_live(bench):
    page = bench()
    before = page.capabilities()["camera.document"]
    page.do("Slot", slot="document", handler="await")
    assert before["supported"] is False and page.capabilities()["camera.document"]["supported"] is True


def test_GB_24_configured_query_is_fixed(bench):
    page = bench(configuration={"nfc.read": {"supported": True, "version": "1.0"}})
    before = page.capabilities()
    page.do("Capabilities", capabilities={"nfc.read": {"supported": False}, "more": {"supported": True}})
    assert page.capabilities() == before
    assert before["nfc.read"] == {"supported": True, "version": "1.0"}


def test_GB_25_permission_states(bench):
    page = bench()
    page.do("Slot", slot="document", handler="await")
    states = []
    for state in ("granted", "denied", "notDetermined"):
        page.do("Slot", slot="document", permission=state)
        states.append(page.capabilities()["camera.document"]["permissionState"])
    assert states == ["granted", "denied", "notDetermined"]


def test_GB_26_custom_capability_is_listed_and_reached(bench):
    page = bench()
    page.do("Custom", capability="nfc.read", version="2.0", how="echo")
    assert page.capabilities()["nfc.read"] == {"supported": True, "version": "2.0"}
    assert page.request("nfc.read", {"documentNumber": "X1"}) == {"data": {"documentNumber": "X1"}}


def test_GB_27_slot_before_static_before_custom(bench):
    page = bench()
    page.do("Custom", capability="camera.document", version="0.1", how="answer", data={"by": "custom"})
    assert page.capabilities()["camera.document"] == {"supported": True, "version": "0.1"}
    page.do("Capabilities", capabilities={"camera.document": {"supported": True, "version": "0.2"}})
    assert page.capabilities()["camera.document"] == {"supported": True, "version": "0.2"}
    assert page.request("camera.document.capture") == {"data": {"by": "custom"}}
    page.do("Slot", slot="document", handler="answer", reason="by the slot")
    assert page.capabilities()["camera.document"]["version"] == "1.0"
    assert page.request("camera.document.capture")["error"]["message"] == "by the slot"


def test_GB_28_handler_object_works_beside_slots(bench):
    page = bench()
    page.do("Slot", slot="document", handler="answer", reason="by the slot")
    page.do("Register", actions=["device.info", "device.locale"])
    assert page.request("device.locale") == {"data": {"handledBy": "object", "action": "device.locale"}}
    assert page.request("camera.document.capture")["error"]["message"] == "by the slot"


def test_GB_41_broken_messages_set_an_error_and_nothing_else(bench):
    page = bench()
    broken = [
        ({"correlationId": "a", "payload": {"action": "x"}}, "type is missing"),
        ({"type": "request", "correlationId": "b"}, "payload is missing"),
        ("{\"type\":", "no JSON"),
    ]
    for body, words in broken:
        page.post(body)
        until(lambda: words in (page.state()["lastError"] or ""), lambda: f"{words}: {page.state()}")
        assert page.state()["lastError"].startswith("Decode failed: ")
    assert page.state()["received"] == []
    assert page.fence()["hostVersion"] == "1.0.0"
    assert page.state()["receivedCount"] == 1


def test_GB_42_unknown_type_is_not_routed(bench):
    page = bench()
    page.do("Custom", capability="x", how="echo")
    page.post({"type": "ping", "correlationId": "p", "payload": {"action": "x"}})
    page.fence()
    assert page.errors_of_host() == ["Decode failed: type 'ping' is unknown"]
    assert page.host.journal.matching(event="custom") == []
    assert page.state()["receivedCount"] == 1


def test_GB_43_broken_request_with_an_id_is_answered(bench):
    page = bench()
    error = page.request("camera.document.capture", "passport")["error"]
    assert (error["code"], error["recoverable"]) == ("INVALID_REQUEST", False)
    assert page.state()["lastError"] == "Decode failed: payload.data is no object"


def test_GB_44_other_major_version(bench):
    page = bench()
    page.window.js("const post = GBGBridge.postMessage; GBGBridge.postMessage = (each) => post({...each, version: '9.0'})")
    error = page.request("capability.query")["error"]
    assert (error["code"], error["recoverable"]) == ("VERSION_MISMATCH", False)
    assert page.state()["receivedCount"] == 0


def test_GB_57_delegate_sees_all_traffic(bench):
    page = bench()
    page.listen()
    page.request("capability.query")
    page.window.js("GBGBridge.send('page.note', {n: 1})")
    page.do("Send", event="host.ready", data={"timestamp": 1.5})
    page.window.wait("heard.length === 1")
    page.wait_received(action="page.note")
    seen = [
        (entry["event"], entry["type"], entry["action"])
        for entry in page.host.journal.matching(lambda entry: entry["event"] in ("bridgeReceived", "bridgeSent"))
    ]
    assert seen[:2] == [
        ("bridgeReceived", "request", "capability.query"), ("bridgeSent", "response", "capability.query"),
    ]
    assert sorted(seen[2:]) == [
        ("bridgeReceived", "event", "page.note"), ("bridgeSent", "event", "host.ready"),
    ]


def test_GB_61_handler_that_throws(bench):
    page = bench()
    page.do("Slot", slot="document", handler="throw")
    error = page.request("camera.document.capture")["error"]
    assert (error["code"], error["recoverable"]) == ("INTERNAL_ERROR", False)
    assert page.state()["lastError"].startswith("Handler failed: ")
    assert page.fence()["hostVersion"] == "1.0.0"


def test_GB_62_photo_of_five_megabytes_there_and_back(bench):
    page = bench()
    page.do("Custom", capability="photo.echo", how="echo")
    hashes = page.window.promise(
        """(async () => {
             const bytes = new Uint8Array(5 * 1048576);
             for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
             const base64 = await new Promise((done) => { const reader = new FileReader(); reader.onload = () => done(reader.result.replace(/^[^,]*,/, '')); reader.readAsDataURL(new Blob([bytes])); });
             const answer = await GBGBridge.request('photo.echo', {imageData: base64});
             const back = Uint8Array.from(atob(answer.imageData), (each) => each.charCodeAt(0));
             const hash = async (each) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', each))).join();
             return [await hash(bytes), await hash(back), back.length];
           })()"""
    )
    assert hashes[0] == hashes[1] and hashes[2] == 5 * 1048576


@pytest.mark.parametrize("size", [10, 24])
def test_GB_62_photo_of_the_largest_size(bench, size):
    """Ten megabytes have room in a message, and twenty-four are refused with an error that says so."""
    page = bench()
    page.do("Slot", slot="document", handler="answer", document={"imageData": "A" * 16, "width": 1, "height": 1, "mimeType": "x"})
    page.do("Custom", capability="photo.echo", how="echo")
    text = size * 1048576 * 3 // 2
    answer = page.window.promise(
        """GBGBridge.request('photo.echo', {text: 'A'.repeat(arguments[0])})
             .then((data) => data.text.length, (error) => error.code)""",
        text,
    )
    assert answer == (text if size == 10 else "INVALID_REQUEST")
    assert page.fence()["hostVersion"] == "1.0.0"
