"""What people see of a connection that goes and comes."""

from harness.processes import PlayerHost
from harness.viewer import Viewer


def test_viewer_shows_that_it_reconnects_and_that_it_is_back(relay, line, open_window, app, tmp_path, children):
    children.append(PlayerHost(relay.ws, tmp_path, "--app", app))
    proxy = line(relay.port)
    shown = Viewer(open_window, proxy, app=app, device="phone").ready()
    window = shown.window
    notice = "document.getElementById('notice')"
    window.wait(f"{notice}.hidden")
    proxy.refusing = True
    proxy.each("reset")
    window.wait(f"!{notice}.hidden && {notice}.dataset.kind === 'pill' && {notice}.textContent.includes('Reconnecting')")
    window.picture("viewer-reconnecting")
    proxy.refusing = False
    window.js("dispatchEvent(new Event('online'))")
    window.wait(f"!{notice}.hidden && {notice}.dataset.state === 'resumed' && {notice}.textContent.includes('Resumed')")
    window.wait(f"getComputedStyle({notice}).opacity === '1'")
    window.picture("viewer-resumed")
    # It says so for a moment only, and the app goes on beneath.
    window.wait(f"{notice}.hidden")
    with window.inside():
        assert window.value("pagebridge.delivery.held") is not None
