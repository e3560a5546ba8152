"""Frames without a tag once more, in Firefox; and a call that a reload ends."""

from harness.firefox_fixtures import firefox, open_window  # noqa: F401

# Collected here too, with the windows of this file.
from test_field_bugs_calls import test_B19_a_call_that_a_reload_ends_fails_soon_and_the_next_one_works  # noqa: F401
from test_frames import *  # noqa: F403
