"""The main job from end to end, as a person does it in the viewer; on the way the pictures for the README are taken."""

from harness.player import Player
from harness.viewer import Viewer
from harness.waiting import until


def settled(shown: Viewer) -> None:
    """Waits until nothing moves any more and the video shows a picture."""
    shown.window.promise("Promise.all(document.getAnimations().map((each) => each.finished.catch(() => 0)))")
    with shown.window.inside():
        shown.window.wait("document.querySelector('video').readyState >= 2")


def test_fullscreen_betslip_and_home_in_the_viewer(open_window, relay, player_host):
    shown = Viewer(open_window, relay, device="phone-notch", traffic="open", size=(1280, 960)).ready()
    window = shown.window
    page = Player(window, player_host.events, shown.content_session())

    until(lambda: shown.frame() == [0, 100, 390, 300], lambda: f"the frame is {shown.frame()}")
    settled(shown)
    assert window.picture("viewer-portrait").stat().st_size > 20_000

    # Fullscreen button -> host -> script -> class; the frame fills the device beside the notch and the bars are gone.
    with window.inside():
        window.click(".full-screen-btn")
        page.wait_class(True)
    shown.orientation("landscape-left")
    until(lambda: shown.frame() == [47, 0, 797, 390], lambda: f"the frame is {shown.frame()}")
    assert shown.bars() == {"navigation": True, "status": True}
    page.wait_state("isFullscreen", True)
    settled(shown)
    assert window.picture("viewer-fullscreen").stat().st_size > 20_000

    # A market button of the page -> the host draws the betslip over the page.
    with window.inside():
        window.click(".gs-market")
        market = window.value("document.querySelector('.gs-market').dataset.marketId")
    text = shown.betslip()
    assert f"{market}" in text
    page.wait_state("isBetslipHidden", False)
    settled(shown)
    assert window.picture("viewer-betslip").stat().st_size > 20_000
    shown.press("Cancel")
    shown.no_betslip()

    # Turned back: the class is gone.
    window.click("#rotate-left")
    shown.orientation("portrait")
    with window.inside():
        page.wait_class(False)
    until(lambda: shown.frame() == [0, 100, 390, 300], lambda: f"the frame is {shown.frame()}")
    assert shown.bars()["navigation"] is False

    # Home: the player is closed; back: it plays anew.
    window.click("#home")
    with window.inside():
        window.wait("document.querySelector('.video-container').dataset.closeCount === '1'")
    window.click("#app-icon")
    with window.inside():
        window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
