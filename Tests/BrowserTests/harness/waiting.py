"""Waiting for a condition with a deadline; nothing here sleeps for a fixed time."""

import time

# Long enough for a loaded machine with two cores. A passing test never waits it out.
PATIENCE = 30.0
PAUSE = 0.01


def until(condition, what: str, timeout: float = PATIENCE):
    """The first true value of `condition()`; fails with `what` when the deadline passes."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            said = what() if callable(what) else what
            raise AssertionError(f"not within {timeout:g} s: {said}")
        time.sleep(PAUSE)
