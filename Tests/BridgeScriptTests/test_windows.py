"""window.open, links to windows of their own, window.close."""

import pytest

ASKS = {"uiDelegate": True, "opensWindows": True}


def only(relay):
    (body,) = relay.dialogs
    return body


def new_handle(tab, before):
    """The handle of the tab that has been opened since."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(tab.browser, 10, 0.02).until(
        lambda driver: next((each for each in driver.window_handles if each not in before), None))


def test_openLooksLikeTheBrowsersOwn(relay, tab):
    shape = """return ['open', 'close'].map((name) => {
          const own = Object.getOwnPropertyDescriptor(window, name);
          return [own.value.name, own.value.length, own.writable, own.enumerable, own.configurable, 'prototype' in own.value] })"""
    tab.browser.get(relay.url + "/blank")
    native = tab.run(shape)
    relay.add_host(settings=ASKS)
    tab.open()
    assert tab.run(shape) == native


@pytest.mark.parametrize("call, url, target, features", [
    ("open()", "about:blank", "_blank", ""),
    ("open('')", "about:blank", "_blank", ""),
    ("open('second?a=1#b')", "{base}/second?a=1#b", "_blank", ""),
    ("open(undefined, undefined, undefined)", "about:blank", "_blank", ""),
    ("open('//other.test/x', 'name', 'width=10, height=20')", "http://other.test/x", "name", "width=10, height=20"),
    ("open(new URL('/u', location))", "{base}/u", "_blank", ""),
    ("open('custom:thing')", "custom:thing", "_blank", ""),
])
def test_theHostIsToldWhatIsToBeOpened(relay, tab, call, url, target, features):
    relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: {"value": None}
    assert tab.run("return " + call) is None
    body = only(relay)
    assert (body["kind"], body["text"], body["target"], body["features"]) == ("open", url.format(base=relay.url), target, features)
    assert len(tab.browser.window_handles) == 1


def test_withoutADelegateNothingIsOpened(relay, tab):
    relay.add_host(settings={"uiDelegate": False, "opensWindows": True})
    tab.open()
    assert tab.run("return open('/x')") is None
    assert relay.dialogs == [] and len(tab.browser.window_handles) == 1


def test_whatIsNoAddressThrows(relay, tab):
    relay.add_host(settings=ASKS)
    tab.open()
    assert tab.run("try { open('http://[') } catch (error) { return [error.name, error instanceof DOMException] }") == ["SyntaxError", True]
    assert tab.run("try { open(Symbol()) } catch (error) { return error.name }") == "TypeError"
    assert relay.dialogs == []


def test_aScriptWithoutAGestureOpensNothingUnlessItMay(relay, tab, engine):
    host = relay.add_host(settings={"uiDelegate": True, "opensWindows": False})
    tab.open(head="<script>window.early = open('/x')</script>")
    assert tab.run("return early") is None and relay.dialogs == []
    # A script of the host counts as a gesture, as in WebKit.
    relay.answer_dialog = lambda body: {"value": None}
    assert host.evaluate("open('/y')") is None
    assert [body["text"] for body in relay.dialogs] == [relay.url + "/y"]


@pytest.mark.parametrize("target", ["_self", "_SELF", "_top", "_parent", "inner"])
def test_targetsThatAreThereAreTheBrowsersAffair(relay, tab, target):
    relay.add_host(settings=ASKS)
    relay.pages["/second"] = ("text/html", "<!doctype html>second", {})
    tab.open('<iframe name="inner"></iframe>')
    tab.run("void open('/second', arguments[0])", target)
    if target == "inner":
        tab.wait_run("return frames[0].location.pathname === '/second'")
    else:
        tab.wait_at("/second")
    assert relay.dialogs == []


def test_theBrowserOpensATabForTheViewAndThePageGetsWhatStandsForIt(relay, tab):
    host = relay.add_host(settings=ASKS)
    relay.pages["/view"] = ("text/html", "<!doctype html><script>window.hadOpener = opener !== null</script>", {})
    tab.open()
    relay.answer_dialog = lambda body: {"value": {"window": "W1", "url": relay.url + "/view"}}
    before = tab.browser.window_handles
    assert tab.run("""
        window.w = open('/asked');
        return [typeof w, w === window, w.closed, w.opener, 'document' in w]""") == ["object", False, False, None, False]
    handle = new_handle(tab, before)
    tab.browser.switch_to.window(handle)
    tab.wait_at("/view")
    assert tab.run("return opener") is None
    tab.browser.switch_to.window(before[0])
    tab.run("w.location = 'one'; w.location.href = '/two'; w.location.assign('three'); w.location.replace('http://other.test/')")
    relay.wait(lambda: len(host.windows) == 4)
    assert host.windows == [
        ("windowLoad", {"window": "W1", "url": url})
        for url in (relay.url + "/one", relay.url + "/two", relay.url + "/three", "http://other.test/")
    ]
    tab.run("w.focus(); w.blur(); w.close()")
    relay.wait(lambda: host.windows[-1] == ("windowClose", {"window": "W1"}))
    tab.wait_run("return w.closed")
    assert tab.browser.window_handles == before


def test_aViewOnTheSameScreenNeedsNoTab(relay, tab):
    host = relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: {"value": {"window": "W1"}}
    assert tab.run("window.w = open('/asked'); return w.closed") is False
    assert len(tab.browser.window_handles) == 1
    host.notify("windowClosed", {"window": "W1"})
    tab.wait_run("return w.closed")


@pytest.mark.parametrize("features, is_null", [
    ("noopener", True), ("width=1,NoReferrer", True), ("noopener=1", True), ("noopener=0", False), ("width=1", False),
])
def test_noopenerGivesNothing(relay, tab, features, is_null):
    relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: {"value": {"window": "W1"}}
    assert tab.run("return open('/asked', '_blank', arguments[0]) === null", features) is is_null


def test_addressesThatAreTooLongAreRefused(relay, tab):
    relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: {"value": {"window": "W1"}}
    room = 16384 - 2 - len(relay.url + "/")
    got = tab.run("return [0, 1].map((more) => open('/' + 'x'.repeat(arguments[0] + more)) === null)", room)
    assert got == [False, True]
    assert len(only(relay)["text"]) == 16382


def click(tab):
    tab.run("document.querySelector('a').click()")


@pytest.mark.parametrize("markup", [
    '<a href="/linked" target="_blank">x</a>', '<a href="/linked" target="elsewhere"><b>x</b></a>',
    '<base target="_blank"><a href="/linked">x</a>',
])
def test_linksToOtherWindowsAskTheHost(relay, tab, markup):
    host = relay.add_host(settings=ASKS)
    relay.pages["/view"] = ("text/html", "<!doctype html>", {})
    host.answer_open = lambda params: {"window": "W1", "url": relay.url + "/view"}
    tab.open(markup)
    before = tab.browser.window_handles
    click(tab)
    handle = new_handle(tab, before)
    tab.browser.switch_to.window(handle)
    tab.wait_at("/view")
    tab.browser.switch_to.window(before[0])
    ((method, params),) = host.windows
    assert method == "open" and params["url"] == relay.url + "/linked" and params["frame"]["main"] is True


def test_linksThatNobodyOpensDoNothing(relay, tab):
    host = relay.add_host(settings={"uiDelegate": False, "asksNavigation": True})
    tab.open('<a href="/linked" target="_blank">x</a>')
    click(tab)
    relay.wait(lambda: host.windows, what="the question")
    host.settings = {"uiDelegate": False, "asksNavigation": False}
    host.configure(host.handlers)
    host.evaluate("document.querySelector('a').click()")
    host.evaluate("1")
    assert len(host.windows) == 1 and len(tab.browser.window_handles) == 1


def test_linksOfAPageThatPreventsThemOrWithoutAHostAreNotTouched(relay, tab):
    tab.open('<a href="/linked" target="_blank">x</a>', attributes='data-late="keep"')
    assert tab.run("""
        let prevented = null;
        addEventListener('click', (event) => { prevented = event.defaultPrevented; event.preventDefault(); });
        document.querySelector('a').click();
        return prevented""") is False
    host = relay.add_host(settings=ASKS)
    tab.open('<a href="/linked" target="_blank">x</a>', path="/other")
    tab.run("""document.querySelector('a').addEventListener('click', (event) => event.preventDefault());
        document.querySelector('a').click()""")
    assert host.evaluate("1") == 1 and host.windows == []


def test_framesOpenWindowsThroughThePage(relay, tab):
    host = relay.add_host(settings=ASKS)
    inner = tab.page('<a href="/linked" target="_blank">x</a>', path="/inner")
    tab.open('<iframe src="%s"></iframe>' % inner)
    tab.wait_run("return frames[0] && frames[0].document.readyState === 'complete'")
    relay.answer_dialog = lambda body: {"value": {"window": "W1"}}
    assert tab.run("window.w = frames[0].open('asked'); return w.closed") is False
    assert only(relay)["frame"]["main"] is False and only(relay)["text"] == relay.url + "/asked"
    tab.run("frames[0].document.querySelector('a').click()")
    relay.wait(lambda: host.windows)
    assert host.windows[0][1]["frame"]["main"] is False
    host.notify("windowClosed", {"window": "W1"})
    tab.wait_run("return w.closed")


def test_onlyAWindowThatAPageHasOpenedTellsThatItIsClosed(relay, tab):
    host = relay.add_host(settings={**ASKS, "openedByScript": False})
    tab.open()
    tab.run("close()")
    assert host.evaluate("1") == 1 and host.windows == []
    host.settings = {**ASKS, "openedByScript": True}
    host.configure(host.handlers)
    host.evaluate("1")
    tab.run("close()")
    relay.wait(lambda: host.windows == [("windowClose", {})])
