"""Policies of pages, with the real relay and host: the way that scripts take, what is refused, and how."""

import pytest
from harness.processes import ProbeError
from harness.values import NIL, typed
from harness.waiting import until

SQUAD = (
    "default-src 'self' RELAY SOCKET https://*.squadforsports.com; "
    "script-src 'self' RELAY https://*.squadforsports.com 'unsafe-inline'; "
    "style-src 'self' https://*.squadforsports.com 'unsafe-inline'; "
    "img-src 'self' data: https://*.squadforsports.com"
)
STRICT = "script-src 'self' RELAY; connect-src RELAY SOCKET"


@pytest.fixture
def put_under(pages, relay, app):
    """Serves a page under a policy, with its own scripts in a file: `put_under(policy, script)`."""

    def serve(policy: str, script: str = "", attributes: str = "", path: str = "") -> str:
        own = pages.put(f"/{app}{path}.js", script, "text/javascript")
        html = f"""<!DOCTYPE html><html><head><script src="{relay.http}/bridge.js" data-app="{app}" {attributes}></script>
          <script src="{own}"></script><meta charset="utf-8"><link rel="icon" href="data:,"><title>{app}</title></head></html>"""
        policy = policy.replace("RELAY", relay.http).replace("SOCKET", relay.ws)
        return pages.put(f"/{app}{path}.html", html, **{"Content-Security-Policy": policy})

    return serve


def way(host, name: str) -> None:
    """Waits until the view says that its page runs scripts this way."""
    until(lambda: host.do("view")["evaluationWay"] == name, f"the way {name}")


def refused(host, do: str, domain: str = "PageBridgeEvaluationErrorDomain", **members) -> dict:
    with pytest.raises(ProbeError) as caught:
        host.do(do, **members)
    error = caught.value.error
    assert error["domain"] == domain
    return error


@pytest.mark.console("Content Security Policy", "noSuchName")
@pytest.mark.parametrize("policy", [SQUAD, STRICT], ids=["squad", "strict"])
def test_WK_15_messages_and_evaluation_work_under_a_content_security_policy(policy, probe, put_under, open_window):
    host = probe(handlers=["squadBridge"], scripts=[{"source": "var injected = document.readyState"}])
    script = """
      const seen = injected;
      addEventListener('message', (event) => webkit.messageHandlers.squadBridge.postMessage({got: event.data, seen}));
      webkit.messageHandlers.squadBridge.postMessage('first');"""
    open_window(put_under(policy, script))
    assert host.received("squadBridge")["body"] == typed("first")
    way(host, "script")
    for source, value in (("6*7", typed(42)), ("'text'", typed("text")), ("null", typed(None)), ("[1, {}]", typed([1, {}])),
                          ("({a: 'b'})", typed({"a": "b"})), ("undefined", NIL), ("var a = 1; a + 1", typed(2))):
        assert (source, host.evaluate(source)) == (source, value)
    assert host.do("callAsync", source="return await Promise.resolve(a)", arguments={"a": [1]}) == typed([1])
    host.evaluate("window.postMessage({text: 'é😀'}, '*')")
    assert host.received("squadBridge", 2)["body"] == typed({"got": {"text": "é😀"}, "seen": "loading"})
    with pytest.raises(ProbeError) as caught:
        host.evaluate("\nnoSuchName")
    assert caught.value.error["code"] == 4
    assert caught.value.error["userInfo"]["WKJavaScriptExceptionLineNumber"] == 2


@pytest.mark.console("Content Security Policy", "the host's script did not run")
def test_B93_a_policy_that_blocks_scripts_is_announced_and_registered_functions_work(
    probe, relay, put_under, open_window
):
    host = probe(handlers=["h"])
    script = """pagebridge.register('double', (n) => n * 2);
                pagebridge.register('fail', async () => { throw new TypeError('no') });"""
    # The page's own scripts and bridge.js may run, what else the relay serves may not.
    open_window(put_under("script-src 'self' RELAY/bridge.js; connect-src RELAY SOCKET", script))
    host.connected()
    way(host, "blocked")
    error = refused(host, "evaluate", "WKErrorDomain", source="1")
    assert error["code"] == 4 and "script-src" in error["userInfo"]["WKJavaScriptExceptionMessage"]
    assert refused(host, "callAsync", "WKErrorDomain", source="return 1")["code"] == 4
    assert host.do("callRegistered", name="double", arguments=[21]) == typed(42)
    with pytest.raises(ProbeError) as caught:
        host.do("callRegistered", name="fail")
    assert caught.value.error["userInfo"]["WKJavaScriptExceptionMessage"] == "TypeError: no"
    assert refused(host, "callRegistered", name="none")["code"] == -32004


@pytest.mark.console("user scripts do not run here")
@pytest.mark.parametrize("setting, code", [("registered", -32003), ("none", -32001)])
def test_page_decides_what_its_host_may_run(setting, code, probe, put, open_window):
    host = probe(handlers=["h"], scripts=[{"source": "window.injected = 1"}])
    window = open_window(put("pagebridge.register('add', (a, b) => a + b);", attributes=f'data-evaluate="{setting}"'))
    window.attached()
    way(host, setting)
    for do, members in (("evaluate", {"source": "1"}), ("callAsync", {"source": "return 1"})):
        assert refused(host, do, **members)["code"] == code
    if setting == "registered":
        assert host.do("callRegistered", name="add", arguments=[1, {"$num": "-0"}]) == typed(1)
    else:
        assert refused(host, "callRegistered", name="add", arguments=[1, 2])["code"] == code
    assert window.value("typeof injected") == "undefined"
    window.js("webkit.messageHandlers.h.postMessage('still')")
    assert host.received("h")["body"] == typed("still")
