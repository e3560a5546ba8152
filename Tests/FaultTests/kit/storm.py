"""The storm: simulated pages, real pages and real hosts, while everything between them breaks again and again.

`python -m kit.storm MINUTES SEED` runs it by hand; tests run a short one.
"""

import json
import random
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness.browser import Browser
from harness.pages import Pages
from harness.paths import OUTPUT, REPOSITORY
from harness.processes import ProbeHost, Relay
from harness.waiting import until

from .load import Load, clean, health, idle
from .memory import Memory
from .proxy import FaultProxy

APP = "storm"
# What relay and host may hold after a storm beyond what they held before: freed memory that their allocator keeps.
KEPT_BYTES = 48 * 1024 * 1024
# And a page's scripts, when their garbage was collected.
KEPT_HEAP_BYTES = 16 * 1024 * 1024

# Posts numbered messages, and checks the numbers of the scripts that the host evaluates, over all documents of its tab.
PAGE = """<!DOCTYPE html>
<html lang="en"><head>
<script src="/bridge.js" data-relay="%(relay)s" data-app="%(app)s"></script>
<script>
  const number = (name) => Number(sessionStorage.getItem(name) || 0);
  const add = (name) => { sessionStorage.setItem(name, number(name) + 1); return number(name); };
  const tab = location.search.slice(1);
  const say = (kind) => {
    if (!window.webkit) return false;
    webkit.messageHandlers.storm.postMessage({tab, kind, number: add('said'), filler: 'x'.repeat(number('said') %% 7 * 900)});
    return true;
  };
  const take = (given) => {
    if (given <= number('taken')) add('faults');
    sessionStorage.setItem('taken', given);
    return given;
  };
  setInterval(() => { if (!window.stopped) say('tick'); }, 50);
</script>
<meta charset="utf-8"><link rel="icon" href="data:,"><title>storm</title></head><body></body></html>"""


@dataclass
class Plan:
    """How long and how hard."""

    seconds: float = 45.0
    seed: int = 1
    pages: int = 200
    tabs: int = 3
    relay_kills: int = 3
    host_restarts: int = 2
    cuts_a_second: float = 1.0
    messages_a_second: int = 200


@dataclass
class Tab:
    """A real page, and what its host asked of it."""

    window: object
    name: str
    session: str = ""
    asked: int = 0
    # The commands that wait for an answer, by the process that was given them.
    open: list[tuple[ProbeHost, int, int]] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=dict)


class Storm:
    """One run; `figures` is what came of it."""

    def __init__(self, plan: Plan, folder: Path):
        self.plan = plan
        self.folder = folder
        self.dice = random.Random(plan.seed)
        self.figures: dict = {"seed": plan.seed}
        self.asking = threading.Event()
        self.lock = threading.Lock()
        self.hosts: list[ProbeHost] = []
        self.tabs: list[Tab] = []
        self.reloads = 0

    def run(self) -> dict:
        self.pages = Pages()
        self.secret = self.folder / "secret"
        self.secret.write_text("".join(self.dice.choices("0123456789abcdef", k=64)))
        self.secret.chmod(0o600)
        self.relay = self._start_relay(0)
        self.line = FaultProxy(self.relay.port)
        self.browser = Browser()
        try:
            self._run()
        finally:
            self.asking.clear()
            self.line.calm()
            self.browser.quit()
            for host in self.hosts:
                host.resume()
                host.kill()
            self.line.stop()
            self.relay.resume()
            self.relay.kill()
            self.pages.stop()
        return self.figures

    def _run(self) -> None:
        base = health(self.relay.http)
        self._open_tabs()
        heaps = [heap(tab.window) for tab in self.tabs]
        memory = Memory(relay=lambda: self.relay, host=lambda: self.hosts[-1])
        memory.begin()
        try:
            self._rain()
        finally:
            memory.stop()
        self.figures["heaps"] = [{"before": before, "after": heap(tab.window)} for before, tab in zip(heaps, self.tabs, strict=True)]
        kept = {"host": memory.end("host")}
        self.browser.close_windows()
        assert self.hosts[-1].stop() == 0
        after = idle(self.relay.http, base)
        kept["relay"] = memory.end("relay")
        self.figures["memory"] = memory.figures
        self.figures["relay"] = {name: after[name] for name in ("blocksInUse", "waitingBytes", "sessions", "sockets")}
        print(json.dumps({name: self.figures[name] for name in ("memory", "heaps", "relay")}, indent=1))
        for name, now in kept.items():
            assert now <= memory.before[name] + KEPT_BYTES, f"the {name} keeps its memory: {self.figures['memory']}"
        for each in self.figures["heaps"]:
            assert each["after"] <= each["before"] + KEPT_HEAP_BYTES, f"a page keeps its memory: {each}"

    def _rain(self) -> None:
        seconds = self.plan.seconds
        load = Load(
            self.line.ws, self.folder, "--pages", str(self.plan.pages), "--hosts", "4", "--mode", "rate",
            "--rate", str(self.plan.messages_a_second), "--size", "40,900,40,40,40,40,40,40,40,40000", "--seconds", f"{seconds:g}",
            "--churn", "1", "--cuts", "0.5", "--drain", "90",
        )  # fmt: skip
        self.load = load
        try:
            load.flows()
            self.asking.set()
            asking = threading.Thread(target=self._ask, daemon=True)
            asking.start()
            self.line.storm(self.plan.seed, self.plan.cuts_a_second)
            self._rage(time.monotonic() + seconds)
            self.line.calm()
            self.asking.clear()
            asking.join(30)
            report = load.report(timeout=180)
        finally:
            load.resume()
            load.kill()
        self._finish_tabs()
        self._note_traffic()
        self._judge(report)

    # Beginning.

    def _start_relay(self, port: int) -> Relay:
        options = ("--secret-file", str(self.secret), "--allow-origin", self.pages.origin, "--log-level", "error")
        return Relay(*options, port=port, state=self.folder / "state")

    def _start_host(self) -> ProbeHost:
        host = ProbeHost(self.line.ws, APP, self.folder, "--state", str(self.folder / "host"))
        host.send("handlers", names=["storm"])
        host.send("start")
        with self.lock:
            self.hosts.append(host)
        host.connected()
        return host

    def _open_tabs(self) -> None:
        self._start_host()
        script = (REPOSITORY / "web/bridge.js").read_text()
        self.pages.put("/bridge.js", script, "text/javascript; charset=utf-8")
        url = self.pages.put("/storm.html", PAGE % {"relay": self.line.http, "app": APP})
        for index in range(self.plan.tabs):
            tab = Tab(self.browser.open(f"{url}?{index}"), str(index))
            tab.session = tab.window.session()
            self.tabs.append(tab)

    # Both directions: pages post by themselves, and this asks their host to evaluate.

    def _view(self, host: ProbeHost, tab: Tab) -> int | None:
        opened = host.journal.matching(event="opened", session=tab.session)
        return opened[-1]["view"] if opened else None

    def _ask(self) -> None:
        while self.asking.is_set():
            time.sleep(0.05)
            with self.lock:
                host = self.hosts[-1]
            for tab in self.tabs:
                view = self._view(host, tab) if host.runs else None
                if view is None:
                    continue
                tab.asked += 1
                try:
                    number = host.send("evaluate", view=view, source=f"typeof take === 'function' ? take({tab.asked}) : -{tab.asked}")
                except OSError:
                    continue  # It was killed just now.
                tab.open.append((host, number, tab.asked))

    # What breaks.

    def _rage(self, end: float) -> None:
        length = end - time.monotonic()
        begin = time.monotonic()
        deeds = [
            *((begin + length * (index + 1) / (self.plan.relay_kills + 1), self._kill_relay)
              for index in range(self.plan.relay_kills)),
            *((begin + length * (index + 0.6) / (self.plan.host_restarts + 0.5), self._restart_host)
              for index in range(self.plan.host_restarts)),
            *((begin + at, self._reload) for at in self._times(length, 8)),
            *((begin + at, self._stop_something) for at in self._times(length, 20)),
        ]  # fmt: skip
        for when, deed in sorted(deeds, key=lambda each: each[0]):
            if (rest := when - time.monotonic()) > 0:
                time.sleep(rest)
            deed()
        if (rest := end - time.monotonic()) > 0:
            time.sleep(rest)

    def _times(self, length: float, every: float) -> list[float]:
        """Random times, on average one in so many seconds; none in the last ones."""
        return [self.dice.uniform(0, length * 0.95) for _ in range(max(1, int(length / every)))]

    def _count(self, name: str) -> None:
        self.figures[name] = self.figures.get(name, 0) + 1

    def _note_traffic(self) -> None:
        """Adds what this relay has passed on, before its figures go with it."""
        now = health(self.relay.http)
        for name in ("messagesToHosts", "messagesToPages", "socketsOpened", "pagesReplaced", "acceptsHeldBack"):
            self.figures[name] = self.figures.get(name, 0) + now[name]

    def _kill_relay(self) -> None:
        self._note_traffic()
        self.relay.kill()
        time.sleep(self.dice.uniform(0.05, 1.5))
        self.relay = self._start_relay(self.relay.port)
        self._count("relayKills")

    def _restart_host(self) -> None:
        self.hosts[-1].kill()
        time.sleep(self.dice.uniform(0.05, 1.0))
        self._start_host()
        self._count("hostRestarts")

    def _reload(self) -> None:
        tab = self.dice.choice(self.tabs)
        tab.window.reload()
        self._count("reloads")

    def _stop_something(self) -> None:
        process = self.dice.choice([self.relay, self.hosts[-1], self.load])
        process.pause()
        time.sleep(self.dice.uniform(0.2, 1.5))
        process.resume()
        self._count("processesStopped")

    # The end: everything that is under way arrives.

    def _finish_tabs(self) -> None:
        for tab in self.tabs:
            tab.window.attached(60)
            assert tab.window.session() == tab.session, f"tab {tab.name} lost its session"
            tab.window.js("window.stopped = true")
            until(lambda tab=tab: tab.window.js("return say('last')"), "window.webkit", 60)
            said = tab.window.value("number('said')")
            # What the page posted last came last.
            self.hosts[-1].journal.wait(
                lambda entry, tab=tab, said=said: entry.get("event") == "received"
                and field_of(entry, "tab") == tab.name and field_of(entry, "number") == said,
                timeout=60,
            )  # fmt: skip
            for host, number, _ in tab.open:
                if host is self.hosts[-1]:
                    host.answer(number, 60)

    def _judge(self, load: dict) -> None:
        self.figures["load"] = {
            name: load[name]
            for name in ("messages", "lost", "doubled", "reordered", "corrupted", "cuts", "resumes", "disconnects", "replacedPages")
        }  # fmt: skip
        self.figures["faults"] = {kind: self.line.happened.count(kind) for kind in sorted(set(self.line.happened))}
        print(json.dumps(self.figures, indent=1))
        self.figures["tabs"] = [self._judge_tab(tab) for tab in self.tabs]
        print(json.dumps(self.figures["tabs"], indent=1))
        clean(load)
        for tab in self.figures["tabs"]:
            assert tab["lost"] == tab["doubled"] == tab["reordered"] == tab["scriptsOutOfOrder"] == 0, tab

    def _judge_tab(self, tab: Tab) -> dict:
        said = tab.window.value("number('said')")
        next_number, lost, doubled, reordered, redelivered = 1, 0, 0, 0, 0
        for life, host in enumerate(self.hosts):
            is_first_of_life = True
            for entry in host.messages("storm"):
                if field_of(entry, "tab") != tab.name:
                    continue
                number = field_of(entry, "number")
                if life and number < next_number and is_first_of_life:
                    # What the process before may have handled is handled again, from there on in order.
                    redelivered += next_number - number
                    next_number = number
                is_first_of_life = False
                if number == next_number:
                    next_number += 1
                elif number > next_number:
                    lost += number - next_number
                    next_number = number + 1
                else:
                    doubled += 1
        lost += said - (next_number - 1)
        return {
            "tab": tab.name, "posted": said, "lost": lost, "doubled": doubled, "reordered": reordered,
            "redelivered": redelivered, "scriptsOutOfOrder": tab.window.value("number('faults')"), **self._scripts(tab),
        }  # fmt: skip

    def _scripts(self, tab: Tab) -> dict:
        """How the scripts ended: each once, with its own value or because its document went."""
        ends = {"scripts": 0, "values": 0, "beforeThePagesOwn": 0, "pageReplaced": 0, "diedWithTheHost": 0}
        for host, number, given in tab.open:
            ends["scripts"] += 1
            found = host.answers(number)
            if not found:
                assert host is not self.hosts[-1], f"script {given} of tab {tab.name} has no end"
                ends["diedWithTheHost"] += 1
                continue
            assert len(found) == 1, f"script {given} of tab {tab.name} ended {len(found)} times"
            if "error" in found[0]:
                # WebKit's words for a call whose document was replaced.
                assert "no longer reachable" in json.dumps(found[0]["error"]), found[0]
                ends["pageReplaced"] += 1
            elif found[0]["result"]["value"] == -given:
                # A document that had only begun ran it.
                ends["beforeThePagesOwn"] += 1
            else:
                assert found[0]["result"]["value"] == given, found[0]
                ends["values"] += 1
        return ends


def heap(window) -> int:
    """The memory that a page's scripts hold, in bytes, without garbage."""
    window.cdp("HeapProfiler.collectGarbage")
    return int(window.cdp("Runtime.getHeapUsage")["usedSize"])


def field_of(entry: dict, name: str):
    """A member of a received object."""
    body = entry.get("body", {})
    return body["value"].get(name, {}).get("value") if body.get("kind") == "object" else None


def main() -> int:
    minutes, seed = float(sys.argv[1]), int(sys.argv[2])
    OUTPUT.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="storm-"))
    try:
        figures = Storm(Plan(seconds=minutes * 60, seed=seed), folder).run()
    except AssertionError as error:
        print(f"FAILED with seed {seed}: {error}")
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("Nothing was lost, doubled or reordered.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
