"""Frames of the page's origin that have no tag of their own: bridge, user scripts, evaluation, policy."""

import pytest
from harness.processes import ProbeError
from harness.values import typed

# Says who it is, each time it runs; `ready` is what the document was like.
HELLO = "webkit.messageHandlers.iOSNative.postMessage([{!r}, location.pathname, document.readyState])"
SCRIPTS = [
    {"source": HELLO.format("start"), "time": "start", "mainFrameOnly": False},
    {"source": HELLO.format("end"), "time": "end", "mainFrameOnly": False},
    {"source": "window.mainOnly = 1", "time": "start", "mainFrameOnly": True},
]


@pytest.fixture
def framed(probe, put, open_window):
    """A page with this body whose host has user scripts of all frames: `framed(body)` gives host and window."""

    def make(body: str = "", script: str = "", scripts=SCRIPTS):
        host = probe(handlers=["iOSNative"], scripts=scripts)
        window = open_window(put(script, body=body))
        window.attached()
        return host, window

    return make


def told(host, label: str, path: str, count: int = 1, main: bool = False) -> dict:
    """The message of a user script in a frame at that path."""

    def fits(entry) -> bool:
        body = entry["body"].get("value")
        if not isinstance(body, list) or entry["isMainFrame"] != main:
            return False
        return [each["value"] for each in body[:2]] == [label, path]

    return host.journal.wait(fits, event="received", count=count)


def once(host, label: str, path: str) -> None:
    """That script has run in the frame, and not twice: what the frame's page says now comes behind all of them."""
    told(host, label, path)
    host.evaluate("0")
    bodies = [entry["body"]["value"] for entry in host.messages("iOSNative") if entry["body"]["kind"] == "array"]
    assert [[each["value"] for each in body[:2]] for body in bodies].count([label, path]) == 1


@pytest.fixture
def plain(pages, app):
    """Serves a document without the tag and gives its path: `plain(markup)`."""

    def serve(markup: str = "", path: str = "/inner", **headers) -> str:
        html = f"<!DOCTYPE html><html><head><title>inner</title></head><body>{markup}</body></html>"
        return pages.put(f"/{app}{path}.html", html, **headers).removeprefix(pages.origin)

    return serve


SEEN = "<script>window.seen = typeof webkit + typeof mainOnly</script>"


def test_frame_with_an_address_has_bridge_and_scripts_before_its_own(framed, plain, pages):
    path = plain(SEEN)
    host, window = framed(f"<iframe src='{path}'></iframe>")
    start = told(host, "start", path)
    assert start["url"] == pages.origin + path
    assert start["origin"] == pages.origin
    once(host, "start", path)
    once(host, "end", path)
    assert window.value("frames[0].mainOnly === undefined")
    assert window.value("frames[0].seen") == "objectundefined"
    host.do("evaluateIn", source="window.mark = document.title", frame="last")
    assert window.value("frames[0].mark") == "inner"
    assert host.do("callAsync", source="return await Promise.resolve([location.pathname, a])", arguments={"a": 1}, frame="last") == typed([path, 1])


@pytest.mark.parametrize("markup, address", [
    ("<iframe></iframe>", "about:blank"),
    ("<iframe src='about:blank'></iframe>", "about:blank"),
    (f'<iframe srcdoc="<p>a</p>{SEEN}"></iframe>', "about:srcdoc"),
])
def test_frame_without_an_address_has_the_origin_of_its_page(framed, markup, address, pages):
    host, window = framed(markup)
    path = address.partition(":")[2]
    start = told(host, "start", path)
    assert (start["url"], start["origin"]) == (address, pages.origin)
    once(host, "start", path)
    once(host, "end", path)
    assert window.value("frames[0].seen || 'objectundefined'") == "objectundefined"
    assert host.do("evaluateIn", source="location.href", frame="last") == typed(address)


def test_frame_that_a_script_makes_has_its_bridge_at_once(framed):
    host, window = framed()
    kinds = window.js("""
        const frame = document.createElement('iframe');
        document.body.append(frame);
        frame.contentWindow.eval("webkit.messageHandlers.iOSNative.postMessage('made')");
        return [typeof frame.contentWindow.webkit, typeof frame.contentWindow.mainOnly]""")
    assert kinds == ["object", "undefined"]
    once(host, "start", "blank")
    entry = host.journal.wait(event="received", body=typed("made"))
    assert entry["isMainFrame"] is False
    # Written anew the document is the same, and keeps its bridge.
    window.js("""
        const inner = frames[0].document;
        inner.open();
        inner.write("<script>webkit.messageHandlers.iOSNative.postMessage('written')</script><iframe srcdoc=x></iframe>");
        inner.close()""")
    assert host.journal.wait(event="received", body=typed("written"))["isMainFrame"] is False
    told(host, "start", "srcdoc")
    window.js("document.querySelector('iframe').remove()")
    with pytest.raises(ProbeError) as caught:
        host.do("evaluateIn", source="1", frame="last")
    assert caught.value.error["code"] == 12


def test_frame_gets_its_bridge_again_after_each_navigation(framed, plain, pages):
    first, second = plain(SEEN), plain(SEEN, path="/second")
    host, window = framed(f"<iframe src='{first}'></iframe>")
    told(host, "end", first)
    window.js("frames[0].location.reload()")
    told(host, "end", first, count=2)
    window.js("frames[0].location.href = arguments[0]", second)
    entry = told(host, "end", second)
    assert entry["url"] == pages.origin + second
    assert window.value("frames[0].seen") == "objectundefined"
    assert host.do("evaluateIn", source="location.pathname", frame="last") == typed(second)
    window.js("document.querySelector('iframe').srcdoc = '<p>text'")
    told(host, "end", "srcdoc")
    # Its element in another place begins anew.
    window.js("document.body.append(document.createElement('div')); document.querySelector('div').append(document.querySelector('iframe'))")
    told(host, "end", "srcdoc", count=2)


def test_frame_that_an_empty_one_becomes_has_its_bridge(framed, plain):
    path = plain(SEEN)
    host, window = framed("<iframe></iframe>")
    told(host, "end", "blank")
    window.js("document.querySelector('iframe').src = arguments[0]", path)
    once(host, "start", path)
    once(host, "end", path)
    assert window.value("frames[0].seen") == "objectundefined"


def test_frames_inside_frames_take_part(framed, plain):
    inner = plain(f"{SEEN}<iframe srcdoc='deep'></iframe>")
    host, window = framed(f"<iframe src='{inner}'></iframe>")
    once(host, "end", "srcdoc")
    assert host.do("evaluateIn", source="[top === parent.parent, document.body.textContent]", frame="last") == typed([True, "deep"])
    host.do("addHandler", name="late")
    window.wait("typeof frames[0].frames[0].webkit.messageHandlers.late === 'object'")
    window.js("frames[0].frames[0].eval(\"webkit.messageHandlers.late.postMessage('deep')\")")
    assert host.received("late")["isMainFrame"] is False


def test_frame_with_a_tag_of_its_own_has_the_bridge_once(framed, plain, put, relay, app):
    tagged = put("webkit.messageHandlers.iOSNative.postMessage('own')", path="/tagged")
    other = plain(f"<script src='{relay.http}/bridge.js' data-app='another'></script><script>window.kind = typeof webkit</script>", "/other")
    host, window = framed(f"<iframe src='{tagged}'></iframe><iframe src='{other}'></iframe>")
    window.wait("frames[0].document.readyState === 'complete' && frames[1].kind")
    assert host.journal.wait(event="received", body=typed("own"))["isMainFrame"] is False
    once(host, "start", f"/{app}/tagged.html")
    once(host, "end", f"/{app}/tagged.html")
    assert len(host.journal.matching(event="received", body=typed("own"))) == 1
    # A frame of another app is none of this page's.
    assert window.value("Object.getOwnPropertyNames(frames[1].webkit?.messageHandlers ?? {})") == []


@pytest.mark.console("Content Security Policy")
def test_what_the_tag_of_a_frame_restricts_counts(framed, put):
    tagged = put(attributes='data-evaluate="none"', path="/tagged", body="<p>")
    host, window = framed(f"<iframe src='{tagged}'></iframe>")
    window.wait("frames[0].document.readyState === 'complete'")
    window.js("frames[0].eval(\"webkit.messageHandlers.iOSNative.postMessage('last')\")")
    host.journal.wait(event="received", body=typed("last"))
    with pytest.raises(ProbeError) as caught:
        host.do("evaluateIn", source="1", frame="last")
    assert caught.value.error["code"] == -32001


@pytest.mark.console("Blocked script execution", "sandboxed")
def test_foreign_and_sandboxed_frames_stay_as_they_are(framed, plain, elsewhere, app):
    foreign = elsewhere.put(f"/{app}/foreign.html", "<!DOCTYPE html><script>parent.postMessage([typeof webkit, '' + self.onerror], '*')</script>")
    path = plain(SEEN)
    host, window = framed(
        f"<iframe src='{foreign}'></iframe><iframe sandbox='allow-scripts' src='{path}'></iframe>"
        f"<iframe sandbox='allow-same-origin' src='{path}'></iframe><iframe sandbox srcdoc='x'></iframe>",
        "window.said = []; addEventListener('message', (event) => said.push(event.data));",
    )
    window.wait("said.length === 1 && document.readyState === 'complete'")
    assert window.value("said") == [["undefined", "null"]]
    assert window.value("errors") == []
    assert window.value("typeof frames[2].webkit") == "undefined"
    host.evaluate("0")
    assert [entry for entry in host.messages() if not entry["isMainFrame"]] == []


@pytest.mark.console("Content Security Policy")
@pytest.mark.parametrize("policy", ["script-src RELAY", "script-src 'unsafe-inline'", "script-src 'unsafe-eval'"])
def test_policy_of_a_frame_decides_how_the_bridge_comes(policy, framed, plain, relay):
    path = plain("<p>policed", **{"Content-Security-Policy": policy.replace("RELAY", relay.http)})
    host, window = framed(f"<iframe src='{path}'></iframe>")
    window.wait("typeof frames[0].webkit === 'object'")
    if "RELAY" not in policy:
        once(host, "start", path)
        once(host, "end", path)
    window.js("frames[0].webkit.messageHandlers.iOSNative.postMessage('own')")
    assert host.journal.wait(event="received", body=typed("own"))["isMainFrame"] is False
    assert host.do("evaluateIn", source="location.pathname", frame="last") == typed(path)


TAMPERED = """
    for (const type of [Document, Element, Node, HTMLIFrameElement, MutationObserver, MutationRecord, NodeList, EventTarget, WeakMap]) {
      for (const name of Object.getOwnPropertyNames(type.prototype)) {
        if (/^(documentElement|contentDocument|contentWindow|querySelectorAll|createElement|createElementNS|appendChild|remove|setAttribute|getAttribute|addedNodes|removedNodes|length|localName|nodeType|observe|defaultView|URL|get|set|delete|addEventListener|firstElementChild)$/.test(name)) {
          Object.defineProperty(type.prototype, name, {configurable: true, get() { throw new Error('tampered ' + name) }, set() {}});
        }
      }
    }
    Function.prototype.toString = () => { throw new Error('tampered') };
    window.MutationObserver = window.WeakMap = function () { throw new Error('tampered') };
"""


def test_page_that_changes_its_globals_does_not_keep_the_bridge_from_its_frames(framed):
    script = f"""
        const append = Node.prototype.appendChild, create = document.createElement.bind(document);
        const body = () => document.body, view = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentWindow').get;
        window.make = () => {{ const frame = create('iframe'); append.call(body(), frame); return view.call(frame); }};
        {TAMPERED}"""
    host, window = framed("", script)
    host.evaluate("make().eval(\"webkit.messageHandlers.iOSNative.postMessage('made')\"); 0")
    assert host.journal.wait(event="received", body=typed("made"))["isMainFrame"] is False
    assert host.do("evaluateIn", source="6*7", frame="last") == typed(42)


LINKS = """<a id=link href='{0}'>link</a><form id=form action='{0}'><button id=send name=b value=1>send</button></form>"""


@pytest.mark.parametrize("kind, act", [
    (0, "frames[0].document.getElementById('link').click()"),
    (1, "frames[0].document.getElementById('send').click()"),
    (-1, "frames[0].location.href = arguments[0]"),
    (-1, "document.querySelector('iframe').src = arguments[0]"),
], ids=["link", "form", "script", "element"])
def test_navigation_of_a_frame_asks_the_delegate(kind, act, framed, plain, pages):
    target = plain("<p>target", "/target")
    path = plain(LINKS.format(target))
    host, window = framed(f"<iframe src='{path}'></iframe>")
    told(host, "end", path)
    host.journal.wait(event="navigation", phase="finished")
    mark = host.journal.mark()
    host.do("cancel", prefixes=[pages.origin + target])
    window.js(act, target)
    asked = host.journal.wait(event="policy", allowed=False)
    assert asked["url"].startswith(pages.origin + target) and asked["type"] == kind
    assert (asked["sourceIsMain"], asked["targetIsMain"]) == (False, False)
    assert asked["targetURL"] == pages.origin + path
    # The answer has come when the next one has.
    assert host.do("evaluateIn", source="location.pathname", frame="last") == typed(path)
    assert window.value("frames[0].location.pathname") == path
    host.do("cancel", prefixes=[])
    window.js(act, target)
    told(host, "end", target)
    assert host.journal.matching(event="policy", allowed=True)
    # The page itself has gone nowhere.
    assert host.journal.matching(event="navigation", since=mark) == []


def test_navigation_of_a_frame_without_a_delegate_that_is_asked_goes_on(framed, plain):
    target = plain("<p>target", "/target")
    path = plain(LINKS.format(target))
    host, window = framed(f"<iframe src='{path}'></iframe>")
    told(host, "end", path)
    host.do("delegate", kind="quiet")
    host.evaluate("0")
    window.js("frames[0].document.getElementById('link').click()")
    told(host, "end", target)
    assert host.journal.matching(event="policy") == []
