"""Nothing is lost, doubled or reordered, whatever happens to sockets and hosts."""

import json
import threading
import time

import pytest

MIXED = "aß€😀\"\\\u2028\u0000\n"


def bodies(host):
    return [body for _, body in host.messages]


def test_cutsWhileBothSidesSendLoseNothing(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>window.got = []</script>")
    host.evaluate("1")
    tab.run("""
        let sent = 0;
        window.timer = setInterval(() => {
          for (let i = 0; i < 20 && sent < 1000; i++) webkit.messageHandlers.echo.postMessage(++sent);
          if (sent === 1000) clearInterval(timer);
        }, 10)
    """)
    calls = []
    for number in range(1, 1001):
        calls.append(host.start_call("evaluate", {"source": "got.push(%d); %d" % (number, number)}))
        if number % 200 == 0:
            relay.cut()
    assert [call.result(10)["result"] for call in calls] == list(range(1, 1001))
    host.wait(lambda: len(host.messages) >= 1000)
    assert bodies(host) == list(range(1, 1001))
    assert host.evaluate("got.length === 1000 && got.every((n, i) => n === i + 1)") is True
    assert len(relay.hellos) >= 2
    assert host.again == 0


def test_anAcknowledgementThatDiedWithItsSocketComesAgain(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    channel = host.order[-1]
    host.wait(lambda: not channel.held)
    lost = []
    relay.lose = lambda way, text: way == "toHost" and '"a":' in text and not lost.append(text)
    # Nothing but its acknowledgement comes back of it.
    host.configure(["echo", "second"])
    host.wait(lambda: lost)
    relay.lose = None
    relay.cut()
    host.wait(lambda: not channel.held, what="the host to forget")


def test_thePageCanAskHowItsMessagesStand(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    channel = host.order[-1]

    def stand():
        return tab.wait_run("return {...pagebridge.delivery}")

    host.wait(lambda: stand()["held"] == 0, what="the acknowledgement of what the start said")
    assert stand() == {
        "held": 0, "inFlight": 0, "waiting": 0, "bytes": 0, "oldestUnacknowledged": None,
        "resumes": 0, "gaps": 0, "doubles": 0, "redeliveries": 0,
    }  # fmt: skip
    relay.lose = lambda way, text: way == "toHost" and '"n":' in text
    tab.run("for (let i = 1; i <= 5; i++) webkit.messageHandlers.echo.postMessage(i)")
    lost = stand()
    assert (lost["held"], lost["inFlight"], lost["waiting"]) == (5, 5, 0)
    assert lost["bytes"] > 100 and lost["oldestUnacknowledged"] >= 0
    relay.lose = None
    relay.cut()
    host.wait(lambda: len(host.messages) == 5)
    assert stand()["resumes"] == 1
    assert tab.wait_run("return Object.isFrozen(pagebridge.delivery)") is True
    # A host's message that is lost shows with the next one.
    lost = []
    relay.lose = lambda way, text: way == "toPage" and '"n":' in text and not lost and not lost.append(text)
    calls = [host.start_call("evaluate", {"source": str(number)}) for number in (1, 2)]
    assert [call.result(10)["result"] for call in calls] == [1, 2]
    assert stand()["gaps"] == 1
    assert stand()["redeliveries"] == 0
    # A message of the page that is lost brings the host's sync once more, which is no new connection.
    lost = []
    relay.lose = lambda way, text: way == "toHost" and '"n":' in text and not lost and not lost.append(text)
    tab.run("for (let i = 6; i <= 9; i++) webkit.messageHandlers.echo.postMessage(i)")
    host.wait(lambda: len(host.messages) == 9)
    assert lost and stand()["resumes"] == 1


@pytest.mark.parametrize("direction", ["toHost", "toPage"])
def test_lostWireMessagesAreSentAgain(relay, tab, direction):
    host = relay.add_host()
    tab.open(head="<script>window.got = []</script>")
    host.evaluate("1")
    lost = []

    def lose(way, text):
        if way == direction and '"n":' in text and len(lost) < 5 and json.loads(text)["n"] % 7 == 0:
            lost.append(text)
            return True
        return False

    relay.lose = lose
    tab.run("for (let i = 1; i <= 100; i++) webkit.messageHandlers.echo.postMessage(i)")
    calls = [host.start_call("evaluate", {"source": "got.push(%d); 0" % i}) for i in range(100)]
    relay.lose = lambda way, text: False if len(lost) >= 5 else lose(way, text)
    for call in calls:
        call.result(10)
    host.wait(lambda: len(host.messages) == 100)
    assert bodies(host) == list(range(1, 101))
    assert host.evaluate("got.every((n, i) => n === i)") is True
    assert lost


def test_tenCutsHandleEachCallOnce(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>window.count = 0</script>")
    for number in range(1, 11):
        assert host.evaluate("++count") == number
        relay.cut()
    assert host.evaluate("count") == 10


def test_postsWithoutAConnectionFollowInOrder(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    relay.socket_delay = 0.3
    relay.cut()
    tab.run("for (let i = 1; i <= 100; i++) webkit.messageHandlers.echo.postMessage(i)")
    host.wait(lambda: len(host.messages) == 100)
    assert bodies(host) == list(range(1, 101))


def test_longTextsCrossInPartsBothWays(relay, tab):
    host = relay.add_host()
    tab.open()
    text = MIXED * 500_000
    assert len(text.encode()) > 8 << 20
    host.notify("configure", host.config())
    answer = host.call_async("window.text = text; return text", {"text": text}, timeout=30)
    assert answer == text
    assert host.evaluate("text === %s.repeat(500000)" % json.dumps(MIXED)) is True
    tab.run("webkit.messageHandlers.echo.postMessage({text, after: 1})")
    host.wait(lambda: host.messages, timeout=30)
    assert bodies(host) == [{"text": text, "after": 1}]


def test_partsSurviveCuts(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    text = "0123456789abcdef" * 131_072
    call = host.start_call("evaluate", {"source": "'%s'" % text})
    stop = threading.Event()

    def cutter():
        for _ in range(3):
            time.sleep(0.05)
            relay.cut()
        stop.set()

    threading.Thread(target=cutter).start()
    assert call.result(30)["result"] == text
    assert stop.wait(10)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 4095, 4096, 4097, 32_500, 32_625, 32_700, 65_535, 65_536, 300_000, 1_048_577])
def test_everySizeArrivesWhole(relay, tab, size):
    host = relay.add_host()
    tab.open()
    tab.run("webkit.messageHandlers.echo.postMessage('\"'.repeat(arguments[0])); "
            "webkit.messageHandlers.echo.postMessage('€'.repeat(arguments[0]))", size)
    host.wait(lambda: len(host.messages) == 2)
    assert bodies(host) == ['"' * size, "€" * size]


def test_aTooLargeMessageIsRefusedWithLimitAndSize(relay, tab):
    host = relay.add_host()
    tab.open()
    overhead = host.call_async("""
        const frame = {main: true, url: location.href, origin: location.origin};
        return JSON.stringify({method: 'message', params: {handler: 'echo', body: '', frame}}).length
    """)
    limit = 2 * 16_777_216 + 65_536
    refused = host.call_async("""
        try { await webkit.messageHandlers.echo.postMessage('x'.repeat(n)); return 'sent' } catch (e) { return [e.name, e.message] }
    """, {"n": limit - overhead + 1})
    assert refused[0] == "RangeError" and str(limit) in refused[1] and str(limit + 1) in refused[1]
    for size in (limit + 1, 10 * limit):
        error = host.evaluate("'x'.repeat(%d)" % size)
        assert error["code"] == 1 and str(limit) in error["message"]
    assert host.evaluate("1 + 1") == 2
    tab.run("webkit.messageHandlers.echo.postMessage('x'.repeat(arguments[0]))", limit - overhead)
    host.wait(lambda: host.messages, timeout=30)
    assert len(bodies(host)[0]) == limit - overhead


def test_whatWaitsForAnAbsentHostIsBounded(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    relay.host_away()
    tab.wait_run("return pagebridge.state === 'away'")
    result = tab.browser.execute_async_script("""
        const done = arguments[0];
        (async () => {
          let sent = 0;
          try { for (;;) { await webkit.messageHandlers.echo.postMessage('x'.repeat(1 << 20)); sent++ } }
          catch (e) { done([sent, e.name, e.message]) }
        })()
    """)
    assert result[0] in (62, 63) and result[1] == "RangeError" and "67108864" in result[2]
    relay.host_back()
    host.wait(lambda: len(host.messages) == result[0], timeout=20)


def test_aRestartedHostGetsWhatTheOldOneHadNotDone(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    relay.host_away()
    tab.wait_run("return pagebridge.state === 'away'")
    tab.run("for (let i = 1; i <= 50; i++) webkit.messageHandlers.echo.postMessage(i)")
    relay.host_back(new_epoch=True)
    host.wait(lambda: len(host.messages) == 50)
    assert bodies(host) == list(range(1, 51))
    assert host.evaluate("2") == 2


def test_messagesTheOldEpochDidNotDoAreMarkedAgain(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    relay.lose = lambda way, text: way == "toHost"
    tab.run("for (let i = 1; i <= 5; i++) webkit.messageHandlers.echo.postMessage(i)")
    tab.wait_run("return true")
    relay.lose = None
    relay.host_away()
    relay.host_back(new_epoch=True)
    host.wait(lambda: len(host.messages) == 5)
    assert bodies(host) == [1, 2, 3, 4, 5]
    assert host.again >= 5


def test_theWindowHoldsBackWhatTheHostDoesNotReceive(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    numbers = []

    def lose(way, text):
        if way == "toHost" and text.startswith('{"n":'):
            numbers.append(json.loads(text)["n"])
            return True
        return False

    relay.lose = lose
    tab.run("for (let i = 0; i < 3000; i++) webkit.messageHandlers.echo.postMessage(i)")
    time.sleep(0.3)
    assert 1000 < len(numbers) <= 1024
    relay.lose = None
    relay.cut()
    host.wait(lambda: len(host.messages) == 3000)
    assert bodies(host) == list(range(3000))


def test_aSilentSocketIsProbedAndReplaced(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    host.wait(lambda: host.channel.owed == 0, what="the last acknowledgement")
    relay.silent = True
    tab.run("window.dispatchEvent(new Event('online'))")
    host.wait(lambda: relay.probes == 1)
    host.wait(lambda: len(relay.hellos) == 2, timeout=6)
    assert host.evaluate("1") == 1


# A throw of the dice that no other timer's time is a multiple of.
DICE = 0.7310585
WAITS = """<script>
  const real = setTimeout, shares = [500, 1000, 2000, 4000, 8000, 10000];
  window.waits = [];
  Math.random = () => %r;
  window.setTimeout = (act, time, ...rest) => {
    const share = shares.find((each) => Math.abs(time - each * %r) < 0.001);
    if (share) waits.push(share);
    return real(act, share ? 0 : time, ...rest);
  };
</script>""" % (DICE, DICE)


def test_waitsForARelayThatIsGoneAreARandomPartOfATimeThatGrows(relay, tab):
    """Full jitter: pages that lost their relay at one moment do not come back at one."""
    host = relay.add_host()
    tab.open(before=WAITS)
    host.evaluate("1")
    relay.refuse_sockets = True
    relay.cut()
    tab.wait_run("return waits.length >= 9")
    waits = tab.run("return waits")[:9]
    assert waits == [500, 1000, 2000, 4000, 8000, *[10000] * 4]
    relay.refuse_sockets = False
    assert host.evaluate("1") == 1


def test_aReplacedPageStops(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("1")
    relay.run(lambda: relay.sockets[0].send('["replaced",{}]'))
    relay.run(lambda: relay.sockets[0].close(4002, "replaced"))
    tab.wait_run("return pagebridge.state === 'closed'")
    name = tab.browser.execute_async_script(
        "webkit.messageHandlers.echo.postMessage(1).catch(e => arguments[0](e.name))"
    )
    assert name == "RangeError"
    assert len(relay.hellos) == 1


def test_pagehideSendsWhatWaits(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>addEventListener('pagehide', () => webkit.messageHandlers.echo.postMessage('bye'))</script>")
    host.evaluate("1")
    relay.pages["/else"] = ("text/html", "<!doctype html>else", {})
    tab.browser.get(relay.url + "/else")
    host.wait(lambda: relay.closes)
    assert relay.closes[0] in (4001, 1001)
    # A document that is destroyed may lose it in the browser itself; one that is cached does not.
    if host.messages:
        assert bodies(host) == ["bye"]
