"""Leaving a page: told, asked, refused, and tried before."""

import socket

import pytest

ASKING = {"asksNavigation": True}


def phases(host, phase):
    return [(n["url"], n["type"]) for n in host.navigations if n["phase"] == phase]


def plain(relay, path, body=""):
    relay.pages[path] = ("text/html", "<!doctype html>" + body, {})


def test_aLinkIsToldBeforeThePageLeaves(relay, tab, engine):
    host = relay.add_host()
    tab.page(path="/two")
    tab.open("<a id=link href=/two>two</a>")
    host.evaluate("1")
    tab.run("link.click()")
    host.wait(lambda: len(host.order) == 2 and phases(host, "committed")[1:])
    if engine != "firefox":  # it closes the socket first: what a leaving document says is lost with it
        assert phases(host, "started") == [(relay.url + "/two", "link")]
    assert phases(host, "committed")[1][0] == relay.url + "/two"
    assert relay.attaches[1]["takes"] == "replaces"


def test_twentyLinksKeepOneSession(relay, tab):
    host = relay.add_host()
    for number in range(20):
        tab.page("<a id=link href=/n%d>next</a>" % (number + 1), path="/n%d" % number)
    plain(relay, "/n20")
    tab.browser.get(relay.url + "/n0")
    for number in range(1, 20):
        tab.run("link.click()")
        tab.wait_at("/n%d" % number)
    assert len(host.order) == 20
    assert len({channel.session for channel in host.order}) == 1
    assert all(attach["takes"] == "replaces" for attach in relay.attaches[1:])


WAYS = {
    "link": ("link.click()", "link"),
    "assign": ("location.href = '/two'", "other"),
    "replace": ("location.replace('/two')", "other"),
    "get": ("form.querySelector('button').click()", "form"),
    "reload": ("location.reload()", "reload"),
}
BODY = "<a id=link href=/two><b id=inner>two</b></a><form id=form action=/two><button name=b value=1>go</button></form>"


@pytest.fixture(params=WAYS)
def way(request, engine):
    if engine == "webkit" and request.param not in ("link", "get"):
        pytest.skip("without the Navigation API a page does not see this")
    return request.param


def test_aCancelledNavigationStays(relay, tab, way):
    host = relay.add_host(settings=ASKING)
    host.answer_navigation = lambda params: "cancel"
    tab.page(path="/two")
    tab.open(BODY)
    host.evaluate("window.mark = 1")
    host.evaluate("setTimeout(() => { %s }); 0" % WAYS[way][0])
    host.wait(lambda: phases(host, "asked"))
    assert phases(host, "asked")[0][1] == WAYS[way][1]
    assert host.evaluate("mark") == 1
    assert phases(host, "started") == []


def test_anAllowedNavigationLeavesOnce(relay, tab, way):
    host = relay.add_host(settings=ASKING)
    tab.page(BODY, path="/two")
    tab.open(BODY)
    host.evaluate("1")
    host.evaluate("setTimeout(() => { %s }); 0" % WAYS[way][0])
    host.wait(lambda: len(host.order) == 2 and phases(host, "committed")[1:])
    assert len(phases(host, "asked")) == 1
    assert phases(host, "started") == phases(host, "asked")
    assert host.evaluate("location.pathname + location.search") == {"reload": "/page", "get": "/two?b=1"}.get(way, "/two")


def test_anAllowedPostKeepsItsBodyAndItsSubmitter(relay, tab):
    host = relay.add_host(settings=ASKING)
    tab.page(path="/posted")
    tab.open("<form id=form method=post action=/posted><input name=text value=v><button id=b name=which value=one>go</button></form>"
             "<script>window.submits = 0; form.addEventListener('submit', () => { sessionStorage.submits = ++submits })</script>")
    host.evaluate("1")
    tab.run("b.click()")
    host.wait(lambda: len(host.order) == 2)
    assert [hit for hit in relay.hits if hit[1] == "/posted"][-1] == ("POST", "/posted", "text=v&which=one")
    assert host.evaluate("sessionStorage.submits") == "1", "the page's handlers see one submission"
    assert [t for _, t in phases(host, "asked")] == ["form"]


def test_fragmentsAndPushStateAreNotAsked(relay, tab):
    host = relay.add_host(settings=ASKING)
    tab.open("<a id=link href=#part>part</a>")
    host.evaluate("1")
    tab.run("link.click()")
    host.wait(lambda: host.state()["url"].endswith("#part"))
    tab.run("history.pushState(null, '', '/pushed')")
    host.wait(lambda: host.state()["url"] == relay.url + "/pushed")
    assert phases(host, "asked") == phases(host, "started") == []


def test_thePagesOwnRefusalIsNeitherAskedNorTold(relay, tab):
    host = relay.add_host()
    tab.open("<a id=link href=/two onclick='event.preventDefault()'>two</a>")
    host.evaluate("1")
    tab.run("link.click()")
    assert host.evaluate("1") == 1
    assert phases(host, "started") == []


def test_theHostLoadsReloadsAndMovesInTheHistory(relay, tab):
    host = relay.add_host(settings=ASKING)
    tab.page(path="/two")
    tab.open()
    session = host.evaluate("pagebridge.session")
    host.notify("load", {"url": relay.url + "/two"})
    host.wait(lambda: len(host.order) == 2 and phases(host, "finished")[1:])
    assert host.evaluate("location.pathname") == "/two"
    host.notify("reload", {})
    host.wait(lambda: len(host.order) == 3 and phases(host, "finished")[2:])
    host.notify("go", {"delta": -1})
    host.wait(lambda: phases(host, "finished")[3:])
    assert phases(host, "committed")[3] == (relay.url + "/page", "back_forward")
    assert host.evaluate("location.pathname") == "/page"
    assert host.evaluate("pagebridge.session") == session
    assert phases(host, "asked") == []
    assert phases(host, "started")[:2] == [(relay.url + "/two", "other"), (relay.url + "/two", "reload")]


def test_aDeadPortFailsAndThePageStays(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("window.mark = 1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = "http://127.0.0.1:%d/" % free.getsockname()[1]
        host.notify("load", {"url": dead})
        host.wait(lambda: phases(host, "failed"))
    failed = host.navigations[-1]
    assert (failed["url"], failed["error"]["code"]) == (dead, -1004)
    assert host.evaluate("mark") == 1
    assert phases(host, "started") == []


def test_aFragmentOfTheSamePageFinishesWithoutADocument(relay, tab):
    host = relay.add_host()
    tab.open()
    host.evaluate("window.mark = 1")
    host.wait(lambda: phases(host, "finished"))
    host.notify("load", {"url": relay.url + "/page#part"})
    host.wait(lambda: len(phases(host, "finished")) == 2)
    assert host.evaluate("mark + location.hash") == "1#part"


def test_aPageWhosePolicyForbidsTheProbeIsLeft(relay, tab):
    host = relay.add_host()
    plain(relay, "/two")
    tab.open(headers={"Content-Security-Policy": "connect-src ws: %s/attach" % relay.url})
    host.evaluate("1")
    host.notify("load", {"url": relay.url + "/two"})
    tab.wait_at("/two")


def test_nothingIsAskedWithoutAHost(relay, tab):
    host = relay.add_host(settings=ASKING)
    plain(relay, "/two")
    tab.open("<a id=link href=/two>two</a>")
    host.evaluate("1")
    relay.host_away()
    tab.wait_run("return pagebridge.state === 'away'")
    tab.run("link.click()")
    tab.wait_at("/two")


def test_aFormsQuestionNamesItsMethod(relay, tab):
    host = relay.add_host(settings=ASKING)
    host.answer_navigation = lambda params: "cancel"
    tab.open("<form id=form method=post action=/posted><button id=b>go</button></form>")
    host.evaluate("1")
    tab.run("b.click()")
    host.wait(lambda: phases(host, "asked"))
    assert host.navigations[-1]["method"] == "POST"
    assert not [hit for hit in relay.hits if hit[1] == "/posted"]


def test_submitByAScriptIsAskedToo(relay, tab):
    host = relay.add_host(settings=ASKING)
    host.answer_navigation = lambda params: "cancel"
    tab.open("<form id=form method=post action=/posted><input name=text value=v></form>")
    host.evaluate("window.mark = 1")
    tab.run("form.submit()")
    host.wait(lambda: phases(host, "asked"))
    assert host.navigations[-1]["method"] == "POST"
    assert host.evaluate("mark") == 1
    host.answer_navigation = lambda params: "allow"
    tab.page(path="/posted")
    tab.run("form.submit()")
    host.wait(lambda: len(host.order) == 2)
    assert [hit for hit in relay.hits if hit[1] == "/posted"][-1] == ("POST", "/posted", "text=v")


def test_aWishThatComesTwiceIsOne(relay, tab):
    host = relay.add_host()
    tab.page(path="/two")
    tab.open()
    host.evaluate("1")
    host.notify("load", {"url": relay.url + "/two", "navigation": 7})
    host.notify("load", {"url": relay.url + "/two", "navigation": 7})
    host.notify("load", {"url": relay.url + "/page", "navigation": 6})
    host.wait(lambda: len(host.order) == 2 and phases(host, "finished")[1:])
    assert [n.get("navigation") for n in host.navigations if n["phase"] == "started"] == [7]
    assert host.evaluate("location.pathname") == "/two"


def history_of(host):
    return host.state()["history"]


def test_placesInTheHistoryHaveNamesThatStay(relay, tab):
    host = relay.add_host()
    tab.page(path="/two")
    tab.open()
    host.evaluate("1")
    first = history_of(host)["key"]
    assert first
    tab.run("history.replaceState(null, '', '/replaced')")
    host.wait(lambda: host.state()["url"].endswith("/replaced"))
    assert history_of(host)["key"] == first
    tab.run("history.pushState(null, '', '/pushed')")
    host.wait(lambda: history_of(host)["key"] != first)
    second = history_of(host)["key"]
    tab.run("history.back()")
    host.wait(lambda: history_of(host)["key"] == first)
    tab.run("history.forward()")
    host.wait(lambda: history_of(host)["key"] == second)
    host.notify("load", {"url": relay.url + "/two"})
    host.wait(lambda: len(host.order) == 2 and phases(host, "finished")[1:])
    third = history_of(host)["key"]
    assert third not in (first, second)
    host.notify("reload", {})
    host.wait(lambda: len(host.order) == 3 and phases(host, "finished")[2:])
    assert history_of(host)["key"] == third
    committed = [n for n in host.navigations if n["phase"] == "committed"]
    assert committed[-1]["history"]["key"] == third
    assert committed[-1]["mimeType"] == "text/html"
