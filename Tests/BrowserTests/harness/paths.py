"""Where the repository, its binaries and the tests' output are."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
OUTPUT = Path(os.environ.get("PAGEBRIDGE_TEST_OUTPUT", REPOSITORY / ".test-output"))


def binary(name: str, variable: str) -> Path:
    """The executable `name`: the one that the environment variable names, else the one in the folder
    PAGEBRIDGE_BIN_DIR, else the newest one that was built."""
    named = os.environ.get(variable)
    folder = os.environ.get("PAGEBRIDGE_BIN_DIR")
    if named or folder:
        path = Path(named) if named else Path(folder) / name
        if not path.is_file():
            pytest.exit(
                f"{variable if named else 'PAGEBRIDGE_BIN_DIR'} leads to {path}, which is no file", returncode=4
            )
        return path
    built = [REPOSITORY / ".build" / kind / name for kind in ("debug", "release")]
    built = [path for path in built if path.is_file()]
    if not built:
        pytest.exit(
            f"{name} is not built: run `swift build --product {name}` first, or name it in {variable}",
            returncode=4,
        )
    return max(built, key=lambda path: path.stat().st_mtime)


def tool(variable: str, *candidates: str) -> str:
    """A browser or driver: named by the environment variable, else the first candidate that exists."""
    named = os.environ.get(variable)
    if named:
        return named
    for candidate in candidates:
        if Path(candidate).is_file():
            return candidate
    pytest.exit(f"none of {', '.join(candidates)} exists; name one in {variable}", returncode=4)
