"""The two-way browser: one test a row of the feature table, seen from the page and from its host's events."""

import socket

import pytest

from harness.browser import Browser
from harness.browsing import Browsing
from harness.pages import page
from harness.processes import BrowserHost
from harness.waiting import until

SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/>"
CALLS = "window.calls = []; window.valueGotFromIOS = (...values) => calls.push(values);"


@pytest.fixture(scope="module")
def browser():
    """One that does not wait for loads: some pages here load for as long as the test wants."""
    browser = Browser(waits_for_loads=False)
    yield browser
    browser.quit()


@pytest.fixture
def browsing(open_window, relay, browser_host):
    """Opens the browser of the shared host in a viewer."""

    def open_browser(**rest) -> Browsing:
        return Browsing(open_window, relay, browser_host.events, **rest).loaded()

    return open_browser


@pytest.fixture
def custom(open_window, relay, app, tmp_path):
    """Opens the browser of a host of its own: `custom("--browser-start", "public")`."""
    hosts: list[BrowserHost] = []

    def open_browser(*options: str) -> Browsing:
        host = BrowserHost(relay.ws, tmp_path, "--browser-app", app, *options)
        hosts.append(host)
        return Browsing(open_window, relay, host.events, app=app).loaded()

    yield open_browser
    for host in hosts:
        host.kill()


@pytest.fixture
def public(custom, put):
    """A browser whose public page is the test's: `public(script=..., head=...)` gives it and the page's URL."""

    def open_browser(script: str = "", **rest) -> tuple[Browsing, str]:
        url = put(script, **rest)
        return custom("--browser-public-url", url), url

    return open_browser


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_WV_01_only_the_bridges_name_reaches_the_delegate(browsing):
    shown = browsing()
    assert shown.page("[typeof webkit.messageHandlers.iOSNative, typeof webkit.messageHandlers.iosNative,"
                      " typeof webkit.messageHandlers.other]") == ["object", "undefined", "undefined"]
    mark = shown.mark()
    shown.post("on the bridge")
    shown.wait_state("lastString", "on the bridge")
    # What a page makes up for itself goes nowhere.
    with pytest.raises(Exception, match="Cannot read properties of undefined"):
        shown.post("elsewhere", handler="other")
    shown.fence()
    assert [entry["value"] for entry in shown.named("received", mark)][:1] == ["on the bridge"]
    assert len(shown.named("received", mark)) == 2


OBJECTS = [
    {"name": "Ana", "score": 7, "note": None},
    {},
    {"deep": {"list": [1, 2.5, "x", None, True, {"k": []}]}},
    {"キー": "値", "emoji": "😀", "rtl": "שלום", "combining": "e\u0301"},
    {"sep": "a\u2028b\u2029c", "nul": "a\u0000b", "tab": "\t"},
    {"big": 9007199254740992},
    # A page's numbers are doubles.
    {"huge": 123456789012345678901234567890.0},
    {"neg": -9223372036854775808.0},
    {"at": "1970-01-01T00:00:00.000Z"},
    {"type": "multibet-event"},
    {"blob": "A" * 4096},
]


def test_WV_02_dictionary_keeps_its_null_members(browsing):
    shown = browsing()
    mark = shown.mark()
    for body in OBJECTS:
        shown.post(body)
    shown.fence()
    received = shown.named("received", mark, kind="json")
    assert [entry["value"] for entry in received] == OBJECTS
    assert shown.states("lastJSON", mark) == OBJECTS
    shown.click("#object-form .button")
    until(
        lambda: shown.view_text("lastJSON") == 'Last JSON value\n{"name": "Ana", "score": 7, "note": null}',
        lambda: str(shown.view_text("lastJSON")),
    )


def test_WV_02_dictionary_of_sixty_levels(browsing):
    shown = browsing()
    nest = 1
    for _ in range(60):
        nest = [nest]
    shown.post({"nest": nest})
    shown.wait_state("lastJSON", {"nest": nest})


def test_WV_03_string_calls_the_string_callback_only(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.click("#text-form .button")
    shown.wait_state("lastString", "hello from page")
    shown.post("")
    shown.wait_state("lastString", "")
    assert shown.states("lastJSON", mark) == []
    assert [entry["kind"] for entry in shown.named("received", mark)] == ["string", "string"]


def test_WV_04_other_bodies_are_dropped_and_counted(browsing):
    shown = browsing()
    mark = shown.mark()
    for chip in range(4):
        shown.script("document.querySelectorAll('.chip')[arguments[0]].click()", chip)
    shown.wait_state("ignoredBodies", 4)
    shown.post([{"name": "Ana"}])
    shown.wait_state("ignoredBodies", 5)
    assert [entry["value"] for entry in shown.named("received", mark, kind="ignored")] == [
        7, True, None, [1, 2, 3], [{"name": "Ana"}],
    ]
    assert shown.states("lastJSON", mark) == [] and shown.states("lastString", mark) == []
    until(lambda: shown.view_text("counts") == "5 ignored", lambda: str(shown.view_text("counts")))


def test_WV_05_string_that_holds_json_stays_a_string(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.post('{"a":1}')
    shown.wait_state("lastString", '{"a":1}')
    assert shown.states("lastJSON", mark) == []


def test_WV_06_value_calls_the_pages_function_once(browsing):
    shown = browsing()
    shown.script(CALLS)
    shown.type_into("value", "hello")
    shown.wait_named("value", text="hello", result="delivered")
    assert shown.page("calls") == [["hello"]]
    # With the button, and the page as it is.
    shown.press_view("reload")
    shown.wait_callbacks("start", "commit", "finish")
    shown.type_into("value", "again", end="")
    shown.press_view("value.send")
    shown.wait_page_equal("[document.getElementById('received').dataset.value,"
                          " document.getElementById('received').dataset.count]", ["again", "1"])


@pytest.mark.parametrize(
    "value",
    [
        "",
        "42",
        "null",
        "it's \"quoted\" \\ back\\slash",
        "line1\nline2\u2028line3\u2029",
        "1);window.__pwned=true;(",
        "`${window.__pwned=true}`",
        "</script><script>window.__pwned=true</script><b>x</b>",
        "👍🏽 ünïcöde e\u0301",
        "a\u0000b",
    ],
)
def test_WV_07_value_arrives_verbatim_and_does_nothing_else(browsing, value):
    shown = browsing()
    shown.script(CALLS)
    shown.act("value", "submit", value)
    shown.wait_named("value", text=value, result="delivered")
    assert shown.page("calls") == [[value]]
    assert shown.page("window.__pwned === undefined && typeof x === 'undefined'") is True


def test_WV_08_missing_function_is_an_error_that_names_it(browsing):
    shown = browsing()
    shown.script("window.kept = valueGotFromIOS; delete window.valueGotFromIOS")
    shown.type_into("value", "lost")
    failed = shown.wait_named("value", text="lost", result="failed")
    assert "valueGotFromIOS" in failed["message"]
    until(lambda: "valueGotFromIOS" in (shown.view_text("error") or ""), lambda: str(shown.view_text("error")))
    # The web view stays usable.
    shown.script("window.valueGotFromIOS = kept")
    shown.type_into("value", "found")
    shown.wait_page_equal("document.getElementById('received').dataset.value", "found")
    shown.post("still here")
    shown.wait_state("lastString", "still here")


def test_WV_09_exception_of_the_page_reaches_the_app(browsing):
    shown = browsing()
    shown.script("window.valueGotFromIOS = () => { throw new RangeError('too much for the page'); }")
    shown.type_into("value", "x")
    failed = shown.wait_named("value", text="x", result="failed")
    assert failed["message"] == "RangeError: too much for the page"
    shown.wait_state("lastError", {"operation": "callingValueGotFromIOS", "message": "RangeError: too much for the page"})


def test_WV_10_values_before_the_page_is_loaded_follow_in_order(public, pages, app):
    picture = f"/{app}-held.svg"
    gate = pages.hold(pages.put(picture, SVG, "image/svg+xml"))
    shown, _ = public(CALLS, body=f"<img src='{picture}' alt=''>")
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_callbacks("start", "commit", since=mark)
    for value in ("a", "b", "c"):
        shown.act("value", "submit", value)
        shown.wait_named("value", text=value, result="waiting")
    assert shown.page("calls") == []
    until(lambda: shown.view_text("counts") == "3 waiting", lambda: str(shown.view_text("counts")))
    gate.set()
    shown.wait_named("value", text="c", result="delivered")
    assert shown.page("calls") == [["a"], ["b"], ["c"]]
    assert shown.states("waitingValues", mark) == [1, 2, 3, 0]


def test_WV_11_one_delivery_after_reloads(browsing):
    shown = browsing()
    for _ in range(3):
        mark = shown.mark()
        shown.press_view("reload")
        shown.wait_callbacks("start", "commit", "finish", since=mark)
    mark = shown.mark()
    shown.type_into("value", "once")
    shown.wait_page_equal("document.getElementById('received').dataset.value", "once")
    shown.fence()
    assert shown.page("document.getElementById('received').dataset.count") == "1"
    assert [entry["result"] for entry in shown.named("value", mark)] == ["delivered"]


def test_WV_12_title_is_published_with_its_page(browsing):
    shown = browsing()
    title = shown.wait_named("titlePublished")
    assert title["text"] == "Local website" and title["url"].endswith("/www/LocalWebsite.html")
    shown.window.wait_equal("document.getElementById('navigation-title').textContent", "Local website")
    shown.click("#link-second")
    title = shown.wait_named("titlePublished", count=2)
    assert title["text"] == "Second local page" and title["url"].endswith("/www/second.html")
    shown.window.wait_equal("document.getElementById('navigation-title').textContent", "Second local page")


@pytest.mark.parametrize("title", ["<title></title>", ""])
def test_WV_13_empty_or_missing_title_is_published_empty(custom, pages, relay, app, title):
    text = page(relay.http, app).replace(f"<title>{app}</title>", title)
    assert app + "</title>" not in text
    url = pages.put(f"/{app}.html", text)
    shown = custom("--browser-public-url", url)
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_named("titlePublished", since=mark, text="", url=url)
    shown.wait_state("title", {"text": "", "url": url})


def test_WV_14_loader_is_on_at_start_and_commit(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    assert [(entry["value"], entry["cause"]) for entry in shown.named("loader", mark)][:2] == [
        (True, "start"), (True, "commit"),
    ]


def test_WV_15_loader_is_off_at_finish(public, pages, app):
    picture = f"/{app}-held.svg"
    gate = pages.hold(pages.put(picture, SVG, "image/svg+xml"))
    shown, _ = public(body=f"<img src='{picture}' alt=''>")
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_state("isLoading", True)
    shown.window.wait("!document.querySelector('[data-view=\"loader\"]').hidden")
    gate.set()
    shown.wait_state("isLoading", False)
    shown.window.wait("document.querySelector('[data-view=\"loader\"]').hidden")
    assert [(entry["value"], entry["cause"]) for entry in shown.named("loader", mark)][-1] == (False, "finish")


@pytest.mark.console("ERR_CONTENT_LENGTH_MISMATCH")
def test_WV_16_loader_is_off_when_the_body_is_cut(custom, pages, put):
    """Chromium tells a page nothing of the end of its own transfer, so the page's standstill has to show it."""
    url = put(body="<p>begun</p>" + "x" * 8192)
    gate = pages.cut(url, 3000)
    shown = custom("--browser-public-url", url, "--browser-load-timeout", "1")
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_callbacks("start", "commit", since=mark)
    gate.set()
    shown.wait_callbacks("start", "commit", "fail", since=mark)
    shown.wait_state("isLoading", False)
    shown.wait_state("lastError", {"operation": "loading", "message": "The request timed out."})
    # The app's values wait for a whole page, while what the page has is used.
    shown.type_into("value", "for a whole page")
    shown.wait_named("value", result="waiting")
    shown.script("webkit.messageHandlers.iOSNative.postMessage('half a page')")
    shown.wait_state("lastString", "half a page")


@pytest.mark.console("ERR_CONNECTION_REFUSED")
def test_WV_17_loader_is_off_when_nothing_answers(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.type_into("address", f"http://127.0.0.1:{closed_port()}/")
    shown.wait_callbacks("start", "failProvisional", since=mark)
    shown.wait_state("isLoading", False)
    shown.wait_state("lastError", {"operation": "loading", "message": "Could not connect to the server."})
    # The page before is still there.
    shown.type_into("value", "still here")
    shown.wait_page_equal("document.getElementById('received').dataset.value", "still here")


def test_WV_18_loader_is_off_when_the_tab_is_gone(public, pages, app):
    picture = f"/{app}-held.svg"
    pages.hold(pages.put(picture, SVG, "image/svg+xml"))
    shown, _ = public(body=f"<img src='{picture}' alt=''>")
    shown.press_view("website.public")
    shown.wait_state("isLoading", True)
    shown.window.close()
    # The session outlives a tab for ten seconds, in which a reload would have come.
    shown.wait_named("loader", value=False, cause="terminate", predicate=None)
    shown.wait_state("isLoading", False)


def test_WV_19_back(browsing):
    shown = browsing()
    shown.click("#link-second")
    shown.wait_state("canGoBack", True)
    mark = shown.mark()
    shown.press_view("back")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_page_equal("document.title", "Local website")
    shown.wait_state("canGoBack", False)
    assert shown.state("url").endswith("/www/LocalWebsite.html")


def test_WV_20_forward(browsing):
    shown = browsing()
    shown.click("#link-second")
    shown.wait_state("canGoBack", True)
    shown.press_view("back")
    shown.wait_state("canGoForward", True)
    mark = shown.mark()
    shown.press_view("forward")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_page_equal("document.title", "Second local page")
    shown.wait_state("canGoForward", False)
    assert shown.state("url").endswith("/www/second.html")


def test_WV_21_impossible_steps_do_nothing(browsing):
    shown = browsing()
    assert shown.window.value("['back', 'forward'].map((view) => document.querySelector(`[data-view=${view}]`).disabled)") == [True, True]
    mark = shown.mark()
    shown.act("back")
    shown.act("forward")
    shown.wait_named("command", since=mark, count=2)
    shown.fence()
    assert [entry["result"] for entry in shown.named("command", mark)] == ["impossible", "impossible"]
    assert shown.callbacks(mark) == [] and shown.named("error", mark) == []


def test_WV_22_reload(browsing):
    shown = browsing()
    assert shown.page("document.getElementById('loads').dataset.count") == "1"
    url = shown.state("url")
    mark = shown.mark()
    shown.press_view("reload")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_page_equal("document.getElementById('loads').dataset.count", "2")
    assert shown.state("url") == url


def test_WV_23_commands_before_the_first_load_are_ignored(open_window, relay, app, tmp_path, pages, put):
    picture = f"/{app}-held.svg"
    gate = pages.hold(pages.put(picture, SVG, "image/svg+xml"))
    url = put(body=f"<img src='{picture}' alt=''>")
    host = BrowserHost(relay.ws, tmp_path, "--browser-app", app, "--browser-public-url", url, "--browser-start", "public")
    try:
        shown = Browsing(open_window, relay, host.events, app=app)
        shown.window.attached()
        shown.window.wait("document.querySelector('iframe[name=pagebridge]')")
        shown.session = shown.content_session()
        shown.wait_callbacks("start", "commit")
        for command in ("back", "forward"):
            shown.act(command)
        shown.wait_named("command", count=2)
        gate.set()
        shown.wait_callbacks("start", "commit", "finish")
        assert [entry["result"] for entry in shown.named("command")] == ["impossible", "impossible"]
        assert shown.named("error") == [] and shown.callbacks() == ["start", "commit", "finish"]
    finally:
        host.kill()


def test_WV_24_restricted_host_is_cancelled(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.script("window.same = true")
    shown.click("#link-restricted")
    shown.wait_named("policy", since=mark, decision="cancel", url="http://restricted.com/")
    shown.fence()
    assert shown.page("window.same") is True
    assert shown.callbacks(mark) == []
    until(lambda: shown.view_text("error") == "restricted.com is blocked", lambda: str(shown.view_text("error")))


@pytest.mark.parametrize(
    "address",
    ["http://WWW.Restricted.COM./", "http://RESTRICTED.com/a?b#c", "http://restricted.com./", "https://a.b.restricted.com:8443/"],
)
def test_WV_25_sub_domains_and_spellings_of_the_restricted_host(browsing, address):
    shown = browsing()
    mark = shown.mark()
    shown.script("window.same = true")
    shown.follow(address)
    shown.wait_named("policy", since=mark, decision="cancel")
    shown.fence()
    assert shown.page("window.same") is True
    # The app itself does not go there either.
    mark = shown.mark()
    shown.type_into("address", address)
    shown.wait_named("policy", since=mark, decision="cancel")
    shown.fence()
    assert shown.callbacks(mark) == [] and shown.page("window.same") is True


def test_WV_25_other_host_with_that_ending_is_allowed(browsing, pages, app):
    shown = browsing()
    pages.put(f"/{app}.html", "<!DOCTYPE html><title>Not restricted</title>")
    url = f"http://notrestricted.com:{pages.port}/{app}.html"
    mark = shown.mark()
    shown.follow(url)
    shown.wait_named("policy", since=mark, decision="allow", url=url)
    shown.wait_page_equal("document.title", "Not restricted")


def test_WV_26_other_pages_load_normally(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.click("#link-public")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_named("policy", since=mark, decision="allow")
    shown.wait_page_equal("document.title", "Public page")
    assert shown.state("url").endswith("/pages/browser/home.html")


def test_WV_27_addresses_without_a_host_are_allowed(browsing):
    shown = browsing()
    mark = shown.mark()
    shown.type_into("address", "about:blank")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_named("policy", since=mark, decision="allow", url="about:blank")
    shown.wait_state("url", "about:blank")
    shown.press_view("back")
    shown.wait_page_equal("document.title", "Local website")
    mark = shown.mark()
    shown.follow("data:text/html,<title>data</title>here")
    shown.wait_named("policy", since=mark, decision="allow", predicate=lambda entry: entry["url"].startswith("data:"))
    shown.wait_page_equal("document.title", "data")


@pytest.mark.console("404")
def test_WV_28_local_page_reads_its_folder_and_nothing_above(browsing):
    shown = browsing()
    assert shown.state("url").startswith("file:///")
    shown.click("#read-files")
    shown.wait_page_equal("document.getElementById('sibling').textContent", "Read from www/sibling.txt")
    shown.wait_page_equal("document.getElementById('parent').textContent", "Not readable")
    for path in ("../index.html", "%2e%2e/index.html", "..%2findex.html", "..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd"):
        with shown.window.inside():
            assert shown.window.promise(f"fetch('{path}').then((answer) => answer.status)") == 404


def test_WV_29_public_page_of_another_server(public):
    shown, url = public()
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_state("url", url)
    shown.wait_page_equal("location.href", url)
    shown.script("webkit.messageHandlers.iOSNative.postMessage('from elsewhere')")
    shown.wait_state("lastString", "from elsewhere")


def test_WV_30_website_is_loaded_once_and_only_when_it_changes(public, pages, app):
    shown, url = public(CALLS)
    mark = shown.mark()
    shown.press_view("website.public")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_state("url", url)
    requests = pages.requests.count(f"/{app}.html")
    mark = shown.mark()
    shown.script("window.same = true")
    # State changes of every kind, and the same wish again.
    shown.script("webkit.messageHandlers.iOSNative.postMessage('x')")
    shown.wait_state("lastString", "x")
    shown.type_into("value", "y")
    shown.wait_page_equal("calls", [["y"]])
    shown.press_view("website.public")
    shown.window.click("#rotate-left")
    shown.orientation("landscape-left")
    shown.fence()
    assert shown.named("load", mark) == [] and shown.callbacks(mark) == []
    assert shown.page("window.same") is True
    assert pages.requests.count(f"/{app}.html") == requests
    assert [entry["website"] for entry in shown.named("load")] == ["local", "public"]


def test_WV_31_gestures_and_scrolling_are_on(browsing):
    shown = browsing()
    assert shown.state("allowsBackForwardNavigationGestures") is True
    assert shown.state("isScrollEnabled") is True
    frame = shown.window.value("(() => { const each = document.querySelector('iframe[name=pagebridge]').getBoundingClientRect(); return [each.x + each.width / 2, each.y + each.height / 2]; })()")
    shown.window.cdp("Input.dispatchMouseEvent", type="mouseWheel", x=frame[0], y=frame[1], deltaX=0, deltaY=300)
    shown.wait_page("scrollY > 0")


def test_WV_32_script_switch_is_told_and_has_no_further_effect(custom):
    """A browser page cannot be kept from running its scripts: documented as a difference from WebKit."""
    shown = custom("--browser-javascript", "false")
    assert shown.state("allowsContentJavaScript") is False
    shown.wait_page("document.getElementById('preview').textContent.startsWith('{')")


def test_WV_33_view_that_was_let_go_does_nothing_more(browsing):
    shown = browsing()
    shown.press_view("openOrClose")
    shown.window.wait("document.querySelector('iframe[name=pagebridge]') === null")
    shown.wait_named("released")
    shown.wait_state("isOpen", False)
    mark = shown.mark()
    for view in ("back", "forward", "reload", "value.send"):
        shown.act(view)
    shown.act("value", "submit", "late")
    # Made anew, it has handlers and subscriptions once.
    shown.press_view("openOrClose")
    old = shown.session
    shown.window.wait("document.querySelector('iframe[name=pagebridge]')")
    assert shown.named("value", mark) == [] and shown.named("command", mark) == []
    shown.loaded()
    assert shown.session != old
    shown.script(CALLS)
    shown.type_into("value", "once")
    shown.wait_named("value", text="once", result="delivered")
    shown.post("once")
    shown.wait_state("lastString", "once")
    assert shown.page("calls") == [["once"]]
    assert len(shown.named("received")) == 1 and len(shown.named("value")) == 1


def test_WV_34_one_coordinator_hears_everything(browsing):
    shown = browsing()
    shown.post("x")
    shown.click("#link-second")
    shown.wait_state("canGoBack", True)
    numbers = {
        event: {entry["coordinator"] for entry in shown.named(event)}
        for event in ("received", "navigationCallback", "policy")
    }
    assert all(len(each) == 1 for each in numbers.values()), numbers
    assert len(set.union(*numbers.values())) == 1, numbers


def test_start_page_and_index_lead_to_the_browser(open_window, relay, browser_host):
    window = open_window(f"{relay.http}/pages/browser/", size=(390, 800))
    window.wait("location.pathname.startsWith('/s/') && document.title === 'Local website'")
    window.attached()
    assert window.value("document.documentElement.scrollWidth <= innerWidth")
    window.go(f"{relay.http}/")
    window.wait("document.querySelector('.card[data-app=browser] a[href=\"/pages/browser/\"]')")
    assert window.value("document.querySelector('.card[data-app=browser] .card-names').textContent") == "Two-way browser"
