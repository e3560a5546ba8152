"""Firefox through its own WebDriver BiDi socket (no geckodriver needed): the few methods that the tests use."""

import itertools
import json
import shutil
import subprocess
import tempfile
import threading
import time
from urllib.parse import urlsplit

import websocket

PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.disable_open_during_load": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,
    "toolkit.telemetry.enabled": False,
}


class ScriptError(Exception):
    """A command that Firefox refused, or a script that threw."""


def plain_value(remote: dict):
    """What a BiDi remote value stands for."""
    kind, value = remote["type"], remote.get("value")
    if kind == "array":
        return [plain_value(each) for each in value]
    if kind == "object":
        return {key: plain_value(each) for key, each in value}
    return value


class SwitchTo:
    def __init__(self, driver: "FirefoxDriver"):
        self.driver = driver

    def window(self, handle: str) -> None:
        self.driver.context = handle


class FirefoxDriver:
    """One headless Firefox with a profile of its own; `context` is the tab that commands go to."""

    def __init__(self, prompts: str = "accept"):
        """`prompts` is what becomes of dialogs that nobody handles: "ignore" leaves them open."""
        self.profile = tempfile.mkdtemp(prefix="pagebridge-firefox-")
        with open(self.profile + "/user.js", "w") as file:
            for name, value in PREFERENCES.items():
                file.write("user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value)))
        command = ["firefox-esr", "--headless", "--remote-debugging-port=0", "--profile", self.profile, "about:blank"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        lines = (line for line in self.process.stderr if "WebDriver BiDi listening on" in line)
        address = next(lines, "").split()[-1:]
        assert address, f"Firefox ended with {self.process.wait()}"
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.timeout = 20.0
        self.ids = itertools.count(1)
        self.answers: dict[int, dict] = {}
        self.prompts: dict[str, dict] = {}
        self.arrived = threading.Condition()
        self.closed = False
        self.socket = websocket.create_connection(address[0] + "/session", suppress_origin=True, timeout=None)
        threading.Thread(target=self._read, daemon=True).start()
        self.call("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": prompts}}})
        if prompts == "ignore":
            self.call("session.subscribe", events=["browsingContext.userPromptOpened"])
        self.context = self.window_handles[0]
        self.switch_to = SwitchTo(self)

    def _read(self) -> None:
        while True:
            try:
                text = self.socket.recv()
            except (OSError, websocket.WebSocketException):
                text = ""
            with self.arrived:
                if not text:
                    self.closed = True
                    self.arrived.notify_all()
                    return
                value = json.loads(text)
                if "id" in value:
                    self.answers[value["id"]] = value
                    self.arrived.notify_all()
                elif value.get("method") == "browsingContext.userPromptOpened":
                    self.prompts[value["params"]["context"]] = value["params"]
                    self.arrived.notify_all()

    def call(self, method: str, **params):
        """Sends a BiDi command and gives its result."""
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        with self.arrived:
            self.arrived.wait_for(lambda: number in self.answers or self.closed, self.timeout)
            answer = self.answers.pop(number, None)
        if answer is None:
            raise TimeoutError(f"no answer of Firefox to {method} within {self.timeout:g} s")
        if answer.get("type") == "error":
            raise ScriptError(answer["error"] + ": " + answer["message"])
        return answer["result"]

    def prompt(self) -> dict:
        """The dialog that the tab shows, as the event tells of it; waits for one."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: self.context in self.prompts or self.closed, self.timeout), "no dialog"
            return self.prompts.pop(self.context)

    def set_page_load_timeout(self, seconds: float) -> None:
        self.timeout = seconds

    set_script_timeout = set_page_load_timeout

    @property
    def window_handles(self) -> list[str]:
        return [each["context"] for each in self.call("browsingContext.getTree", maxDepth=0)["contexts"]]

    def new_window(self) -> str:
        """Opens a tab, goes there and gives its handle."""
        self.context = self.call("browsingContext.create", type="tab")["context"]
        return self.context

    def get(self, url: str) -> None:
        try:
            self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        except ScriptError:  # a reload that the page had begun got in between
            self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        # It answers too early where the new page changes its address at once.
        end = time.monotonic() + self.timeout
        while self.evaluate("location.pathname + document.readyState") != urlsplit(url).path + "complete":
            assert time.monotonic() < end, url

    def refresh(self) -> None:
        self.call("browsingContext.reload", context=self.context, wait="complete")

    def back(self) -> None:
        self.call("browsingContext.traverseHistory", context=self.context, delta=-1)

    def close(self) -> None:
        self.call("browsingContext.close", context=self.context)

    def evaluate(self, text: str):
        target = {"context": self.context}
        answer = self.call("script.evaluate", expression=text, target=target, awaitPromise=True, userActivation=True)
        if answer["type"] == "exception":
            raise ScriptError(answer["exceptionDetails"]["text"])
        return plain_value(answer["result"])

    def execute_script(self, script: str, *arguments):
        return self.evaluate("(function () { %s\n}).apply(window, %s)" % (script, json.dumps(arguments)))

    def execute_async_script(self, script: str, *arguments):
        text = "new Promise(done => (function () { %s\n}).apply(window, %s.concat(done)))"
        return self.evaluate(text % (script, json.dumps(arguments)))

    def quit(self) -> None:
        try:
            self.call("browser.close")
        finally:
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
            self.socket.close()
            shutil.rmtree(self.profile, ignore_errors=True)
