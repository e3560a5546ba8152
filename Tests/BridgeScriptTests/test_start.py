"""The start of a document: attach, the host's script, first posts, arrivals and departures of hosts."""

import re

import pytest


def test_handlersExistBeforeTheFirstInlineScript(relay, tab):
    relay.add_host(handlers=["echo", "toString"])
    tab.open(head="<script>window.seen = [typeof webkit, typeof webkit.messageHandlers.echo.postMessage, "
                  "typeof webkit.messageHandlers.nope, 'echo' in webkit.messageHandlers, "
                  "typeof webkit.messageHandlers.toString.postMessage]</script>")
    assert tab.run("return seen") == ["object", "function", "undefined", True, "function"]


def test_handlersCanBeNeitherReplacedNorDeleted(relay, tab):
    relay.add_host()
    tab.open()
    assert tab.run("""
        const first = webkit.messageHandlers.echo;
        webkit.messageHandlers.echo = 1; delete webkit.messageHandlers.echo; delete window.webkit; window.webkit = 1;
        try { first.postMessage = 1 } catch (e) {}
        return [webkit.messageHandlers.echo === first, typeof first.postMessage, Object.keys(webkit.messageHandlers),
                Object.getOwnPropertyNames(webkit.messageHandlers)]
    """) == [True, "function", [], ["echo"]]


def test_withoutHandlersThereIsNoWebkit(relay, tab):
    host = relay.add_host(handlers=[])
    tab.open()
    assert host.evaluate("typeof window.webkit") == "undefined"
    host.configure(["late"])
    assert host.evaluate("typeof webkit.messageHandlers.late.postMessage") == "function"


def test_postsBeforeTheSocketOpensWaitInOrder(relay, tab):
    relay.socket_delay = 0.3
    host = relay.add_host()
    tab.open(head="<script>for (let i = 0; i < 50; i++) webkit.messageHandlers.echo.postMessage(i)</script>")
    host.wait(lambda: len(host.messages) == 50)
    assert host.messages == [("echo", i) for i in range(50)]


def test_aThousandPostsInOneLoopArriveInOrder(relay, tab):
    host = relay.add_host()
    tab.open()
    tab.run("for (let i = 1; i <= 1000; i++) webkit.messageHandlers.echo.postMessage(i)")
    host.wait(lambda: len(host.messages) == 1000)
    assert [body for _, body in host.messages] == list(range(1, 1001))


def test_aThousandPostsInOneMicrotaskChainArriveInOrder(relay, tab):
    host = relay.add_host()
    tab.open()
    tab.run("(async () => { for (let i = 1; i <= 1000; i++) await webkit.messageHandlers.echo.postMessage(i) })()")
    host.wait(lambda: len(host.messages) == 1000)
    assert [body for _, body in host.messages] == list(range(1, 1001))


def test_theFirstMessagesAreCommittedAndTheWholeState(relay, tab):
    host = relay.add_host()
    tab.open(head="<title> A  b\n</title><script>webkit.messageHandlers.echo.postMessage('first')</script>")
    host.wait(lambda: any(n["phase"] == "finished" for n in host.navigations))
    assert [n["phase"] for n in host.navigations] == ["committed", "finished"]
    assert host.navigations[0]["url"] == relay.url + "/page"
    assert set(host.states[0]) == {"title", "url", "loading", "progress", "history", "visibility", "size", "policy"}
    host.wait(lambda: host.state()["loading"] is False)
    state = host.state()
    assert (state["title"], state["url"], state["progress"]) == ("A b", relay.url + "/page", 1)
    frame = host.frames[0]
    assert frame == {"main": True, "url": relay.url + "/page", "origin": relay.url}


def test_aTitleSetByAScriptForTheStartIsNoTitleOfTheDocument(relay, tab):
    scripts = [{"source": "document.title = 'early'; window.ran = true", "time": "start", "mainFrameOnly": True}]
    host = relay.add_host(scripts=scripts)
    tab.open(head="<title>own</title>")
    host.wait(lambda: host.state().get("title") == "own")
    assert tab.run("return [ran, document.querySelectorAll('title').length]") == [True, 1]


def test_stateChangesAreTold(relay, tab):
    host = relay.add_host()
    tab.open(head="<title>one</title>")
    tab.run("document.title = 'two'")
    host.wait(lambda: host.state().get("title") == "two")
    tab.run("history.pushState(null, '', '/pushed')")
    host.wait(lambda: host.state()["url"] == relay.url + "/pushed" and host.state()["history"]["back"])
    tab.run("location.hash = 'part'")
    host.wait(lambda: host.state()["url"] == relay.url + "/pushed#part")


def test_userScriptsRunAtStartAndEndAsGlobalScripts(relay, tab):
    scripts = [
        {"source": "let first = 'us'; var log = ['start']", "time": "start", "mainFrameOnly": True},
        {"source": "this is no script", "time": "start", "mainFrameOnly": True},
        {"source": "throw new Error('start fails')", "time": "start", "mainFrameOnly": True},
        {"source": "log.push('end ' + document.readyState + ' ' + !!document.getElementById('last'))", "time": "end",
         "mainFrameOnly": True},
        {"source": "throw new Error('end fails')", "time": "end", "mainFrameOnly": True},
        {"source": "log.push('end2')", "time": "end", "mainFrameOnly": False},
    ]
    host = relay.add_host(scripts=scripts)
    tab.open(
        head="<script>window.seen = first; addEventListener('DOMContentLoaded', () => log.push('dcl'));"
             "addEventListener('load', () => log.push('load'))</script>",
        body="<p id=first><p id=last>",
    )
    assert host.evaluate("seen") == "us"
    assert host.evaluate("log") == ["start", "dcl", "end interactive true", "end2", "load"]
    assert host.evaluate("document.querySelectorAll('script').length") == 2, "none of ours but bridge.js stays"


def test_aFrameOfTheSameOriginUsesThePagesBridge(relay, tab):
    host = relay.add_host(scripts=[
        {"source": "window.who = window === top ? 'main' : 'sub'", "time": "start", "mainFrameOnly": False},
        {"source": "window.only = 1", "time": "start", "mainFrameOnly": True},
    ])
    tab.page(path="/inner", head="<script>webkit.messageHandlers.echo.postMessage({who, only: typeof only})</script>")
    tab.open(body="<iframe src=/inner></iframe>")
    host.wait(lambda: host.messages)
    assert host.messages == [("echo", {"who": "sub", "only": "undefined"})]
    frame = host.frames[0]
    assert len(frame.pop("id")) == 8
    assert frame == {"main": False, "url": relay.url + "/inner", "origin": relay.url}
    assert host.evaluate("frames[0].webkit.messageHandlers.echo === webkit.messageHandlers.echo") is False
    host.configure(["other"])
    assert host.evaluate("[typeof frames[0].webkit.messageHandlers.echo, typeof frames[0].webkit.messageHandlers.other]") \
        == ["undefined", "object"]
    assert len(relay.attaches) == 1


def test_aReloadKeepsTheSession(relay, tab, engine):
    host = relay.add_host()
    tab.open()
    session = tab.run("return pagebridge.session")
    for _ in range(3):
        tab.browser.refresh()
        assert host.evaluate("pagebridge.session") == session
    assert [a.get("takes") for a in relay.attaches] == [None, "replaces", "replaces", "replaces"]
    host.wait(lambda: len(relay.closes) >= 3, what="the leaving documents' closes")
    assert engine == "firefox" or relay.closes == [4001] * 3
    assert host.navigations[-1]["type"] in ("reload", "other")


def test_aCopiedTabGetsASessionOfItsOwn(relay, tab, engine):
    if engine == "webkit":
        pytest.skip("its driver opens no second window")
    host = relay.add_host()
    tab.open()
    session = tab.run("return pagebridge.session")
    host.evaluate("1")
    # The browser's own way, which a frame without a bridge still has.
    tab.run("""
        const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});
        const frame = root.appendChild(document.createElement('iframe'));
        window.copy = frame.contentWindow.open('/page')
    """)
    host.wait(lambda: len(host.order) == 2)
    assert relay.attaches[1]["takes"] == "claim"
    assert host.channel.session != session
    assert tab.run("return pagebridge.session") == session


def test_aTicketWinsAndIsHidden(relay, tab):
    host = relay.add_host()
    tab.open()
    ticket = relay.mint_ticket()
    tab.open(fragment="#own&pagebridge=" + ticket, head="<script>window.seen = location.href</script>", path="/second")
    tab.wait_at("/second")
    assert host.evaluate("[seen, location.href]") == [relay.url + "/second#own"] * 2
    assert host.evaluate("pagebridge.session") == ticket[:33]
    assert "session" not in relay.attaches[-1] and relay.attaches[-1]["ticket"] == ticket
    again = relay.mint_ticket()
    tab.open(fragment="#pagebridge=" + again, path="/third")
    tab.wait_at("/third")
    assert host.evaluate("[location.href, pagebridge.session]") == [relay.url + "/third", again[:33]]
    tab.open(fragment="#pagebridge=" + again, path="/fourth")
    tab.wait_at("/fourth")
    assert host.evaluate("pagebridge.session") == again[:33], "a used ticket: the tab's own key is what counts"


def test_aRefusedKeyIsForgotten(relay, tab):
    host = relay.add_host()
    tab.open()
    session = host.evaluate("pagebridge.session")
    relay.run(relay.keys.clear)
    tab.browser.refresh()
    assert host.evaluate("pagebridge.session") not in (None, session)


def test_aKeyRefusedOnTheSocketReloadsOnce(relay, tab):
    host = relay.add_host()
    tab.open()
    session = host.evaluate("pagebridge.session")
    relay.run(relay.keys.clear)
    relay.cut()
    host.wait(lambda: len(relay.attaches) == 2)
    assert host.evaluate("pagebridge.session") != session


def test_aPageBeforeItsHostReloadsWhenOneComes(relay, tab):
    tab.open(head="<script>window.seen = typeof webkit</script>")
    assert tab.run("return seen") == "undefined"
    assert tab.wait_run("return pagebridge.state === 'waiting'")
    host = relay.add_host()
    host.wait(lambda: any(n["phase"] == "finished" for n in host.navigations))
    assert host.evaluate("seen") == "object"
    assert len(relay.attaches) == 2
    assert relay.hellos[0]["late"] == "reload"


def test_aPageThatKeepsItselfComesAliveWithoutReload(relay, tab):
    tab.open(attributes='data-late="keep"', head="<script>window.mark = 1</script>")
    assert tab.wait_run("return pagebridge.state === 'waiting'")
    host = relay.add_host(scripts=[{"source": "window.late = 1", "time": "end", "mainFrameOnly": True}])
    relay.cut()  # the fake relay makes sessions at the hello only
    host.wait(lambda: host.order and host.channel.synced)
    assert host.evaluate("[mark, late, typeof webkit.messageHandlers.echo]") == [1, 1, "object"]
    assert host.navigations[0]["phase"] == "committed"


def test_aPageThatCannotAttachDoesNotReloadForEver(relay, tab):
    host = relay.add_host()
    relay.refuse_attach = 500
    tab.open()
    host.wait(lambda: host.order and host.channel.synced)
    assert host.evaluate("typeof webkit") == "object"
    assert len(relay.attaches) == 2 and [h.get("late") for h in relay.hellos] == ["reload", "reload", "keep"]


def test_anEndedHostBringsAReloadIntoANewSession(relay, tab):
    host = relay.add_host()
    tab.open()
    session = host.evaluate("pagebridge.session")
    relay.end_host()
    assert tab.wait_run("return pagebridge.state === 'ended'")
    next_host = relay.add_host()
    next_host.wait(lambda: next_host.order and next_host.channel.synced)
    assert next_host.evaluate("pagebridge.session") not in (None, session)
    assert len(relay.attaches) == 2 and "session" not in relay.attaches[1]


@pytest.mark.parametrize("form", ["async", "defer", 'type="module"'])
def test_aMisplacedTagWorksLate(relay, tab, form):
    host = relay.add_host()
    tab.open(attributes=form)
    host.wait(lambda: host.order and host.channel.synced)
    assert host.evaluate("typeof webkit.messageHandlers.echo") == "object"
    lines = tab.console()
    assert lines is None or any("without async, defer" in line for line in lines)


def test_trustedTypesAreServed(relay, tab):
    policy = "require-trusted-types-for 'script'; trusted-types pagebridge"
    host = relay.add_host(scripts=[{"source": "let us = 6", "time": "start", "mainFrameOnly": True}])
    tab.open(headers={"Content-Security-Policy": policy}, head="<script>window.seen = [typeof webkit, us]</script>")
    assert tab.run("return seen") == ["object", 6]
    assert host.evaluate("2 + 2") == 4
    assert host.call_async("return a", {"a": 3}) == 3


def test_handlersAreAddedAndRemovedAtOnce(relay, tab):
    host = relay.add_host(handlers=["a"])
    tab.open()
    host.evaluate("window.held = webkit.messageHandlers.a; 0")
    host.configure(["b"])
    assert host.evaluate("['a' in webkit.messageHandlers, 'b' in webkit.messageHandlers]") == [False, True]
    assert host.call_async("try { await held.postMessage(1); return 'sent' } catch (e) { return e.name }") == "InvalidAccessError"
    host.configure(["a", "b"])
    assert host.evaluate("held === webkit.messageHandlers.a") is False
    assert host.call_async("try { await held.postMessage(1); return 'sent' } catch (e) { return e.name }") == "InvalidAccessError"
    assert host.messages == []


def test_postMessageNeedsItsArgument(relay, tab):
    host = relay.add_host()
    tab.open()
    assert host.evaluate("try { webkit.messageHandlers.echo.postMessage() } catch (e) { e.name }") == "TypeError"
    assert host.evaluate("webkit.messageHandlers.nope.postMessage(1)")["message"].startswith("TypeError")
    result = host.call_async("const p = webkit.messageHandlers.echo.postMessage(1, 2); return [p instanceof Promise, typeof await p]")
    assert result == [True, "undefined"]
    assert host.messages == [("echo", 1)]


def test_theStateCanBeWatched(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>window.states = []; pagebridge.addEventListener('state', e => states.push(e.state))</script>")
    host.evaluate("1")
    relay.host_away()
    tab.wait_run("return pagebridge.state === 'away'")
    relay.host_back()
    tab.wait_run("return pagebridge.state === 'attached'")
    assert tab.run("return states")[-3:] == ["away", "connecting", "attached"]
    assert re.fullmatch(r"\d+(\.\d+)*", tab.run("return pagebridge.version"))


def test_aScreenGetsItsMessages(relay, tab):
    host = relay.add_host(handlers=["pagebridgeScreen"])
    tab.open(attributes='data-client="screen"')
    host.wait(lambda: host.order and host.channel.synced)
    assert host.channel.client["kind"] == "screen"
    host.notify("screen", {"type": "orientation", "value": "landscape"})
    host.evaluate("1")
    tab.run("window.got = []; pagebridge.onscreen = params => got.push(params.type)")
    host.notify("screen", {"type": "bars"})
    assert tab.wait_run("return got.length === 2 && got") == ["orientation", "bars"]


def test_anUnknownMethodIsAnswered(relay, tab):
    host = relay.add_host()
    tab.open()
    assert host.call("fly", {})["error"]["code"] == -32601
    assert host.call("evaluate", {})["error"]["code"] == -32602


def test_anotherOriginWorksWithOneTag(relay, tab, other_relay):
    host = relay.add_host()
    other_relay.pages["/foreign"] = (
        "text/html", '<!doctype html><script src="%s/bridge.js" data-app="test"></script><script>'
        "webkit.messageHandlers.echo.postMessage(location.origin)</script>" % relay.url, {})
    tab.browser.get(other_relay.url + "/foreign")
    host.wait(lambda: host.messages == [("echo", other_relay.url)])
    error = host.evaluate("\n\n  a b c")
    assert error["message"].startswith("SyntaxError") and error["data"]["line"] == 3
    error = host.evaluate("\n\nnoSuchName")
    assert error["message"].startswith("ReferenceError") and error["data"]["line"] == 3
    assert host.evaluate("throw 'text'")["message"] == "text"


def test_aPageOfTheBackForwardCacheReturns(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>window.mark = Math.random()</script>")
    mark = host.evaluate("mark")
    session = host.evaluate("pagebridge.session")
    relay.pages["/else"] = ("text/html", "<!doctype html>else", {"Cache-Control": "max-age=60"})
    tab.browser.get(relay.url + "/else")
    tab.browser.back()
    tab.wait_at("/page")
    assert host.evaluate("pagebridge.session") == session
    if host.evaluate("mark") == mark:
        assert relay.hellos[-1]["takes"] == "returns"
    else:
        assert relay.attaches[-1]["takes"] == "replaces"


def test_contentOfAnEndedHostGivesWayToThePageItWasLoadedOver(relay, tab):
    host = relay.add_host()
    tab.open(path="/start")
    session = host.evaluate("pagebridge.session")
    tab.open(path="/s/%s/html/1" % session)
    assert host.evaluate("pagebridge.session") == session
    relay.end_host()
    tab.wait_run("return pagebridge.state === 'ended'")
    next_host = relay.add_host()
    next_host.wait(lambda: next_host.channel and next_host.channel.synced)
    assert next_host.evaluate("location.pathname") == "/start"


def test_aHelloAfterACutSaysWhereThePageIs(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("history.pushState(null, '', '/moved')")
    relay.cut()
    assert host.evaluate("1") == 1
    assert relay.hellos[-1]["url"] == relay.url + "/moved" and relay.hellos[-1]["client"]["kind"] == "page"
