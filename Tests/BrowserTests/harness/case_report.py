"""How the cases came out: a table of engines and areas, and a file with the details."""

import json
from pathlib import Path

import pytest

from .engines import NAMES
from .paths import REPOSITORY

FILE = REPOSITORY / ".build" / "reports" / "webkit-cases.json"
OUTCOMES = ("passed", "unreachable", "failed")
# The goal for what a page cannot reach.
LARGEST_SHARE = 0.05


def load_cases(path) -> list[dict]:
    """The cases of a file: JSON, a list of objects."""
    cases = json.loads(Path(path).read_text(encoding="utf-8"))
    for case in cases:
        missing = {"id", "area", "expect"} - set(case)
        assert not missing and ("script" in case or "action" in case), f"case {case.get('id')}: {missing or 'no steps'}"
        case.setdefault("reach", "plain")
    return cases


class CaseReport:
    """Collects outcomes and writes them down."""

    KEY = pytest.StashKey["CaseReport"]()

    def __init__(self):
        self.outcomes: list[dict] = []

    def add(self, engine: str, case: dict, outcome: str, detail: str = "") -> None:
        entry = {"engine": engine, "area": case["area"], "id": case["id"], "outcome": outcome}
        if outcome == "unreachable":
            entry |= {name: case[name] for name in ("reason", "nearest") if name in case}
        if detail:
            entry["detail"] = detail[:2000]
        self.outcomes.append(entry)

    def engines(self) -> list[str]:
        found = {entry["engine"] for entry in self.outcomes}
        return [name for name in NAMES if name in found]

    def counts(self, engine: str, area: str | None = None) -> dict[str, int]:
        entries = [each for each in self.outcomes if each["engine"] == engine and area in (None, each["area"])]
        return {outcome: sum(each["outcome"] == outcome for each in entries) for outcome in OUTCOMES}

    def lines(self) -> list[str]:
        """The table."""
        areas = list(dict.fromkeys(entry["area"] for entry in self.outcomes))
        lines = [f"{'engine':<11}{'area':<14}" + "".join(f"{outcome:>13}" for outcome in OUTCOMES)]
        for engine in self.engines():
            for area in [*areas, None]:
                counts = self.counts(engine, area)
                lines.append(f"{engine:<11}{area or 'all':<14}" + "".join(f"{counts[each]:>13}" for each in OUTCOMES))
        for engine in self.engines():
            failed = [str(each["id"]) for each in self.outcomes if each["engine"] == engine and each["outcome"] == "failed"]
            if failed:
                lines.append(f"failed in {engine}: " + " ".join(failed))
        return lines

    def write(self) -> None:
        areas = list(dict.fromkeys(entry["area"] for entry in self.outcomes))
        engines = {
            engine: {
                "total": self.counts(engine),
                "areas": {area: self.counts(engine, area) for area in areas},
                "failed": [each for each in self.outcomes if each["engine"] == engine and each["outcome"] == "failed"],
                "unreachable": [
                    each for each in self.outcomes if each["engine"] == engine and each["outcome"] == "unreachable"
                ],
            }
            for engine in self.engines()
        }
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(json.dumps({"engines": engines}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
