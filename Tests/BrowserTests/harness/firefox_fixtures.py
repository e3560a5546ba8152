"""Fixtures of test files whose windows are Firefox's: such a file imports both."""

import pytest

from .firefox_window import Firefox


@pytest.fixture(scope="module")
def firefox(request):
    """One for the file; `PROMPTS` there says what becomes of dialogs if the tests do not answer them themselves."""
    firefox = Firefox(getattr(request.module, "PROMPTS", "accept"))
    yield firefox
    firefox.quit()


@pytest.fixture
def open_window(firefox, children):
    """Opens tabs of Firefox, which are closed before the processes of the test end."""
    yield firefox.open
    firefox.close_windows()
