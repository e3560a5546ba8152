"""The Genius Sports player: its configuration, its page and its look."""

import json
import re

import pytest

from harness.player import BET, PORTRAIT, Player, loader_url
from harness.processes import PlayerHost


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
    assert (
        page.window.value("new URLSearchParams(arguments[0].split('?')[1]).get('fixtureId')", loader_url(page))
        == 'a&b"<c'
    )
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
    assert window.value(
        "getComputedStyle(document.documentElement).overscrollBehaviorY === 'none' || getComputedStyle(document.body).overscrollBehaviorY === 'none'"
    )


def test_GS_09_video_plays_inline_and_without_picture_in_picture(player):
    page = player().playing()
    window = page.window
    assert window.value(
        "(() => { const video = document.querySelector('video'); return [video.playsInline, video.disablePictureInPicture]; })()"
    ) == [True, True]
    window.wait("document.querySelector('video').currentTime > 0")
    assert window.value("[document.fullscreenElement, document.pictureInPictureElement]") == [None, None]


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


@pytest.mark.console("is not a usable size")
def test_GS_54_size_rule(custom, relay, tmp_path):
    page = custom("--player-width", "100%", "--player-height", "100%").playing()
    assert "width=100%25&" in loader_url(page)
    assert (
        page.window.value("document.querySelector('.video-container').style.getPropertyValue('--gs-width')") == "100%"
    )
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
