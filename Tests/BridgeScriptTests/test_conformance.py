"""bridge.js leads the conversations that every implementation of a page has to lead: Tests/Conformance."""

import json
from pathlib import Path

import pytest

CASES = json.loads((Path(__file__).parents[1] / "Conformance/page.json").read_text())


class Conversation:
    """Speaks for the host by hand: what the fake host itself would say is kept back, and it hears nothing."""

    def __init__(self, relay, tab):
        self.relay = relay
        self.tab = tab
        host = relay.add_host()
        tab.open(head="<script>window.got = []; const take = (k) => { got.push(k); return k; };</script>")
        host.evaluate("1")
        host.wait(lambda: tab.run("return pagebridge.delivery.held") == 0, what="a page that holds nothing")
        self.offset = None
        self.attach = 0
        self.said: list[dict] = []
        self.counters = {"a": 0, "d": 0}
        self.sent: set[str] = set()
        relay.run(self._take_over)
        self.socket = relay.sockets[-1]
        self.document = self.socket.document

    def _take_over(self):
        self.relay.lose = self._lose

    def _lose(self, way: str, text: str) -> bool:
        if way == "toPage":
            return text not in self.sent
        value = json.loads(text)
        if "a" in value:
            self.counters = {"a": value["a"], "d": value["d"]}
        if "n" in value or "sync" in value:
            self.said.append(value)
        return True

    def send(self, value) -> None:
        text = json.dumps(value)
        self.sent.add(text)
        self.relay.run(lambda: self.socket.send(text))

    def next(self) -> dict:
        self.relay.wait(lambda: self.said, what="the page's next message")
        return self.relay.run(lambda: self.said.pop(0))

    def step(self, step: dict) -> None:
        kind = next(iter(step))
        given = step[kind]
        getattr(self, "do_" + kind)(given, step)

    def do_attach(self, _, step) -> None:
        self.attach = self.relay.run(self.relay.next_attach)
        self.send(["host", "attached", {"attach": self.attach}])
        if self.offset is None:
            self.offset = self.next()["sync"]["base"] - 1

    def do_sync(self, given, step) -> None:
        sync = {
            "attach": self.attach - given.get("attachBefore", 0), "document": self.document, "epoch": given["epoch"],
            "base": given["base"], "received": given["received"] + self.offset, "carried": 0,
        }  # fmt: skip
        self.send({"sync": sync})

    def do_host(self, given, step) -> None:
        self.send({**given, "a": given["a"] + self.offset, "d": given["d"] + self.offset})

    def do_call(self, given, step) -> None:
        call = {"n": step["n"], "a": step.get("a", 0), "d": step.get("d", 0), "id": f"c-{given}", "method": "evaluate"}
        self.do_host({**call, "params": {"source": f"take({given})"}}, step)

    def do_post(self, given, step) -> None:
        self.tab.run("webkit.messageHandlers.echo.postMessage(arguments[0])", given)

    def do_page(self, given, step) -> None:
        value = self.next()
        if "sync" in given:
            sync = value["sync"]
            assert {"base": sync["base"] - self.offset, "received": sync["received"]} == given["sync"]
            assert (sync["attach"], sync["document"]) == (self.attach, self.document)
            return
        said = {"n": value["n"] - self.offset}
        if value.get("method") == "message":
            said["body"] = value["params"]["body"]
        else:
            said["result"] = value["result"]
            assert value["id"] == f"c-{value['result']}"
        if "again" in value:
            said["again"] = value["again"]
        assert said == given

    def do_acknowledged(self, given, step) -> None:
        self.counters = {} if self.counters != given else self.counters
        self.relay.wait(lambda: self.counters == given, what=f"the counters {given}")
        self.counters = {}

    def do_got(self, given, step) -> None:
        assert self.tab.run("return got") == given


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_conversation(relay, tab, case):
    conversation = Conversation(relay, tab)
    for step in case["steps"]:
        conversation.step(step)
    # Once the page has taken one more round trip it has said what it had to say.
    conversation.tab.run("return 1")
    assert conversation.said == []
