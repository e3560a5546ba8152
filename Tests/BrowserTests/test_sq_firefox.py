"""The rows of the live sports calls about states and errors once more, in Firefox."""

import pytest
from harness.firefox_fixtures import firefox, open_window  # noqa: F401

# Collected here too, with the windows of this file.
from test_sq_life import (  # noqa: F401
    own,
    test_SQ_21_missing_network_shows_the_offline_view,
    test_SQ_25_error_of_a_foreign_type_takes_the_generic_branch,
)
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


@pytest.fixture
def offline(firefox):  # noqa: F811
    """Takes the network from a page and gives it back."""

    def switch(shown, is_offline: bool) -> None:
        conditions = {"type": "offline"} if is_offline else None
        firefox.driver.call("emulation.setNetworkConditions", networkConditions=conditions, contexts=[shown.window.handle])

    return switch
