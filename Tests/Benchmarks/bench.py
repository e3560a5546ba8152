"""Measures each row of the performance article's table, and writes the table and a plot.

Run by deploy/bench.sh, which builds what is measured. Comparisons run in turns, each figure is the median of the rounds, each ratio that
of the medians. Nothing here decides whether a test passes: figures are reported beside their goals. Loopback only.
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import report

PATIENCE = 60
HERE = Path(__file__).resolve().parent


class PageBridge:
    """The relay with pages and one host connection for all sessions of an app."""

    name = "PageBridge"

    def __init__(self, folder: Path, *options: str, under: tuple[str, ...] = ()):
        # A file, since a tool that it runs under may close the pipe late.
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*under, folder / "pagebridge", "serve", "--dev", "--listen", "127.0.0.1:0", *options],
            stdout=self.log, stderr=subprocess.STDOUT, text=True)
        self.port = until(self._port, "the relay did not say where it listens")
        self.options = ["--port", str(self.port), "--pid", str(self.process.pid)]

    def _port(self) -> int | None:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.text())
        return int(found[1]) if found else None

    def text(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)


class ByteRelay:
    """Two sockets a session, whose bytes are passed on as they are."""

    name = "byte relay"

    def __init__(self, folder: Path):
        self.process = subprocess.Popen([folder / "ByteRelay"], stdout=subprocess.PIPE, text=True)
        port = int(self.process.stdout.readline())
        self.options = ["--pair", "--port", str(port), "--pid", str(self.process.pid)]

    def end(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


def until(look, failure: str):
    """What `look` gives once it gives something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if (found := look()) is not None:
            return found
        time.sleep(0.02)
    sys.exit(failure)


@dataclass
class Bench:
    folder: Path
    rounds: int
    seconds: float

    def drive(self, relay, *load: str) -> dict:
        """One run of the driver; its figures."""
        done = subprocess.run(
            [self.folder / "RelayDriver", *relay.options, *load], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"{relay.name}: {done.stderr}{done.stdout}")
        return json.loads(done.stdout)

    def once(self, make, *load: str) -> dict:
        relay = make(self.folder)
        try:
            return self.drive(relay, *load)
        finally:
            relay.end()

    def turns(self, runs: dict, rounds: int | None = None) -> dict[str, list[dict]]:
        """Each run once a round, in a row that is turned around from round to round."""
        found: dict[str, list[dict]] = {name: [] for name in runs}
        for number in range(rounds or self.rounds):
            for name in list(runs) if number % 2 == 0 else reversed(list(runs)):
                found[name].append(runs[name]())
        return found

    def compare(self, *load: str) -> tuple[list[dict], list[dict]]:
        found = self.turns({make.name: lambda make=make: self.once(make, *load) for make in (PageBridge, ByteRelay)})
        return found[PageBridge.name], found[ByteRelay.name]

    def traffic(self, *load: str) -> tuple[str, ...]:
        return (*load, "--seconds", str(self.seconds))


def median(runs: list[dict], figure: str) -> float:
    return statistics.median(run[figure] for run in runs)


def line(what: str, unit: str, ours: float, theirs: float | None, goal: float, least: bool, of_ratio: bool = True) -> dict:
    """A line of the table; the goal is the least or the most that the ratio, or the figure itself, may be."""
    ratio = ours / theirs if theirs else None
    judged = ratio if of_ratio else ours
    return {"what": what, "unit": unit, "ours": ours, "theirs": theirs, "ratio": ratio, "goal": goal, "least": least,
            "ofRatio": of_ratio, "isMet": judged >= goal if least else judged <= goal}


# MARK: Rows


def round_trips(bench: Bench) -> list[dict]:
    lines = []
    for sessions, goal in ((1_000, 1.5), (100, 1.5), (9_000, 1.8)):
        ours, theirs = bench.compare(*bench.traffic("--sessions", str(sessions)))
        both = lambda figure: (median(ours, figure), median(theirs, figure))
        lines.append(line(f"messages a second, {sessions:,} sessions", "1/s", *both("messagesPerSecond"), goal, True))
        if sessions == 1_000:
            lines.append(line("p99 at 1,000 sessions", "us", *both("p99"), 0.75, False))
            lines.append(line("relay's processor time a message, 1,000 sessions", "us", *both("cpuPerMessage"), 0.7, False))
        if sessions == 9_000:
            rates = [9_000 / median(runs, "openSeconds") for runs in (ours, theirs)]
            lines.append(line("sessions opened a second, 9,000", "1/s", *rates, 1.3, True))
    ours, theirs = bench.compare(*bench.traffic("--sessions", "1"))
    lines.append(line("p50 of one session", "us", median(ours, "p50"), median(theirs, "p50"), 1.03, False))
    return lines


def flood(bench: Bench) -> list[dict]:
    lines = []
    for size, goal in ((128, 0.9), (4_096, 0.62), (24_000, 0.7)):
        ours, theirs = bench.compare(*bench.traffic("--sessions", "100", "--flood", "--size", str(size)))
        lines.append(line(f"flood of {size:,} bytes, 100 sessions", "1/s", median(ours, "messagesPerSecond"),
                          median(theirs, "messagesPerSecond"), goal, True))
    return lines


def stream(bench: Bench) -> list[dict]:
    quiet = bench.traffic("--sessions", "100", "--rate", "5000", "--depth", "64")
    found = bench.turns({
        "beside": lambda: bench.once(PageBridge, *quiet, "--stream"), "alone": lambda: bench.once(PageBridge, *quiet)})
    result = line("p99 of 100 sessions beside a stream of 16 MiB messages, to that without", "us",
                  median(found["beside"], "p99"), median(found["alone"], "p99"), 1.5, False)
    result["note"] = f"the stream runs at {median(found['beside'], 'streamBytesPerSecond') / 1e6:,.0f} MB/s"
    return [result]


def memory(bench: Bench) -> list[dict]:
    # The relay pings every 8 s.
    runs = [bench.once(PageBridge, "--sessions", "19000", "--seconds", "0", "--idle", "36") for _ in range(1)]
    bytes_each = statistics.median((run["residentAfter"] - run["residentBefore"]) / run["sessions"] for run in runs)
    return [line("resident memory of an idle session, 19,000 sessions", "B", bytes_each, None, 2_560, False, of_ratio=False)]


def threads(bench: Bench) -> list[dict]:
    load = bench.traffic("--sessions", "1000", "--apps", "8")
    found = bench.turns({
        number: lambda number=number: bench.once(lambda folder: PageBridge(folder, "--threads", str(number)), *load)
        for number in (2, 1)})
    return [line("processor time a message with two threads, to one; 1,000 sessions of 8 apps", "us",
                 median(found[2], "cpuPerMessage"), median(found[1], "cpuPerMessage"), 1.15, False)]


def active(bench: Bench) -> list[dict]:
    load = bench.traffic("--active", "1900", "--rate", "10000", "--depth", "64")
    found = bench.turns({
        sessions: lambda sessions=sessions: bench.once(PageBridge, "--sessions", str(sessions), *load)
        for sessions in (19_000, 2_000)})
    return [line("p99 of 1,900 active sessions of 19,000, to the same traffic with 2,000 open", "us",
                 median(found[19_000], "p99"), median(found[2_000], "p99"), 3, False)]


def calls(bench: Bench) -> list[dict]:
    """System calls, by strace; it slows the relay down, so that more may come at once."""
    if not shutil.which("strace"):
        return skipped("strace")
    lines = []
    for what, load, count, goal in (
        ("system calls a message, 1,000 sessions", ["--sessions", "1000"], 100_000, 1.05),
        ("system calls a message, flood of 128 bytes", ["--sessions", "100", "--flood"], 0, 0.1),
    ):
        relay = PageBridge(bench.folder)
        try:
            driver = subprocess.Popen(
                [bench.folder / "RelayDriver", *relay.options, *load, "--wait", "--seconds", "30" if count else "2",
                 *(["--messages", str(count)] if count else [])],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            driver.stdout.readline()
            with tempfile.NamedTemporaryFile("r") as counts:
                tracer = subprocess.Popen(["strace", "-f", "-c", "-p", str(relay.process.pid), "-o", counts.name],
                                          stderr=subprocess.PIPE, text=True)
                tracer.stderr.readline()
                found = json.loads(driver.communicate("\n", timeout=PATIENCE)[0])
                tracer.send_signal(signal.SIGINT)
                tracer.wait(PATIENCE)
                total = next(int(row.split()[3]) for row in counts.read().splitlines() if row.endswith("total"))
        finally:
            relay.end()
        # A flood's warm-up of 0.3 s is traced and not counted.
        messages = found["messages"] if count else found["messages"] * (found["seconds"] + 0.3) / found["seconds"]
        lines.append(line(what, "", total / messages, None, goal, False, of_ratio=False))
    return lines


def instructions(bench: Bench) -> list[dict]:
    """Instructions and allocations: the difference of a long and a short run, over that of their messages."""
    if missing := [tool for tool in ("valgrind", "strip", "cc") if not shutil.which(tool)]:
        return skipped(missing[0])
    with tempfile.TemporaryDirectory() as folder:
        # Valgrind cannot read the program's debug information.
        subprocess.run(["strip", "--strip-debug", "-o", f"{folder}/pagebridge", bench.folder / "pagebridge"], check=True)
        counter = f"{folder}/counting.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", counter, HERE / "counting.c"], check=True)

        def count(tool: tuple[str, ...], pattern: str, trips: int) -> int:
            relay = PageBridge(Path(folder), "--web", str(HERE.parent.parent / "web"), under=("env", f"LD_PRELOAD={counter}", *tool))
            try:
                bench.drive(relay, "--sessions", "100", "--messages", str(trips), "--seconds", "120")
            finally:
                relay.end()
            return int(re.search(pattern, relay.text())[1])

        lines = []
        for what, tool, pattern, goal in (
            ("user-space instructions a message, 100 sessions", ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
             r"Collected : (\d+)", 3_000),
            ("allocations a message, 100 sessions", (), r"allocations: (\d+)", 0.1),
        ):
            few, many = (count(tool, pattern, trips) for trips in (1_000, 21_000))
            lines.append(line(what, "", max(0, many - few) / 40_000, None, goal, False, of_ratio=False))
        return lines


def host(bench: Bench) -> list[dict]:
    """The public library's host with 1,000 simulated pages."""
    def run() -> dict:
        relay = PageBridge(bench.folder)
        address = f"127.0.0.1:{relay.port}"
        process = subprocess.Popen(
            [bench.folder / "EvaluateHost", "--relay", f"http://{address}", "--app", "load", "--pages", "1000", "--count", "40"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        pages = subprocess.Popen(
            [bench.folder / "pagebridge", "load", "--relay", f"ws://{address}", "--hosts", "0", "--pages", "1000", "--mode", "idle",
             "--rate", "0.01", "--seconds", "120"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.stdout.readline()
            return json.loads(process.communicate("\n", timeout=PATIENCE)[0])
        finally:
            pages.send_signal(signal.SIGINT)
            process.kill()
            pages.wait(PATIENCE)
            relay.end()

    runs = bench.turns({"host": run})["host"]
    result = line("host library's processor time an evaluate, 1,000 sessions", "us", median(runs, "cpuPerEvaluate"), None, 15,
                  False, of_ratio=False)
    result["note"] = f"{statistics.median(run['evaluates'] / run['seconds'] for run in runs):,.0f} evaluates a second"
    return [result]


def chromium(bench: Bench) -> list[dict]:
    """Evaluates in a real browser, in turns over the bridge and over its own DevTools socket."""
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    if not binary:
        return skipped("chromium")
    relay_port: list[int] = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            body = ('<!doctype html><meta charset="utf-8"><title>bench</title>'
                    f'<script src="http://127.0.0.1:{relay_port[0]}/bridge.js" data-app="bench"></script>').encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    relay = PageBridge(bench.folder, "--allow-origin", origin)
    relay_port.append(relay.port)
    process = subprocess.Popen(
        [bench.folder / "EvaluateHost", "--relay", f"http://127.0.0.1:{relay.port}", "--app", "bench", "--pages", "1", "--count",
         "400", "--script", "6 * 7", "--devtools", "yes", "--rounds", str(2 * bench.rounds)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    profile = tempfile.mkdtemp()
    browser = subprocess.Popen(
        [binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
         f"--user-data-dir={profile}", f"{origin}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        file = Path(profile) / "DevToolsActivePort"
        port = until(lambda: file.read_text().split()[0] if file.exists() and file.read_text() else None, "no DevTools")

        def target() -> str | None:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
                for each in json.load(answer):
                    if each["url"].startswith(origin):
                        return each["webSocketDebuggerUrl"]

        address = until(target, "the browser has no such page")
        process.stdout.readline()
        found = json.loads(process.communicate(address + "\n", timeout=2 * PATIENCE)[0])
    finally:
        process.kill()
        browser.terminate()
        browser.wait(PATIENCE)
        relay.end()
        server.shutdown()
        shutil.rmtree(profile, ignore_errors=True)
    result = line("evaluate in Chromium from the Swift API, p50, to Runtime.evaluate over DevTools", "us", found["bridge"]["p50"],
                  found["devTools"]["p50"], 0.6, False)
    result["note"] = f"p99 {found['bridge']['p99']:,.0f} us to {found['devTools']['p99']:,.0f} us"
    return [result]


GROWTH = (10, 100, 1_000, 10_000, 19_000)


def growth(bench: Bench) -> list[dict]:
    """How cost grows with the number of sessions: one curve in the report."""
    found = bench.turns({
        sessions: lambda sessions=sessions: bench.once(PageBridge, *bench.traffic("--sessions", str(sessions)))
        for sessions in GROWTH}, rounds=max(1, bench.rounds - 2))
    points = [{"sessions": sessions, "cpuPerMessage": median(found[sessions], "cpuPerMessage"),
               "bytesPerSession": statistics.median(
                   (run["residentAfter"] - run["residentBefore"]) / sessions for run in found[sessions])}
              for sessions in GROWTH]
    least = min(point["cpuPerMessage"] for point in points)
    result = line("processor time a message with 19,000 sessions, to the least of the curve", "us", points[-1]["cpuPerMessage"],
                  least, 1.5, False)
    result["points"] = points
    return [result]


def skipped(tool: str) -> list[dict]:
    print(f"{tool} is not there: left out", file=sys.stderr)
    return []


ROWS = {"round-trips": round_trips, "flood": flood, "stream": stream, "memory": memory, "threads": threads, "active": active,
        "calls": calls, "instructions": instructions, "host": host, "chromium": chromium, "growth": growth}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--only", default=",".join(ROWS))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    names = options.only.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        sys.exit(f"unknown rows: {', '.join(unknown)}; there are {', '.join(ROWS)}")
    file = options.out / "bench.json"
    # Rows that are not measured now keep what they had.
    results = json.loads(file.read_text()) if file.exists() else {}
    bench = Bench(options.bin, options.rounds, options.seconds)
    for name in names:
        start = time.monotonic()
        lines = ROWS[name](bench)
        results[name] = {"rounds": bench.rounds, "seconds": bench.seconds, "cores": os.cpu_count(), "lines": lines}
        file.write_text(json.dumps(results, indent=1) + "\n")
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    ordered = {name: results[name] for name in ROWS if name in results}
    (options.out / "bench.html").write_text(report.page(ordered))
    print(report.text(ordered))


if __name__ == "__main__":
    main()
