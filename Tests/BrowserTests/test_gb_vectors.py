"""The table of messages of the identity journey's bridge: what each brings about, and that the bridge works after it."""

import json

import pytest
from harness.paths import REPOSITORY
from harness.waiting import until

TABLE = json.loads((REPOSITORY / "Tests/JourneyHostTests/vectors.json").read_text())


def named(vectors: list[dict]) -> list:
    return [pytest.param(each, id=each["name"].replace(" ", "-")) for each in vectors]


@pytest.mark.parametrize("vector", named(TABLE["page"]))
def test_vector_of_a_page(bench, vector):
    page = bench()
    for slot in ("document", "selfie"):
        page.do("Slot", slot=slot, handler="await")
    page.do("Custom", capability="nfc.read", how="hold")
    if "before" in vector:
        page.post(vector["before"])
    page.post(vector["post"])
    # Whatever it was, the bridge works after it.
    assert page.fence()["hostVersion"] == "1.0.0"
    body = vector["post"]
    name = body.get("correlationId") if isinstance(body, dict) else None
    if vector["name"] == "envelope as text":
        name = json.loads(body)["correlationId"]
    state, answers = page.state(), page.sent(type="response", correlationId=name) if name else []
    recorded = name in state["received"]
    match vector["expect"]:
        case "answered":
            assert [each["status"] for each in answers] == ["success"] and recorded
        case "document":
            assert state["documentActive"] == name and not answers and recorded
        case "selfie":
            assert state["selfieActive"] == name and not answers and recorded
        case "custom":
            assert len(page.host.journal.matching(event="custom")) == 1 and not answers and recorded
        case "parked":
            assert state["pending"] == [name] and not answers
        case "recorded":
            assert recorded and not answers and state["pending"] == [] and state["lastError"] is None
        case "error":
            assert [each["code"] for each in answers] == [vector["code"]]
            assert recorded == (vector["code"] == "BUSY")
        case "refused":
            assert not answers and not recorded and state["lastError"].startswith("Decode failed: ")
        case "unexpected":
            assert not answers and state["lastError"].startswith("Unexpected response: ")
        case other:
            raise AssertionError(other)


@pytest.mark.parametrize("vector", named(TABLE["host"]))
def test_vector_of_a_host(bench, vector):
    page = bench()
    page.listen()
    action = ((vector["receive"] or {}).get("payload") or {}).get("action", "x")
    page.do("Custom", capability=action, how="hold")
    if action == "capability.query":
        # The host would answer that one by itself.
        page.window.js("GBGBridge.postMessage = () => undefined")
    # The page's ids are its own: the one of the request is put in place of the mark.
    page.window.js(
        """window.ids = []; const post = GBGBridge.postMessage;
           GBGBridge.postMessage = (each) => { ids.push(each.correlationId); return post(each); };"""
    )
    page.begin("asked", action)
    page.window.js(
        "GBGBridge.receive(JSON.parse(arguments[0].replaceAll('$ID', ids[0])))", json.dumps(vector["receive"])
    )
    if "resolves" in vector:
        assert page.end("asked") == {"data": vector["resolves"]}
    elif "rejects" in vector:
        error = page.end("asked")["error"]
        assert (error["code"], error["recoverable"]) == (vector["rejects"], vector["recoverable"])
        assert error["message"] == vector.get("message", error["message"])
    elif "event" in vector:
        until(lambda: page.window.value("heard.length") == 1, "the event")
        assert page.window.value("heard[0].slice(0, 2)") == [vector["event"], vector["data"]]
    else:
        assert vector["ignored"] is True
        assert page.window.value("heard") == []
        assert page.window.promise("Promise.race([begun.asked, Promise.resolve('waits')])") == "waits"
    assert page.errors() == []
