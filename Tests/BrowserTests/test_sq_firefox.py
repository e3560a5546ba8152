"""The rows of the live sports calls about states and errors once more, in Firefox."""

import pytest
from harness.firefox_window import Firefox

# Collected here too, with the windows of this file.
from test_sq_states import (  # noqa: F401
    opened,
    page_of,
    test_SQ_17_indicator_is_on_from_the_provisional_start,
    test_SQ_18_indicator_is_off_at_the_finish,
    test_SQ_19_cut_transfer_is_an_error,
    test_SQ_20_closed_port_is_an_error_before_the_commit,
    test_SQ_22_slow_server_is_asked_again_a_bounded_number_of_times,
    test_SQ_22_waits_grow_and_then_the_error_stays,
    test_SQ_23_other_error_shows_its_text,
    test_SQ_24_page_that_ends_takes_the_branch_of_the_web_view,
    test_SQ_31_insecure_page_is_refused_in_production,
)


@pytest.fixture(scope="module")
def firefox():
    firefox = Firefox()
    yield firefox
    firefox.quit()


@pytest.fixture
def open_window(firefox, children):
    """Opens tabs of Firefox, which are closed before the processes of the test end."""
    yield firefox.open
    firefox.close_windows()


def test_SQ_21_missing_network_shows_the_offline_view(own_squad, page_of, firefox):
    shown = own_squad("--squad-url", page_of(), "--squad-policy", "false").loaded()
    offline(firefox, shown, {"type": "offline"})
    try:
        shown.act("error.foreign")
        shown.wait_state("state", "error")
        shown.act("tryAgain")
        shown.wait_state("offlineView", True)
        assert shown.state("failure") == {"kind": "offline", "code": -1009, "text": "You are offline."}
        assert shown.state("errorView") is None
        shown.window.wait("document.querySelector('[data-view=\"offline\"]')?.innerText.includes('No connection')")
    finally:
        offline(firefox, shown, None)
    shown.press_view("tryAgain")
    shown.wait_state("state", "ready")
    assert shown.state("offlineView") is False


def test_SQ_25_error_of_a_foreign_type_takes_the_generic_branch(own_squad):
    shown = own_squad().loaded()
    shown.panel("tools")
    shown.press_view("error.foreign")
    shown.wait_state("errorView", "Something went wrong.")
    assert shown.state("failure")["kind"] == "generic"
    mark = shown.mark()
    shown.press_view("tools.toggle")
    shown.press_view("tryAgain")
    shown.wait_callbacks("start", "commit", "finish", since=mark)
    shown.wait_state("state", "ready")


def offline(firefox, shown, conditions: dict | None) -> None:
    firefox.driver.call("emulation.setNetworkConditions", networkConditions=conditions, contexts=[shown.window.handle])
