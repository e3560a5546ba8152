"""Runs cases of web-view behaviour that are data: steps for a probe host and its page, and what has to come of them.

A case has `setup` (None, a page's text, or pages by path), either `script` (a source, or with `arguments` a function's
body) or `action` (steps), and `expect`. Values are JSON; `{"$nil": true}`, `{"$num": "NaN"}`, `{"$date": seconds}`,
`{"$repeat": [text, count]}`, `{"$seq": [from, to]}`, `{"$keys": [prefix, from, to]}`, `{"$times": [value, count]}`,
`{"$nest": ["array", depth, leaf]}`, `{"$dict": pairs}`, `{"$any": true}`, `{"$regex": text}`, `{"$contains": text}`,
`{"$pending": true}` and `{"$error": code, ...}` stand for what JSON lacks.
"""

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .waiting import until

# Each level of a value is two levels of the journal's JSON, which Python reads with its stack.
sys.setrecursionlimit(20_000)

FRAMES = "caseFrames"
DEFAULT = "<!doctype html><title>t</title><body><p id=p>hi</p></body>"


class CaseServer:
    """Serves the pages of one case, each with the bridge's tag first."""

    def __init__(self, host: str = "127.0.0.1"):
        server = self
        self.pages: dict = {}
        self.tag = ""

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                page = server.pages.get(self.path.split("?")[0])
                if page is None:
                    page = {"status": 404, "body": ""}
                elif not isinstance(page, dict):
                    page = {"body": page}
                if "delayMillis" in page and self.command != "HEAD":
                    time.sleep(min(page["delayMillis"], 2000) / 1000)
                body = server.tagged(page.get("body", "")).encode() if page.get("body") else b""
                try:
                    self.send_response(page.get("status", 200))
                    self.send_header("Content-Type", "text/html; charset=utf-8")
                    self.send_header("Content-Length", str(len(body)))
                    self.send_header("Cache-Control", "no-store")
                    if "location" in page:
                        self.send_header("Location", page["location"])
                    for name, value in page.get("headers", {}).items():
                        self.send_header(name, value)
                    self.end_headers()
                    if self.command != "HEAD":
                        self.wfile.write(body)
                except OSError:
                    pass  # The page has left.

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.origin = f"http://{host}:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def tagged(self, html: str) -> str:
        start = re.match(r"\s*<!doctype html>", html, re.I)
        at = start.end() if start else 0
        return html[:at] + self.tag + html[at:]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class CaseFailure(AssertionError):
    pass


class CaseSkipped(Exception):
    """The case needs what this runner has no step for."""


class CaseRun:
    """One case in one window. `open_page(url)` shows a page in a window of its own and returns a function to close it."""

    def __init__(self, case: dict, host, server: CaseServer, other: CaseServer, open_page):
        self.case = case
        self.host = host
        self.server = server
        self.other = other
        self.open_page = open_page
        self.labels: dict[str, int] = {}
        self.values: dict = {}
        self.repeated: dict[str, list[int]] = {}
        self.unlabelled: dict[int, str] = {}
        self.close: list = []
        self.views: dict[int, int] = {}
        self.marks: list[tuple[int, str]] = []
        self.late = 0.0
        self.since = 0

    # The case's life.

    def run(self) -> None:
        """Runs the case; raises CaseFailure when it does not come out as expected."""
        setup = self.case.get("setup")
        pages = setup if isinstance(setup, dict) else {}
        self.server.pages = {"/case-start": "<!doctype html><title></title>"}
        self.other.pages = {}
        for path, page in pages.items():
            home = self.other if path.startswith("other:") else self.server
            home.pages[path.removeprefix("other:")] = self.filled(page)
        self.since = self.host.journal.mark()
        try:
            self.add_view(1)
            if any(step["op"] == "captureFrame" for step in self.steps()):
                source = f"if (window !== top) webkit.messageHandlers.{FRAMES}.postMessage(0)"
                self.host.do("addHandler", name=FRAMES, view=self.views[1])
                self.host.do("addScript", source=source, time="start", mainFrameOnly=False, view=self.views[1])
            for step in self.steps():
                self.step(step)
            self.check()
        finally:
            for close in self.close:
                close()

    def add_view(self, number: int) -> None:
        before = self.host.journal.mark()
        self.close.append(self.open_page(self.server.origin + "/case-start"))
        entry = self.host.journal.wait(event="opened", since=before)
        self.views[number] = entry["view"]
        self.host.journal.wait(event="navigation", phase="finished", view=entry["view"], since=before)

    def steps(self) -> list[dict]:
        case = self.case
        if "script" not in case:
            return case["action"]
        kind = "callAsync" if case["area"] == "callAsync" else "evaluate"
        step = {"op": kind, "as": "r", "body" if kind == "callAsync" else "script": case["script"]}
        if case.get("arguments"):
            step["arguments"] = case["arguments"]
        first = [{"op": "load"}] if isinstance(case.get("setup"), str) else []
        return [*first, step]

    def filled(self, value):
        if isinstance(value, str):
            return value.replace("{origin}", self.server.origin).replace("{other}", self.other.origin)
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        return value

    # Steps.

    def step(self, step: dict) -> None:
        act = getattr(self, "do_" + step["op"], None)
        if act is None:
            raise CaseSkipped(step["op"])
        act(self.filled(step))

    def view(self, step: dict) -> int:
        return self.views[step.get("view", 1)]

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

    def navigate(self, step, do: str, **members) -> None:
        since = self.host.journal.mark()
        self.host.do(do, view=self.view(step), **members)
        if step.get("wait") == "none":
            return
        self.host.journal.wait(
            lambda entry: entry["event"] == "navigation" and entry["phase"] in ("finished", "failed", "failedProvisional")
            and entry["view"] == self.view(step),
            since=since,
        )

    def do_evaluate(self, step):
        members = {"source": step["script"], "view": self.view(step)}
        if "let" in step:
            # The script as a function of those names, whose value is that of the last statement.
            names = list(step["let"])
            body = f"return eval({_quoted(step['script'])})"
            return self.ask(step, "callAsync", source=body, arguments=step["let"], view=self.view(step), names=names)
        self.ask(step, "evaluateIn", **members)

    def do_callAsync(self, step):
        self.ask(step, "callAsync", source=step["body"], arguments=step.get("arguments") or {}, view=self.view(step))

    def ask(self, step, do: str, **members) -> None:
        members.pop("names", None)
        if "world" in step:
            members["world"] = step["world"]
        if "frame" in step:
            members["frame"] = "last"
        count = step.get("repeat", 1)
        numbers = [self.host.send(do, **members) for _ in range(count)]
        if "as" in step:
            if "repeat" in step:
                self.repeated[step["as"]] = numbers
            else:
                self.labels[step["as"]] = numbers[0]
        else:
            for number in numbers:
                self.unlabelled[number] = step.get("op", "")
        if self.late:
            late, self.late = self.late, 0.0
            self.host.journal.wait(event="received", since=self.since)
            send = lambda: self.host.send("answerHeld", view=self.view(step), reversed=False)
            threading.Timer(late, send).start()
        elif self.batch:
            batch, self.batch = self.batch, 0
            self.host.journal.wait(event="received", since=self.since, count=batch)
            self.host.do("answerHeld", view=self.view(step), reversed=True)

    batch = 0

    def do_addHandler(self, step):
        members = {"name": step["name"], "view": self.view(step), "world": step.get("world", "page")}
        reply = step.get("reply")
        if reply is not None:
            if isinstance(reply, dict) and "afterMillis" in reply:
                self.late = reply["afterMillis"] / 1000
                reply = {"value": reply["value"], "held": True}
            if reply == "echoReversed":
                self.batch, reply = step["batch"], "hold"
            members["reply"] = reply
        self.host.do("addHandler", **members)

    def do_removeHandler(self, step):
        self.settle()
        self.host.do("removeHandler", name=step["name"], view=self.view(step), world=step.get("world", "page"))

    def do_removeAllHandlers(self, step):
        self.settle()
        world = {"world": step["world"]} if "world" in step else {}
        self.host.do("removeAllHandlers", view=self.view(step), **world)

    def do_addUserScript(self, step):
        source = step["source"].replace("/*PAD*/", "/*" + "x" * 1048576 + "*/")
        self.host.do(
            "addScript", view=self.view(step), source=source, time=step["time"], mainFrameOnly=step["mainFrameOnly"],
            world=step.get("world", "page"),
        )

    def do_removeAllUserScripts(self, step):
        self.host.do("removeAllScripts", view=self.view(step))

    def do_waitMessages(self, step):
        # Some cases expect that nothing comes.
        end = time.monotonic() + (3 if self.expects_silence() else 20)
        while len(self.messages()) < step["count"] and time.monotonic() < end:
            time.sleep(0.02)

    def expects_silence(self) -> bool:
        return '"messages": []' in str(self.case["expect"]).replace("'", '"')

    def do_wait(self, step):
        time.sleep(step["millis"] / 1000)

    def do_waitProperty(self, step):
        self.settle()
        until(lambda: self.property(step["name"]) == step["equals"], f"{step['name']} to be {step['equals']}")
        self.values[step["name"]] = ("plain", self.property(step["name"]))

    def do_property(self, step):
        self.settle()
        self.values[step["as"]] = ("plain", self.property(step["name"], self.view(step)))

    def property(self, name: str, view: int | None = None):
        view = view or self.views[1]
        if name == "userScripts":
            return self.host.do("userScripts", view=view)
        found = self.host.do("view", view=view)
        return found["progress" if name == "estimatedProgress" else name]

    def do_mark(self, step):
        self.marks.append((self.host.journal.mark(), step["as"]))

    def do_secondView(self, step):
        if step.get("sharesController"):
            self.host.do("shareController", view=self.views[1])
        self.add_view(2)

    def do_worldIdentity(self, _):
        for name, value in self.host.do("worlds", view=self.views[1]).items():
            self.values[name] = ("plain", {"$nil": True} if value is None else value)

    def do_errorCodeTable(self, _):
        for name, value in self.host.do("errorCodes", view=self.views[1]).items():
            self.values[name] = ("plain", value)

    def do_captureFrame(self, _):
        self.host.journal.wait(event="received", name=FRAMES, since=self.since)

    def do_blockMainThread(self, step):
        self.step(step["while"])
        self.host.do("block", millis=step["millis"], view=self.views[1])

    def do_close(self, _):
        self.settle()
        self.host.do("release", view=self.views[1])

    def do_killPage(self, _):
        self.close.pop(0)()
        # A tab that was closed may come back for a while.
        self.host.journal.wait(event="terminated", view=self.views[1], since=self.since, timeout=30)
        self.values["terminatedCallbacks"] = ("plain", 1)

    # What came of it.

    def settle(self) -> None:
        """Waits for the answers so far."""
        expected = str(self.case["expect"])
        numbers = [*self.labels.values(), *self.unlabelled, *(n for many in self.repeated.values() for n in many)]
        timeout = 4 if "$pending" in expected else 40
        for number in numbers:
            try:
                self.host.answer(number, timeout)
            except AssertionError:
                if "$pending" not in expected:
                    raise

    def entries(self) -> list[dict]:
        views = set(self.views.values())
        return [
            entry for entry in self.host.journal.read()[self.since :] if entry.get("view") in views or "id" in entry
        ]

    def messages(self) -> list[dict]:
        return [entry for entry in self.entries() if entry["event"] == "received" and entry["name"] != FRAMES]

    def result(self, label: str):
        if label in self.values:
            return self.values[label]
        if label in self.repeated:
            answers = [self.host.answer(number) for number in self.repeated[label]]
            return ("typed", {"kind": "array", "value": [answer.get("result") for answer in answers]})
        if label not in self.labels:
            raise CaseFailure(f"nothing is labelled {label}")
        found = self.host.journal.matching(event="answer", id=self.labels[label])
        if not found:
            return ("pending", None)
        answer = found[0]
        return ("error", answer["error"]) if "error" in answer else ("typed", answer["result"])

    def events(self) -> list[str]:
        names = {number: label for label, number in self.labels.items()}
        phases = {
            "started": "didStart", "committed": "didCommit", "finished": "didFinish", "failed": "didFail",
            "failedProvisional": "didFailProvisional",
        }
        events = []
        for entry in self.entries():
            if entry["event"] == "answer" and entry["id"] in names:
                events.append(names[entry["id"]])
            elif entry["event"] == "received":
                events.append(f"message:{entry['body'].get('value')}")
            elif entry["event"] == "navigation":
                events.append(phases[entry["phase"]])
        return events

    def check(self) -> None:
        self.settle()
        expect = self.filled(self.case["expect"])
        failures = []
        for form in [expect, *expect.get("alternatives", [])]:
            try:
                self.check_form(form, form.get("details", {} if form is not expect else expect.get("details", {})))
                return
            except CaseFailure as failure:
                failures.append(str(failure))
        raise CaseFailure("; ".join(failures))

    def check_form(self, form: dict, details: dict) -> None:
        if form["type"] == "message":
            return self.check_messages(form["value"])
        if "script" in self.case:
            outcome = self.result("r")
            if form["type"] == "error":
                return self.check_error(outcome, {"$error": form["errorCode"], "domain": form["errorDomain"], **details})
            if outcome[0] != "typed" or not matches(form["value"], outcome[1]):
                raise CaseFailure(f"{str(outcome)[:300]} is not {str(form['value'])[:200]}")
            if "utf16Length" in details and len(text_of(outcome[1]).encode("utf-16-le")) // 2 != details["utf16Length"]:
                raise CaseFailure("another length")
            return
        if form["type"] == "error":
            return self.check_error(self.result("r"), {"$error": form["errorCode"]})
        for label, expected in form["value"].items():
            self.check_label(label, expected)

    def check_messages(self, expected) -> None:
        found = [(entry["name"], entry["body"]) for entry in self.messages()]
        if isinstance(expected, dict):
            name, first, last = expected["$seqOf"]
            expected = [[name, number] for number in range(first, last + 1)]
        fits = len(found) == len(expected) and all(
            name == wanted and matches(body, value) for (name, value), (wanted, body) in zip(found, expected)
        )
        if not fits:
            raise CaseFailure(f"the messages are {str(found)[:300]}")

    def check_label(self, label: str, expected) -> None:
        if label == "messages":
            return self.check_messages(expected)
        if label in ("events", "lastEvents"):
            events = self.events()
            labelled = set(self.labels)
            first = [event for event in events if not self.skips(event, expected, labelled)]
            if label == "lastEvents":
                first = first[-len(expected) :]
            if first != expected:
                raise CaseFailure(f"the events are {first}")
            return
        if label == "message":
            return self.check_message(expected)
        if label in ("programmerError", "crash"):
            if not self.host.runs:
                raise CaseFailure("the host is gone")
            return
        outcome = self.result(label)
        if isinstance(expected, dict) and "$pending" in expected:
            if outcome[0] != "pending":
                raise CaseFailure(f"{label} has ended: {outcome}")
        elif isinstance(expected, dict) and "$error" in expected:
            self.check_error(outcome, expected)
        elif outcome[0] == "plain":
            if expected != outcome[1] and not matches(expected, typed_of(outcome[1])):
                raise CaseFailure(f"{label} is {outcome[1]!r}")
        elif outcome[0] != "typed" or not matches(expected, outcome[1]):
            raise CaseFailure(f"{label} is {str(outcome)[:300]}, not {str(expected)[:200]}")

    def skips(self, event: str, expected: list, labelled: set) -> bool:
        """Whether an event is of a kind that the case does not speak of: the start page's, mostly."""
        if event in labelled:
            return event not in expected and any(name in labelled for name in expected)
        if event.startswith("message:"):
            return not any(str(name).startswith("message:") for name in expected)
        return not any(str(name).startswith("did") for name in expected)

    def check_message(self, expected: dict) -> None:
        entry = self.messages()[-1] if self.messages() else None
        if entry is None:
            raise CaseFailure("no message")
        found = {
            "name": entry["name"], "frameIsMain": entry["isMainFrame"], "frameURL": entry["url"],
            "webViewIsSender": entry["isOwnView"], "world": entry["world"],
            "view": {view: number for number, view in self.views.items()}[entry["view"]],
        }
        for name, value in expected.items():
            if name == "body":
                if not matches(value, entry["body"]):
                    raise CaseFailure(f"the body is {entry['body']}")
            elif found.get(name) != value:
                raise CaseFailure(f"the message's {name} is {found.get(name)!r}")

    def check_error(self, outcome, expected: dict) -> None:
        if outcome[0] != "error":
            raise CaseFailure(f"{str(outcome)[:200]} is no error {expected['$error']}")
        error = outcome[1]
        information = error["userInfo"]
        message = information.get("WKJavaScriptExceptionMessage", "")
        checks = {
            "$error": lambda code: error["code"] == code,
            "domain": lambda domain: error["domain"] == domain,
            "localizedDescription": lambda text: error["description"] == text,
            "messageEquals": lambda text: message == text,
            "messageStartsWith": lambda text: message.startswith(text),
            "messageContains": lambda text: text in message,
            "messageMatches": lambda text: re.search(text, message),
            "messageLength": lambda length: len(message) == length,
            "line": lambda line: information.get("WKJavaScriptExceptionLineNumber") == line,
            "columnApple": lambda _: information.get("WKJavaScriptExceptionColumnNumber", -1) >= 0,
            "hasKeys": lambda keys: all(key in information for key in keys),
            "absentKeys": lambda keys: not any(key in information for key in keys),
            "userInfo": lambda members: all(information.get(key) == value for key, value in members.items()),
        }
        for name, value in expected.items():
            if name in checks and not checks[name](value):
                raise CaseFailure(f"{name} {value!r}: {str(error)[:400]}")


def _quoted(text: str) -> str:
    return json.dumps(text)


def text_of(typed: dict) -> str:
    """The text of a typed string, long or not."""
    if "file" in typed:
        return Path(typed["file"]).read_text(encoding="utf-8")
    return typed.get("value", "")


def typed_of(value) -> dict:
    """The typed form of a value that came as JSON."""
    if value is None or value == {"$nil": True}:
        return {"kind": "nil"}
    kinds = {bool: "bool", int: "number", float: "number", str: "string"}
    if type(value) in kinds:
        return {"kind": kinds[type(value)], "value": value}
    if isinstance(value, list):
        return {"kind": "array", "value": [typed_of(item) for item in value]}
    return {"kind": "object", "value": {key: typed_of(item) for key, item in value.items()}}


def matches(expected, typed) -> bool:
    """Whether a typed value of the probe host is what the notation says."""
    if typed is None:
        return False
    kind, value = typed["kind"], typed.get("value")
    if expected is None:
        return kind == "null"
    if isinstance(expected, bool):
        return kind == "bool" and value == expected
    if isinstance(expected, (int, float)):
        return kind == "number" and not isinstance(value, str) and value == expected
    if isinstance(expected, str):
        return kind == "string" and text_of(typed) == expected
    if isinstance(expected, list):
        return kind == "array" and len(value) == len(expected) and all(map(matches, expected, value))
    special = next(iter(expected), "") if len(expected) == 1 else ""
    argument = expected.get(special)
    match special:
        case "$nil":
            return kind == "nil"
        case "$any":
            return True
        case "$num":
            spelled = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf", "-0": "-0.0"}[argument]
            return kind == "number" and value == spelled
        case "$date":
            return kind == "date" and not isinstance(value, str) and abs(value - argument * 1000) < 0.001
        case "$repeat":
            return kind == "string" and text_of(typed) == argument[0] * argument[1]
        case "$seq":
            return matches(list(range(argument[0], argument[1] + 1)), typed)
        case "$keys":
            return matches({f"{argument[0]}{i}": i for i in range(argument[1], argument[2] + 1)}, typed)
        case "$times":
            return matches([argument[0]] * argument[1], typed)
        case "$nest":
            for _ in range(argument[1]):
                if typed["kind"] != "array" or len(typed["value"]) != 1:
                    return False
                typed = typed["value"][0]
            return matches(argument[2], typed)
        case "$regex":
            return kind == "string" and re.search(argument, text_of(typed)) is not None
        case "$contains":
            return kind == "string" and argument in text_of(typed)
        case "$dict":
            expected = dict(argument)
        case "$utf16" | "$cycle":
            return False
    return kind == "object" and value.keys() == expected.keys() and all(matches(expected[key], value[key]) for key in expected)
