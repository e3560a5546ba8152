"""The Genius Sports player: fullscreen by the device and by the page, frames, bars, notch and idle timer."""

import pytest

from harness.player import LANDSCAPE, PORTRAIT, Player
from harness.waiting import until


def test_GS_16_rotation_is_ignored_before_ready(noinit):
    page = noinit().playing()
    page.window.resize(*LANDSCAPE)
    page.fence()
    assert page.state("isFullscreen") in (None, False)
    assert page.window.value(Player.CLASS) is False


def test_GS_17_init_applies_the_current_size(noinit):
    page = noinit(LANDSCAPE).playing()
    assert page.window.value(Player.CLASS) is False
    page.post({"type": "init"})
    page.wait_class(True)
    page.wait_state("isFullscreen", True)


def test_GS_18_rotation_to_landscape(player):
    page = player().playing()
    page.wait_state("isVideoPlayerReady", True)
    page.window.resize(*LANDSCAPE)
    page.wait_class(True)
    page.wait_state("isFullscreen", True)


def test_GS_19_rotation_to_portrait(player):
    page = player(LANDSCAPE).playing()
    page.wait_class(True)
    page.window.resize(*PORTRAIT)
    page.wait_class(False)
    page.wait_state("isFullscreen", False)


def test_GS_20_square_window_is_portrait(player):
    page = player(LANDSCAPE).playing()
    page.wait_class(True)
    page.window.resize(500, 500)
    page.wait_class(False)
    page.wait_state("isFullscreen", False)


def test_GS_21_page_button_toggles(player):
    page = player().playing()
    mark = page.mark()
    page.window.click(".full-screen-btn")
    page.wait_class(True)
    page.wait_named("orientation", since=mark, value="landscape")
    page.window.click(".full-screen-btn")
    page.wait_class(False)
    page.wait_named("orientation", since=mark, value="portrait")
    assert page.states("isFullscreen", since=mark) == [True, False]


def test_GS_22_script_is_safe_without_the_element(player):
    page = player().playing()
    page.window.js(
        """document.querySelector('.video-container').remove();
           const original = document.querySelector.bind(document);
           document.querySelector = (selector) => { window.asked = selector; return original(selector); };"""
    )
    mark = page.mark()
    page.post({"type": "toggleFullscreen"})
    page.wait_state("isFullscreen", True)
    # The host's script has run in the page; its result comes before the fence.
    page.window.wait_equal("window.asked", ".video-container")
    page.fence()
    assert page.named("error", since=mark) == []


def test_GS_23_only_the_first_container_changes(player):
    page = player().playing()
    page.window.js("document.body.append(Object.assign(document.createElement('div'), {className: 'video-container'}))")
    page.post({"type": "toggleFullscreen"})
    page.wait_class(True)
    assert page.window.value(
        "Array.from(document.querySelectorAll('.video-container'), (each) => each.classList.contains('full-screen'))"
    ) == [True, False]


def test_GS_24_orientation_is_requested(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen"})
    page.wait_named("orientation", since=mark)
    page.post({"type": "toggleFullscreen"})
    page.wait_named("orientation", since=mark, count=2)
    assert [entry["value"] for entry in page.named("orientation", since=mark)] == ["landscape", "portrait"]


def test_GS_25_orientation_source(player):
    page = player().playing()
    page.post({"type": "toggleFullscreen"})
    page.wait_state("orientationSource", "programatically")
    page.post({"type": "toggleFullscreen"})
    page.wait_state("orientationSource", "none")


def test_GS_26_frames(viewer, player_host):
    shown = viewer("phone").ready()
    page = Player(shown.window, player_host.events, shown.content_session())
    until(lambda: shown.frame() == [0, 100, 375, 300], lambda: f"the frame is {shown.frame()}")
    with shown.window.inside():
        shown.window.wait_equal("[innerWidth, innerHeight]", [375, 300])
    shown.window.click("#rotate-left")
    until(lambda: shown.frame() == [0, 0, 667, 375], lambda: f"the frame is {shown.frame()}")
    with shown.window.inside():
        shown.window.wait_equal("[innerWidth, innerHeight]", [667, 375])
    frames = [
        [entry[name] for name in ("x", "y", "width", "height")] for entry in player_host.events.matching(event="frame")
    ]
    assert [0, 100, 375, 300] in frames and [0, 0, 667, 375] in frames
    assert page.session


def test_GS_27_bars(viewer):
    shown = viewer("phone").ready()
    until(lambda: shown.bars() == {"navigation": False, "status": True}, lambda: str(shown.bars()))
    shown.window.click("#rotate-left")
    until(lambda: shown.bars() == {"navigation": True, "status": True}, lambda: str(shown.bars()))
    shown.window.click("#rotate-left")
    until(lambda: shown.bars() == {"navigation": False, "status": True}, lambda: str(shown.bars()))


@pytest.mark.parametrize(
    ("device", "button", "frame"),
    [
        ("phone-notch", "#rotate-left", [47, 0, 844 - 47, 390]),
        ("phone-notch", "#rotate-right", [0, 0, 844 - 47, 390]),
        ("phone-island", "#rotate-left", [59, 0, 852 - 59, 393]),
        ("phone", "#rotate-left", [0, 0, 667, 375]),
    ],
)
def test_GS_28_notch_takes_its_side(viewer, device, button, frame):
    shown = viewer(device).ready()
    shown.window.click(button)
    until(lambda: shown.frame() == frame, lambda: f"the frame is {shown.frame()}, not {frame}")


def test_GS_29_portrait_device_with_programmatic_fullscreen_has_its_notch_left(noinit):
    """A bare tab stays upright whatever the app asks for."""
    page = noinit().playing()
    page.post({"type": "init"})
    page.post({"type": "toggleFullscreen"})
    page.wait_state("isFullscreen", True)
    page.wait_state("notchPosition", "left")


def test_GS_30_idle_timer_follows_the_view(viewer, player_host):
    shown = viewer("phone").ready()
    page = Player(shown.window, player_host.events, shown.content_session())
    page.wait_state("isIdleTimerDisabled", True)
    shown.window.wait("!document.getElementById('awake').hidden")
    shown.window.click("#home")
    page.wait_state("isIdleTimerDisabled", False)
    shown.window.wait("document.getElementById('awake').hidden")


def test_GS_52_player_is_closed_when_the_view_disappears(viewer, player_host):
    shown = viewer("phone").ready()
    page = Player(shown.window, player_host.events, shown.content_session())
    mark = page.mark()
    shown.window.click("#home")
    with shown.window.inside():
        shown.window.wait("document.querySelector('.video-container').dataset.closeCount === '1'")
        shown.window.js("delete window.GeniusLivePlayer; window.kept = true")
    # Without a player: no error, and the page is as it was.
    shown.window.click("#app-icon")
    with shown.window.inside():
        shown.window.wait(
            "window.kept === undefined && document.querySelector('.video-container')?.dataset.state === 'playing'"
        )
        shown.window.js("delete window.GeniusLivePlayer")
    shown.window.click("#home")
    page.wait_state("isIdleTimerDisabled", False)
    shown.window.click("#app-icon")
    page.wait_state("isIdleTimerDisabled", True)
    assert page.named("error", since=mark) == []


def test_GS_55_toggle_with_a_wanted_state_sets_it(player):
    page = player().playing()
    mark = page.mark()
    for wanted in (True, True, False, False, True):
        page.bus("toggleFullscreen", {"isFullscreen": wanted})
        page.fence()
        assert page.state("isFullscreen") is wanted
    assert page.states("isFullscreen", since=mark) == [True, False, True]
    page.post({"type": "toggleFullscreen", "payload": {"isFullscreen": "yes"}})
    page.fence()
    assert page.state("isFullscreen") is True
