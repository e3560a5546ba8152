"""The Genius Sports player: one test a row of the feature table, seen from the page and from its host's events."""

import json
import re

import pytest

from harness.player import Player
from harness.processes import PlayerHost
from harness.viewer import Viewer
from harness.waiting import until

PORTRAIT = (400, 900)
LANDSCAPE = (900, 400)

BET = {
    "sportsbookFixtureId": "F-9001",
    "sportsbookSelectionId": "S-3",
    "sportsbookMarketId": "M-12",
    "sportsbookMarketContext": "period=1",
    "marketId": "GM-88",
    "decimalPrice": 2.35,
    "stake": 10,
}


@pytest.fixture
def player(open_window, relay, player_host):
    """Opens the player of the shared host in a bare tab: the window is the screen."""

    def open_player(size=PORTRAIT) -> Player:
        window = open_window(f"{relay.http}/pages/player/", size=size)
        window.wait("location.pathname.startsWith('/s/')")
        return Player(window, player_host.events, window.session())

    return open_player


@pytest.fixture
def custom(open_window, relay, app, tmp_path, children):
    """Opens the player of a host of its own: `custom("--player-fixture-id", "silent")`."""

    def open_player(*options: str, size=PORTRAIT) -> Player:
        host = PlayerHost(relay.ws, tmp_path, "--app", app, *options)
        children.append(host)
        start = (relay.web / "pages/player/index.html").read_text().replace('data-app="player"', f'data-app="{app}"')
        window = open_window(relay.put(f"pages/player/{app}.html", start), size=size)
        window.wait("location.pathname.startsWith('/s/')")
        return Player(window, host.events, window.session())

    return open_player


@pytest.fixture
def noinit(custom):
    """A player that leaves `init` to the test."""
    return lambda size=PORTRAIT: custom("--player-fixture-id", "noinit-1", size=size)


@pytest.fixture
def viewer(open_window, relay, player_host):
    def open_viewer(device="phone-notch", **rest):
        shown = Viewer(open_window, relay, device=device, **rest)
        shown.ready()
        return shown

    return open_viewer


def loader_url(player: Player) -> str:
    return player.window.wait("document.querySelector('script[src*=\"widget.js\"]')?.src")


def test_GS_01_only_the_fixed_name_reaches_the_player(player):
    page = player().playing()
    assert page.window.value("typeof webkit.messageHandlers.gsvideoplayerbridge") == "undefined"
    mark = page.mark()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", **BET}}, handler="playerPage")
    page.fence()
    assert page.states("isBetslipHidden", since=mark) == []
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", **BET}})
    page.wait_state("isBetslipHidden", False)


def test_GS_02_configuration_has_the_documented_defaults(custom):
    page = custom("--player-customer-id", "", "--player-fixture-id", "")
    configuration = page.wait_named("state", key="configuration")["value"]
    assert configuration["playerWidth"] == "100vw"
    assert configuration["playerHeight"] == "100vh"
    assert configuration["bufferLength"] == 2
    flags = ("controlsEnabled", "audioEnabled", "allowFullScreen", "autoplayEnabled")
    assert [configuration[name] for name in flags] == [True] * 4
    assert (configuration["customerId"], configuration["fixtureId"]) == ("", "")


def test_GS_03_the_nine_values_stand_in_the_loaders_address(custom):
    page = custom(
        *("--player-customer-id", "C-7", "--player-fixture-id", "F-7", "--player-width", "640px"),
        *("--player-height", "360px", "--player-controls-enabled", "true", "--player-audio-enabled", "false"),
        *("--player-allow-full-screen", "true", "--player-buffer-length", "5", "--player-autoplay-enabled", "false"),
    )
    page.playing()
    source = page.window.promise("fetch(location.href).then((answer) => answer.text())")
    address = re.search(r'src="([^"]*widget\.js\?[^"]*)"', source)[1].replace("&amp;", "&")
    query = dict(part.split("=", 1) for part in address.split("?")[1].split("&"))
    assert query == {
        "customerId": "C-7",
        "fixtureId": "F-7",
        "containerId": "geniusLive",
        "width": "640px",
        "height": "360px",
        "controlsEnabled": "true",
        "audioEnabled": "false",
        "allowFullScreen": "true",
        "bufferLength": "5",
        "autoplayEnabled": "false",
    }
    assert "{{" not in source and "}}" not in source


def test_GS_04_values_are_escaped_as_one_query_value(custom):
    page = custom("--player-fixture-id", 'a&b"<c').playing()
    assert page.window.value("new URLSearchParams(arguments[0].split('?')[1]).get('fixtureId')", loader_url(page)) == 'a&b"<c'
    assert page.window.value("document.querySelectorAll('script[src*=\"widget.js\"]').length") == 1
    # No tag broke: nothing of the value became text or an element of the page.
    assert page.window.value("document.body.innerText.includes('<c')") is False
    assert page.window.value("document.querySelector('c')") is None


def test_GS_05_page_loaded_from_text_has_the_base_address(player):
    page = player()
    assert page.window.value("document.baseURI") == "https://www.example.com/"


def test_GS_06_changed_configuration_reloads_the_page(custom, tmp_path):
    file = tmp_path / "player.json"
    file.write_text(json.dumps({"fixtureId": "9889284"}))
    page = custom("--player-config", str(file)).playing()
    assert "fixtureId=9889284&" in loader_url(page)
    page.window.js("window.old = true")
    file.write_text(json.dumps({"fixtureId": "9889999"}))
    page.window.wait("window.old === undefined && document.querySelector('script[src*=\"fixtureId=9889999&\"]')")
    page.playing()
    assert page.window.session() == page.session


def test_GS_07_container_elements(player):
    page = player().playing()
    assert page.window.value(
        """[document.querySelector('#container-video > #geniusLive.video') !== null,
            getComputedStyle(document.body).margin, document.title,
            document.querySelector('#geniusLive .video-container') !== null]"""
    ) == [True, "0px", "Genius Video Player", True]


def test_GS_08_page_cannot_scroll_and_is_black(player):
    page = player().playing()
    window = page.window
    assert window.value("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    # A page that is much too high, and in a corner a box that can scroll: it tells when the browser has done with wheels.
    window.js(
        """document.body.append(Object.assign(document.createElement('div'), {style: 'height: 5000px'}));
           document.body.insertAdjacentHTML('beforeend', `<div id="box" style="position: fixed; z-index: 2000; left: 0; bottom: 0;
             width: 100px; height: 100px; overflow: auto"><div style="height: 400px"></div></div>`);"""
    )
    for x, y in ((200, 100), (50, PORTRAIT[1] - 50)):
        window.cdp("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=300)
    window.wait_equal("document.getElementById('box').scrollTop", 300)
    assert window.value("[scrollX, scrollY]") == [0, 0]
    assert window.value("getComputedStyle(document.documentElement).overscrollBehaviorY === 'none' || getComputedStyle(document.body).overscrollBehaviorY === 'none'")


def test_GS_09_video_plays_inline_and_without_picture_in_picture(player):
    page = player().playing()
    window = page.window
    assert window.value(
        "(() => { const video = document.querySelector('video'); return [video.playsInline, video.disablePictureInPicture]; })()"
    ) == [True, True]
    window.wait("document.querySelector('video').currentTime > 0")
    assert window.value("[document.fullscreenElement, document.pictureInPictureElement]") == [None, None]


def test_GS_10_message_is_split_into_type_and_payload_once(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen", "payload": {"note": "a"}})
    page.wait_state("isFullscreen", True)
    page.fence()
    assert page.states("isFullscreen", since=mark) == [True]
    calls = page.named("call", since=mark, type="toggleFullscreen")
    assert [call["payload"] for call in calls] == [{"note": "a"}]


def test_GS_11_message_without_payload_calls_once(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen"})
    page.wait_state("isFullscreen", True)
    page.fence()
    assert page.states("isFullscreen", since=mark) == [True]
    calls = page.named("call", since=mark, type="toggleFullscreen")
    assert [call.get("payload") for call in calls] == [None]


def test_GS_12_null_payload_toggles_once(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen", "payload": None})
    page.wait_state("isFullscreen", True)
    page.fence()
    assert page.states("isFullscreen", since=mark) == [True]
    page.wait_class(True)


def test_GS_13_bodies_that_are_no_dictionary_are_ignored(custom):
    page = custom("--player-fixture-id", "nobetting-1").playing()
    mark = page.mark()
    for body in ("toggleFullscreen", 42, ["init"], None, True):
        page.post(body)
    page.fence()
    assert {entry["key"] for entry in page.named("state", since=mark)} == {"refusedMessages"}
    assert page.named("call", since=mark, type="toggleFullscreen") == []


def test_GS_14_missing_or_non_string_type_is_refused_and_counted(player):
    page = player().playing()
    mark = page.mark()
    for body in ({"payload": {}}, {"type": 5}, {"type": None}):
        page.post(body)
    page.fence()
    refusals = page.named("refusedMessage", since=mark)
    assert len(refusals) == 3
    assert page.states("isFullscreen", since=mark) == []


def test_GS_15_init_sets_ready(noinit):
    page = noinit().playing()
    assert page.state("isVideoPlayerReady") in (None, False)
    page.post({"type": "init"})
    page.wait_state("isVideoPlayerReady", True)
    mark = page.mark()
    page.post({"type": "init"})
    page.fence()
    assert page.states("isVideoPlayerReady", since=mark) == []
    assert page.states("isFullscreen", since=mark) == []
    assert page.state("isVideoPlayerReady") is True


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
    shown = viewer("phone")
    page = Player(shown.window, player_host.events, shown.content_session())
    until(lambda: shown.frame() == [0, 100, 375, 300], lambda: f"the frame is {shown.frame()}")
    with shown.window.inside():
        shown.window.wait_equal("[innerWidth, innerHeight]", [375, 300])
    shown.window.click("#rotate-left")
    until(lambda: shown.frame() == [0, 0, 667, 375], lambda: f"the frame is {shown.frame()}")
    with shown.window.inside():
        shown.window.wait_equal("[innerWidth, innerHeight]", [667, 375])
    frames = [[entry[name] for name in ("x", "y", "width", "height")] for entry in player_host.events.matching(event="frame")]
    assert [0, 100, 375, 300] in frames and [0, 0, 667, 375] in frames
    assert page.session


def test_GS_27_bars(viewer):
    shown = viewer("phone")
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
    shown = viewer(device)
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
    shown = viewer("phone")
    page = Player(shown.window, player_host.events, shown.content_session())
    page.wait_state("isIdleTimerDisabled", True)
    shown.window.wait("!document.getElementById('awake').hidden")
    shown.window.click("#home")
    page.wait_state("isIdleTimerDisabled", False)
    shown.window.wait("document.getElementById('awake').hidden")


LINES = [
    "sportsbookFixtureId: F-9001",
    "sportsbookSelectionId: S-3",
    "sportsbookMarketId: M-12",
    "sportsbookMarketContext: period=1",
    "marketId: GM-88",
    "decimalPrice: 2.35",
    "stake: 10",
]


def bet_text(page: Player) -> list[str] | None:
    return page.state("betslipText")


def wait_text(page: Player, lines: list[str]) -> None:
    until(lambda: bet_text(page) == lines, lambda: f"the betslip says {bet_text(page)}, not {lines}")


def test_GS_31_multibet_event_fills_the_betslip(player):
    page = player().playing()
    page.post({"type": "multibet-event", "payload": {"command": "addToBetslip", **BET}})
    wait_text(page, LINES)
    page.wait_state("isBetslipHidden", False)


def test_GS_32_partial_payload_has_one_line(player):
    page = player().playing()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", "marketId": "GM-1"}})
    wait_text(page, ["marketId: GM-1"])


@pytest.mark.parametrize(
    ("stake", "line"),
    [(10, "stake: 10"), (10.5, "stake: 10.5"), ("10", "stake: 10"), ("ten", None), (True, None), (0, "stake: 0"), (-5, None)],
)
def test_GS_33_stake_as_number_and_as_text(player, stake, line):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", **BET, "stake": stake}})
    wait_text(page, LINES[:6] + ([line] if line else []))
    page.fence()
    assert len(page.named("refusedMessage", since=mark, field="stake")) == (0 if line else 1)


@pytest.mark.parametrize(
    ("price", "line"),
    [(2, "decimalPrice: 2"), (2.35, "decimalPrice: 2.35"), ("2.35", None), (None, None)],
)
def test_GS_34_decimal_price_types(player, price, line):
    page = player().playing()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", **BET, "decimalPrice": price}})
    wait_text(page, LINES[:5] + ([line] if line else []) + LINES[6:])


def test_GS_35_commands_show_and_hide(player):
    page = player().playing()
    for command, hidden in [
        ("addToBetslip", False),
        ("closeBetslip", True),
        ("placeBet", False),
        ("closeBetslip", True),
        ("openBetslip", False),
        ("resetBetslip", False),
        ("closeBetslip", True),
        ("resetBetslip", True),
    ]:
        payload = {"command": command} if command == "closeBetslip" else {"command": command, **BET}
        page.post({"type": "multibet-event", "payload": payload})
        page.fence()
        assert page.state("isBetslipHidden") is hidden, command


@pytest.mark.parametrize("button", ["Place bet", "Cancel"])
def test_GS_36_betslip_buttons_hide_it(viewer, button):
    shown = viewer("phone")
    with shown.window.inside():
        shown.window.click(".gs-market")
    shown.betslip()
    shown.press(button)
    shown.no_betslip()


def post_dimensions(page: Player, **members) -> None:
    page.post({"type": "betslip-container-dimensions", "payload": members})


def test_GS_37_betslip_dimensions(player):
    page = player().playing()
    post_dimensions(page, top=12, left=640, width=280, height=320)
    page.wait_state("betslipFrame", {"x": 640, "y": 12, "width": 280, "height": 320})


def test_GS_38_fractional_dimensions(player):
    page = player().playing()
    post_dimensions(page, top=12.5, left=640.25, width=280.75, height=320.5)
    page.wait_state("betslipFrame", {"x": 640.25, "y": 12.5, "width": 280.75, "height": 320.5})


@pytest.mark.parametrize(
    "bad",
    [
        {"top": 1, "left": 2, "height": 3},
        {"top": 1, "left": 2, "width": "280", "height": 3},
        {"top": None, "left": 2, "width": 3, "height": 4},
        {"top": 1, "left": 2, "width": -1, "height": 4},
    ],
)
def test_GS_39_incomplete_dimensions_keep_the_old_rectangle(player, bad):
    page = player().playing()
    post_dimensions(page, top=12, left=640, width=280, height=320)
    page.wait_state("betslipFrame", {"x": 640, "y": 12, "width": 280, "height": 320})
    mark = page.mark()
    page.post({"type": "betslip-container-dimensions", "payload": bad})
    page.fence()
    assert page.states("betslipFrame", since=mark) == []
    assert len(page.named("refusedMessage", since=mark)) == 1


def test_GS_40_dimensions_survive_a_new_layout(custom):
    page = custom("--player-fixture-id", "nobetting-1").playing()
    post_dimensions(page, top=12, left=40, width=280, height=320)
    page.wait_state("betslipFrame", {"x": 40, "y": 12, "width": 280, "height": 320})
    mark = page.mark()
    page.window.resize(*LANDSCAPE)
    page.wait_class(True)
    page.fence()
    assert page.states("betslipFrame", since=mark) == []
    assert page.state("betslipFrame") == {"x": 40, "y": 12, "width": 280, "height": 320}


def test_GS_41_two_bus_types_are_forwarded_and_no_other(player):
    page = player().playing()
    mark = page.mark()
    page.bus("multibet-event", {"command": "openBetslip", **BET})
    wait_text(page, LINES)
    page.bus("betslip-container-dimensions", {"left": 10, "top": 20, "width": 300, "height": 200})
    page.wait_state("betslipFrame", {"x": 10, "y": 20, "width": 300, "height": 200})
    for other in ("somethingElse", "init", "setUserBets"):
        page.bus(other, [])
    page.fence()
    kinds = [entry["type"] for entry in page.named("call", since=mark) if not entry["type"].startswith("fence")]
    assert kinds == ["multibet-event", "betslip-container-dimensions"]


def test_GS_42_page_works_in_a_plain_tab_without_a_bridge(player, relay, open_window):
    page = player().playing()
    source = page.window.promise("fetch(location.href).then((answer) => answer.text())")
    without = re.sub(r"<script[^>]*bridge\.js[^>]*></script>", "", source)
    assert without != source
    plain = open_window(relay.put("plain.html", without), size=PORTRAIT)
    plain.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
    assert plain.value("typeof window.webkit") == "undefined"
    plain.click(".full-screen-btn")
    plain.wait_equal(Player.CLASS, True)
    plain.click(".gs-market")


def test_GS_43_player_ready_asks_for_stream_data_and_starts(player):
    page = player()
    window = page.window
    page.playing()
    asked = window.wait(
        "performance.getEntriesByType('resource').map((each) => each.name).find((each) => each.includes('/operator/stream.json'))"
    )
    query = dict(part.split("=", 1) for part in asked.split("?")[1].split("&"))
    assert {name: query[name] for name in ("streamId", "deliveryId", "geniusSportsFixtureId", "region")} == {
        "streamId": "st-1",
        "deliveryId": "dl-9",
        "geniusSportsFixtureId": "9889284",
        "region": "GB",
    }
    # What the start call is given.
    window.js(
        """window.starts = [];
           const original = GeniusLivePlayer.player.start;
           GeniusLivePlayer.player.start = (stream) => { starts.push(stream); return original(stream); };"""
    )
    page.bus("player_ready", {"streamId": "st-1", "streamType": "LIVE", "deliveryType": "HLS", "deliveryId": "dl-9",
                              "geniusSportsFixtureId": 9889284, "device": "MOBILE", "region": "GB"})
    window.wait("starts.length === 1")
    assert window.value("Object.keys(starts[0])") == ["url", "expiresAt", "token", "drm"]
    assert window.value("[starts[0].url.endsWith('.webm'), typeof starts[0].expiresAt, typeof starts[0].token, typeof starts[0].drm]") == [
        True, "string", "string", "object",
    ]


@pytest.mark.parametrize("fixture", ["nostream-1", "denied-1"])
def test_GS_44_empty_or_refused_stream_hides_the_player(custom, fixture):
    page = custom("--player-fixture-id", fixture)
    page.window.wait("getComputedStyle(document.getElementById('container-video')).display === 'none'")


def test_GS_45_repeated_player_ready_starts_again(custom):
    page = custom("--player-fixture-id", "failover-1")
    page.window.wait("document.querySelector('.video-container')?.dataset.startCount === '2'")
    assert page.window.value("document.querySelector('.video-container').dataset.deliveryId") == "dl-10"


@pytest.mark.parametrize("codes", [[1001], [1002], [1003], [1004], [1002, 1004]])
def test_GS_46_player_not_ready_reaches_the_app(custom, codes):
    fixture = "blocked-" + "-".join(map(str, codes))
    page = custom("--player-fixture-id", fixture)
    errors = page.wait_named("state", key="playerErrors")["value"]
    assert [error["code"] for error in errors] == codes
    assert all(error["message"] and error["details"] == f"fixture {fixture}" for error in errors)


def test_GS_47_silence_counts_as_failure(custom):
    page = custom("--player-fixture-id", "silent-1", "--player-ready-timeout", "1")
    page.wait_state("availability", "silent")


BETS = [
    {
        "id": "b-1", "type": "Single", "status": "Open", "currency": "GBP", "payout": 47.5, "stakePerUnit": 5,
        "cashOutAvailable": True, "cashOutPrice": 12.25, "addedAt": 1764471720000,
        "selections": [
            {
                "sport": "AmericanFootball", "competitionName": "NFL", "selectionId": "S-3", "status": "Open",
                "selectionName": "Over 45.5", "marketId": "GM-88", "marketType": "TotalPoints", "fixtureId": "9889284",
                "fixtureName": "Bears v Lions", "fixtureStartTime": 1764470000000,
                "price": {"numerator": 9, "denominator": 10, "decimal": 1.9, "american": "-111", "outcome": "Over", "handicap": "45.5"},
            }
        ],
    }
]
BETS.append({**BETS[0], "id": "b-2"})
SHOWN = "Array.from(document.querySelectorAll('[data-bet-id]'), (each) => each.dataset.betId)"


@pytest.fixture
def with_bets(custom, tmp_path):
    """A player with the user's bets in a file: what is written there is shown."""
    file = tmp_path / "bets.json"
    file.write_text(json.dumps(BETS))
    page = custom("--player-bets", str(file)).playing()
    return page, lambda bets: file.write_text(json.dumps(bets))


def test_GS_48_requested_user_bets_are_shown(with_bets):
    page, _ = with_bets
    page.window.wait_equal(SHOWN, ["b-1", "b-2"])


def test_GS_49_new_user_bets_replace_the_old_ones(with_bets):
    page, write = with_bets
    page.window.wait_equal(SHOWN, ["b-1", "b-2"])
    write(BETS[1:])
    page.window.wait_equal(SHOWN, ["b-2"])
    write([])
    page.window.wait_equal(SHOWN, [])


def test_GS_50_user_bets_given_too_early_wait_for_the_request(custom, tmp_path):
    """The vendor's player loses what comes before its request; the page keeps it until then."""
    file = tmp_path / "bets.json"
    file.write_text("[]")
    page = custom("--player-fixture-id", "silent-1", "--player-bets", str(file))
    page.window.wait("document.querySelector('.video-container')?.dataset.state === 'ready'")
    page.window.js(
        """window.given = [];
           addEventListener('geniussportsmessagebus', (event) => {
             if (event.detail.type === 'setUserBets') given.push(event.detail.body.map((each) => each.id));
           });"""
    )
    file.write_text(json.dumps(BETS))
    page.wait_named("userBetsSent", predicate=lambda entry: entry["count"] == 2)
    page.fence()
    assert page.window.value("given") == []
    page.bus("requestUserBets", None)
    page.window.wait("given.length > 0")
    assert page.window.value("given[0]") == ["b-1", "b-2"]


def test_GS_51_bus_envelope_has_its_four_members(custom, tmp_path):
    file = tmp_path / "bets.json"
    file.write_text(json.dumps(BETS))
    page = custom("--player-bets", str(file)).playing()
    page.window.js(
        "window.seen = []; addEventListener('geniussportsmessagebus', (event) => seen.push(JSON.parse(JSON.stringify(event.detail))))"
    )
    page.window.click(".gs-market")
    file.write_text(json.dumps(BETS[1:]))
    page.window.wait("seen.some((each) => each.type === 'setUserBets') && seen.some((each) => each.type === 'multibet-event')")
    for detail in page.window.value("seen"):
        assert set(detail) == {"correlationId", "routingKey", "type", "body"}
        assert re.fullmatch(r"[0-9a-f-]{20,}", detail["correlationId"])
        assert detail["routingKey"] == {}


def test_GS_52_player_is_closed_when_the_view_disappears(viewer, player_host):
    shown = viewer("phone")
    page = Player(shown.window, player_host.events, shown.content_session())
    mark = page.mark()
    shown.window.click("#home")
    with shown.window.inside():
        shown.window.wait("document.querySelector('.video-container').dataset.closeCount === '1'")
        shown.window.js("delete window.GeniusLivePlayer; window.kept = true")
    # Without a player: no error, and the page is as it was.
    shown.window.click("#app-icon")
    with shown.window.inside():
        shown.window.wait("window.kept === undefined && document.querySelector('.video-container')?.dataset.state === 'playing'")
        shown.window.js("delete window.GeniusLivePlayer")
    shown.window.click("#home")
    page.wait_state("isIdleTimerDisabled", False)
    shown.window.click("#app-icon")
    page.wait_state("isIdleTimerDisabled", True)
    assert page.named("error", since=mark) == []


def test_GS_53_unknown_type_is_logged_and_changes_nothing(custom):
    page = custom("--player-fixture-id", "nobetting-1").playing()
    mark = page.mark()
    page.post({"type": "xyz", "payload": {"a": 1}})
    page.wait_named("unknownMessage", since=mark, type="xyz")
    page.fence()
    assert page.named("state", since=mark) == []


@pytest.mark.console("is not a usable size")
def test_GS_54_size_rule(custom, relay, tmp_path):
    page = custom("--player-width", "100%", "--player-height", "100%").playing()
    assert "width=100%25&" in loader_url(page)
    assert page.window.value("document.querySelector('.video-container').style.getPropertyValue('--gs-width')") == "100%"
    with pytest.raises(AssertionError, match="auto"):
        PlayerHost(relay.ws, tmp_path, "--app", "never", "--player-width", "auto")
    # The loader's own defaults, without the host's configuration.
    page.window.js(
        """document.querySelector('.video-container').remove();
           const script = document.createElement('script');
           script.src = arguments[0].split('?')[0] + '?customerId=1&fixtureId=2';
           document.body.append(script);""",
        loader_url(page),
    )
    page.window.wait("document.querySelector('.video-container')")
    assert page.window.value(
        "['--gs-width', '--gs-height'].map((name) => document.querySelector('.video-container').style.getPropertyValue(name))"
    ) == ["600px", "300px"]


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
