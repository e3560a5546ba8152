"""Firefox through its own WebDriver BiDi socket (no geckodriver needed): the few methods that these tests use."""

import asyncio
import itertools
import json
import shutil
import subprocess
import tempfile
import threading
import time
from urllib.parse import urlsplit

import aiohttp

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
    pass


def plain_value(remote):
    """What a BiDi remote value stands for."""
    kind, value = remote["type"], remote.get("value")
    if kind == "array":
        return [plain_value(each) for each in value]
    if kind == "object":
        return {key: plain_value(each) for key, each in value}
    return value


class SwitchTo:
    def __init__(self, driver):
        self.driver = driver

    def window(self, handle):
        self.driver.context = handle


class FirefoxDriver:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="pagebridge-firefox-")
        with open(self.profile + "/user.js", "w") as file:
            for name, value in PREFERENCES.items():
                file.write("user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value)))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--remote-debugging-port=0", "--profile", self.profile, "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        address = next(line.split()[-1] for line in self.process.stderr if "WebDriver BiDi listening on" in line)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.timeout = 20
        self.ids = itertools.count(1)
        self.waiting = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self.open(address + "/session"), self.loop).result(20)
        self.call("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "accept"}}})
        self.context = self.window_handles[0]
        self.switch_to = SwitchTo(self)

    async def open(self, address):
        self.http = aiohttp.ClientSession()
        self.socket = await self.http.ws_connect(address, max_msg_size=0)
        self.loop.create_task(self.read())

    async def read(self):
        async for message in self.socket:
            value = json.loads(message.data)
            future = self.waiting.pop(value.get("id"), None)
            if future is not None and not future.done():
                future.set_result(value)

    def call(self, method, **params):
        async def act():
            identity = next(self.ids)
            future = self.waiting[identity] = self.loop.create_future()
            await self.socket.send_str(json.dumps({"id": identity, "method": method, "params": params}))
            return await asyncio.wait_for(future, self.timeout)

        answer = asyncio.run_coroutine_threadsafe(act(), self.loop).result()
        if answer.get("type") == "error":
            raise ScriptError(answer["error"] + ": " + answer["message"])
        return answer["result"]

    def set_page_load_timeout(self, seconds):
        self.timeout = seconds

    set_script_timeout = set_page_load_timeout

    @property
    def window_handles(self):
        return [each["context"] for each in self.call("browsingContext.getTree", maxDepth=0)["contexts"]]

    def get(self, url):
        try:
            self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        except ScriptError:  # a reload that the page had begun got in between
            self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        # It answers too early where the new page changes its address at once.
        end = time.monotonic() + self.timeout
        while self.evaluate("location.pathname + document.readyState") != urlsplit(url).path + "complete":
            assert time.monotonic() < end, url

    def refresh(self):
        self.call("browsingContext.reload", context=self.context, wait="complete")

    def back(self):
        self.call("browsingContext.traverseHistory", context=self.context, delta=-1)

    def close(self):
        self.call("browsingContext.close", context=self.context)

    def evaluate(self, text):
        answer = self.call("script.evaluate", expression=text, target={"context": self.context}, awaitPromise=True,
                           userActivation=True)
        if answer["type"] == "exception":
            raise ScriptError(answer["exceptionDetails"]["text"])
        return plain_value(answer["result"])

    def execute_script(self, script, *arguments):
        return self.evaluate("(function () { %s\n}).apply(window, %s)" % (script, json.dumps(arguments)))

    def execute_async_script(self, script, *arguments):
        text = "new Promise(done => (function () { %s\n}).apply(window, %s.concat(done)))"
        return self.evaluate(text % (script, json.dumps(arguments)))

    def quit(self):
        try:
            self.call("browser.close")
            asyncio.run_coroutine_threadsafe(self.http.close(), self.loop).result(5)
        finally:
            self.process.wait(20)
            shutil.rmtree(self.profile, ignore_errors=True)
