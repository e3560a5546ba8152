"""alert, confirm and prompt: the page stands still until the host has answered."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

ASKS = {"uiDelegate": True}
NOBODY = "return [alert('a'), confirm('c'), prompt('p', 'd')]"


@pytest.fixture
def aside():
    """Runs a script that stands still, while the test does something else: a driver waits for its page."""
    with ThreadPoolExecutor(1) as executor:
        yield lambda tab, script: executor.submit(tab.run, script)


def members(body):
    return {name: body[name] for name in ("kind", "text", "default") if name in body}


def test_dialogsAskTheHostAndGiveItsAnswer(relay, tab):
    relay.add_host(settings=ASKS)
    tab.open()
    answers = {"alert": None, "confirm": True, "prompt": 'te"xt \U0001f600\u2028'}
    relay.answer_dialog = lambda body: {"value": answers[body["kind"]]}
    # Nothing for alert, which a driver shows as null.
    values = tab.run("return [typeof alert('a'), confirm('c'), prompt('p', 'd')]")
    assert values == ["undefined", True, 'te"xt \U0001f600\u2028']
    answers = {"alert": None, "confirm": False, "prompt": None}
    assert tab.run(NOBODY) == [None, False, None]
    assert [members(body) for body in relay.dialogs[:3]] == [
        {"kind": "alert", "text": "a"}, {"kind": "confirm", "text": "c"},
        {"kind": "prompt", "text": "p", "default": "d"},
    ]
    body = relay.dialogs[0]
    assert body["document"] == relay.host.channel.document
    assert body["frame"] == {"main": True, "url": relay.url + "/page", "origin": relay.url}


def test_answersOfAnotherTypeAreNoAnswers(relay, tab):
    relay.add_host(settings=ASKS)
    tab.open()
    for value in (1, "yes", {"a": 1}, [True], None):
        relay.answer_dialog = lambda body: {"value": value}
        assert tab.run("return confirm()") is False
    for value in (1, True, {"a": 1}, ["x"], None):
        relay.answer_dialog = lambda body: {"value": value}
        assert tab.run("return prompt()") is None


def test_theFunctionsLookLikeTheBrowsersOwn(relay, tab):
    shape = """
        return ['alert', 'confirm', 'prompt'].map((name) => {
          const own = Object.getOwnPropertyDescriptor(window, name);
          return [own.value.name, own.value.length, own.writable, own.enumerable, own.configurable, 'prototype' in own.value];
        })"""
    tab.browser.get(relay.url + "/blank")
    native = tab.run(shape)
    relay.add_host(settings=ASKS)
    tab.open()
    assert tab.run(shape) == native
    assert tab.run("window.alert = 5; return alert") == 5


@pytest.mark.parametrize("call, text, default", [
    ("alert()", "", None),
    ("alert(undefined)", "undefined", None),
    ("alert(null)", "null", None),
    ("alert({toString() { return 'text' }, valueOf() { return 1 }})", "text", None),
    ("confirm()", "", None),
    ("confirm(undefined)", "", None),
    ("confirm(7)", "7", None),
    ("prompt()", "", ""),
    ("prompt('a')", "a", ""),
    ("prompt(undefined, undefined)", "", ""),
    ("prompt('a', null)", "a", "null"),
    ("prompt('\\ud800x', '\\udc00\\ud83d\\ude00')", "\ufffdx", "\ufffd\U0001f600"),
])
def test_argumentsAreTakenAsTheBrowserTakesThem(relay, tab, call, text, default):
    relay.add_host(settings=ASKS)
    tab.open(head="<script>Object.prototype[0] = Object.prototype[1] = 'not an argument'</script>")
    tab.run(call)
    assert (relay.dialogs[0]["text"], relay.dialogs[0].get("default")) == (text, default)


def test_whatCannotBeTextThrows(relay, tab):
    relay.add_host(settings=ASKS)
    tab.open()
    for call in ("alert(Symbol())", "confirm(Symbol())", "prompt('', Symbol())"):
        assert tab.run("try { %s } catch (error) { return error.name }" % call) == "TypeError"
    assert tab.run("try { alert({toString() { throw 'mine' }}) } catch (error) { return error }") == "mine"
    assert relay.dialogs == []


def test_withoutADelegateNobodyIsAsked(relay, tab):
    host = relay.add_host(settings={"uiDelegate": False})
    tab.open()
    assert tab.run(NOBODY) == [None, False, None]
    assert relay.dialogs == []
    host.settings = ASKS
    host.configure(host.handlers)
    relay.answer_dialog = lambda body: {"value": True}
    assert host.evaluate("confirm()") is True


@pytest.mark.parametrize("answer", [{"unanswered": "host gone"}, 429, 413, 403, {}])
def test_withoutAnAnswerThePageGoesOn(relay, tab, answer):
    relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: answer
    assert tab.run(NOBODY) == [None, False, None]
    assert len(relay.dialogs) == 3


def test_withoutAHostThePageGoesOn(relay, tab):
    tab.open(attributes='data-late="keep"')
    assert tab.run(NOBODY) == [None, False, None]
    assert relay.dialogs == []


def test_aPolicyThatForbidsTheRequestLetsThePageGoOn(relay, tab):
    host = relay.add_host(settings=ASKS)
    policy = "connect-src ws://127.0.0.1:%d" % relay.port
    tab.open(attributes='data-late="keep"', headers={"Content-Security-Policy": policy})
    relay.wait(lambda: host.channel and host.channel.synced)
    assert tab.run(NOBODY) == [None, False, None]
    assert relay.dialogs == []


def test_whatWasPostedBeforeArrivesBefore(relay, tab, aside):
    host = relay.add_host(settings=ASKS)
    tab.open()
    relay.wait(lambda: host.channel.synced)
    held = relay.future()
    relay.answer_dialog = lambda body: held
    # The page's script stands still; what it has posted is on its way all the same.
    ok = aside(tab, "for (const i of [1, 2, 3]) webkit.messageHandlers.echo.postMessage(i); return confirm()")
    relay.wait(lambda: relay.dialogs, what="the dialog")
    relay.wait(lambda: len(host.messages) == 3, what="the messages")
    received = host.channel.received
    held.set_result({"value": True})
    assert ok.result(10) is True
    assert relay.dialogs[0]["after"] == received


def test_whatTheHostSaysMeanwhileWaitsForTheScript(relay, tab, aside):
    host = relay.add_host(settings=ASKS)
    tab.open()
    held = relay.future()
    relay.answer_dialog = lambda body: held
    script = aside(tab, """
        window.log = ['before'];
        alert();
        log.push('after');
        Promise.resolve().then(() => log.push('soon'))""")
    relay.wait(lambda: relay.dialogs, what="the dialog")
    calls = [host.start_call("evaluate", {"source": "log.push(%d)" % number}) for number in range(20)]
    # Time for an engine that dispatches events in the middle to do so: the last call has left the relay.
    relay.wait(lambda: host.channel.sent == host.channel.last_number and host.channel.socket.queue.empty())
    held.set_result({"value": None})
    script.result(10)
    for call in calls:
        call.result(10)
    assert host.evaluate("log") == ["before", "after", "soon", *range(20)]


def test_aScriptOfTheHostMayAskToo(relay, tab):
    host = relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: {"value": body["text"] == "sure"}
    assert host.evaluate("[confirm('sure'), confirm('no')]") == [True, False]
    assert host.call_async("return confirm(text)", {"text": "sure"}) is True


def test_aLeavingDocumentShowsNoDialogs(relay, tab):
    host = relay.add_host(settings=ASKS)
    relay.answer_dialog = lambda body: {"value": True}
    tab.page("second", path="/second")
    tab.open(head="""<script>
        for (const type of ['beforeunload', 'pagehide', 'unload']) {
          addEventListener(type, () => { alert(type); sessionStorage[type] = '' + confirm(type) + prompt(type) }, true);
        }</script>""")
    assert host.evaluate("confirm('first')") is True
    tab.run("location.href = '/second'")
    tab.wait_at("/second")
    told = tab.run("return ['beforeunload', 'pagehide'].map((type) => sessionStorage[type])")
    assert told == ["falsenull", "falsenull"]
    assert [body["text"] for body in relay.dialogs] == ["first"]


def test_aDocumentThatIsNotLeftAfterAllAsksAgain(relay, tab):
    host = relay.add_host(settings=ASKS)
    relay.answer_dialog = lambda body: {"value": True}
    tab.open()
    relay.wait(lambda: host.channel.synced)
    assert tab.run("""
        const seen = [];
        addEventListener('beforeunload', () => seen.push(confirm('leaving')));
        dispatchEvent(new Event('beforeunload'));
        return [...seen, confirm('staying')]""") == [False, True]
    assert [body["text"] for body in relay.dialogs] == ["staying"]


def test_theBrowserMayShowTheDialog(relay, tab, engine):
    host = relay.add_host(settings=ASKS)
    tab.open()
    relay.answer_dialog = lambda body: {"present": True, "id": 1000 + len(relay.dialogs)}

    def shown(call, text, typed=None, accept=True):
        """What the person sees, and what the page gets."""
        if engine != "chromium":
            return tab.run("return " + call)
        tab.run("delete window.got; setTimeout(() => { window.got = [%s] })" % call)
        alert = tab.browser.switch_to.alert if _alert(tab) else None
        assert alert.text == text
        if typed:
            alert.send_keys(typed)
        alert.accept() if accept else alert.dismiss()
        return tab.wait_run("return window.got")[0]

    assert shown("alert('Hello')", "Hello") is None
    assert shown("confirm('Sure?')", "Sure?") is True
    assert shown("prompt('Name?', 'me')", "Name?") == "me"
    reports = [{"id": 1001, "value": None}, {"id": 1002, "value": True}, {"id": 1003, "value": "me"}]
    if engine == "chromium":
        assert shown("confirm('Sure?')", "Sure?", accept=False) is False
        assert shown("prompt('Name?', 'me')", "Name?", accept=False) is None
        assert shown("prompt('Name?')", "Name?", typed="you") == "you"
        reports += [{"id": 1004, "value": False}, {"id": 1005, "value": None}, {"id": 1006, "value": "you"}]
    relay.wait(lambda: len(host.reports) == len(reports), what="the reports")
    assert host.reports == reports


def _alert(tab):
    from selenium.webdriver.support import expected_conditions
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(tab.browser, 10, 0.02).until(expected_conditions.alert_is_present())


@pytest.mark.parametrize("unit, bytes_each", [("x", 1), ("ä", 2), ("\U0001f600", 4), ("\x01", 6)])
def test_longTextsAreCut(relay, tab, unit, bytes_each):
    relay.add_host(settings=ASKS)
    tab.open()
    # 16,384 bytes with the quotes around the text; of the field 8,192.
    for units, is_cut in [((16382 // bytes_each), False), (16382 // bytes_each + 1, True), (1_000_000, True)]:
        tab.run("prompt(arguments[0].repeat(arguments[1]), arguments[0].repeat(arguments[1]))", unit, units)
        text, default = relay.dialogs[-1]["text"], relay.dialogs[-1]["default"]
        assert text.endswith("\u2026") == is_cut
        assert is_cut or text == unit * units
        assert not is_cut or set(text[:-1]) == {unit} and len(text) > 0.5 * 16382 / bytes_each
        assert default.endswith("\u2026") and len(json.dumps(default, ensure_ascii=False).encode()) <= 8192


def test_framesAskThroughThePage(relay, tab):
    relay.add_host(settings=ASKS)
    relay.answer_dialog = lambda body: {"value": body["text"] == "inner"}
    inner = tab.page("inner", path="/inner")
    tab.open('<iframe name="inner" src="%s"></iframe>' % inner)
    tab.wait_run("return frames[0] && frames[0].document.readyState === 'complete'")
    assert tab.run("return [frames[0].confirm('inner'), confirm('outer')]") == [True, False]
    frame = relay.dialogs[0]["frame"]
    assert frame["main"] is False and frame["url"] == inner and len(frame["id"]) == 8
    assert relay.dialogs[0]["document"] == relay.host.channel.document
    assert relay.dialogs[1]["frame"]["main"] is True


def test_aViewerKeepsTheBrowsersDialogs(relay, tab):
    relay.add_host(settings=ASKS)
    tab.open(attributes='data-client="screen"')
    native = "return [alert, confirm, prompt, open].map((each) => Function.prototype.toString.call(each).includes('[native code]'))"
    assert tab.run(native) == [True] * 4


def test_whatThePageOverwritesChangesNothing(relay, tab):
    host = relay.add_host(settings=ASKS)
    relay.answer_dialog = lambda body: {"value": body["text"] == "te\U0001f600xt"}
    tab.open()
    relay.wait(lambda: host.channel.synced)
    assert tab.run("""
        const bad = () => { throw new Error('the page\\'s own') };
        for (const name of ['open', 'send', 'setRequestHeader']) XMLHttpRequest.prototype[name] = bad;
        Object.defineProperty(XMLHttpRequest.prototype, 'status', {get: bad});
        Object.defineProperty(XMLHttpRequest.prototype, 'responseText', {get: bad});
        window.XMLHttpRequest = bad;
        const {parse, stringify} = JSON, {charCodeAt, slice, indexOf} = String.prototype;
        JSON.parse = JSON.stringify = bad;
        for (const name of ['charCodeAt', 'slice', 'indexOf']) String.prototype[name] = bad;
        Object.prototype.value = Object.prototype.present = true;
        const got = [confirm('te\\ud83d\\ude00xt'), confirm('other')];
        // The driver needs them.
        Object.assign(JSON, {parse, stringify});
        Object.assign(String.prototype, {charCodeAt, slice, indexOf});
        delete Object.prototype.value;
        delete Object.prototype.present;
        return got""") == [True, False]
