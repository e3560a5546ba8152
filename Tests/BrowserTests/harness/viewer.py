"""The viewer with the player in it."""


class Viewer:
    """A window that shows an app in a device."""

    def __init__(self, open_window, relay, *, app="player", device="phone-notch", traffic="closed", size=(1280, 1000)):
        # The viewer remembers device and panel for the origin; each test begins with its own.
        self.window = open_window(f"{relay.http}/bridge.d.ts", size=size)
        self.window.js(
            """localStorage.clear();
               localStorage.setItem('pagebridge:viewer:device', arguments[0]);
               localStorage.setItem('pagebridge:viewer:traffic', arguments[1]);""",
            device,
            traffic,
        )
        self.window.go(f"{relay.http}/view/{app}")

    def ready(self) -> "Viewer":
        """Waits until the player in the frame is ready and its host knows it."""
        self.window.attached()
        self.window.wait("document.querySelector('iframe[name=pagebridge]')")
        with self.window.inside():
            self.window.attached()
            self.window.wait("document.querySelector('.video-container')?.dataset.state === 'playing'")
        return self

    def content_session(self) -> str:
        with self.window.inside():
            return self.window.session()

    def orientation(self, value: str) -> None:
        """Waits until the device lies so."""
        self.window.wait_equal("document.getElementById('device').dataset.orientation", value)

    def frame(self) -> list[float]:
        """Where the page is on the screen, in points: x, y, width, height."""
        return self.window.value(
            """(() => { const each = document.querySelector('iframe[name=pagebridge]');
                        return [each.offsetLeft, each.offsetTop, each.offsetWidth, each.offsetHeight]; })()"""
        )

    def screen(self) -> list[float]:
        return self.window.value(
            "[document.getElementById('screen').offsetWidth, document.getElementById('screen').offsetHeight]"
        )

    def bars(self) -> dict[str, bool]:
        """Which bars are hidden."""
        return self.window.value(
            """({navigation: document.getElementById('navigation-bar').dataset.hidden === 'true',
                 status: document.getElementById('status-bar').dataset.hidden === 'true'})"""
        )

    BETSLIP = "Array.from(document.querySelectorAll('.natives .n-panel')).find((each) => !each.hidden && /bet/i.test(each.textContent + each.getAttribute('aria-label')))"

    def betslip(self) -> str:
        """The text of the betslip, once the host has drawn it."""
        self.window.wait(f"{self.BETSLIP} !== undefined")
        return self.window.value(f"{self.BETSLIP}.innerText")

    def no_betslip(self) -> None:
        self.window.wait(f"{self.BETSLIP} === undefined")

    def press(self, title: str) -> None:
        """Presses the native button with this title."""
        self.window.wait(
            """(() => { const button = Array.from(document.querySelectorAll('.natives button')).find((each) =>
                 each.textContent.trim() === arguments[0] && each.offsetParent !== null);
               if (!button) return false; button.click(); return true; })()""",
            title,
        )
