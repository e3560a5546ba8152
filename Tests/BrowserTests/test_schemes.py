"""Pages and resources of a scheme that the app serves itself."""

import hashlib

import pytest

from harness.values import typed

INDEX = """<!DOCTYPE html><html><head><title>Shop</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="style/main.css"><script src="/root.js"></script><script src="shop://main/absolute.js"></script>
</head><body><h1>Shop</h1><img id="picture" src="shop://main/picture.svg"><a id="next" href="second.html?q=1#part">next</a>
<script>
  document.addEventListener('DOMContentLoaded', async () => {
    window.texts = await Promise.all(['data.txt', '/data.txt', 'shop://main/data.txt'].map(async (url) => (await fetch(url)).text()));
    const request = new XMLHttpRequest();
    request.open('GET', 'shop://main/data.txt');
    request.onload = () => { window.xhr = request.responseText; };
    request.send();
    document.getElementById('picture').after(Object.assign(new Image(), {id: 'second', src: 'shop://main/picture.svg'}));
    document.body.insertAdjacentHTML('beforeend', '<img id="third" src="shop://main/picture.svg">');
    webkit.messageHandlers.log.postMessage('here');
  });
</script></body></html>"""

SECOND = '<link rel="icon" href="data:,"><title>Second</title>'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"></svg>'

RESOURCES = {
    "shop://main/index.html": {"type": "text/html", "text": INDEX},
    "shop://main/second.html?q=1#part": {"type": "text/html", "text": SECOND},
    "shop://main/second.html?q=1": {"type": "text/html", "text": SECOND},
    "shop://main/style/main.css": {"type": "text/css", "text": "h1 { background: url(shop://main/picture.svg); color: rgb(1, 2, 3) }"},
    "shop://main/root.js": {"type": "text/javascript", "text": "window.root = true"},
    "shop://main/absolute.js": {"type": "text/javascript", "text": "window.absolute = true"},
    "shop://main/picture.svg": {"type": "image/svg+xml", "text": SVG},
    "shop://main/data.txt": {"text": "data"},
    "shop://main/echo": {"echo": True},
    "shop://main/broken.html": {"fail": -1009},
    "shop://main/held": {"hold": True, "text": "x"},
    "shop://main/large": {"text": "0123456789abcdef" * 4096, "repeat": 128, "status": 200, "headers": {"Content-Length": "8388608"}},
    "shop://main/open": {"text": "for all", "status": 200, "headers": {"Access-Control-Allow-Origin": "*"}},
}


@pytest.fixture
def shop(probe, app, put, open_window):
    """A host with the scheme `shop`, and a window at its first page."""
    host = probe()
    host.do("handlers", names=["log"])
    host.do("schemes", name="shop", resources=RESOURCES)
    window = open_window(put())
    window.attached()
    return host, window


def load(host, window, url="shop://main/index.html"):
    mark = host.journal.mark()
    host.do("load", url=url)
    host.journal.wait(event="navigation", phase="finished", since=mark)
    window.attached()


def test_a_page_of_the_scheme_loads_with_all_its_parts(shop):
    host, window = shop
    load(host, window)
    assert host.do("view")["url"] == "shop://main/index.html"
    message = host.received("log")
    assert (message["url"], message["origin"]) == ("shop://main/index.html", "shop://main:0")
    window.wait("window.texts && window.xhr")
    assert window.value("[root, absolute, texts, xhr]") == [True, True, ["data"] * 3, "data"]
    assert window.value("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    window.wait("['picture', 'second', 'third'].every((id) => document.getElementById(id).naturalWidth === 30)")
    assert host.journal.matching(event="schemeStart", url="shop://main/style/main.css")[0]["referer"] == "shop://main/index.html"
    starts = [entry["url"] for entry in host.journal.matching(event="schemeStart")]
    assert starts.count("shop://main/index.html") == 1, "one load asks once"


def test_links_lead_on_and_back_in_the_scheme(shop):
    host, window = shop
    load(host, window)
    mark = host.journal.mark()
    window.click("#next")
    host.journal.wait(event="navigation", phase="finished", url="shop://main/second.html?q=1#part", since=mark)
    policies = [entry["url"] for entry in host.journal.matching(event="policy", since=mark)]
    assert policies == ["shop://main/second.html?q=1#part"]
    assert window.value("document.title") == "Second"
    host.do("goBack")
    host.journal.wait(event="navigation", phase="finished", url="shop://main/index.html", since=mark)


@pytest.mark.console("413")
def test_bodies_reach_the_handler(shop):
    host, window = shop
    load(host, window)
    assert window.promise("fetch('echo', {method: 'POST', body: 'grün'}).then((answer) => answer.text())") == "POST grün"
    size = 3_000_000
    window.promise(f"fetch('/echo', {{method: 'PUT', body: 'x'.repeat({size})}}).then((answer) => answer.text())")
    assert host.journal.matching(event="schemeStart", method="PUT")[0]["bytes"] == size
    too_much = 16 * 1024 * 1024 + 1
    assert window.promise(f"fetch('echo', {{method: 'POST', body: 'x'.repeat({too_much})}}).then((answer) => answer.status)") == 413


def test_large_answers_come_whole_and_in_ranges(shop):
    host, window = shop
    load(host, window)
    digest = window.promise(
        """fetch('large').then((answer) => answer.arrayBuffer()).then((bytes) => crypto.subtle.digest('SHA-256', bytes))
           .then((hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join(''))"""
    )
    assert digest == hashlib.sha256(("0123456789abcdef" * 4096 * 128).encode()).hexdigest()
    answer = window.promise(
        """fetch('large', {headers: {Range: 'bytes=1000000-1000005'}}).then(async (answer) =>
             [answer.status, answer.headers.get('content-range'), await answer.text()])"""
    )
    assert answer == [206, "bytes 1000000-1000005/8388608", "012345"]


def test_a_task_is_stopped_when_nobody_wants_it(shop):
    host, window = shop
    load(host, window)
    window.js("window.abort = new AbortController(); fetch('held', {signal: abort.signal}).catch(() => {});")
    host.journal.wait(event="schemeStart", url="shop://main/held")
    assert not host.journal.matching(event="schemeStop", url="shop://main/held")
    window.js("abort.abort()")
    host.journal.wait(event="schemeStop", url="shop://main/held")


def test_a_failed_page_leaves_the_old_one(shop):
    host, window = shop
    load(host, window)
    mark = host.journal.mark()
    host.do("load", url="shop://main/broken.html")
    failed = host.journal.wait(event="navigation", phase="failedProvisional", since=mark)
    assert (failed["error"]["domain"], failed["error"]["code"]) == ("NSURLErrorDomain", -1009)
    assert host.do("view")["url"] == "shop://main/index.html"
    assert host.evaluate("document.title") == typed("Shop")


@pytest.mark.console("broken.html", "missing")
def test_a_failed_request_of_a_script_fails_there(shop):
    host, window = shop
    load(host, window)
    assert window.promise("fetch('broken.html').then(() => 'fulfilled', (error) => error.name)") == "TypeError"
    assert window.promise("fetch('missing').then((answer) => answer.status)") == 404


@pytest.mark.console("CORS|ERR_FAILED")
def test_a_page_of_another_origin_may_ask_where_the_handler_lets_it(shop):
    host, window = shop
    assert window.promise("fetch('shop://main/open').then((answer) => answer.text())") == "for all"
    assert window.promise("fetch('shop://main/data.txt').then(() => 'fulfilled', (error) => error.name)") == "TypeError"
    window.js("document.body.append(Object.assign(new Image(), {id: 'made', src: 'shop://main/picture.svg'}))")
    window.wait("document.getElementById('made').naturalWidth === 30")
