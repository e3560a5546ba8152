"""What happens to a page when sockets, hosts and the relay go and come."""

import pytest

from harness.processes import PlayerHost
from harness.values import typed
from harness.viewer import Viewer

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"

# A page without a relay or a host says so in the console; that is right in these tests.
QUIET = ("/attach", "WebSocket connection to", "no answer from", "no connection to", "ERR_", "the host")


def test_thousand_numbered_messages_both_ways_survive_cuts(probe, put, proxy, open_window, record_property):
    """Both ends' connections are reset in the middle of messages, several times, while both send."""
    page_budgets = [9_000, 21_000, 33_500, 47_001, 61_003]
    host_budgets = [40_000, 52_007, 64_001]
    page_line = proxy(page_budgets)
    host_line = proxy()
    host = probe(handlers=["iOSNative"], at=host_line.ws)
    window = open_window(
        put(
            POST + "window.got = []; const take = (n) => { got.push(n); };",
            through=page_line.http,
        )
    )
    window.session()
    host.opened()
    # The next connections of the host are cut too; the first one goes on until it is reset by hand, below.
    host_line.budgets.extend(host_budgets)
    padding = "x" * 150
    window.js(
        """const padding = arguments[0];
           let next = 1;
           const channel = new MessageChannel();
           channel.port1.onmessage = () => {
             for (let i = 0; i < 10 && next <= 1000; i++, next++) post([next, padding]);
             if (next <= 1000) channel.port2.postMessage(0);
           };
           channel.port2.postMessage(0);""",
        padding,
    )
    host.send("evaluateMany", function="take", count=1000)
    assert host_line.cut() == 1
    host.received("iOSNative", 1000, timeout=60)
    window.wait("got.length >= 1000", timeout=60)
    window.js("post('fence')")
    host.received("iOSNative", 1001)
    host.evaluate("got.length")
    numbers = [entry["body"]["value"][0]["value"] for entry in host.messages()[:1000]]
    assert numbers == list(range(1, 1001))
    assert len(host.messages()) == 1001
    assert window.value("got") == list(range(1, 1001))
    record_property("cuts", page_line.cuts + host_line.cuts)
    assert page_line.cuts >= 4, page_line.cuts
    assert host_line.cuts >= 2, host_line.cuts
    assert window.value("errors") == []


@pytest.mark.console(*QUIET)
def test_page_comes_back_after_a_clean_stop_and_start_of_its_host(probe, put, open_window, record_property):
    first = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    old = window.session()
    assert first.stop() == 0
    window.wait("pagebridge.state !== 'attached'")
    second = probe(handlers=["iOSNative"])
    hello = second.connected()["time"]
    opened = second.opened()["time"]
    window.attached()
    window.js("post('hello again')")
    assert second.received("iOSNative")["body"] == typed("hello again")
    assert window.session() != old
    record_property("seconds_from_hello_to_page", round(opened - hello, 3))
    print(f"the page was back {opened - hello:.3f} s after the new host's hello")


@pytest.mark.console(*QUIET)
def test_tab_that_shows_content_of_its_host_begins_again_after_the_host(relay, open_window, app, tmp_path):
    """The content's address goes with its session, so the tab goes back to the page that it was loaded over."""
    first = PlayerHost(relay.ws, tmp_path, "--app", app)
    window = open_window(relay.start_page("player", app))
    window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
    old = window.session()
    assert first.stop() == 0
    window.wait("pagebridge.state === 'ended'")
    second = PlayerHost(relay.ws, tmp_path, "--app", app)
    window.wait(
        "document.querySelector('.video-container')?.dataset.state === 'playing' && pagebridge.session !== arguments[0]",
        old,
    )
    assert second.stop() == 0


@pytest.mark.console(*QUIET)
def test_crashed_player_with_a_state_file_takes_its_viewer_back_without_a_reload(relay, open_window, app, tmp_path):
    options = ("--app", app, "--state", str(tmp_path / "state"))
    first = PlayerHost(relay.ws, tmp_path, *options)
    shown = Viewer(open_window, relay, app=app, device="phone").ready()
    with shown.window.inside():
        shown.window.js("window.kept = true")
    first.kill()
    shown.window.wait("pagebridge.state === 'away'")
    second = PlayerHost(relay.ws, tmp_path, *options)
    second.events.wait(event="state", key="isVideoPlayerReady", value=True)
    with shown.window.inside():
        assert shown.window.value("window.kept") is True
    shown.window.click("#rotate-left")
    with shown.window.inside():
        shown.window.wait("document.querySelector('.video-container').classList.contains('full-screen')")
    assert second.events.matching(event="load") == []
    assert second.stop() == 0


@pytest.mark.console(*QUIET)
def test_page_comes_back_after_a_crash_of_its_host(own_relay, probe, put, open_window):
    relay = own_relay("--host-grace", "1")
    first = probe(handlers=["iOSNative"], at=relay.ws)
    window = open_window(put(POST, through=relay.http))
    window.attached()
    first.kill()
    window.wait("pagebridge.state !== 'attached'")
    second = probe(handlers=["iOSNative"], at=relay.ws)
    hello = second.connected()["time"]
    window.attached()
    window.js("post('hello again')")
    assert second.received("iOSNative")["body"] == typed("hello again")
    # The instance that crashed may come back for as long as the grace lasts; then the page turns to the new one.
    print(f"the page was back {second.opened()['time'] - hello:.3f} s after the new host's hello")


@pytest.mark.console(*QUIET)
def test_crashed_host_with_a_state_file_takes_its_page_back_without_a_reload(probe, put, open_window, tmp_path):
    state = ("--state", str(tmp_path / "host-state"))
    first = probe(*state, handlers=["iOSNative"])
    window = open_window(put(POST + "window.life = Math.random();"))
    session = window.session()
    life = window.value("life")
    first.evaluate("1")
    first.kill()
    window.wait("pagebridge.state !== 'attached'")
    window.js("post('while nobody was there')")
    second = probe(*state, handlers=["iOSNative"])
    assert second.opened()["isResumed"] is True
    window.attached()
    assert second.received("iOSNative")["body"] == typed("while nobody was there")
    assert window.session() == session
    assert window.value("life") == life
    assert second.evaluate("life") == typed(life)


@pytest.mark.console(*QUIET)
def test_page_opened_before_any_host_comes_alive(probe, put, open_window):
    window = open_window(put(POST + "window.kind = typeof window.webkit;"))
    window.wait_equal("pagebridge.state", "waiting")
    assert window.value("kind") == "undefined"
    host = probe(handlers=["iOSNative"])
    window.attached()
    # It was reloaded, so that the handlers are there before its first script.
    window.wait_equal("window.kind", "object")
    window.js("post('alive')")
    assert host.received("iOSNative")["body"] == typed("alive")
    assert len(host.journal.matching(event="opened")) == 1


@pytest.mark.console(*QUIET)
def test_page_that_must_not_reload_comes_alive_too(probe, put, open_window):
    window = open_window(put(POST + "window.life = Math.random();", attributes='data-late="keep"'))
    window.wait_equal("pagebridge.state", "waiting")
    life = window.value("life")
    host = probe(handlers=["iOSNative"], scripts=[{"source": "window.late = 'ran'", "time": "start"}])
    window.attached()
    window.wait("window.webkit && window.late === 'ran'")
    window.js("post('alive')")
    assert host.received("iOSNative")["body"] == typed("alive")
    assert window.value("life") == life


@pytest.mark.console(*QUIET)
def test_relay_restart_keeps_page_and_host_together(own_relay, probe, put, open_window):
    relay = own_relay()
    host = probe(handlers=["iOSNative"], at=relay.ws)
    window = open_window(put(POST + "window.life = Math.random();", through=relay.http))
    session = window.session()
    life = window.value("life")
    mark = host.events.mark()
    assert relay.stop() == 0
    window.wait("pagebridge.state !== 'attached'")
    window.js("post('without a relay')")
    own_relay(port=relay.port)
    host.connected(since=mark)
    window.attached()
    assert host.received("iOSNative")["body"] == typed("without a relay")
    assert window.session() == session
    assert window.value("life") == life
    assert host.evaluate("life") == typed(life)
    assert len(host.messages()) == 1


def test_one_script_tag_makes_a_page_of_another_origin_work(probe, pages, relay, open_window, app):
    host = probe(handlers=["iOSNative"])
    url = pages.put(
        f"/{app}.html",
        f"<!DOCTYPE html><script src='{relay.http}/bridge.js' data-app='{app}'></script>"
        "<script>webkit.messageHandlers.iOSNative.postMessage(location.origin)</script>",
    )
    open_window(url)
    assert host.received("iOSNative")["body"] == typed(pages.origin)
    assert host.evaluate("location.port") == typed(str(pages.port))


def test_copied_tab_gets_a_session_of_its_own(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    session = window.session()
    copy = window.copy()
    other = copy.session()
    assert copy.value("sessionStorage.length") > 0
    assert other != session
    assert window.session() == session
    window.js("post('first')")
    copy.js("post('copy')")
    host.received("iOSNative", 2)
    assert {entry["body"]["value"]: entry["view"] for entry in host.messages()} == {"first": 1, "copy": 2}


def test_reload_and_history_keep_the_session(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    first, second = put(POST, path="-first"), put(POST, path="-second")
    window = open_window(first)
    session = window.session()
    window.reload()
    assert window.session() == session
    window.go(second)
    assert window.session() == session
    window.back()
    window.wait("location.pathname.endsWith('-first.html')")
    assert window.session() == session
    window.js("post('back')")
    assert host.received("iOSNative")["url"] == first
    assert len(host.journal.matching(event="opened")) == 1


@pytest.mark.console(*QUIET)
def test_network_that_swallows_everything_is_noticed_and_repaired(probe, put, proxy, open_window):
    """The page finds out through the probe that it sends when it becomes visible."""
    host = probe(handlers=["iOSNative"])
    line = proxy()
    window = open_window(put(POST, through=line.http))
    window.attached()
    # Nothing passes here any more, and nothing is closed; new connections work.
    assert line.swallow() == 1
    window.js("post('into the void')")
    window.js("dispatchEvent(new Event('online'))")
    assert host.received("iOSNative", timeout=30)["body"] == typed("into the void")
    window.attached()
    assert len(host.messages()) == 1
