"""The relay and the hosts as processes of their own."""

import itertools
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

from .events import Events
from .paths import OUTPUT, REPOSITORY, binary
from .waiting import PATIENCE, until

_numbers = itertools.count(1)


class Process:
    """A child with its output in a file; it is ended by its id, never by name."""

    def __init__(self, name: str, command: list[str], *, state: Path | None = None, stdin=subprocess.DEVNULL):
        folder = OUTPUT / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.log = folder / f"{next(_numbers):03d}-{name}.log"
        environment = dict(os.environ)
        environment["XDG_STATE_HOME"] = str(state or OUTPUT / "state")
        with self.log.open("wb") as log:
            self.child = subprocess.Popen(
                command, stdin=stdin, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=REPOSITORY
            )

    def text(self) -> str:
        """What the process has printed so far."""
        return self.log.read_text(errors="replace")

    def line(self, pattern: str, timeout: float = PATIENCE) -> re.Match:
        """The first match of the pattern in the process's output; fails at once when the process has ended."""

        def found():
            match = re.search(pattern, self.text())
            if not match and self.child.poll() is not None:
                match = re.search(pattern, self.text())
                assert match, f"{self.name} ended with {self.child.returncode}:\n{self.text()}"
            return match

        return until(found, lambda: f"{pattern} from {self.name}:\n{self.text()}", timeout)

    @property
    def runs(self) -> bool:
        return self.child.poll() is None

    def stop(self, timeout: float = 10.0) -> int:
        """Asks the process to end and gives its exit code."""
        if self.runs:
            self.child.send_signal(signal.SIGTERM)
        try:
            return self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} did not end within {timeout:g} s of SIGTERM:\n{self.text()}") from None

    def kill(self) -> None:
        """Ends the process without letting it do anything."""
        if self.runs:
            self.child.kill()
        self.child.wait(10)

    def pause(self) -> None:
        self.child.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.child.send_signal(signal.SIGCONT)


class Relay(Process):
    """`pagebridge serve --dev`."""

    def __init__(
        self,
        *options: str,
        port: int = 0,
        state: Path | None = None,
        web: Path | None = None,
        prefix: tuple[str, ...] = (),
    ):
        """`prefix` is a command that runs the relay, in another network for example."""
        self.web = web or REPOSITORY / "web"
        super().__init__(
            "relay",
            [
                *prefix,
                str(binary("pagebridge", "PAGEBRIDGE_BIN")),
                "serve",
                "--dev",
                "--listen",
                f"127.0.0.1:{port}",
                "--web",
                str(self.web),
                *options,
            ],
            state=state,
        )
        self.port = int(self.line(r"https?://127\.0\.0\.1:(\d+)")[1])

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def put(self, path: str, text: str) -> str:
        """Adds a page to those that this relay serves and gives its URL; only for a relay with a folder of its own."""
        assert self.web != REPOSITORY / "web"
        file = self.web / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return f"{self.http}/{path.lstrip('/')}"

    def start_page(self, part: str, app: str) -> str:
        """The URL of a start page of a part of the demonstration whose host has another app name."""
        text = (self.web / f"pages/{part}/index.html").read_text()
        return self.put(f"pages/{part}/{app}.html", text.replace(f'data-app="{part}"', f'data-app="{app}"'))

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}"


class DemoHost(Process):
    """`pagebridge demo --relay --only`: one host of the demonstration in a process of its own."""

    part: str

    def __init__(self, relay: str, folder: Path, *options: str):
        path = folder / f"{self.part}-{next(_numbers)}.ndjson"
        super().__init__(
            f"demo-{self.part}",
            [
                str(binary("pagebridge", "PAGEBRIDGE_BIN")),
                "demo",
                "--only",
                self.part,
                "--relay",
                relay,
                "--events",
                str(path),
                *options,
            ],
        )
        self.events = Events(path)
        self.connected()

    def connected(self, since: int = 0) -> dict:
        """The event of the next connection; fails at once when the process has ended instead."""

        def found():
            if not self.runs:
                raise AssertionError(f"{self.name} ended with {self.child.returncode}: {self.text()}")
            return self.events.matching(event="connected", since=since)

        return until(found, lambda: f"a connection of {self.name}:\n{self.text()}")[0]


class PlayerHost(DemoHost):
    """The live video player."""

    part = "player"
    app = "player"


class BrowserHost(DemoHost):
    """The two-way browser."""

    part = "browser"
    app = "browser"


class JourneyHost(DemoHost):
    """The identity journey."""

    part = "journey"
    app = "journey"


class SquadHost(DemoHost):
    """The live sports calls."""

    part = "squad"
    app = "squad"


class ProbeError(Exception):
    """A command that the probe host answered with an error."""

    def __init__(self, error: dict):
        super().__init__(json.dumps(error)[:2000])
        self.error = error


class ProbeHost(Process):
    """The tests' own host: told what to do by lines of JSON, it writes all that it sees to its events file."""

    def __init__(self, relay: str, app: str, folder: Path, *options: str):
        self.app = app
        number = next(_numbers)
        path = folder / f"{app}-{number}.ndjson"
        journal = folder / f"{app}-{number}.journal"
        super().__init__(
            f"probe-{app}",
            [
                str(binary("ProbeHost", "PROBEHOST_BIN")),
                "--relay",
                relay,
                "--app",
                app,
                "--events",
                str(path),
                "--journal",
                str(journal),
                *options,
            ],
            stdin=subprocess.PIPE,
        )
        # What the library tells, and what the host's own code saw.
        self.events = Events(path)
        self.journal = Events(journal)
        self._ids = itertools.count(1)
        self._answers: dict[int, list[dict]] = {}
        self._indexed = 0
        self._writing = threading.Lock()

    def connected(self, since: int = 0) -> dict:
        return self.events.wait(event="connected", since=since)

    def number(self) -> int:
        """A number for a command that is given later."""
        return next(self._ids)

    def send(self, do: str, number: int | None = None, **members) -> int:
        """Gives a command and does not wait for its answer; the number under which the answer will come."""
        number = number or self.number()
        line = json.dumps({"id": number, "do": do, **members}) + "\n"
        with self._writing:
            self.child.stdin.write(line.encode())
            self.child.stdin.flush()
        return number

    def answers(self, number: int) -> list[dict]:
        """The answer events of a command so far: one, unless something is wrong."""
        entries = self.journal.read()
        for entry in entries[self._indexed :]:
            if entry["event"] == "answer":
                self._answers.setdefault(entry["id"], []).append(entry)
        self._indexed = len(entries)
        return self._answers.get(number, [])

    def answer(self, number: int, timeout: float = PATIENCE) -> dict:
        """The whole answer event of a command; fails at once when the process has ended instead."""

        def found():
            if not self.runs and not self.answers(number):
                raise AssertionError(f"{self.name} ended with {self.child.returncode}:\n{self.text()[-2000:]}")
            return self.answers(number)

        def said() -> str:
            tail = "\n".join(json.dumps(entry)[:300] for entry in self.journal.read()[-12:])
            return f"the answer to command {number} of {self.name}; the last entries:\n{tail}"

        return until(found, said, timeout)[0]

    def answered(self, number: int) -> float:
        """When a command was answered, by the clock of the host's machine."""
        return self.answer(number)["time"]

    def do(self, do: str, timeout: float = PATIENCE, **members):
        """Gives a command and returns its result; raises ProbeError when it answers with an error."""
        answer = self.answer(self.send(do, **members), timeout)
        if "error" in answer:
            raise ProbeError(answer["error"])
        return answer.get("result")

    def evaluate(self, source: str, timeout: float = PATIENCE, **members):
        """The typed result of a script in the page of a view, the newest one if none is named: {"kind": …, "value": …}."""
        return self.do("evaluate", source=source, timeout=timeout, **members)

    def opened(self, count: int = 1) -> dict:
        """The journal's entry of the `count`th visitor; waits for it."""
        return self.journal.wait(event="opened", count=count)

    def messages(self, name: str | None = None, view: int | None = None, since: int = 0) -> list[dict]:
        """The messages received so far, in the order of their arrival."""
        members = {"event": "received"}
        if name is not None:
            members["name"] = name
        if view is not None:
            members["view"] = view
        return self.journal.matching(since=since, **members)

    def received(self, name: str, count: int = 1, since: int = 0, timeout: float = PATIENCE) -> dict:
        """The `count`th message to a handler; waits for it."""
        return self.journal.wait(event="received", name=name, count=count, since=since, timeout=timeout)

    def numbers(self, name: str, **members) -> list:
        """The bodies of the messages to a handler that are numbers, in the order of their arrival."""
        found = self.journal.matching(event="received", name=name, **members)
        return [entry["body"]["value"] for entry in found if entry["body"]["kind"] == "number"]

    def stop(self, timeout: float = 10.0) -> int:
        """Ends the commands, upon which the host stops in order; gives the exit code."""
        self.child.stdin.close()
        return self.child.wait(timeout)
