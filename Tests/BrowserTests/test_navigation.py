"""What a host loads into its web view, and what its navigation delegate hears of it."""

import socket

import pytest

from harness.pages import page
from harness.values import typed
from harness.waiting import until

POST = "const post = (body, name = 'iOSNative') => webkit.messageHandlers[name].postMessage(body);"


def phases(host, since: int = 0) -> list[str]:
    return [entry["phase"] for entry in host.journal.matching(event="navigation", since=since)]


def wait_phase(host, phase: str, since: int = 0, **members) -> dict:
    return host.journal.wait(event="navigation", phase=phase, since=since, **members)


def loaded(host) -> int:
    """Waits for the first page and gives a mark behind it."""
    wait_phase(host, "finished")
    return host.journal.mark()


def test_page_tells_its_delegate_commit_before_messages_and_finish_after(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    open_window(put(POST + "post('parsing');"))
    wait_phase(host, "finished")
    host.received("iOSNative")
    seen = [
        entry.get("phase") or entry["event"]
        for entry in host.journal.read()
        if entry["event"] in ("navigation", "received")
    ]
    assert seen == ["started", "committed", "received", "finished"]


def test_html_loaded_from_text_has_its_base_address_and_a_bridge(probe, put, open_window):
    host = probe(handlers=["iOSNative"], scripts=[{"source": "window.mark = 'set';", "time": "start"}])
    window = open_window(put())
    session = window.session()
    mark = loaded(host)
    html = (
        "<!DOCTYPE html><html><head><title>From text</title>"
        "<script>webkit.messageHandlers.iOSNative.postMessage([document.baseURI, mark, document.body === null])</script>"
        "</head><body><a id=link href='sub/page.html'>x</a></body></html>"
    )
    host.do("loadHTMLString", html=html, baseURL="https://www.example.com/folder/")
    assert host.received("iOSNative")["body"] == typed(["https://www.example.com/folder/", "set", True])
    assert wait_phase(host, "finished", since=mark)["title"] == "From text"
    assert phases(host, mark) == ["started", "committed", "finished"]
    window.wait_equal("document.title", "From text")
    assert window.value("document.getElementById('link').href") == "https://www.example.com/folder/sub/page.html"
    assert window.session() == session
    view = host.do("view")
    assert (view["url"], view["title"], view["isLoading"], view["progress"]) == (
        "https://www.example.com/folder/",
        "From text",
        False,
        1,
    )


def test_local_files_are_served_and_only_those(probe, put, open_window, tmp_path):
    host = probe(handlers=["iOSNative"])
    folder = tmp_path / "www"
    (folder / "sub dir").mkdir(parents=True)
    (folder / "index.html").write_text(
        "<!DOCTYPE html><html><head><meta charset=utf-8><link rel=stylesheet href='sub dir/style.css'><script src='app.js'></script>"
        "</head><body>Grüße 😀</body></html>"
    )
    (folder / "sub dir" / "style.css").write_text("body { color: rgb(1, 2, 3); }")
    (folder / "app.js").write_text("webkit.messageHandlers.iOSNative.postMessage('from a file')")
    (tmp_path / "secret.txt").write_text("secret")
    window = open_window(put())
    session = window.session()
    mark = loaded(host)
    host.do("loadFile", path=str(folder / "index.html"), readAccess=str(folder))
    assert host.received("iOSNative")["body"] == typed("from a file")
    wait_phase(host, "finished", since=mark)
    window.wait_equal("document.body && getComputedStyle(document.body).color", "rgb(1, 2, 3)")
    assert window.value("document.body.textContent") == "Grüße 😀"
    assert window.session() == session
    for path in ("../secret.txt", "%2e%2e/secret.txt", "sub dir/../../secret.txt", "..%2fsecret.txt"):
        answer = window.promise(
            "fetch(new URL(arguments[0], location.href)).then(async (answer) => [answer.status, await answer.text()])",
            path,
        )
        assert answer[0] >= 400 and answer[1] != "secret", (path, answer)
    window.browser.forget()  # The browser reports each of these answers.


def test_load_goes_to_another_page_and_back(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    first, second = put(POST, path="-first"), put(POST + "post('second page');", path="-second")
    window = open_window(first)
    session = window.session()
    mark = loaded(host)
    host.do("load", url=second)
    assert host.received("iOSNative")["url"] == second
    wait_phase(host, "finished", since=mark)
    assert phases(host, mark) == ["started", "committed", "finished"]
    until(lambda: host.do("view")["canGoBack"], "a page to go back to")
    mark = host.journal.mark()
    host.do("goBack")
    wait_phase(host, "finished", since=mark, url=first)
    window.wait_equal("location.href", first)
    window.attached()
    assert window.session() == session


def test_load_of_another_origin_takes_the_session_along(probe, put, relay, elsewhere, open_window, app):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    session = window.session()
    loaded(host)
    url = elsewhere.put(f"/{app}.html", page(relay.http, app, POST + "post(location.origin + location.hash);"))
    host.do("load", url=url + "#own")
    # The ticket in the fragment was taken out before the page's first script.
    assert host.received("iOSNative")["body"] == typed(elsewhere.origin + "#own")
    window.attached()
    assert window.session() == session
    assert len(host.journal.matching(event="opened")) == 1


@pytest.mark.console("ERR_CONNECTION_REFUSED")
def test_load_of_a_dead_port_fails_and_the_page_stays(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    url = put(POST)
    window = open_window(url)
    window.attached()
    mark = loaded(host)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    host.do("load", url=f"http://127.0.0.1:{port}/")
    failure = wait_phase(host, "failedProvisional", since=mark)["error"]
    assert (failure["domain"], failure["code"]) == ("NSURLErrorDomain", -1004)
    assert window.value("location.href") == url
    window.js("post('still here')")
    assert host.received("iOSNative")["body"] == typed("still here")
    assert host.do("view")["url"] == url


def test_delegate_that_cancels_keeps_the_page(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    other = put(path="-other")
    url = put(POST, body=f"<a id=no href='{other}?no'>no</a> <a id=yes href='{other}?yes'>yes</a>")
    window = open_window(url)
    window.attached()
    mark = loaded(host)
    host.do("cancel", prefixes=[other + "?no"])
    window.click("#no")
    host.journal.wait(event="policy", allowed=False, url=other + "?no")
    window.js("post('still here')")
    host.received("iOSNative")
    assert window.value("location.href") == url
    assert phases(host, mark) == []
    window.click("#yes")
    host.journal.wait(event="policy", allowed=True, url=other + "?yes")
    wait_phase(host, "finished", since=mark, url=other + "?yes")
    window.wait_equal("location.href", other + "?yes")


def test_reload_by_the_host_makes_a_new_document(probe, put, open_window):
    host = probe(handlers=["iOSNative"], scripts=[{"source": "window.life = Math.random();", "time": "start"}])
    window = open_window(put())
    session = window.session()
    life = window.value("life")
    mark = loaded(host)
    host.do("reload")
    wait_phase(host, "finished", since=mark)
    assert phases(host, mark) == ["started", "committed", "finished"]
    assert window.session() == session
    assert window.value("life") != life


def test_state_of_the_document_reaches_the_host(probe, put, open_window):
    host = probe()
    window = open_window(put())
    loaded(host)
    window.js("document.title = '  A new \\n title '; history.pushState(null, '', '?pushed')")
    url = window.value("location.href")
    until(lambda: host.do("view")["url"] == url, "the address")
    until(lambda: host.do("view")["title"] == "A new title", lambda: f"the title; it is {host.do('view')['title']!r}")
    assert host.do("view")["isLoading"] is False


def test_handler_added_later_appears_in_the_page_at_once(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    window = open_window(put(POST))
    window.attached()
    assert window.value("webkit.messageHandlers.squadBridge === undefined")
    host.do("addHandler", name="squadBridge")
    window.wait("webkit.messageHandlers.squadBridge !== undefined")
    window.js("post('late', 'squadBridge')")
    assert host.received("squadBridge")["body"] == typed("late")


def test_page_without_any_handler_has_no_webkit(probe, put, open_window):
    host = probe()
    window = open_window(put("window.kind = typeof window.webkit;"))
    window.attached()
    assert window.value("kind") == "undefined"
    host.do("addHandler", name="iOSNative")
    window.wait("typeof window.webkit === 'object'")


def test_results_of_an_async_evaluation(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    assert host.do("awaitEvaluate", source="[1, {a: true}]") == typed([1, {"a": True}])


PHASES = """
    const number = Number(new URLSearchParams(location.search).get('n'));
    const tell = (phase) => webkit.messageHandlers.iOSNative.postMessage([number, phase]);
    tell('start');
    addEventListener('DOMContentLoaded', () => tell('content'));
    for (const type of ['beforeunload', 'pagehide']) addEventListener(type, () => tell(type));
    addEventListener('load', () => {
      tell('load');
      if (number < LAST) location.href = '?n=' + (number + 1);
      else tell('end');
    });
"""


def test_two_hundred_navigations_in_a_row_lose_nothing(probe, put, open_window):
    host = probe(handlers=["iOSNative"])
    last = 200
    window = open_window(put(PHASES.replace("LAST", str(last))) + "?n=0")
    host.journal.wait(event="received", body=typed([last, "end"]), timeout=120)
    seen = [entry["body"] for entry in host.journal.matching(event="received", name="iOSNative")]
    phases = ("start", "content", "load", "beforeunload", "pagehide")
    posted = [[number, phase] for number in range(last) for phase in phases]
    posted += [[last, phase] for phase in ("start", "content", "load", "end")]
    assert seen == [typed(each) for each in posted]
    assert len(host.journal.matching(event="opened")) == 1
    assert window.session()
