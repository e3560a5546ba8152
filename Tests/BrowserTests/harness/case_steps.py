"""The steps of a case: what each asks of the probe host and of the browser."""

import itertools
import json
import subprocess
import tempfile
import time
from pathlib import Path

from .paths import REPOSITORY, binary
from .processes import ProbeError

FRAMES = "caseFrames"
EXCEPTIONS = "caseExceptions"
DEFAULT = "<!doctype html><title>t</title><body><p id=p>hi</p></body>"
# How long steps wait for what has to come.
PATIENCE = 15.0
# How long they wait for what must not come, or may not.
SILENCE = 1.5


class CaseFailure(AssertionError):
    """The case did not come out as it should, or asks for what this runner does not know."""


class CaseSteps:
    """The steps, one method each; `CaseRun` adds a case's life, `CaseOutcome` what came of it."""

    # Every label so far: the numbers of its calls, or its value.
    labels: dict[str, list[int]]
    values: dict
    many: set[str]

    def step(self, step: dict) -> None:
        step = self.filled(step)
        act = getattr(self, "do_" + step["op"], None)
        if act is None:
            raise CaseFailure(f"there is no step '{step['op']}'")
        unknown = set(step) - KNOWN[step["op"]] - {"op"}
        if unknown:
            raise CaseFailure(f"the step '{step['op']}' knows no {sorted(unknown)}")
        for phase, name in (("finished", "inDidFinish"), ("committed", "inDidCommit")):
            if name in step:
                nested = step[name] if isinstance(step[name], list) else [step[name]]
                commands = [command for each in nested for command in self.commands(self.filled(each))]
                self.host.do("during", view=self.view(step), phase=phase, commands=commands)
        if step.get("expect") == "programmerError":
            self.do_mistake(act, step)
        else:
            act(step)

    def do_mistake(self, act, step: dict) -> None:
        """A step that WebKit stops the app at: this library stops too, or reports the mistake and goes on."""
        since = self.host.events.mark()
        try:
            act(step)
        except (ProbeError, AssertionError, OSError):
            pass  # The host may have ended.
        self.values["programmerError"] = bool(self.host.events.matching(event="error", since=since)) or not self.host.runs

    def view(self, step: dict) -> int:
        return self.views[step.get("view", 1)]

    # Loading.

    def do_load(self, step):
        html = step.get("html")
        if html is None:
            setup = self.case.get("setup")
            html = setup if isinstance(setup, str) else (setup or {}).get("html", DEFAULT)
        members = {"baseURL": step["baseURL"]} if "baseURL" in step else {}
        self.navigate(step, "loadHTMLString", html=html, **members)

    def do_loadURL(self, step):
        self.navigate(step, "load", url=step["url"])

    def do_reload(self, step):
        self.navigate(step, "reload")

    def do_goBack(self, step):
        self.navigate(step, "goBack")

    def do_goForward(self, step):
        self.navigate(step, "goForward")

    def do_stopLoading(self, step):
        self.host.do("stopLoading", view=self.view(step))

    def navigate(self, step, do: str, **members) -> None:
        view = self.view(step)
        policy = step.get("policy")
        if step.get("policies") or policy:
            self.policies = True
            self.host.do("delegate", kind="policies", view=view)
        if policy in ("cancelAction", "cancelResponse"):
            command = "cancel" if policy == "cancelAction" else "cancelResponses"
            self.host.do(command, prefixes=[step.get("url", "")], view=view)
        elif policy not in (None, "allow"):
            raise CaseFailure(f"there is no policy {policy}")
        since = self.host.journal.mark() if self.unawaited is None else self.unawaited[0]
        count = 1 if self.unawaited is None else self.unawaited[1] + 1
        self.host.do(do, view=view, **members)
        if step.get("wait") == "none":
            # Each of these ends too, before the one that is waited for.
            self.unawaited = (since, count)
            return
        self.unawaited = None
        ends = ("finished", "failed", "failedProvisional")
        self.host.journal.wait(
            lambda entry: entry["event"] == "navigation" and entry["phase"] in ends and entry["view"] == view,
            since=since, count=count, timeout=PATIENCE,
        )

    # Scripts.

    def do_evaluate(self, step):
        if "let" in step:
            source = "for (const name in values) window[name] = values[name]"
            number = self.host.send("callAsync", source=source, arguments={"values": step["let"]}, view=self.view(step))
            self.host.answer(number)
        self.ask(step)

    def do_callAsync(self, step):
        self.ask(step)

    def ask(self, step) -> None:
        for command in self.commands(step):
            self.host.send(command.pop("do"), number=command.pop("id"), **command)

    def commands(self, step) -> list[dict]:
        """The commands of a step that may stand within another one, with the numbers of their answers."""
        if step["op"] == "mark":
            return [{"do": "mark", "id": self.host.number(), "label": step["as"], "view": self.view(step)}]
        members = {"view": self.view(step)}
        if step["op"] == "evaluate":
            members |= {"do": "evaluateIn", **self.source(step["script"])}
        elif step["op"] == "callAsync":
            members |= {"do": "callAsync", "arguments": step.get("arguments") or {}, **self.source(step["body"])}
        else:
            raise CaseFailure(f"the step '{step['op']}' does not stand within others")
        for name in ("world", "frame"):
            if name in step:
                members[name] = step[name]
        commands = [dict(members, id=self.host.number()) for _ in range(step.get("repeat", 1))]
        self.repeat_with(step.get("repeatWith"), commands)
        numbers = [command["id"] for command in commands]
        self.labels.setdefault(step.get("as", f"-{numbers[0]}"), []).extend(numbers)
        if "repeat" in step or "repeatWith" in step:
            self.many.add(step["as"])
        now = time.time()
        self.asked |= {number: now for number in numbers}
        return commands

    def repeat_with(self, names, commands: list[dict]) -> None:
        """`repeatWith` names an argument that counts from 0, or gives each one's values."""
        if isinstance(names, str):
            names = {names: list(range(len(commands)))}
        for name, values in (names or {}).items():
            if isinstance(values, dict):
                first, last = values["$seq"]
                values = list(range(first, last + 1))
            for command, value in itertools.zip_longest(commands, values):
                command["arguments"] = {**command["arguments"], name: value}

    def source(self, text: str) -> dict:
        padding = self.padding()
        text = text.replace(*padding) if padding else text
        if len(text) < 100_000:
            return {"source": text}
        file = Path(self.folder) / f"source-{next(self.names)}.js"
        file.write_text(text, encoding="utf-8")
        return {"sourceFile": str(file)}

    def padding(self) -> tuple[str, str] | None:
        """The token of a source that stands for so many spaces."""
        details = self.case["expect"].get("details", {})
        if "sourcePadding" in details:
            return "/*PAD*/", " " * details["sourcePadding"]
        if "padding" in details:
            length = next(value for value in details["padding"].values() if isinstance(value, int))
            return details["padding"]["token"], " " * length
        return None

    def do_mark(self, step):
        self.host.do("mark", label=step["as"], view=self.view(step))

    def do_releaseBeforeAnswer(self, step):
        inner = {name: value for name, value in step.items() if name != "op"}
        call, = self.commands({"op": "callAsync" if "body" in step else "evaluate", **inner})
        self.host.send("callAndRelease", number=call["id"], view=self.view(step), call=call)

    # Handlers, user scripts, worlds, frames.

    def do_addHandler(self, step):
        members = {name: step[name] for name in ("reply", "batch") if name in step}
        self.host.do("addHandler", name=step["name"], view=self.view(step), world=step.get("world", "page"), **members)

    def do_removeHandler(self, step):
        self.settle()
        self.host.do("removeHandler", name=step["name"], view=self.view(step), world=step.get("world", "page"))

    def do_removeAllHandlers(self, step):
        self.settle()
        world = {"world": step["world"]} if "world" in step else {}
        self.host.do("removeAllHandlers", view=self.view(step), **world)

    def do_removeHandlerOnFirstMessage(self, step):
        self.host.do("removeOnFirstMessage", name=step["name"], view=self.view(step), world=step.get("world", "page"))

    def do_addUserScript(self, step):
        self.host.do(
            "addScript", view=self.view(step), **self.source(step["source"]), time=step["time"],
            mainFrameOnly=step["mainFrameOnly"], world=step.get("world", "page"),
        )

    def do_removeAllUserScripts(self, step):
        self.settle()
        self.host.do("removeAllScripts", view=self.view(step))

    def do_captureFrame(self, step):
        self.host.journal.wait(event="received", name=FRAMES, isMainFrame=False, since=self.since)
        self.host.do("captureFrame", label=step["as"], view=self.view(step))

    def do_worldIdentity(self, step):
        for name, value in self.host.do("worlds", view=self.view(step)).items():
            self.values[name] = {"$nil": True} if value is None else value

    def do_errorCodeTable(self, step):
        self.values |= self.host.do("errorCodes", view=self.view(step))

    # Waiting and properties.

    def do_waitMessages(self, step):
        # Some forms expect that nothing comes.
        timeout = SILENCE if self.mentions("messages", []) else PATIENCE / 2
        end = time.monotonic() + timeout
        while len(self.messages()) < step["count"] and time.monotonic() < end:
            time.sleep(0.01)

    def do_wait(self, step):
        time.sleep(step["millis"] / 1000)

    def do_waitProperty(self, step):
        self.settle()
        end = time.monotonic() + max(step.get("millis", 0) / 1000, PATIENCE / 2)
        while (value := self.property(step["name"], self.view(step))) != step["equals"] and time.monotonic() < end:
            time.sleep(0.01)
        self.values[step.get("as", step["name"])] = value

    def do_property(self, step):
        self.settle()
        self.values[step["as"]] = self.property(step["name"], self.view(step))

    def property(self, name: str, view: int):
        if name == "userScripts":
            return self.host.do("userScripts", view=view)
        found = self.host.do("view", view=view)
        name = "progress" if name == "estimatedProgress" else name
        if name not in found:
            raise CaseFailure(f"the runner knows no property {name}")
        return found[name]

    def do_assertPending(self, step):
        self.host.do("view")
        time.sleep(0.2)
        ended = [label for label in [step["as"]] if self.answers(label)]
        if ended:
            raise CaseFailure(f"{ended} should be pending")

    # Views, threads, memory, the connection.

    def do_secondView(self, step):
        if step.get("sharesController"):
            self.host.do("shareController", view=self.views[1])
        self.add_view(2)

    def do_blockMainThread(self, step):
        nested = step["while"]
        for each in nested if isinstance(nested, list) else [nested]:
            self.step(each)
        self.host.do("block", millis=step["millis"], view=self.view(step))

    def do_recordThreads(self, step):
        # The journal notes the thread of each message and completion anyway.
        self.recordsThreads = step.get("as", "threads")

    def do_callFromBackgroundThread(self, _):
        self.values["compileTimeError"] = refuses_background_threads()

    def do_close(self, step):
        self.settle()
        self.host.do("release", view=self.view(step))

    def do_killPage(self, step):
        if step.get("delegateImplementsTerminate") is False:
            self.host.do("delegate", kind="quiet", view=self.view(step))
        self.killed = self.host.journal.mark()
        self.kill_tab(step.get("view", 1))
        self.waits_for_end = self.waits_for_end or step.get("delegateImplementsTerminate") is not False

    def do_waitTerminated(self, step):
        self.host.journal.wait(event="terminated", view=self.view(step), since=self.since, timeout=PATIENCE)

    def do_cutConnection(self, step):
        self.settle()
        self.cut(step.get("millis", 0) / 1000)

    def do_collectGarbage(self, step):
        self.host.do("view", view=self.view(step))
        self.tabs[step.get("view", 1)].collect_garbage()

    def do_dropDelegate(self, step):
        gone = self.host.do("dropDelegate", view=self.view(step))
        self.values["delegate"] = {"$nil": True} if gone else "still there"

    def do_nativeStillResponsive(self, step):
        try:
            self.host.do("view", view=self.view(step), timeout=step["millis"] / 1000)
            self.values["nativeStillResponsive"] = True
        except AssertionError:
            self.values["nativeStillResponsive"] = False


# The members that each step knows; a case with others fails.
COMMON = {"view", "inDidFinish", "inDidCommit", "expect"}
LOADS = COMMON | {"wait", "policies", "policy"}
CALLS = COMMON | {"as", "world", "frame", "repeat", "repeatWith", "wait"}
HANDLERS = COMMON | {"name", "world"}
KNOWN = {
    "load": LOADS | {"html", "baseURL"}, "loadURL": LOADS | {"url"}, "reload": LOADS, "goBack": LOADS, "goForward": LOADS,
    "stopLoading": COMMON, "evaluate": CALLS | {"script", "let"}, "callAsync": CALLS | {"body", "arguments"},
    "releaseBeforeAnswer": CALLS | {"script", "body", "arguments"}, "mark": COMMON | {"as"},
    "addHandler": HANDLERS | {"reply", "batch"}, "removeHandler": HANDLERS, "removeAllHandlers": COMMON | {"world"},
    "removeHandlerOnFirstMessage": HANDLERS,
    "addUserScript": COMMON | {"source", "time", "mainFrameOnly", "world"}, "removeAllUserScripts": COMMON,
    "captureFrame": COMMON | {"as"}, "worldIdentity": COMMON, "errorCodeTable": COMMON,
    "waitMessages": COMMON | {"count"}, "wait": {"millis"}, "waitProperty": COMMON | {"name", "equals", "millis", "as"},
    "property": COMMON | {"name", "as"}, "assertPending": COMMON | {"as"}, "secondView": {"sharesController"},
    "blockMainThread": COMMON | {"millis", "while"}, "recordThreads": {"as"}, "callFromBackgroundThread": set(),
    "close": COMMON, "killPage": COMMON | {"delegateImplementsTerminate"}, "waitTerminated": COMMON | {"millis"},
    "cutConnection": {"millis"}, "collectGarbage": COMMON, "dropDelegate": COMMON, "nativeStillResponsive": COMMON | {"millis"},
}

_refused: list[bool] = []


def refuses_background_threads() -> bool:
    """Whether the compiler refuses a call of the library from a thread that is not the main one."""
    if not _refused:
        source = """
            import Foundation
            import PageBridgeWebKit
            func call(_ webView: WKWebView) {
              Thread.detachNewThread { webView.evaluateJavaScript("1", completionHandler: nil) }
            }
            """
        built = binary("ProbeHost", "PROBEHOST_BIN").parent
        # C libraries have module maps; those of targets with C sources are written by the build.
        maps = [*(REPOSITORY / "Sources").glob("*/module.modulemap"), *built.glob("*.build/module.modulemap")]
        folders = [built / "Modules", *(each.parent for each in maps)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "call.swift"
            file.write_text(source)
            command = ["swiftc", "-typecheck", "-swift-version", "6", *(f"-I{each}" for each in folders), str(file)]
            said = subprocess.run(command, capture_output=True, text=True, timeout=120)
        lines = [line for line in said.stderr.splitlines() if " error: " in line]
        _refused.append(len(lines) > 0 and all("main actor-isolated" in line for line in lines))
        if not _refused[0]:
            print(said.stderr)
    return _refused[0]


def text(value) -> str:
    return json.dumps(value, ensure_ascii=False)[:400]
