"""The Genius Sports player: how messages of the page are taken apart, and what is refused."""


def test_GS_10_message_is_split_into_type_and_payload_once(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen", "payload": {"note": "a"}})
    page.wait_state("isFullscreen", True)
    page.fence()
    assert page.states("isFullscreen", since=mark) == [True]
    calls = page.named("call", since=mark, type="toggleFullscreen")
    assert [call["payload"] for call in calls] == [{"note": "a"}]


def test_GS_11_message_without_payload_calls_once(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen"})
    page.wait_state("isFullscreen", True)
    page.fence()
    assert page.states("isFullscreen", since=mark) == [True]
    calls = page.named("call", since=mark, type="toggleFullscreen")
    assert [call.get("payload") for call in calls] == [None]


def test_GS_12_null_payload_toggles_once(player):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "toggleFullscreen", "payload": None})
    page.wait_state("isFullscreen", True)
    page.fence()
    assert page.states("isFullscreen", since=mark) == [True]
    page.wait_class(True)


def test_GS_13_bodies_that_are_no_dictionary_are_ignored(custom):
    page = custom("--player-fixture-id", "nobetting-1").playing()
    mark = page.mark()
    for body in ("toggleFullscreen", 42, ["init"], None, True):
        page.post(body)
    page.fence()
    assert {entry["key"] for entry in page.named("state", since=mark)} == {"refusedMessages"}
    assert page.named("call", since=mark, type="toggleFullscreen") == []


def test_GS_14_missing_or_non_string_type_is_refused_and_counted(player):
    page = player().playing()
    mark = page.mark()
    for body in ({"payload": {}}, {"type": 5}, {"type": None}):
        page.post(body)
    page.fence()
    refusals = page.named("refusedMessage", since=mark)
    assert len(refusals) == 3
    assert page.states("isFullscreen", since=mark) == []


def test_GS_15_init_sets_ready(noinit):
    page = noinit().playing()
    assert page.state("isVideoPlayerReady") in (None, False)
    page.post({"type": "init"})
    page.wait_state("isVideoPlayerReady", True)
    mark = page.mark()
    page.post({"type": "init"})
    page.fence()
    assert page.states("isVideoPlayerReady", since=mark) == []
    assert page.states("isFullscreen", since=mark) == []
    assert page.state("isVideoPlayerReady") is True


def test_GS_53_unknown_type_is_logged_and_changes_nothing(custom):
    page = custom("--player-fixture-id", "nobetting-1").playing()
    mark = page.mark()
    page.post({"type": "xyz", "payload": {"a": 1}})
    page.wait_named("unknownMessage", since=mark, type="xyz")
    page.fence()
    assert page.named("state", since=mark) == []
