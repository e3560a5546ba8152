"""The rows of the identity journey's bridge about states and errors once more, in Firefox."""

from harness.firefox_fixtures import firefox, open_window  # noqa: F401

# Collected here too, with the windows of this file.
from test_gb_bridge import (  # noqa: F401
    test_GB_02_namespace_is_there_before_page_scripts_and_after_each_navigation,
    test_GB_11_error_has_code_message_flag_and_id,
    test_GB_12_cancelled_carries_its_reason,
    test_GB_13_unsupported_is_not_recoverable,
    test_GB_14_each_code_reaches_the_page_with_its_flag,
    test_GB_15_fifty_requests_answered_in_reverse,
    test_GB_21_slot_is_supported_with_a_handler_and_enabled,
    test_GB_25_permission_states,
    test_GB_41_broken_messages_set_an_error_and_nothing_else,
    test_GB_42_unknown_type_is_not_routed,
    test_GB_43_broken_request_with_an_id_is_answered,
    test_GB_44_other_major_version,
    test_GB_61_handler_that_throws,
    test_GB_62_photo_of_five_megabytes_there_and_back,
)
from test_gb_host import (  # noqa: F401
    test_GB_29_request_without_a_handler_is_parked,
    test_GB_30_parked_request_is_answered_later,
    test_GB_31_parked_request_is_offered_to_a_new_handler,
    test_GB_32_unanswered_request_times_out,
    test_GB_33_late_answer_is_ignored,
    test_GB_34_host_events_reach_the_pages_listeners,
    test_GB_37_page_event_is_recorded_and_never_answered,
    test_GB_39_log_keeps_the_last_two_hundred,
    test_GB_40_many_parked_requests_warn,
    test_GB_45_error_is_shown_until_it_is_cleared,
    test_GB_46_view_that_is_gone_cannot_be_told,
    test_GB_48_host_moves_to_a_new_page,
    test_GB_50_bridge_survives_a_navigation,
    test_GB_51_host_that_is_freed_cancels_the_capture,
    test_GB_54_second_view_takes_the_first_ones_place,
    test_GB_55_namespace_that_is_gone_is_an_evaluation_error,
    test_GB_58_standalone_page_drops_what_it_sends,
    test_GB_63_production_opens_secure_journeys_only,
)
