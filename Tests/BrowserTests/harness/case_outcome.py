"""What came of a case: its labels, its events and its errors, compared with the forms that it allows."""

import re
import time

from .case_steps import EXCEPTIONS, FRAMES, PATIENCE, SILENCE, CaseFailure, text
from .case_values import matches, text_of, typed_of

PHASES = {
    "started": "didStart", "redirected": "didRedirect", "committed": "didCommit", "finished": "didFinish",
    "failed": "didFail", "failedProvisional": "didFailProvisional",
}
# Members of a form that say nothing of what has to come.
SILENT = {"type", "value", "errorDomain", "errorCode", "details", "alternatives", "when"}


class CaseOutcome:
    """The checks of a case; `CaseRun` has what they look at."""

    # What the host saw.

    def entries(self) -> list[dict]:
        views = set(self.views.values())
        return [entry for entry in self.host.journal.read()[self.since :] if entry.get("view") in views or "id" in entry]

    def messages(self) -> list[dict]:
        return [
            entry for entry in self.entries() if entry["event"] == "received" and entry["name"] not in (FRAMES, EXCEPTIONS)
        ]

    def answers(self, label: str) -> list[dict]:
        """The first answer of each call of that label that has ended."""
        return [found[0] for number in self.labels[label] if (found := self.host.answers(number))]

    def settle(self, final: bool = False) -> None:
        """Waits until all calls so far have ended, except those that may stay pending."""
        pending = {label for label in self.labels if self.mentions(label, {"$pending": True})}
        for label, numbers in self.labels.items():
            if label in pending:
                continue
            for number in numbers:
                self.host.answer(number, PATIENCE)
        if final and pending:
            end = time.monotonic() + SILENCE
            while time.monotonic() < end and any(len(self.answers(each)) < len(self.labels[each]) for each in pending):
                time.sleep(0.01)

    def mentions(self, label: str, value) -> bool:
        """Whether a form of the case allows that value for the label."""
        forms = [self.case["expect"], *self.case["expect"].get("alternatives", [])]
        return any(isinstance(form.get("value"), dict) and form["value"].get(label) == value for form in forms)

    def events(self) -> list:
        names = {number: label for label, numbers in self.labels.items() for number in numbers}
        events = []
        for entry in self.entries():
            kind = entry["event"]
            if kind == "answer" and entry["id"] in names:
                events.append(names[entry["id"]])
            elif kind == "mark":
                events.append(entry["label"])
            elif kind == "received" and entry["name"] not in (FRAMES, EXCEPTIONS):
                events.append(f"message:{_shown(entry['body'])}")
            elif kind == "navigation":
                name = PHASES[entry["phase"]]
                error = entry.get("error")
                events.append({name: {"domain": error["domain"], "code": error["code"]}} if error else name)
            elif kind in ("policy", "response") and self.policies:
                events.append("decideAction" if kind == "policy" else "decideResponse")
            elif kind == "terminated":
                events.append("didTerminate")
        return events

    # The forms.

    def check(self) -> int:
        """The index of the first form that fits; raises CaseFailure when none does."""
        if self.waits_for_end:
            self.host.journal.wait(event="terminated", view=self.views[1], since=self.since, timeout=PATIENCE)
        self.settle(final=True)
        expect = self.filled(self.case["expect"])
        failures = []
        for index, form in enumerate([expect, *expect.get("alternatives", [])]):
            try:
                unknown = set(form) - SILENT
                if unknown:
                    raise CaseFailure(f"a form knows no {sorted(unknown)}")
                details = form.get("details", {})
                self.check_form(form, details if form is not expect else expect.get("details", {}))
                self.check_calls()
                return index
            except CaseFailure as failure:
                failures.append(str(failure))
        raise CaseFailure("; or ".join(failures))

    def check_calls(self) -> None:
        """Each call ends once, later than it was made, on the main thread."""
        for number in self.asked:
            answers = self.host.answers(number)
            if len(answers) > 1:
                raise CaseFailure(f"a call ended {len(answers)} times")
        if any(entry.get("isMainThread") is False for entry in self.entries()):
            raise CaseFailure("the host's code was called on another thread than the main one")

    def check_form(self, form: dict, details: dict) -> None:
        if form["type"] == "message":
            self.check_messages(form["value"])
        elif form["type"] == "error":
            code, domain = form["errorCode"], form.get("errorDomain", "WKErrorDomain")
            self.check_error(self.result("r"), {"$error": code, "domain": domain, **details})
        elif form["type"] != "value":
            raise CaseFailure(f"there is no form of type {form['type']}")
        elif "script" in self.case:
            outcome = self.result("r")
            if outcome[0] != "typed" or not matches(form["value"], outcome[1]):
                raise CaseFailure(f"{text(outcome)} is not {text(form['value'])}")
        else:
            for label, expected in form["value"].items():
                self.check_label(label, expected)
        for name, value in details.items():
            self.check_detail(name, value)

    def check_detail(self, name: str, value) -> None:
        if name in ERRORS or name in ("sourcePadding", "padding"):
            return  # Checked with the error, or done before the run.
        if name == "utf16Length":
            length = len(text_of(self.result("r")[1]).encode("utf-16-le", "surrogatepass")) // 2
            if length != value:
                raise CaseFailure(f"the text has {length} UTF-16 units")
        elif name == "valueType":
            kind = {"bool": "bool", "double": "number"}[value]
            if self.result("r")[1]["kind"] != kind:
                raise CaseFailure(f"the value is of type {self.result('r')[1]['kind']}")
        elif name == "maxMillis":
            took = 1000 * max(self.host.answered(number) - began for number, began in self.asked.items())
            if took > value:
                raise CaseFailure(f"it took {took:.0f} ms")
        elif name == "notExecuted":
            found = self.host.evaluate(f"typeof {value}", view=self.views[1])
            if found.get("value") != "undefined":
                raise CaseFailure(f"{value} is {found}")
        elif name == "thread":
            if any(entry["isMainThread"] != (value == "main") for entry in self.messages()):
                raise CaseFailure("messages came on another thread")
        else:
            raise CaseFailure(f"there is no detail {name}")

    def check_messages(self, expected) -> None:
        found = [(entry["name"], entry["body"]) for entry in self.messages()]
        if isinstance(expected, dict):
            name, first, last = expected["$seqOf"]
            expected = [[name, number] for number in range(first, last + 1)]
        fits = len(found) == len(expected) and all(
            name == wanted and matches(body, value) for (name, value), (wanted, body) in zip(found, expected)
        )
        if not fits:
            raise CaseFailure(f"the messages are {text(found)}")

    # Labels.

    def result(self, label: str):
        """("plain", value), ("typed", value), ("error", error) or ("pending", None)."""
        if label in self.values:
            return "plain", self.values[label]
        if label not in self.labels:
            raise CaseFailure(f"nothing is labelled {label}")
        answers = self.answers(label)
        if len(answers) < len(self.labels[label]):
            return "pending", None
        if label in self.many:
            errors = [answer["error"] for answer in answers if "error" in answer]
            if errors:
                return "error", errors[0]
            return "typed", {"kind": "array", "value": [answer["result"] for answer in answers]}
        return ("error", answers[-1]["error"]) if "error" in answers[-1] else ("typed", answers[-1]["result"])

    def check_label(self, label: str, expected) -> None:
        if label == "messages":
            return self.check_messages(expected)
        if label in ("events", "lastEvents"):
            return self.check_events(expected, label == "lastEvents")
        if label == "message":
            return self.check_message(expected)
        observed = OBSERVED.get(label)
        outcome = ("plain", observed(self)) if observed and label not in self.labels else self.result(label)
        if isinstance(expected, dict) and "$pending" in expected:
            if outcome[0] != "pending":
                raise CaseFailure(f"{label} has ended: {text(outcome)}")
        elif isinstance(expected, dict) and "$error" in expected:
            self.check_error(outcome, expected)
        elif outcome[0] == "plain":
            if type(expected) is not type(outcome[1]) and not isinstance(expected, (dict, int, float)):
                raise CaseFailure(f"{label} is {text(outcome[1])}, not {text(expected)}")
            if expected != outcome[1] and not matches(expected, typed_of(outcome[1])):
                raise CaseFailure(f"{label} is {text(outcome[1])}, not {text(expected)}")
        elif outcome[0] != "typed" or not matches(expected, outcome[1]):
            raise CaseFailure(f"{label} is {text(outcome)}, not {text(expected)}")

    def check_events(self, expected: list, last: bool) -> None:
        kinds = {self.kind(event) for event in expected}
        found = [event for event in self.events() if self.kind(event) in kinds]
        found = found[-len(expected) :] if last else found
        if len(found) != len(expected) or not all(map(_same, expected, found)):
            raise CaseFailure(f"the events are {text(found)}, not {text(expected)}")

    def kind(self, event) -> str:
        """Cases speak of some kinds of events only: completions, messages, decisions, the delegate's other calls."""
        name = next(iter(event)) if isinstance(event, dict) else str(event)
        if name in self.labels or name in self.marks:
            return "completion"
        return next((kind for kind in ("message:", "decide", "did") if name.startswith(kind)), name)

    def check_message(self, expected: dict) -> None:
        if not self.messages():
            raise CaseFailure("no message")
        entry = self.messages()[-1]
        found = {
            "name": entry["name"], "frameIsMain": entry["isMainFrame"], "frameURL": entry["url"],
            "webViewIsSender": entry["isOwnView"], "world": entry["world"], "frameOriginHost": entry["originHost"],
            "view": {view: number for number, view in self.views.items()}[entry["view"]],
        }
        for name, value in expected.items():
            if name != "body" and name not in found:
                raise CaseFailure(f"a message knows no {name}")
            if not matches(value, entry["body"]) if name == "body" else found[name] != value:
                raise CaseFailure(f"the message's {name} is {text(entry['body'] if name == 'body' else found[name])}")

    # What is observed over the whole case.

    def count(self, event: str, since: int | None = None) -> int:
        entries = self.host.journal.read()[since if since is not None else self.since :]
        return sum(entry["event"] == event and entry.get("view") == self.views[1] for entry in entries)

    def changes(self, name: str) -> list:
        return [entry["value"] for entry in self.entries() if entry["event"] == "changed" and entry["name"] == name]

    def progress(self) -> list[float]:
        """The values of the last load: each begins with a small one."""
        values = [value for value in self.changes("estimatedProgress") if value > 0]
        if not values:
            raise CaseFailure("no progress was observed")
        return values

    def reloads(self) -> int:
        entries = self.host.journal.read()[self.killed :]
        return sum(entry["event"] == "navigation" and entry["phase"] == "started" for entry in entries)

    def page_exception(self) -> str | None:
        """The name of what was thrown in the page: by a promise that nobody handles, or out of a script of the host."""
        names = self.host.journal.matching(event="received", name=EXCEPTIONS, view=self.views[1], since=self.since)
        if names:
            return names[-1]["body"].get("value")
        errors = [answer["error"] for number in self.asked for answer in self.host.answers(number) if "error" in answer]
        return _message(errors[-1]["userInfo"]).partition(":")[0] if errors else None

    def threads(self) -> list[str]:
        return sorted({"main" if entry["isMainThread"] else "other" for entry in self.entries() if "isMainThread" in entry})

    # Errors.

    def check_error(self, outcome, expected: dict) -> None:
        if outcome[0] != "error":
            raise CaseFailure(f"{text(outcome)} is no error {expected['$error']}")
        error = outcome[1]
        for name, value in expected.items():
            if name == "$error":
                fits = error["code"] == value
            elif name in ERRORS:
                fits = ERRORS[name](value, error, error["userInfo"])
            elif name in DETAILS:
                continue
            else:
                raise CaseFailure(f"an error knows no {name}")
            if not fits:
                raise CaseFailure(f"{name} {value!r}: {text(error)}")


def _message(information: dict) -> str:
    return information.get("WKJavaScriptExceptionMessage", "")


ERRORS = {
    "domain": lambda domain, error, _: error["domain"] == domain,
    "localizedDescription": lambda said, error, _: error["description"] == said,
    "messageEquals": lambda said, _, information: _message(information) == said,
    "messageStartsWith": lambda said, _, information: _message(information).startswith(said),
    "messageContains": lambda said, _, information: said in _message(information),
    "messageMatches": lambda pattern, _, information: re.search(pattern, _message(information)) is not None,
    "messageLength": lambda length, _, information: len(_message(information)) == length,
    "messageMinLength": lambda length, _, information: len(_message(information)) >= length,
    "line": lambda line, _, information: information.get("WKJavaScriptExceptionLineNumber") == line,
    "columnApple": lambda _, __, information: information.get("WKJavaScriptExceptionColumnNumber", -1) >= 0,
    "hasKeys": lambda keys, _, information: all(key in information for key in keys),
    "absentKeys": lambda keys, _, information: not any(key in information for key in keys),
    "userInfo": lambda members, _, information: all(information.get(key) == value for key, value in members.items()),
    "userInfoTypes": lambda types, error, _: all(error["types"].get(key) == kind for key, kind in types.items()),
}
DETAILS = {"utf16Length", "valueType", "maxMillis", "notExecuted", "thread", "sourcePadding", "padding"}

OBSERVED = {
    "programmerError": lambda case: case.values.get("programmerError", not case.host.runs),
    "compileTimeError": lambda case: case.values.get("compileTimeError", False),
    "crash": lambda case: not case.host.runs,
    "completions": lambda case: sum(len(case.host.answers(number)) for number in case.asked),
    "terminatedCallbacks": lambda case: case.count("terminated"),
    "automaticReloads": lambda case: case.reloads(),
    "progressFirst": lambda case: case.progress()[0],
    "progressLast": lambda case: case.progress()[-1],
    "progressMonotonic": lambda case: case.progress() == sorted(case.progress()),
    "isLoadingSequence": lambda case: case.changes("isLoading"),
    "isLoadingInDidFinish": lambda case: case.host.journal.matching(
        event="navigation", phase="finished", view=case.views[1], since=case.since
    )[-1]["isLoading"],
    "messageCount": lambda case: len(case.messages()),
    "pageException": lambda case: case.page_exception(),
    "threads": lambda case: case.threads(),
}


def _shown(body: dict) -> str:
    """A message's body as `events` names it."""
    value = body.get("value")
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _same(expected, found) -> bool:
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            found[name].get(key) == value for name, members in expected.items() for key, value in members.items()
        )
    return expected == (next(iter(found)) if isinstance(found, dict) else found)
