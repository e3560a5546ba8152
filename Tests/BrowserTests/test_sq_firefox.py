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
