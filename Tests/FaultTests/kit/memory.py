"""The memory of processes that come and go."""

import threading
from collections.abc import Callable

from harness.processes import Process

from .load import resident_bytes


class Memory:
    """Looks again and again how much memory the present process of each kind has."""

    def __init__(self, **processes: Callable[[], Process]):
        self.processes = processes
        self.before: dict[str, int] = {}
        self.peak: dict[str, int] = dict.fromkeys(processes, 0)
        self.after: dict[str, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def begin(self) -> None:
        """What the processes have now is their base."""
        self.before = {name: resident_bytes(find()) for name, find in self.processes.items()}
        self.peak = dict(self.before)
        self._thread.start()

    def end(self, name: str) -> int:
        """What that one has now, when all is over."""
        self.after[name] = resident_bytes(self.processes[name]())
        return self.after[name]

    def stop(self) -> None:
        self._over.set()

    @property
    def figures(self) -> dict[str, dict[str, float]]:
        """In MiB."""
        return {
            name: {
                moment: round(each[name] / 1_048_576, 1)
                for moment, each in (("before", self.before), ("peak", self.peak), ("after", self.after))
                if name in each
            }
            for name in self.processes
        }

    def _look(self) -> None:
        while not self._over.wait(0.25):
            for name, find in self.processes.items():
                try:
                    now = resident_bytes(find())
                except (AssertionError, OSError):
                    continue  # It was killed just now.
                self.peak[name] = max(self.peak[name], now)
