"""The viewer: the device, its controls, the traffic, and that keyboards and narrow windows can use it."""

import json

import pytest
from selenium.webdriver.common.keys import Keys

DEVICES = {
    "phone-island": (393, 852),
    "phone-notch": (390, 844),
    "phone": (375, 667),
    "tablet": (820, 1180),
}


@pytest.mark.parametrize("device", DEVICES)
def test_device_choice_changes_screen_and_page(viewer, device):
    other = "tablet" if device == "phone" else "phone"
    opened = viewer(other)
    opened.ready()
    opened.window.js("document.querySelector('#devices input[value=\"' + arguments[0] + '\"]').click()", device)
    width, height = DEVICES[device]
    opened.window.wait_equal(
        "[document.getElementById('screen').offsetWidth, document.getElementById('screen').offsetHeight]",
        [width, height],
    )
    # The host places the page in the new screen, and the page has that width.
    opened.window.wait_equal("document.querySelector('iframe[name=pagebridge]').offsetWidth", width)
    with opened.window.inside():
        opened.window.wait_equal("innerWidth", width)
    assert f"{width} × {height}" in opened.window.value("document.getElementById('caption').textContent")


def test_plain_window_is_filled_and_turned_by_its_size(viewer):
    opened = viewer("window", size=(500, 900))
    opened.ready()
    with opened.window.inside():
        opened.window.wait("document.querySelector('.video-container')")
        assert opened.window.value("document.querySelector('.video-container.full-screen') === null")
    opened.window.resize(1000, 500)
    with opened.window.inside():
        opened.window.wait("document.querySelector('.video-container.full-screen')")
    opened.window.resize(500, 900)
    with opened.window.inside():
        opened.window.wait("document.querySelector('.video-container:not(.full-screen)')")


def test_rotate_button_and_keys_turn_the_device(viewer):
    opened = viewer("phone-notch")
    opened.ready()
    opened.window.click("#rotate-left")
    opened.orientation("landscape-left")
    with opened.window.inside():
        opened.window.wait("document.querySelector('.video-container.full-screen')")
    opened.window.click("#rotate-left")
    opened.orientation("portrait")
    with opened.window.inside():
        opened.window.wait("document.querySelector('.video-container:not(.full-screen)')")
    opened.window.click("#stage")
    opened.window.keys("r")
    opened.orientation("landscape-left")
    opened.window.keys("r")
    opened.orientation("portrait")
    opened.window.keys("R")
    opened.orientation("landscape-right")
    opened.window.wait_equal("document.getElementById('rotate-right').getAttribute('aria-pressed')", "true")


def test_memory_warning_reaches_the_host(viewer, player_host):
    opened = viewer()
    opened.ready()
    mark = player_host.events.mark()
    opened.window.click("#memory-warning")
    player_host.events.wait(lambda entry: "memory" in json.dumps(entry).lower(), since=mark)
    mark = player_host.events.mark()
    opened.window.click("#stage")
    opened.window.keys("m")
    player_host.events.wait(lambda entry: "memory" in json.dumps(entry).lower(), since=mark)


def test_connection_state_is_shown(viewer):
    opened = viewer()
    opened.ready()
    assert opened.window.value("document.getElementById('connection').dataset.state") == "attached"
    assert opened.window.value("document.getElementById('notice').hidden") is True


def test_traffic_panel_shows_filters_pauses_and_opens_messages(viewer):
    opened = viewer(traffic="open", size=(1400, 1000))
    opened.ready()
    window = opened.window
    window.wait("document.querySelector('#traffic-rows .row')")
    names = "Array.from(document.querySelectorAll('#traffic-rows .row b'), (each) => each.textContent)"
    # A message of the page.
    with window.inside():
        window.js("webkit.messageHandlers.gsVideoPlayerBridge.postMessage({type: 'xyz-traffic', payload: {a: 1}})")
    row = "Array.from(document.querySelectorAll('#traffic-rows .row')).find((each) => each.textContent.includes('xyz-traffic'))"
    window.wait(f"{row} !== undefined")
    assert window.value(f"{row}.dataset.direction") == "toHost"
    assert "gsVideoPlayerBridge" in window.value(f"{row}.querySelector('b').textContent")
    assert window.value(f"/\\d+ B/.test({row}.querySelector('.row-size').textContent)")
    assert window.value(f"/\\d\\d:\\d\\d:\\d\\d/.test({row}.querySelector('.row-time').textContent)")
    # Its body on a click.
    window.js(f"{row}.click()")
    window.wait("document.getElementById('traffic-body').textContent.includes('xyz-traffic')")
    assert json.loads(window.value("document.getElementById('traffic-body').textContent"))
    window.click("#traffic-detail-close")
    window.wait("document.getElementById('traffic-detail').hidden")
    # Filtered by text and by direction.
    window.click("#traffic-filter")
    window.keys("xyz-traffic")
    window.wait_equal(f"{names}.length", 1)
    window.click("#traffic-direction label:nth-of-type(3)")
    window.wait_equal(f"{names}.length", 0)
    window.click("#traffic-direction label:nth-of-type(1)")
    window.wait_equal(f"{names}.length", 1)
    # Paused: nothing is added until it goes on.
    window.click("#traffic-pause")
    with window.inside():
        window.js("webkit.messageHandlers.gsVideoPlayerBridge.postMessage({type: 'xyz-traffic', payload: {a: 2}})")
        window.js(
            "webkit.messageHandlers.gsVideoPlayerBridge.postMessage({type: 'multibet-event', payload: {command: 'openBetslip'}})"
        )
    # What the host draws for the last message is seen, so the first one was handled.
    opened.betslip()
    assert window.value(f"{names}.length") == 1
    window.click("#traffic-pause")
    # Whatever was kept back, what comes now is shown again.
    with window.inside():
        window.js("webkit.messageHandlers.gsVideoPlayerBridge.postMessage({type: 'xyz-traffic', payload: {a: 3}})")
    window.wait(f"{names}.length >= 2")
    window.click("#traffic-clear")
    window.wait(f"{names}.length === 0")


def test_home_button_tells_the_app_and_back(viewer):
    opened = viewer()
    opened.ready()
    opened.window.click("#home")
    with opened.window.inside():
        opened.window.wait("document.querySelector('.video-container').dataset.closeCount === '1'")
    assert opened.window.value("document.getElementById('screen').dataset.home") == "true"
    opened.window.click("#app-icon")
    opened.window.wait_equal("document.getElementById('screen').dataset.home", "false")


def test_keyboard_alone_can_use_the_viewer(viewer):
    opened = viewer()
    opened.ready()
    window = opened.window
    window.js("document.activeElement.blur()")
    seen = []
    for _ in range(14):
        window.keys(Keys.TAB)
        seen.append(
            window.value("document.activeElement.id || document.activeElement.name || document.activeElement.className")
        )
    # Each control is reached, in the order of the page.
    expected = ["brand", "device", "rotate-left", "rotate-right", "home", "memory-warning", "toggle-traffic", "help"]
    assert [each for each in seen if each in expected] == expected
    # Every control has a name and a visible focus.
    nameless = window.value(
        """Array.from(document.querySelectorAll('button, a, input, [role=listbox]')).filter((each) =>
             !(each.getAttribute('aria-label') || each.labels?.[0]?.textContent.trim() || each.textContent.trim() ||
               each.title)).map((each) => each.outerHTML)"""
    )
    assert nameless == []
    window.js("document.getElementById('help').focus()")
    window.keys(Keys.ENTER)
    window.wait("document.getElementById('help-dialog').open")
    window.keys(Keys.ESCAPE)
    window.wait("!document.getElementById('help-dialog').open")
    window.js("document.activeElement.blur()")
    window.keys("t")
    window.wait("!document.getElementById('traffic').hidden")
    window.keys("/")
    window.wait_equal("document.activeElement.id", "traffic-filter")
    # Typing is typing there, no shortcut.
    window.keys("hdr")
    assert window.value("document.activeElement.value") == "hdr"
    assert window.value("document.getElementById('screen').dataset.home") != "true"
    window.js("document.activeElement.blur()")
    window.keys("t")
    window.wait("document.getElementById('traffic').hidden")
    window.keys("h")
    window.wait_equal("document.getElementById('screen').dataset.home", "true")
    window.keys("h")
    window.wait_equal("document.getElementById('screen').dataset.home", "false")
    before = window.value("document.getElementById('device').dataset.device")
    window.keys("d")
    window.wait("document.getElementById('device').dataset.device !== arguments[0]", before)


def test_changes_are_said_to_screen_readers(viewer):
    opened = viewer("phone-notch")
    opened.ready()
    said = "document.getElementById('announcer').textContent"
    assert opened.window.value("document.getElementById('announcer').getAttribute('aria-live')") == "polite"
    opened.window.click("#rotate-left")
    opened.window.wait(f"{said}.toLowerCase().includes('landscape')")
    opened.window.click("#home")
    opened.window.wait(f"{said} === 'Home screen'")


@pytest.mark.parametrize("size", [(360, 740), (320, 568), (600, 400)])
def test_narrow_window_needs_no_sideways_scrolling(viewer, size):
    opened = viewer("phone-notch", size=size)
    opened.ready()
    window = opened.window
    assert window.value("document.documentElement.scrollWidth") <= size[0]
    outside = window.value(
        """Array.from(document.querySelectorAll('header button, header a, header label')).filter((each) => {
             const box = each.getBoundingClientRect();
             return box.width > 0 && (box.left < -1 || box.right > innerWidth + 1);
           }).map((each) => each.id || each.title)"""
    )
    assert outside == []
    # The whole device is in sight.
    box = window.value(
        """(() => { const box = document.getElementById('screen').getBoundingClientRect();
                    return [box.left, box.top, box.right, box.bottom]; })()"""
    )
    assert box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1], box
    window.click("#rotate-left")
    opened.orientation("landscape-left")
    with window.inside():
        window.wait("document.querySelector('.video-container.full-screen')")


def test_viewer_waits_for_a_host_and_comes_alive(open_window, relay, probe, app):
    window = open_window(f"{relay.http}/view/{app}", size=(1280, 900))
    window.wait("document.getElementById('connection').textContent === 'Waiting for a host'")
    assert app in window.value("document.getElementById('notice').textContent")
    probe()
    window.wait("document.getElementById('connection').textContent === 'Attached'")


def test_list_of_apps_shows_connected_hosts_and_leads_to_the_viewer(open_window, relay, player_host, probe, app):
    probe()
    window = open_window(relay.http + "/", size=(1100, 800))
    card = f"document.querySelector('.card[data-app=\"{app}\"]')"
    window.wait(f"{card} !== null")
    window.wait("document.querySelector('.card[data-app=player]')")
    assert "Probe host" in window.value(f"{card}.textContent")
    assert window.value(f"{card}.querySelector('a').getAttribute('href')") == f"/view/{app}"
    window.click(".card[data-app=player] a")
    window.wait("location.pathname === '/view/player'")
    window.wait("document.querySelector('iframe[name=pagebridge]')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_viewer_has_enough_contrast(viewer, scheme):
    """Text and its ground, WCAG AA, in both colour schemes."""
    opened = viewer(traffic="open", size=(1400, 1000))
    opened.window.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    opened.ready()
    poor = opened.window.js(
        """
        const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
        const luminance = ([r, g, b]) => [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
          .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const ground = (element) => {
          for (let each = element; each; each = each.parentElement) {
            const color = parse(getComputedStyle(each).backgroundColor);
            if (getComputedStyle(each).backgroundImage !== 'none') return null;
            if (color.length === 3 || color[3] === 1) return color;
            if (color[3] > 0) return null;
          }
          return [255, 255, 255];
        };
        const poor = [];
        for (const element of document.querySelectorAll('header *, aside *, .caption')) {
          const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim());
          const box = element.getBoundingClientRect();
          if (!own || box.width < 2 || box.height < 2 || element.closest('.visually-hidden, [hidden]')) continue;
          const behind = ground(element), front = parse(getComputedStyle(element).color);
          if (!behind || (front[3] !== undefined && front[3] < 1)) continue;
          const [a, b] = [luminance(front), luminance(behind)].sort((x, y) => y - x);
          const ratio = (a + 0.05) / (b + 0.05);
          if (ratio < 4.5) poor.push([element.className || element.id || element.tagName, element.textContent.trim().slice(0, 30), ratio.toFixed(2)]);
        }
        return poor;
        """
    )
    assert poor == []
