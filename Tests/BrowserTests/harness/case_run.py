"""Runs cases of web-view behaviour that are data: steps for a probe host and its page, and what has to come of them.

A case has `setup` (None, a page's text, or pages by path; `other:/p` lies on a second origin), either `script` (a source,
or with the area `callAsync` a function's body, called with `arguments`) or `action` (steps, see `case_steps`), and
`expect`: a form, and `alternatives` to it. Calls are made one after the other and not waited for, except by steps that
change what they find. Values are written as in `case_values`.
"""

import itertools
import sys
import time

from .case_outcome import CaseOutcome
from .case_server import BLANK, START
from .case_steps import EXCEPTIONS, FRAMES, CaseSteps
from .processes import ProbeHost
from .proxy import Proxy

# Journals have values in each other, which Python reads with its stack.
sys.setrecursionlimit(20_000)
_count = itertools.count(1)

NESTABLE = ("evaluate", "callAsync", "mark")


class CaseRun(CaseSteps, CaseOutcome):
    """One case on a stage: an engine with its tabs, a relay, a host and two servers."""

    def __init__(self, case: dict, stage):
        self.case = case
        self.stage = stage
        self.server, self.other = stage.server, stage.other
        self.folder = stage.folder
        self.names = _count
        self.labels: dict[str, list[int]] = {}
        self.many: set[str] = set()
        self.values: dict = {}
        self.asked: dict[int, float] = {}
        self.views: dict[int, int] = {}
        self.tabs: dict = {}
        self.policies = False
        self.waits_for_end = False
        self.recordsThreads = None
        self.unawaited: tuple[int, int] | None = None
        # The first page of a view is none of the case's: where a case asks for what lies behind, it is of another origin.
        self.start = self.other if "canGo" in str(case) else self.server
        self.since = 0
        self.killed = 0
        self.marks = {step["as"] for step in self.steps() if step["op"] == "mark"}
        self.host = stage.host
        self.proxy: Proxy | None = None

    def run(self) -> int:
        """The index of the form that the case came out with; raises CaseFailure when it is none."""
        if any(step.get("expect") == "programmerError" for step in self.steps()):
            # A step that the host may not survive gets a host of its own.
            self.host = self.stage.extra_host()
        if any(step["op"] == "cutConnection" for step in self.steps()):
            self.proxy = Proxy(self.stage.relay.port)
        self.server.tag = self.other.tag = self.stage.tag(self.host.app, self.proxy)
        setup = self.case.get("setup")
        self.server.pages, self.other.pages = {}, {}
        for path, page in (setup if isinstance(setup, dict) else {}).items():
            home = self.other if path.startswith("other:") else self.server
            home.pages[path.removeprefix("other:")] = self.filled(page)
        try:
            self.add_view(1)
            self.since = self.host.journal.mark()
            self.prepare()
            for steps in self.turns():
                if len(steps) == 1:
                    self.step(steps[0])
                else:
                    commands = [command for step in steps for command in self.commands(self.filled(step))]
                    self.host.do("batch", view=self.views[1], commands=commands)
            return self.check()
        finally:
            self.end()

    def prepare(self) -> None:
        """What has to be there before the first step, so that something can be observed."""
        view = self.views[1]
        self.host.do("watch", view=view)
        if any(step["op"] == "captureFrame" for step in self.steps()):
            self.report(view, FRAMES, "if (window !== top) webkit.messageHandlers.caseFrames.postMessage(0)", False)
        if '"pageException"' in str(self.case["expect"]).replace("'", '"'):
            listener = "(event) => webkit.messageHandlers.caseExceptions.postMessage(String(event.reason && event.reason.name))"
            self.report(view, EXCEPTIONS, f"addEventListener('unhandledrejection', {listener})", True)

    def report(self, view: int, handler: str, source: str, main: bool) -> None:
        self.host.do("addHandler", name=handler, view=view)
        self.host.do("addScript", source=source, time="start", mainFrameOnly=main, view=view)

    def turns(self) -> list[list[dict]]:
        """The steps; calls with marks between them are made in one turn of the host's main actor."""
        if not self.marks:
            return [[step] for step in self.steps()]
        groups = itertools.groupby(self.steps(), lambda step: step["op"] in NESTABLE and "let" not in step)
        return [part for calls, steps in groups for part in ([list(steps)] if calls else [[step] for step in steps])]

    def steps(self) -> list[dict]:
        case = self.case
        if "script" not in case:
            return case["action"]
        kind = "callAsync" if case["area"] == "callAsync" else "evaluate"
        step = {"op": kind, "as": "r", "body" if kind == "callAsync" else "script": case["script"]}
        if case.get("arguments"):
            step["arguments"] = case["arguments"]
        return [{"op": "load"}, step] if isinstance(case.get("setup"), str) else [step]

    def filled(self, value):
        """The value with the names of the servers in it."""
        if isinstance(value, str) and "{" in value:
            for name, server in (("origin", self.server), ("other", self.other)):
                value = value.replace(f"{{{name}}}", server.origin).replace(f"{{{name}Host}}", server.host)
            return value.replace("{closedPort}", str(self.stage.closed.number))
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        return value

    # Views, their tabs and their connection.

    def add_view(self, number: int) -> None:
        before = self.host.journal.mark()
        self.tabs[number] = self.stage.tab(number)
        self.tabs[number].go(self.start.origin + START)
        # No driver answers for a tab whose page hangs.
        self.stage.engine.home()
        entry = self.host.journal.wait(event="opened", since=before)
        self.views[number] = entry["view"]
        self.host.journal.wait(event="navigation", phase="finished", view=entry["view"], since=before)

    def kill_tab(self, number: int) -> None:
        self.stage.forget_tabs() if self.tabs[number].engine.name == "webkitgtk" else self.stage.forget_tab(number)
        self.tabs.pop(number).kill()

    def cut(self, seconds: float) -> None:
        self.proxy.refuse()
        self.proxy.cut()
        time.sleep(seconds)
        self.proxy.refuse(False)

    def end(self) -> None:
        if 1 in self.tabs:
            # First, or the page would see its session end and go on with a new one.
            for server in {self.server, self.start}:
                self.tabs[1].go(server.origin + BLANK)
                self.tabs[1].js("sessionStorage.clear()")
        for view in self.views.values():
            if self.host.runs:
                self.host.send("release", view=view)
        for number in [number for number in self.tabs if number != 1]:
            self.stage.forget_tab(number)
            self.tabs[number].close()
        if self.proxy:
            self.proxy.stop()
        if self.host is not self.stage.host:
            self.host.kill()


class Stage:
    """What all cases of one engine share."""

    def __init__(self, engine, relay, server, other, closed, folder):
        self.engine, self.relay, self.folder = engine, relay, folder
        self.server, self.other, self.closed = server, other, closed
        self.open_tabs: dict = {}
        self.host = self.extra_host()

    def extra_host(self) -> ProbeHost:
        app = f"cases-{next(_count)}"
        host = ProbeHost(self.relay.ws, app, self.folder, "--session-grace", "2")
        host.send("start")
        host.connected()
        return host

    def tag(self, app: str, proxy: Proxy | None) -> str:
        return f'<script src="{(proxy or self.relay).http}/bridge.js" data-app="{app}"></script>'

    def run(self, case: dict) -> int:
        if not self.host.runs:
            self.host = self.extra_host()
        try:
            return CaseRun(case, self).run()
        except Exception:
            # Whatever state the tabs are in, the next case must not have it.
            for number in list(self.open_tabs):
                try:
                    self.open_tabs.pop(number).kill()
                except Exception as error:
                    print("a tab did not end:", error)
            raise

    def tab(self, number: int):
        """A tab that no session knows: the one of the case before, or a new one."""
        if number not in self.open_tabs:
            self.open_tabs[number] = self.engine.open()
        return self.open_tabs[number]

    def forget_tab(self, number: int) -> None:
        self.open_tabs.pop(number, None)

    def forget_tabs(self) -> None:
        self.open_tabs.clear()

    def stop(self) -> None:
        self.engine.quit()
        self.host.kill()
