"""The Squad app: session data, caches, life cycle, settings and figures. One test a row of the feature table."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from harness.waiting import until

CHANGES = "window.changes = []; document.addEventListener('visibilitychange', () => changes.push([document.hidden, document.visibilityState]))"
KEEP = """document.cookie = 'squad_session=there; path=/'; localStorage.setItem('squad:pick', 'reds');
          return caches.open('squad').then((cache) => cache.put('/kept', new Response('kept')))"""
KEPT = "(async () => [document.cookie.includes('squad_session'), localStorage.getItem('squad:pick'), await caches.has('squad')])()"


@pytest.fixture
def own(own_squad):
    """A Squad app of a host of its own: `own("--squad-retries", "0")`."""
    return lambda *options, **rest: own_squad(*options, **rest).loaded()


@pytest.fixture
def offline():
    """Takes the network from a page and gives it back: `offline(shown, True)`."""

    def switch(shown, is_offline: bool) -> None:
        shown.window.cdp("Network.enable")
        shown.window.cdp(
            "Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )

    return switch


def kept(shown) -> list:
    with shown.window.inside():
        return shown.window.promise(KEPT)


def keep(shown) -> None:
    shown.script(KEEP)
    until(lambda: kept(shown) == [True, "reds", True], lambda: str(kept(shown)))


def test_SQ_25_error_of_a_foreign_type_takes_the_generic_branch(own):
    shown = own()
    shown.panel("tools")
    shown.press_view("error.foreign")
    shown.wait_state("errorView", "Something went wrong.")
    assert shown.state("failure")["kind"] == "generic"
    shown.press_view("tools.toggle")
    until(lambda: "Something went wrong." in (shown.view_text("error") or ""), lambda: str(shown.view_text("error")))
    mark = shown.mark()
    shown.press_view("tryAgain")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_state("state", "ready")
    assert shown.view_text("error") is None


@pytest.mark.console("ERR_INTERNET_DISCONNECTED")
def test_SQ_21_missing_network_shows_the_offline_view(own, put, offline):
    """The page has no network any more, while the socket that it has goes on, as on a telephone between two masts."""
    shown = own("--squad-url", put(), "--squad-policy", "false")
    offline(shown, True)
    try:
        shown.act("error.foreign")
        shown.wait_state("state", "error")
        shown.act("tryAgain")
        shown.wait_state("offlineView", True)
        assert shown.state("failure") == {"kind": "offline", "code": -1009, "text": "You are offline."}
        assert shown.state("errorView") is None
        shown.window.wait("document.querySelector('[data-view=\"offline\"]')?.innerText.includes('No connection')")
    finally:
        offline(shown, False)
    shown.press_view("tryAgain")
    shown.wait_state("state", "ready")
    assert shown.state("offlineView") is False


def test_SQ_32_host_reads_the_cookies_that_the_page_set(squad):
    shown = squad()
    shown.click("[data-route='/account']")
    shown.click("#sign-in")
    shown.wait_page_equal("document.getElementById('signed').textContent", "Signed in")
    shown.panel("tools")
    shown.press_view("cookies")
    assert "squad_session" in shown.wait_named("cookies")["names"]
    until(lambda: "squad_session" in (shown.view_text("cookies.names") or ""), lambda: str(shown.view_text("cookies.names")))


def test_SQ_33_data_are_removed_on_request_and_then_told(squad):
    shown = squad()
    keep(shown)
    shown.panel("tools")
    shown.press_view("clearData")
    shown.wait_named("dataCleared")
    assert kept(shown) == [False, None, False]
    # The bridge's own data stay, so that the page keeps its session.
    shown.fence()


def test_SQ_34_data_stay_unless_asked(squad):
    shown = squad()
    keep(shown)
    for _ in range(2):
        shown.window.click("#home")
        shown.wait_state("isObserving", False)
        shown.window.click("#app-icon")
        shown.wait_state("isObserving", True)
    shown.fence()
    assert kept(shown) == [True, "reds", True]
    assert shown.named("dataCleared") == []


def test_SQ_35_memory_warning_clears_caches_and_keeps_the_page(own, relay, app):
    page = "pages/squad/" + app + "-page.html"
    url = relay.put(page, f'<!DOCTYPE html><script src="/bridge.js" data-app="{app}"></script><link rel="icon" href="data:,">')
    shown = own("--squad-url", url, "--squad-cache", url)
    shown.wait_state("cachedPages", 1)
    shown.script("window.kept = 'state'")
    shown.window.click("#memory-warning")
    shown.wait_state("cachedPages", 0)
    shown.wait_named("log", text="memory warning: caches cleared")
    assert shown.page("kept") == "state" and shown.state("state") == "ready"


def test_SQ_36_page_that_the_hook_wants_is_served_from_the_cache(own, relay, app):
    path = "pages/squad/" + app + "-page.html"

    def put(title: str) -> str:
        return relay.put(
            path, f'<!DOCTYPE html><script src="/bridge.js" data-app="{app}"></script><link rel="icon" href="data:,"><title>{title}</title>'
        )

    url = put("first")
    shown = own("--squad-url", url, "--squad-cache", url)
    assert shown.wait_named("cache", action="kept")["url"] == url
    put("second")
    mark = shown.mark()
    shown.act("error.foreign")
    shown.act("tryAgain")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    assert [entry["decision"] for entry in shown.named("policy", mark)] == ["cache", "allow"]
    assert shown.named("cache", mark, action="served")[0]["url"] == url
    assert shown.page("[document.title, location.pathname.startsWith('/s/')]") == ["first", True]


def test_SQ_36_nothing_is_served_from_the_cache_unless_wanted(own, relay, app):
    path = "pages/squad/" + app + "-page.html"
    head = f'<!DOCTYPE html><script src="/bridge.js" data-app="{app}"></script><link rel="icon" href="data:,">'
    url = relay.put(path, head + "<title>first</title>")
    shown = own("--squad-url", url)
    relay.put(path, head + "<title>second</title>")
    mark = shown.mark()
    shown.act("error.foreign")
    shown.act("tryAgain")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    assert shown.page("document.title") == "second" and shown.named("cache") == []


def test_SQ_37_app_that_appears_observes_and_its_page_is_visible(squad):
    shown = squad()
    shown.wait_state("isObserving", True)
    assert shown.page("[document.hidden, document.visibilityState]") == [False, "visible"]


def test_SQ_38_page_of_an_app_that_disappears_is_hidden(squad):
    shown = squad()
    shown.script(CHANGES)
    shown.window.click("#home")
    shown.wait_state("isObserving", False)
    shown.wait_page_equal("changes", [[True, "hidden"]])
    assert shown.page("[document.hidden, document.visibilityState]") == [True, "hidden"]
    # The page's own line says so too, and the bridge goes on.
    shown.wait_page_equal("document.getElementById('visibility').textContent", "hidden")
    shown.fence()
    # A document that comes meanwhile begins hidden.
    mark = shown.mark()
    shown.script("location.reload()")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_page_equal("document.getElementById('visibility')?.textContent", "hidden")


def test_SQ_39_page_of_an_app_that_appears_again_is_visible(squad):
    shown = squad()
    shown.script(CHANGES)
    shown.window.click("#home")
    shown.wait_page_equal("changes.length", 1)
    shown.window.click("#app-icon")
    shown.wait_page_equal("changes", [[True, "hidden"], [False, "visible"]])
    shown.wait_state("isObserving", True)
    assert shown.page("Object.getOwnPropertyNames(document).filter((name) => /hidden|visib/i.test(name))") == []


def test_SQ_40_media_play_without_a_gesture(own, relay, app):
    url = relay.put(
        "pages/squad/" + app + "-page.html",
        f'<!DOCTYPE html><script src="/bridge.js" data-app="{app}"></script><link rel="icon" href="data:,">'
        '<video id="clip" src="/pages/player/match.webm" autoplay muted playsinline></video>',
    )
    shown = own("--squad-url", url)
    assert shown.state("gestureMedia") == [] and shown.state("allowsInlineMediaPlayback") is True
    shown.wait_page("document.getElementById('clip').currentTime > 0 && !document.getElementById('clip').paused")


def test_SQ_41_view_follows_the_size_of_the_screen(own):
    shown = own(device="phone-notch")
    assert shown.frame()[2] == 390
    shown.window.js("document.querySelector('#devices input[value=tablet]').click()")
    until(lambda: shown.frame()[2] == 820, lambda: str(shown.frame()))
    shown.wait_page_equal("innerWidth", 820)
    shown.window.js("document.querySelector('#devices input[value=window]').click()")
    size = [900, 700]
    shown.window.resize(*size)
    # What the host knows may be the size before.
    shown.wait_page_equal("innerWidth", size[0])
    until(lambda: shown.screen()[0] == size[0] and shown.frame()[2:] == shown.screen(), lambda: f"{shown.frame()} {shown.screen()}")


def test_SQ_42_scripts_of_the_content_are_allowed(squad):
    shown = squad()
    assert shown.state("allowsContentJavaScript") is True


@pytest.mark.parametrize(
    "call, answer", [("alert('Full time')", None), ("confirm('Leave the call?')", True), ("prompt('Your name?', 'Reds')", "Reds")]
)
def test_SQ_43_dialogs_reach_the_host_and_get_its_answer(squad, call, answer):
    """The app lets the visitor's browser show them: the page's script stands still meanwhile."""
    shown = squad()
    with ThreadPoolExecutor(1) as aside, shown.window.inside():
        ended = aside.submit(shown.window.js, f"window.answer = {call}")
        WebDriverWait(shown.window.driver, 30, 0.05).until(expected_conditions.alert_is_present()).accept()
        ended.result(30)
        assert shown.window.value("window.answer") == answer
    entry = shown.wait_named("dialogAnswered")
    kind, _, text = call.partition("('")
    assert entry["kind"] == kind and entry["text"] == text.split("'")[0] and entry.get("answer") == answer
    shown.fence()


def test_SQ_44_views_share_what_the_browser_keeps(squad):
    """Each view has a process pool of its own, which separates nothing: the browser's data are the browser's."""
    one, other = squad(), squad()
    assert one.state("ownProcessPool") is True and other.state("ownProcessPool") is True
    assert one.session != other.session
    keep(one)
    assert kept(other) == [True, "reds", True]
    # What they say stays apart.
    one.say({"type": "navigation", "data": {"route": "/one"}})
    one.fence()
    other.fence()
    assert one.state("route") == "/one" and other.state("route") is None


def test_SQ_48_load_time_of_each_page_and_memory_on_demand(squad):
    shown = squad()
    first = shown.wait_named("loadTime")
    assert first["url"].endswith("index.html") and 0 < first["seconds"] < 60
    mark = shown.mark()
    shown.script("location.reload()")
    shown.wait_named("loadTime", mark)
    assert shown.named("memory") == []
    shown.panel("tools")
    shown.press_view("memory")
    assert shown.wait_named("memory")["resident"] > 1 << 20
    until(lambda: " MB" in (shown.view_text("figures") or ""), lambda: str(shown.view_text("figures")))


def test_SQ_49_sign_in_is_kept_over_reload_and_re_appearing(squad):
    shown = squad()
    shown.click("[data-route='/account']")
    shown.click("#sign-in")
    shown.wait_page_equal("document.getElementById('signed').textContent", "Signed in")
    mark = shown.mark()
    shown.script("location.reload()")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_page_equal("document.getElementById('signed').textContent", "Signed in")
    shown.window.click("#home")
    shown.wait_state("isObserving", False)
    shown.window.click("#app-icon")
    shown.wait_state("isObserving", True)
    assert shown.page("document.cookie.includes('squad_session')") is True


def test_start_page_and_index_lead_to_the_squad_page(open_window, relay, squad_host):
    window = open_window(f"{relay.http}/pages/squad/", size=(390, 800))
    window.wait("location.pathname.startsWith('/s/') && document.title === 'Matchday squad'")
    window.attached()
    assert window.value("document.documentElement.scrollWidth <= innerWidth")
    window.go(f"{relay.http}/")
    window.wait("document.querySelector('.card[data-app=squad] a[href=\"/pages/squad/\"]')")
    assert window.value("document.querySelector('.card[data-app=squad] .card-names').textContent") == "Live sports calls"
