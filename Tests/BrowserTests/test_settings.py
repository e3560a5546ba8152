"""Settings of a web view that its page applies: at its start, and when they change."""

import pytest

PLAY = """Promise.race([document.querySelector(arguments[0]).play().then(() => 'plays', (error) => error.name),
                         new Promise((resolve) => setTimeout(resolve, 0, 'waits'))])"""
TALL = "text<br>" * 300


def style(window, name: str) -> str:
    return window.value("getComputedStyle(document.documentElement)[arguments[0]]", name)


@pytest.mark.parametrize("policy", [None, "default-src 'self' 'nonce-n'; script-src * 'nonce-n'; connect-src *; img-src data:"])
def test_scrolling_is_the_hosts_affair(probe, pages, put, relay, app, open_window, policy):
    host = probe()
    url = put(body=TALL)
    if policy:
        kind, body, _ = pages.content[f"/{app}.html"]
        text = body.decode().replace("<script", '<script nonce="n"')
        url = pages.put(f"/{app}.html", text, **{"Content-Security-Policy": policy})
    window = open_window(url)
    window.attached()
    assert (style(window, "overflowY"), style(window, "overscrollBehaviorY")) == ("visible", "auto")
    host.do("settings", isScrollEnabled=False)
    window.wait_equal("getComputedStyle(document.documentElement).overflowY", "hidden")
    window.js("scrollTo(0, 300)")
    window.wait_equal("scrollY", 300)
    host.do("settings", isScrollEnabled=True, bounces=False)
    window.wait_equal("getComputedStyle(document.documentElement).overscrollBehaviorY", "none")
    assert style(window, "overflowY") == "visible"
    window.reload()
    window.attached()
    assert style(window, "overscrollBehaviorY") == "none"


def test_a_view_that_is_not_opaque_shows_its_colour_where_the_page_paints_nothing(probe, put, open_window):
    host = probe()
    window = open_window(put(body="text"))
    window.attached()
    host.do("settings", backgroundColor="rgb(10, 20, 30)")
    host.do("settings", isOpaque=False)
    window.wait_equal("getComputedStyle(document.documentElement).backgroundColor", "rgb(10, 20, 30)")
    host.do("settings", backgroundColor="rgb(1, 2, 3)")
    window.wait_equal("getComputedStyle(document.documentElement).backgroundColor", "rgb(1, 2, 3)")
    window.js("document.body.style.background = 'rgb(4, 5, 6)'")
    window.wait_equal("getComputedStyle(document.documentElement).backgroundColor", "rgba(0, 0, 0, 0)")
    window.js("document.body.style.background = ''")
    window.wait_equal("getComputedStyle(document.documentElement).backgroundColor", "rgb(1, 2, 3)")
    host.do("settings", isOpaque=True)
    window.wait_equal("getComputedStyle(document.documentElement).backgroundColor", "rgba(0, 0, 0, 0)")


def test_the_pages_user_agent_is_the_apps(probe, put, open_window):
    host = probe()
    host.do("configuration", applicationNameForUserAgent="Shop/3")
    window = open_window(put("window.first = navigator.userAgent"))
    window.attached()
    own = window.value("first.replace(/ Shop\\/3$/, '')")
    assert window.value("first") == own + " Shop/3" and "Chrome" in own
    host.do("settings", customUserAgent="Mine")
    window.wait_equal("navigator.userAgent", "Mine")
    host.do("settings", customUserAgent=None)
    window.wait_equal("navigator.userAgent", own + " Shop/3")


def test_the_page_is_zoomed(probe, put, open_window):
    host = probe()
    window = open_window(put(body='<div id="box" style="width: 100px; height: 10px"></div>'))
    window.attached()
    host.do("settings", pageZoom=2.5)
    window.wait_equal("document.getElementById('box').getBoundingClientRect().width", 250)
    host.do("settings", pageZoom=1)
    window.wait_equal("document.getElementById('box').getBoundingClientRect().width", 100)


MEDIA = """
  window.heard = [];
  addEventListener('play', (event) => heard.push(event.target.id), true);
  window.start = () => {
    const canvas = document.body.appendChild(document.createElement('canvas'));
    canvas.getContext('2d').fillRect(0, 0, 9, 9);
    window.moving = Object.assign(document.createElement('video'), {id: 'moving', muted: true, autoplay: true});
    moving.srcObject = canvas.captureStream(30);
    document.body.append(moving);
    setInterval(() => canvas.getContext('2d').fillRect(Math.random() * 100, 0, 9, 9), 20);
  };
"""
ELEMENTS = '<video id="video" muted></video><audio id="audio"></audio><button>go</button>'


def test_media_wait_for_a_gesture_of_the_user(probe, put, open_window):
    host = probe()
    host.do("configuration", media=["audio", "video"])
    window = open_window(put(MEDIA, body=ELEMENTS))
    window.attached()
    played = [window.promise(PLAY, "#" + name) for name in ("video", "audio")]
    assert played == ["NotAllowedError", "NotAllowedError"]
    window.js("start()")
    window.wait("moving.readyState >= 2 && moving.paused")
    assert window.value("heard") == []
    window.js("document.querySelector('button').onclick = () => { window.played = moving.play().then(() => 'plays'); }")
    window.click("button")
    assert window.promise("window.played") == "plays"
    assert window.value("moving.paused") is False


def test_media_that_need_no_gesture_start_by_themselves(probe, put, open_window):
    host = probe()
    host.do("configuration", media=["audio"], allowsInlineMediaPlayback=True)
    window = open_window(put(MEDIA, body=ELEMENTS))
    window.attached()
    assert [window.promise(PLAY, "#" + name) for name in ("video", "audio")] == ["waits", "NotAllowedError"]
    window.js("start()")
    window.wait("!moving.paused && heard.includes('moving')")
    window.wait("['video', 'moving'].every((id) => document.getElementById(id).hasAttribute('playsinline'))")


def swipe(window, path: list[tuple[int, int]]) -> None:
    """A finger goes along the path."""
    for number, (x, y) in enumerate(path):
        window.cdp("Input.dispatchTouchEvent", type="touchMove" if number else "touchStart", touchPoints=[{"x": x, "y": y}])
    window.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def test_swipes_lead_back_only_where_the_app_allows_it(probe, put, open_window):
    host = probe()
    first, second = put(), put(path="/second")
    window = open_window(first)
    window.attached()
    window.go(second)
    window.attached()
    swipe(window, [(5, 200), (60, 205), (150, 210)])
    host.do("settings", allowsBackForwardNavigationGestures=True)
    window.wait("history.length > 1")
    assert host.evaluate("location.href")["value"] == second
    swipe(window, [(100, 200), (180, 200), (300, 200)])
    swipe(window, [(5, 100), (60, 300), (100, 500)])
    assert host.evaluate("location.href")["value"] == second
    swipe(window, [(5, 200), (60, 205), (150, 210)])
    window.wait_equal("location.href", first)
