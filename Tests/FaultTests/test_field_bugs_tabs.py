"""What broke for others when tabs went to the back or came back: entries of the field-bug list that concern the browser's life cycle."""

import statistics
import time

from harness.values import typed

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"


def test_B61_a_page_from_the_back_forward_cache_goes_on_in_its_session(relay, probe, put, pages, open_window, app):
    """The very same document comes back, with a new connection and not one of its messages twice."""
    host = probe(relay.ws)
    window = open_window(put(relay.http, POST + "window.shown = []; addEventListener('pageshow', (e) => shown.push(e.persisted));"))
    session = window.session()
    document = window.value("pagebridge.session && (window.life = Math.random())")
    window.js("post('first')")
    host.received("iOSNative")
    elsewhere = pages.put(f"/{app}-elsewhere.html", "<!DOCTYPE html><title>elsewhere</title>no bridge here")
    # A link's way: what a script does with an address of its own is no different.
    window.js("location.href = arguments[0]", elsewhere)
    window.wait("document.title === 'elsewhere'")
    window.js("history.back()")
    window.wait("window.shown && pagebridge.state === 'attached'")
    assert window.session() == session
    if window.value("window.life") == document:
        assert window.value("shown") == [False, True]
    window.js("post('second')")
    host.received("iOSNative", 2)
    assert [entry["body"] for entry in host.messages()] == [typed("first"), typed("second")]
    assert host.evaluate("location.pathname") == typed(f"/{app}.html")
    assert len(host.journal.matching(event="opened")) == 1


def test_B65_round_trips_of_a_hidden_tab_wait_for_no_timer(relay, probe, put, open_window, browser, record_property):
    """Browsers let timers of hidden tabs fire once a second: a sending path with one would take that long."""
    host = probe(relay.ws)
    window = open_window(put(relay.http, POST + "const echo = (n) => { post(n); return n; };"))
    window.attached()
    host.evaluate("1")
    # Another tab of the same window in front of it; the hidden one is asked through its host only.
    handle = window.driver.current_window_handle
    window.driver.switch_to.new_window("tab")
    front = browser.adopt(window.driver.current_window_handle)
    assert host.evaluate("document.visibilityState") == typed("hidden")
    times = []
    for number in range(40):
        begin = time.monotonic()
        assert host.evaluate(f"echo({number})") == typed(number)
        times.append(time.monotonic() - begin)
    host.received("iOSNative", 40)
    assert host.numbers("iOSNative") == list(range(40))
    front.close()
    record_property("median", round(statistics.median(times), 4))
    # The harness itself looks every 10 ms; a throttled timer would make it a second.
    assert statistics.median(times) < 0.5
    assert handle == window.handle
