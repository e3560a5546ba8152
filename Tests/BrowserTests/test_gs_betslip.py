"""The Genius Sports player: the betslip that the host draws."""

import pytest

from harness.player import BET, LANDSCAPE, Player
from harness.waiting import until

LINES = [
    "sportsbookFixtureId: F-9001",
    "sportsbookSelectionId: S-3",
    "sportsbookMarketId: M-12",
    "sportsbookMarketContext: period=1",
    "marketId: GM-88",
    "decimalPrice: 2.35",
    "stake: 10",
]


def wait_text(page: Player, lines: list[str]) -> None:
    until(
        lambda: page.state("betslipText") == lines,
        lambda: f"the betslip says {page.state('betslipText')}, not {lines}",
    )


def post_dimensions(page: Player, **members) -> None:
    page.post({"type": "betslip-container-dimensions", "payload": members})


def test_GS_31_multibet_event_fills_the_betslip(player):
    page = player().playing()
    page.post({"type": "multibet-event", "payload": {"command": "addToBetslip", **BET}})
    wait_text(page, LINES)
    page.wait_state("isBetslipHidden", False)


def test_GS_32_partial_payload_has_one_line(player):
    page = player().playing()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", "marketId": "GM-1"}})
    wait_text(page, ["marketId: GM-1"])


@pytest.mark.parametrize(
    ("stake", "line"),
    [
        (10, "stake: 10"),
        (10.5, "stake: 10.5"),
        ("10", "stake: 10"),
        ("ten", None),
        (True, None),
        (0, "stake: 0"),
        (-5, None),
    ],
)
def test_GS_33_stake_as_number_and_as_text(player, stake, line):
    page = player().playing()
    mark = page.mark()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", **BET, "stake": stake}})
    wait_text(page, LINES[:6] + ([line] if line else []))
    page.fence()
    assert len(page.named("refusedMessage", since=mark, field="stake")) == (0 if line else 1)


@pytest.mark.parametrize(
    ("price", "line"),
    [(2, "decimalPrice: 2"), (2.35, "decimalPrice: 2.35"), ("2.35", None), (None, None)],
)
def test_GS_34_decimal_price_types(player, price, line):
    page = player().playing()
    page.post({"type": "multibet-event", "payload": {"command": "openBetslip", **BET, "decimalPrice": price}})
    wait_text(page, LINES[:5] + ([line] if line else []) + LINES[6:])


def test_GS_35_commands_show_and_hide(player):
    page = player().playing()
    for command, hidden in [
        ("addToBetslip", False),
        ("closeBetslip", True),
        ("placeBet", False),
        ("closeBetslip", True),
        ("openBetslip", False),
        ("resetBetslip", False),
        ("closeBetslip", True),
        ("resetBetslip", True),
    ]:
        payload = {"command": command} if command == "closeBetslip" else {"command": command, **BET}
        page.post({"type": "multibet-event", "payload": payload})
        page.fence()
        assert page.state("isBetslipHidden") is hidden, command


@pytest.mark.parametrize("button", ["Place bet", "Cancel"])
def test_GS_36_betslip_buttons_hide_it(viewer, button):
    shown = viewer("phone").ready()
    with shown.window.inside():
        shown.window.click(".gs-market")
    shown.betslip()
    shown.press(button)
    shown.no_betslip()


def test_GS_37_betslip_dimensions(player):
    page = player().playing()
    post_dimensions(page, top=12, left=640, width=280, height=320)
    page.wait_state("betslipFrame", {"x": 640, "y": 12, "width": 280, "height": 320})


def test_GS_38_fractional_dimensions(player):
    page = player().playing()
    post_dimensions(page, top=12.5, left=640.25, width=280.75, height=320.5)
    page.wait_state("betslipFrame", {"x": 640.25, "y": 12.5, "width": 280.75, "height": 320.5})


@pytest.mark.parametrize(
    "bad",
    [
        {"top": 1, "left": 2, "height": 3},
        {"top": 1, "left": 2, "width": "280", "height": 3},
        {"top": None, "left": 2, "width": 3, "height": 4},
        {"top": 1, "left": 2, "width": -1, "height": 4},
    ],
)
def test_GS_39_incomplete_dimensions_keep_the_old_rectangle(player, bad):
    page = player().playing()
    post_dimensions(page, top=12, left=640, width=280, height=320)
    page.wait_state("betslipFrame", {"x": 640, "y": 12, "width": 280, "height": 320})
    mark = page.mark()
    page.post({"type": "betslip-container-dimensions", "payload": bad})
    page.fence()
    assert page.states("betslipFrame", since=mark) == []
    assert len(page.named("refusedMessage", since=mark)) == 1


def test_GS_40_dimensions_survive_a_new_layout(custom):
    page = custom("--player-fixture-id", "nobetting-1").playing()
    post_dimensions(page, top=12, left=40, width=280, height=320)
    page.wait_state("betslipFrame", {"x": 40, "y": 12, "width": 280, "height": 320})
    mark = page.mark()
    page.window.resize(*LANDSCAPE)
    page.wait_class(True)
    page.fence()
    assert page.states("betslipFrame", since=mark) == []
    assert page.state("betslipFrame") == {"x": 40, "y": 12, "width": 280, "height": 320}


def test_GS_41_two_bus_types_are_forwarded_and_no_other(player):
    page = player().playing()
    mark = page.mark()
    page.bus("multibet-event", {"command": "openBetslip", **BET})
    wait_text(page, LINES)
    page.bus("betslip-container-dimensions", {"left": 10, "top": 20, "width": 300, "height": 200})
    page.wait_state("betslipFrame", {"x": 10, "y": 20, "width": 300, "height": 200})
    for other in ("somethingElse", "init", "setUserBets"):
        page.bus(other, [])
    page.fence()
    kinds = [entry["type"] for entry in page.named("call", since=mark) if not entry["type"].startswith("fence")]
    assert kinds == ["multibet-event", "betslip-container-dimensions"]
