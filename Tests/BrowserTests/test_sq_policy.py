"""The Squad app under the product's content security policy. One test a row of the feature table."""

import json

import pytest

from harness.values import typed

HOSTS = "'self' https://*.squadforsports.com"
POLICY = (
    f"default-src {HOSTS}; script-src {HOSTS} 'unsafe-inline'; style-src {HOSTS} 'unsafe-inline'; "
    "img-src 'self' data: https://*.squadforsports.com"
)
METAS = "Array.from(document.querySelectorAll('meta[http-equiv=Content-Security-Policy]'), (each) => each.content)"
WATCH = """
window.violations = [];
window.errors = [];
document.addEventListener('securitypolicyviolation', (event) => violations.push([event.effectiveDirective, event.blockedURI]));
addEventListener('error', (event) => event.message && errors.push(event.message));
window.ran = true;
"""
IMAGE = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


@pytest.fixture
def guarded(own_squad, relay, app):
    """A Squad app whose page is the test's, from the relay's origin, under the policy."""

    def open_page(script: str = "", head: str = ""):
        url = relay.put(
            f"pages/squad/{app}-page.html",
            f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><script src="/bridge.js" data-app="{app}"></script>
<script>{WATCH}{script}</script><link rel="icon" href="data:,">{head}<title>{app}</title></head><body></body></html>""",
        )
        return own_squad("--squad-url", url).loaded()

    return open_page


def load(shown, kind: str, url: str) -> str:
    """How an element of the page with that address ends."""
    with shown.window.inside():
        return shown.window.promise(
            """new Promise((done) => {
                 const element = document.createElement(arguments[0]);
                 element.onload = () => done('load');
                 element.onerror = () => done('error');
                 element.src = arguments[1];
                 document.head.append(element);
               })""",
            kind,
            url,
        )


@pytest.mark.console("Content Security Policy")
def test_SQ_26_foreign_script_is_blocked_and_inline_script_runs(guarded, pages, app):
    foreign = pages.put(f"/{app}.js", "window.foreign = true", "text/javascript")
    shown = guarded()
    assert shown.page(METAS) == [POLICY]
    assert shown.page("ran") is True
    assert load(shown, "script", foreign) == "error"
    shown.wait_page("violations.length > 0")
    assert [blocked for _, blocked in shown.page("violations")] == [foreign]
    assert shown.page("window.foreign === undefined") is True
    shown.script("const inline = document.createElement('script'); inline.textContent = 'window.inline = 1'; document.head.append(inline)")
    assert shown.page("inline") == 1


@pytest.mark.console("Content Security Policy")
def test_SQ_27_data_image_loads_and_foreign_image_is_blocked(guarded, pages, app):
    foreign = pages.put(f"/{app}.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/>", "image/svg+xml")
    shown = guarded()
    assert load(shown, "img", IMAGE) == "load"
    assert shown.page("violations") == []
    assert load(shown, "img", foreign) == "error"
    shown.wait_page_equal("violations", [["img-src", foreign]])


@pytest.mark.console("Content Security Policy", "ERR_")
def test_SQ_28_sub_domains_are_allowed_and_look_alikes_are_not(guarded):
    shown = guarded()
    # Nobody answers there, but the policy has nothing against it.
    for allowed in ("https://x.squadforsports.com/a.gif", "https://a.b.squadforsports.com/a.gif"):
        load(shown, "img", allowed)
    assert shown.page("violations") == []
    refused = ["https://squadforsports.com.evil.test/a.gif", "https://evilsquadforsports.com/a.gif"]
    for url in refused:
        assert load(shown, "img", url) == "error"
    shown.wait_page_equal("violations.map((each) => each[1])", refused)


def test_SQ_29_policy_is_installed_once_in_each_document(guarded):
    shown = guarded()
    for _ in range(2):
        mark = shown.mark()
        shown.script("location.reload()")
        shown.wait_callbacks("start", "commit", "finish", since=mark)
        shown.wait_page("window.ran === true")
        assert shown.page(METAS) == [POLICY] and shown.page("errors") == []


def test_SQ_30_messages_go_both_ways_under_the_policy(guarded):
    shown = guarded()
    shown.listen()
    body = {"type": "state", "data": {"deep": [{"x": None}], "emoji": "😀", "sep": "\u2028</script>"}}
    shown.tell_page(json.dumps(body))
    shown.wait_named("sent", result="delivered")
    assert shown.page("heard") == [body]
    shown.say({"type": "navigation", "data": {"route": "/under"}})
    shown.wait_state("route", "/under")


VALUES = {"6*7": 42, "'text'": "text", "null": None, "[1, 'a', null]": [1, "a", None], "({a: {b: true}})": {"a": {"b": True}}}


@pytest.mark.console("missing is not defined")
def test_SQ_30_scripts_of_the_host_run_under_the_policy(probe, open_window, relay, app):
    host = probe(handlers=["squadBridge"])
    url = relay.put(
        f"pages/squad/{app}-page.html",
        f'<!DOCTYPE html><head><script src="/bridge.js" data-app="{app}"></script>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><link rel="icon" href="data:,"></head>',
    )
    window = open_window(url)
    window.attached()
    for source, value in VALUES.items():
        assert host.evaluate(source) == typed(value)
    assert host.evaluate("undefined")["kind"] == "nil"
    with pytest.raises(Exception, match="missing"):
        host.evaluate("missing()")
    window.js("webkit.messageHandlers.squadBridge.postMessage('through')")
    assert host.received("squadBridge")["body"] == typed("through")


@pytest.mark.console("Content Security Policy")
def test_SQ_26_page_that_the_app_serves_has_the_policy_as_a_header(squad):
    shown = squad()
    with shown.window.inside():
        header = "fetch(location.href).then((answer) => answer.headers.get('Content-Security-Policy'))"
        assert shown.window.promise(header) == POLICY
    # In a task of the page itself: the driver's are not subject to the policy.
    shown.script(
        """const inline = document.createElement('script');
           inline.textContent = "try { eval('1'); window.tried = 'ran' } catch (error) { window.tried = error.name }";
           setTimeout(() => document.head.append(inline))"""
    )
    shown.wait_page_equal("tried", "EvalError")
