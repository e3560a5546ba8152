"""The Genius Sports player: stream data, the user's bets and the bus inside the page."""

import json
import re

import pytest

BETS = [
    {
        "id": "b-1",
        "type": "Single",
        "status": "Open",
        "currency": "GBP",
        "payout": 47.5,
        "stakePerUnit": 5,
        "cashOutAvailable": True,
        "cashOutPrice": 12.25,
        "addedAt": 1764471720000,
        "selections": [
            {
                "sport": "AmericanFootball",
                "competitionName": "NFL",
                "selectionId": "S-3",
                "status": "Open",
                "selectionName": "Over 45.5",
                "marketId": "GM-88",
                "marketType": "TotalPoints",
                "fixtureId": "9889284",
                "fixtureName": "Bears v Lions",
                "fixtureStartTime": 1764470000000,
                "price": {
                    "numerator": 9,
                    "denominator": 10,
                    "decimal": 1.9,
                    "american": "-111",
                    "outcome": "Over",
                    "handicap": "45.5",
                },
            }
        ],
    }
]
BETS.append({**BETS[0], "id": "b-2"})
SHOWN = "Array.from(document.querySelectorAll('[data-bet-id]'), (each) => each.dataset.betId)"


@pytest.fixture
def with_bets(custom, tmp_path):
    """A player with the user's bets in a file: what is written there is shown."""
    file = tmp_path / "bets.json"
    file.write_text(json.dumps(BETS))
    page = custom("--player-bets", str(file)).playing()
    return page, lambda bets: file.write_text(json.dumps(bets))


def test_GS_43_player_ready_asks_for_stream_data_and_starts(player):
    page = player()
    window = page.window
    page.playing()
    asked = window.wait(
        "performance.getEntriesByType('resource').map((each) => each.name).find((each) => each.includes('/operator/stream.json'))"
    )
    query = dict(part.split("=", 1) for part in asked.split("?")[1].split("&"))
    assert {name: query[name] for name in ("streamId", "deliveryId", "geniusSportsFixtureId", "region")} == {
        "streamId": "st-1",
        "deliveryId": "dl-9",
        "geniusSportsFixtureId": "9889284",
        "region": "GB",
    }
    # What the start call is given.
    window.js(
        """window.starts = [];
           const original = GeniusLivePlayer.player.start;
           GeniusLivePlayer.player.start = (stream) => { starts.push(stream); return original(stream); };"""
    )
    page.bus(
        "player_ready",
        {
            "streamId": "st-1",
            "streamType": "LIVE",
            "deliveryType": "HLS",
            "deliveryId": "dl-9",
            "geniusSportsFixtureId": 9889284,
            "device": "MOBILE",
            "region": "GB",
        },
    )
    window.wait("starts.length === 1")
    assert window.value("Object.keys(starts[0])") == ["url", "expiresAt", "token", "drm"]
    assert window.value(
        "[starts[0].url.endsWith('.webm'), typeof starts[0].expiresAt, typeof starts[0].token, typeof starts[0].drm]"
    ) == [
        True,
        "string",
        "string",
        "object",
    ]


@pytest.mark.parametrize("fixture", ["nostream-1", "denied-1"])
def test_GS_44_empty_or_refused_stream_hides_the_player(custom, fixture):
    page = custom("--player-fixture-id", fixture)
    page.window.wait("getComputedStyle(document.getElementById('container-video')).display === 'none'")


def test_GS_45_repeated_player_ready_starts_again(custom):
    page = custom("--player-fixture-id", "failover-1")
    page.window.wait("document.querySelector('.video-container')?.dataset.startCount === '2'")
    assert page.window.value("document.querySelector('.video-container').dataset.deliveryId") == "dl-10"


@pytest.mark.parametrize("codes", [[1001], [1002], [1003], [1004], [1002, 1004]])
def test_GS_46_player_not_ready_reaches_the_app(custom, codes):
    fixture = "blocked-" + "-".join(map(str, codes))
    page = custom("--player-fixture-id", fixture)
    errors = page.wait_named("state", key="playerErrors")["value"]
    assert [error["code"] for error in errors] == codes
    assert all(error["message"] and error["details"] == f"fixture {fixture}" for error in errors)


def test_GS_47_silence_counts_as_failure(custom):
    page = custom("--player-fixture-id", "silent-1", "--player-ready-timeout", "1")
    page.wait_state("availability", "silent")


def test_GS_48_requested_user_bets_are_shown(with_bets):
    page, _ = with_bets
    page.window.wait_equal(SHOWN, ["b-1", "b-2"])


def test_GS_49_new_user_bets_replace_the_old_ones(with_bets):
    page, write = with_bets
    page.window.wait_equal(SHOWN, ["b-1", "b-2"])
    write(BETS[1:])
    page.window.wait_equal(SHOWN, ["b-2"])
    write([])
    page.window.wait_equal(SHOWN, [])


def test_GS_50_user_bets_given_too_early_wait_for_the_request(custom, tmp_path):
    """The vendor's player loses what comes before its request; the page keeps it until then."""
    file = tmp_path / "bets.json"
    file.write_text("[]")
    page = custom("--player-fixture-id", "silent-1", "--player-bets", str(file))
    page.window.wait("document.querySelector('.video-container')?.dataset.state === 'ready'")
    page.window.js(
        """window.given = [];
           addEventListener('geniussportsmessagebus', (event) => {
             if (event.detail.type === 'setUserBets') given.push(event.detail.body.map((each) => each.id));
           });"""
    )
    file.write_text(json.dumps(BETS))
    page.wait_named("userBetsSent", predicate=lambda entry: entry["count"] == 2)
    page.fence()
    assert page.window.value("given") == []
    page.bus("requestUserBets", None)
    page.window.wait("given.length > 0")
    assert page.window.value("given[0]") == ["b-1", "b-2"]


def test_GS_51_bus_envelope_has_its_four_members(custom, tmp_path):
    file = tmp_path / "bets.json"
    file.write_text(json.dumps(BETS))
    page = custom("--player-bets", str(file)).playing()
    page.window.js(
        "window.seen = []; addEventListener('geniussportsmessagebus', (event) => seen.push(JSON.parse(JSON.stringify(event.detail))))"
    )
    page.window.click(".gs-market")
    file.write_text(json.dumps(BETS[1:]))
    page.window.wait(
        "seen.some((each) => each.type === 'setUserBets') && seen.some((each) => each.type === 'multibet-event')"
    )
    for detail in page.window.value("seen"):
        assert set(detail) == {"correlationId", "routingKey", "type", "body"}
        assert re.fullmatch(r"[0-9a-f-]{20,}", detail["correlationId"])
        assert detail["routingKey"] == {}
