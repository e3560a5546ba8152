"""The identity journey in the viewer, as a person goes through it: cameras, chip, errors and the app's own controls."""

import pytest
from harness.browser import Browser
from harness.browsing import Browsing
from harness.journey import Journey, client
from harness.processes import JourneyHost
from harness.waiting import until

CAMERA = ("--use-fake-device-for-media-stream",)


@pytest.fixture(scope="module")
def browser():
    """One with a camera, which shows a moving picture."""
    browser = Browser(flags=CAMERA)
    yield browser
    browser.quit()


def permit(shown: Journey, relay, setting: str) -> None:
    """The user has said whether the viewer may use the camera."""
    shown.window.cdp("Browser.setPermission", permission={"name": "camera"}, setting=setting, origin=relay.http)


@pytest.fixture
def journey(journey, relay):
    """Opens the journey of the shared host in a viewer that may use the camera."""

    def open_journey(**rest) -> Journey:
        shown = journey(**rest)
        permit(shown, relay, "granted")
        return shown

    return open_journey


def photo(shown: Journey, name: str) -> dict:
    """What the page has of a photo, once its picture is decoded."""
    shown.wait_page(f"document.querySelector('#step-{name} figure[data-length]') !== null")
    return shown.page(
        f"""(() => {{ const figure = document.querySelector('#step-{name} figure'), picture = figure.querySelector('img');
             return {{length: Number(figure.dataset.length), width: picture.naturalWidth, height: picture.naturalHeight}}; }})()"""
    )


def test_GB_16_document_photo_of_the_camera(journey):
    shown = journey()
    taken = shown.photograph("document")
    assert taken["isGenerated"] is False and taken["mimeType"] == "image/png"
    assert photo(shown, "document") == {
        "length": taken["bytes"], "width": taken["width"], "height": taken["height"],
    }
    data = shown.named("sent", action="camera.document.capture")[0]["data"]
    assert set(data) == {"imageData", "width", "height", "mimeType"}
    asked = shown.named("received", action="camera.document.capture")[0]["data"]
    assert asked == {"documentType": "passport", "side": "front"}


def test_GB_17_selfie_of_the_camera(journey):
    shown = journey()
    taken = shown.photograph("selfie")
    assert taken["isGenerated"] is False and taken["mimeType"] == "image/jpeg"
    assert photo(shown, "selfie")["length"] == taken["bytes"]
    assert shown.state("cameraPermission") == "granted"


def test_GB_17_selfie_with_both_blobs(bench):
    page = bench()
    selfie = {
        "previewImageData": "/9j/4AAQ", "width": 720, "height": 1280, "mimeType": "image/jpeg",
        "encryptedBlob": "AAEC", "unencryptedBlob": "AwQF",
    }
    page.do("Slot", slot="selfie", handler="answer", selfie=selfie)
    assert page.request("camera.selfie.capture") == {"data": selfie}


def test_GB_18_active_request_lasts_until_the_user_is_done(journey):
    shown = journey()
    shown.step("document")
    shown.camera("document", "live")
    asked = shown.named("received", action="camera.document.capture")[0]["correlationId"]
    shown.wait_state("activeDocument", asked)
    shown.step_state("document", "busy")
    shown.press_camera("document", "Take the picture")
    shown.press_camera("document", "Retake")
    shown.camera("document", "live")
    assert shown.state("activeDocument") == asked
    shown.press_camera("document", "Take the picture")
    shown.press_camera("document", "Use photo")
    shown.step_state("document", "done")
    shown.wait_state("activeDocument", None)
    shown.camera("document", "hidden")


def test_GB_19_cancelled_camera(journey):
    shown = journey()
    shown.step("document")
    shown.camera("document", "live")
    shown.press_camera("document", "Cancel")
    shown.alert("CANCELLED")
    shown.step_state("document", "failed")
    shown.wait_state("activeDocument", None)
    assert shown.named("sent", action="camera.document.capture")[0]["data"] == {"reason": "The user cancelled"}
    # Once more, by the error's own button.
    shown.click("#alert-retry")
    shown.camera("document", "live")


def test_GB_19_dismissed_camera(journey):
    shown = journey()
    shown.step("selfie")
    shown.camera("selfie", "live")
    shown.window.keys("\ue00c")
    shown.alert("CANCELLED")
    assert shown.named("sent", action="camera.selfie.capture")[0]["data"] == {"reason": "The camera was dismissed"}


def test_GB_19_closed_journey_ends_its_camera(journey):
    shown = journey()
    shown.step("document")
    shown.camera("document", "live")
    # The camera covers the app's buttons, so the action comes as from another way to close the app.
    shown.act("openOrClose")
    shown.wait_state("isOpen", False)
    shown.wait_state("activeDocument", None)
    shown.camera("document", "hidden")


def test_GB_20_second_capture_is_busy(journey):
    shown = journey()
    shown.step("document")
    shown.camera("document", "live")
    ask = "window.second = GBGBridge.request(arguments[0]).catch((error) => error.code)"
    shown.script(ask, "camera.document.capture")
    with shown.window.inside():
        assert shown.window.promise("second") == "BUSY"
    # There is one camera: the other slot is refused too while it is in use.
    shown.script(ask, "camera.selfie.capture")
    with shown.window.inside():
        assert shown.window.promise("second") == "BUSY"
    shown.press_camera("document", "Take the picture")
    shown.press_camera("document", "Use photo")
    shown.step_state("document", "done")


def test_GB_21_slot_is_switched_off_and_on(journey):
    shown = journey()
    shown.press_view("controls")
    shown.press_view("offer.document")
    shown.wait_state("offersDocument", False)
    shown.press_view("controls")
    shown.click("#ask")
    shown.step_state("document", "off")
    # What is not offered is parked; it is taken up when the slot is on again.
    shown.script("GBGBridge.request('camera.document.capture').catch(() => 0)")
    shown.wait_state("pendingCount", 1)
    shown.press_view("controls")
    shown.press_view("offer.document")
    shown.camera("document", "live")
    shown.wait_state("pendingCount", 0)


def test_GB_25_camera_that_may_not_be_used(journey, relay):
    shown = journey()
    permit(shown, relay, "denied")
    shown.step("document")
    shown.camera("document", "denied")
    shown.wait_state("cameraPermission", "denied")
    shown.press_camera("document", "Cancel")
    shown.alert("PERMISSION_DENIED")
    shown.click("#ask")
    shown.wait_page_equal(
        "document.querySelector('#offers tr[data-capability=\"camera.document\"] td:last-child').textContent",
        "version 1.0, denied",
    )
    # A test picture does without the camera.
    shown.step("document")
    shown.camera("document", "denied")
    shown.press_camera("document", "Test picture")
    shown.press_camera("document", "Take the picture")
    shown.press_camera("document", "Use photo")
    shown.step_state("document", "done")
    assert shown.wait_named("picture")["isGenerated"] is True


def test_GB_25_camera_is_allowed_after_all(journey, relay):
    shown = journey()
    permit(shown, relay, "denied")
    shown.step("selfie")
    shown.camera("selfie", "denied")
    permit(shown, relay, "granted")
    shown.press_camera("selfie", "Try again")
    shown.camera("selfie", "live")
    shown.wait_state("cameraPermission", "granted")


def test_GB_26_chip_is_read(journey):
    shown = journey()
    shown.step("chip")
    shown.press_view("chip.read")
    shown.step_state("chip", "done")
    answer = shown.named("sent", action="nfc.read")[0]
    assert answer["status"] == "success" and answer["data"]["documentNumber"] == "X1234567"
    shown.script("window.bad = GBGBridge.request('nfc.read', {}).catch((error) => error.code)")
    with shown.window.inside():
        assert shown.window.promise("bad") == "INVALID_REQUEST"


def test_GB_30_waiting_request_is_answered_by_the_user(journey):
    shown = journey()
    shown.click("#unknown")
    shown.wait_state("pendingCount", 1)
    shown.press_view("controls")
    shown.press_view("pending.answer")
    shown.wait_page_equal("document.getElementById('unknown').textContent", 'Answered: {"answeredBy":"the app"}')
    shown.wait_state("pendingCount", 0)


def test_GB_34_app_tells_of_its_life(journey):
    shown = journey()
    assert shown.heard("host.ready")["timestamp"] > 1_500_000_000
    assert shown.heard("host.deviceInfo")["device"]["model"] == "phone-notch"
    assert shown.heard("host.orientation") == {"orientation": "portrait"}
    shown.window.click("#rotate-left")
    shown.wait_page_equal("document.querySelector('#events li code').textContent", '{"orientation":"landscape"}')
    shown.window.click("#home")
    shown.heard("host.background")
    shown.window.click("#app-icon")
    shown.heard("host.foreground")
    shown.press_view("journey.help")
    assert shown.heard("user.action") == {"action": "tapped_help", "screen": "journey"}
    shown.press_view("journey.cancel")
    assert shown.heard("journey.cancel") == {"reason": "The user tapped Cancel"}
    shown.alert("CANCELLED")


def test_GB_38_badge_counts_live(journey):
    shown = journey()
    shown.page("GBGBridge.send('journey.step', {index: 1})")
    count = shown.state("receivedCount")
    until(lambda: shown.view_text("received") == f"{shown.state('receivedCount')} received", "the badge to count")
    assert shown.state("receivedCount") >= count


def test_GB_45_banner_shows_and_clears_the_error(journey):
    shown = journey()
    shown.post("nonsense", handler="gbgBridge")
    until(lambda: "the text is no JSON" in (shown.view_text("error") or ""), lambda: str(shown.view_text("error")))
    shown.press_view("error.dismiss")
    until(lambda: shown.view_text("error") is None, "the banner to go")
    shown.wait_state("lastError", None)


def test_GB_46_closed_journey_cannot_be_told(journey):
    shown = journey()
    shown.press_view("controls")
    shown.press_view("openOrClose")
    shown.wait_state("isOpen", False)
    shown.press_view("tellPage")
    shown.wait_state("lastError", "WebView not attached")
    # It is opened again, with the same bridge and all that it knows.
    before = shown.state("receivedCount")
    shown.press_view("openOrClose")
    shown.window.wait("document.querySelector('iframe[name=pagebridge]')")
    shown.loaded()
    assert shown.state("receivedCount") > before


def test_GB_49_last_step_is_another_page(journey):
    shown = journey()
    shown.press_view("controls")
    shown.press_view("journey.finish")
    shown.wait_page("location.pathname.endsWith('/finish.html')")
    shown.wait_page_equal("document.getElementById('host-version').textContent", "App version 1.0.0")
    assert shown.named("received", action="journey.finished") != []


def test_GB_53_foreign_link_opens_outside(journey):
    shown = journey()
    shown.click("#privacy")
    shown.wait_state("openedOutside", "https://www.example.com/privacy")
    until(lambda: "https://www.example.com/privacy" in (shown.view_text("outside") or ""), "the banner")
    assert shown.page("location.pathname") == "/pages/journey/"
    shown.press_view("outside.dismiss")
    shown.wait_state("openedOutside", None)


def test_GB_56_states_change_on_the_main_queue(journey):
    shown = journey()
    shown.post("nonsense", handler="gbgBridge")
    shown.wait_named("bridgeError")
    states = shown.named("state")
    assert len(states) > 10 and all(entry["isOnMainQueue"] is True for entry in states if "isOnMainQueue" in entry)
    assert any("isOnMainQueue" in entry for entry in states)


def test_GB_58_bare_tab_offers_no_cameras(open_window, relay, journey_host):
    window = open_window(f"{relay.http}/pages/journey/")
    window.attached()
    window.wait_equal("GBGBridge.environment", "ios")
    window.wait_equal("document.getElementById('step-document').dataset.state", "off")
    code = window.promise("GBGBridge.request('camera.document.capture').catch((error) => error.code)")
    assert code == "UNSUPPORTED"


def test_GB_58_journey_without_an_app(open_window, relay, app):
    page = (relay.web / "pages/journey/index.html").read_text()
    window = open_window(relay.put(f"pages/journey/{app}.html", page.replace('data-app="journey"', f'data-app="{app}"')))
    window.wait("pagebridge.state === 'waiting'")
    assert window.value("GBGBridge.environment") == "standalone"
    assert "not inside an app" in window.value("document.getElementById('offers').textContent")


def test_GB_62_photo_of_several_megabytes_without_a_camera(journey):
    shown = journey()
    shown.window.js("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'))")
    taken = shown.photograph("document")
    assert taken["isGenerated"] is True and taken["bytes"] > 4 * 1048576
    assert photo(shown, "document")["length"] == taken["bytes"]
    assert shown.state("cameraPermission") == "notDetermined"


@pytest.mark.parametrize("device", ["tablet", "window", "phone"])
def test_capture_fits_each_device(journey, device):
    shown = journey(device=device)
    shown.step("selfie")
    shown.camera("selfie", "live")
    # In points of the screen, which no animation changes.
    box, screen = shown.window.value(
        """(() => { const camera = document.querySelector('[data-view="capture.selfie"]'), screen = document.getElementById('screen');
             return [[camera.offsetLeft, camera.offsetTop, camera.offsetWidth, camera.offsetHeight], [0, 0, screen.clientWidth, screen.clientHeight]]; })()"""
    )
    assert box == screen
    shown.press_camera("selfie", "Cancel")
    shown.alert("CANCELLED")


def test_own_options_of_the_journey(open_window, relay, app, tmp_path, children, put):
    url = put("", head=client(relay))
    host = JourneyHost(
        relay.ws, tmp_path, "--journey-app", app, "--journey-host-version", "2.5.0", "--journey-url", url,
        "--journey-origin", "https://nobody.example",
    )
    children.append(host)
    shown = Browsing(open_window, relay, host.events, app=app)
    shown.window.attached()
    shown.window.wait("document.querySelector('iframe[name=pagebridge]')")
    with shown.window.inside():
        shown.window.attached()
        shown.window.js("GBGBridge.send('journey.step')")
    origin = url.split("/", 3)
    host.events.wait(event="bridgeError", message=f"Origin not allowed: {'/'.join(origin[:3])}")
