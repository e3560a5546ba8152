"""WebKitGTK's MiniBrowser through WebKitWebDriver, on a display of its own."""

import glob
import os
import subprocess

from selenium import webdriver
from selenium.webdriver.webkitgtk.service import Service


class Display:
    """An X server without a screen that ends with the tests; it chooses its number itself."""

    def __init__(self):
        end, other = os.pipe()
        command = ["Xvfb", "-displayfd", str(other), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
        self.process = subprocess.Popen(command, pass_fds=[other], stderr=subprocess.DEVNULL)
        os.close(other)
        with os.fdopen(end) as file:
            number = file.readline().strip()
        assert number, f"Xvfb ended with {self.process.wait()}"
        self.name = ":" + number

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def webkit_driver(display: str | None = None):
    """A browser on that display, else on the one of the environment."""
    options = webdriver.WebKitGTKOptions()
    options.binary_location = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")[0]
    options.add_argument("--automation")
    environment = {**os.environ, "DISPLAY": display} if display else None
    return webdriver.WebKitGTK(options=options, service=Service("/usr/bin/WebKitWebDriver", env=environment))
