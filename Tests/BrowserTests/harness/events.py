"""A host's events file: NDJSON that grows while the host runs."""

import json
from pathlib import Path

from .waiting import PATIENCE, until


class Events:
    """Reads the file as far as it is written; whole lines only."""

    def __init__(self, path: Path):
        self.path = path
        self._entries: list[dict] = []
        self._offset = 0
        self._rest = b""

    def read(self) -> list[dict]:
        """All events so far, oldest first."""
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(self._offset)
                new = file.read()
            self._offset += len(new)
            *lines, self._rest = (self._rest + new).split(b"\n")
            self._entries.extend(json.loads(line) for line in lines if line)
        return self._entries

    def matching(self, _predicate=None, *, since: int = 0, **members) -> list[dict]:
        """The events from index `since` on whose members have these values and that satisfy the predicate."""
        return [
            entry
            for entry in self.read()[since:]
            if all(entry.get(key) == value for key, value in members.items())
            and (_predicate is None or _predicate(entry))
        ]

    def mark(self) -> int:
        """An index for `since`: what is here now lies before it."""
        return len(self.read())

    def wait(self, _predicate=None, *, since: int = 0, count: int = 1, timeout: float = PATIENCE, **members) -> dict:
        """The `count`th matching event; waits for it."""

        def said() -> str:
            tail = "\n".join(json.dumps(entry)[:300] for entry in self.read()[-12:])
            return f"{count} event(s) with {members or _predicate} in {self.path.name}; the last ones:\n{tail}"

        def enough():
            found = self.matching(_predicate, since=since, **members)
            return found if len(found) >= count else None

        return until(enough, said, timeout)[count - 1]
