"""Navigations, dialogs and policies of pages once more, in Firefox."""

from harness.firefox_fixtures import firefox, open_window  # noqa: F401

# Collected here too, with the windows of this file.
from test_dialogs import (  # noqa: F401
    aside,
    test_a_closed_tab_cancels_its_dialog,
    test_a_host_that_ends_lets_the_page_go_on,
    test_a_leaving_page_shows_no_dialogs,
    test_messages_that_were_posted_before_are_handled_before,
    test_mistakes_with_a_completion_handler_are_reported,
    test_more_messages_than_the_browser_sends_meanwhile_do_not_block_a_dialog,
    test_others_go_on_while_a_page_stands_still,
    test_SQ_43_dialogs_reach_the_host_and_get_its_answer,
    test_the_browser_shows_dialogs_in_a_tab,
    test_the_first_script_of_a_page_may_ask,
    test_without_a_delegate_pages_get_webkits_answers,
    test_without_a_host_pages_go_on,
)
from test_navigation import test_two_hundred_navigations_in_a_row_lose_nothing  # noqa: F401
from test_policy import (  # noqa: F401
    put_under,
    test_B93_a_policy_that_blocks_scripts_is_announced_and_registered_functions_work,
    test_page_decides_what_its_host_may_run,
    test_WK_15_messages_and_evaluation_work_under_a_content_security_policy,
)

# Tests here answer dialogs themselves.
PROMPTS = "ignore"
