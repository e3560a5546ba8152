"""`pagebridge load` as a process: simulated pages and hosts that check every message."""

import json
import urllib.request
from pathlib import Path

from harness.paths import binary
from harness.processes import Process
from harness.waiting import until


class Load(Process):
    """Simulated pages at a relay; the report comes when it ends by itself."""

    def __init__(self, relay: str, folder: Path, *options: str, app: str = "load", prefix: tuple[str, ...] = ()):
        self.report_file = folder / f"{app}.json"
        super().__init__(
            f"load-{app}",
            [
                *prefix,
                str(binary("pagebridge", "PAGEBRIDGE_BIN")),
                "load",
                "--relay",
                relay,
                "--app",
                app,
                "--json",
                str(self.report_file),
                *options,
            ],
        )

    def flows(self) -> None:
        """Waits until all pages are connected and traffic flows."""
        self.line(r"traffic  \d+ of")

    def report(self, timeout: float) -> dict:
        """Waits for the end and gives the figures."""
        self.child.wait(timeout)
        assert self.report_file.is_file(), f"{self.name} ended with {self.child.returncode}:\n{self.text()}"
        return json.loads(self.report_file.read_text())


def clean(report: dict) -> None:
    """Every message arrived once, in order and intact."""
    wrong = {name: report[name] for name in ("lost", "doubled", "reordered", "corrupted") if report[name]}
    assert not wrong and report["messages"] > 0, f"{wrong} of {report['messages']} messages"


def health(url: str) -> dict:
    """What the relay says of itself."""
    with urllib.request.urlopen(f"{url}/healthz", timeout=30) as answer:
        return json.load(answer)


def resident_bytes(process: Process) -> int:
    """The memory of a process, in bytes."""
    for line in Path(f"/proc/{process.child.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"{process.name} has no memory")


def idle(url: str, base: dict) -> dict:
    """Waits until the relay holds what it held at first: no socket, no session, no block."""

    def found():
        now = health(url)
        names = ("sockets", "sessions", "hosts", "pages", "waitingBytes", "blocksInUse", "blockedSockets", "heldDialogs")
        return now if all(now[name] <= base[name] for name in names) else None

    return until(found, lambda: f"an idle relay; it says {health(url)}", timeout=60)
