"""Windows that a page opens: in a tab the browser opens another one, in a viewer the same screen shows another view."""

import pytest

from harness.values import typed
from harness.viewer import Viewer
from harness.waiting import until


def delegate(host, view=1, **members):
    """Sets the view's delegate, and returns when its page knows."""
    host.do("dialogs", view=view, **members)
    host.evaluate("0", view=view)


def opened_tab(window, before):
    """The tab that has been opened since."""
    driver = window.driver
    handle = until(lambda: next((each for each in driver.window_handles if each not in before), None), "a new tab")
    return window.browser.adopt(handle)


def test_a_tab_opens_another_tab_with_a_view_of_its_own(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    second = put("webkit.messageHandlers.iOSNative.postMessage('second'); window.opened = opener;", path="/second")
    window = open_window(put(body=f'<button onclick="window.w = window.open({second!r}, \'\', \'width=300,left=7\')">open</button>'))
    window.attached()
    delegate(host, windows="make")
    before = window.driver.window_handles
    window.click("button")
    tab = opened_tab(window, before)
    tab.attached()
    assert tab.value("[location.href, opened]") == [second, None]
    # The two views share their handlers.
    assert host.received("iOSNative")["body"] == typed("second")
    entry = host.journal.wait(event="window", view=1)
    assert (entry["url"], entry["type"], entry["hasTarget"], entry["sizes"]) == (second, -1, False, [7, None, 300, None])
    # The new view is a view like any other.
    assert host.evaluate("location.pathname", view=2)["value"].endswith("/second.html")
    assert window.value("[w.closed, w.opener]") == [False, None]
    # The page closes what it has opened; the app lets its view go, and the tab goes with it.
    window.js("w.close()")
    assert host.journal.wait(event="windowClosed")["view"] == 2
    until(lambda: window.driver.window_handles == before, "the tab to be closed")
    window.wait("w.closed")
    assert host.evaluate("7", view=1) == typed(7)


def test_a_tab_that_a_page_has_opened_closes_itself(probe, put, open_window):
    host = probe()
    second = put(path="/second")
    window = open_window(put(body=f'<a href="{second}" target="_blank">open</a>'))
    window.attached()
    delegate(host, windows="make")
    before = window.driver.window_handles
    window.click("a")
    tab = opened_tab(window, before)
    tab.attached()
    assert host.journal.wait(event="window")["type"] == 0
    tab.driver.switch_to.window(tab.handle)
    tab.js("setTimeout(close)")
    host.journal.wait(event="windowClosed", view=2)
    until(lambda: window.driver.window_handles == before, "the tab to be closed")


def test_an_apps_view_that_is_let_go_takes_its_tab_along(probe, put, open_window):
    host = probe()
    window = open_window(put(body=f'<a href="{put(path="/second")}" target="_blank">open</a>'))
    window.attached()
    delegate(host, windows="make")
    before = window.driver.window_handles
    window.click("a")
    opened_tab(window, before).attached()
    host.do("release", view=2)
    until(lambda: window.driver.window_handles == before, "the tab to be closed")


def test_without_a_view_nothing_is_opened(probe, put, open_window):
    host = probe()
    second = put(path="/second")
    window = open_window(put(body=f'<a href="{second}" target="_blank">open</a><button onclick="window.w = window.open()">o</button>'))
    window.attached()
    before = window.driver.window_handles
    for step in ("none", None, "other"):
        if step != "none":
            delegate(host, windows=step)
        window.js("delete window.w")
        window.click("button")
        window.wait_equal("window.w === null", True)
        window.click("a")
        assert host.evaluate("1", view=1) == typed(1)
    # Two questions of each delegate; WebKit stops an app that gives a view with another configuration.
    host.journal.wait(event="window", count=4)
    assert "given configuration" in host.events.wait(event="error")["message"]
    assert window.driver.window_handles == before


def test_a_window_opens_by_itself_only_where_the_app_allows_it(probe, put, open_window):
    host = probe()
    window = open_window(put("window.early = open('/x');"))
    window.attached()
    delegate(host, windows="make")
    assert window.value("early") is None
    window.js("setTimeout(() => { window.late = open('/x') })")
    window.wait_equal("window.late", None)
    assert host.journal.matching(event="window") == []


def test_a_viewer_shows_the_new_view_above_the_first(probe, relay, app, put, open_window):
    host = probe(handlers=["iOSNative"])
    second = put("webkit.messageHandlers.iOSNative.postMessage('second');", path="/second", body="<p>Second</p>")
    first = put(body=f'<p>First</p><button onclick="window.w = window.open({second!r})">open</button>')
    viewer = Viewer(open_window, relay, app=app)
    window = viewer.window
    window.attached()
    host.opened()
    host.do("load", url=first)
    main, other = "iframe[name=pagebridge]", "iframe[name^='pagebridge:']"
    with window.inside(main):
        window.attached()
    delegate(host, windows="make")
    assert viewer_click(window, main)
    # The two views share their handlers.
    assert host.received("iOSNative")["body"] == typed("second")
    with window.inside(other):
        window.attached()
        assert window.value("document.querySelector('p').textContent") == "Second"
    # It lies above the first one, and fills the screen.
    top = "document.elementFromPoint(...(({left, top, width, height}) => [left + width / 2, top + height / 2])"
    top += "(document.getElementById('content').getBoundingClientRect())).name"
    assert window.value(top).startswith("pagebridge:")
    assert window.value(f'getComputedStyle(document.querySelector("{other}")).backgroundColor') == "rgb(255, 255, 255)"
    window.picture("viewer-window")
    # Each keeps its session when it is loaded again.
    for selector in (main, other):
        with window.inside(selector):
            session = window.session()
            window.js("window.old = true; location.reload()")
            window.wait("window.old === undefined")
            assert window.session() == session
    with window.inside(other):
        window.js("close()")
    assert host.journal.wait(event="windowClosed")["view"] == 2
    window.wait_equal(f'document.querySelector("{other}")', None)
    assert window.value(top) == "pagebridge"


def viewer_click(window, selector) -> bool:
    """A click with a gesture into a frame of another origin, whose places the page around it cannot measure."""
    box = window.value(f"""(({{left, top, width}}) => [left, top, width])(document.querySelector("{selector}").getBoundingClientRect())""")
    with window.inside(selector):
        place = window.value(
            "(({left, top, width, height}) => [left + width / 2, top + height / 2, innerWidth])"
            "(document.querySelector('button').getBoundingClientRect())"
        )
    scale = box[2] / place[2]
    x, y = box[0] + place[0] * scale, box[1] + place[1] * scale
    for kind in ("mousePressed", "mouseReleased"):
        window.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    return True


@pytest.mark.parametrize("device", ["phone-notch"])
def test_the_browser_shows_dialogs_of_a_page_in_a_viewer(probe, relay, app, put, open_window, device):
    from selenium.webdriver.support import expected_conditions
    from selenium.webdriver.support.ui import WebDriverWait

    host = probe()
    viewer = Viewer(open_window, relay, app=app, device=device)
    window = viewer.window
    window.attached()
    host.opened()
    host.do("load", url=put(body="<p>Page</p>"))
    with window.inside():
        window.attached()
        delegate(host, mode="present")
        window.js("window.got = undefined; setTimeout(() => { window.got = [confirm('Sure?')] })")
    shown = WebDriverWait(window.driver, 10, 0.05).until(expected_conditions.alert_is_present())
    assert shown.text == "Sure?"
    shown.accept()
    with window.inside():
        window.wait_equal("window.got", [True])
    assert host.journal.wait(event="presented")["value"] is True
    # The viewer has stood still with the page, and goes on.
    window.attached()
