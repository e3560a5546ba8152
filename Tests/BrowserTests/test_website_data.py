"""Cookies, storages and caches of a page, as the host sees and changes them."""

import pytest

from harness.values import typed
from harness.waiting import until

EVERYTHING = """
  document.cookie = 'own=1'; document.cookie = 'deep=2; Path=/data';
  localStorage.setItem('kept', 'a'); sessionStorage.setItem('kept', 'b');
  localStorage.setItem('pagebridge:viewer:device', 'phone');
  window.filled = (async () => {
    await caches.open('shelf').then((cache) => cache.put('/thing', new Response('x')));
    await new Promise((resolve, reject) => {
      const request = indexedDB.open('base', 1);
      request.onsuccess = () => { request.result.close(); resolve(); };
      request.onerror = reject;
    });
    const root = await navigator.storage.getDirectory();
    await root.getFileHandle('note', {create: true});
    window.isFilled = true;
  })();
"""

LEFT = """return (async () => ({
  cookie: document.cookie, local: {...localStorage}, session: Object.keys(sessionStorage).filter((key) => key === 'kept'),
  caches: await caches.keys(), databases: (await indexedDB.databases()).map((each) => each.name),
  files: await Array.fromAsync((await navigator.storage.getDirectory()).keys()),
}))()"""

KINDS = ["Cookies", "FetchCache", "FileSystem", "IndexedDBDatabases", "LocalStorage", "SessionStorage"]
NAMES = ["WKWebsiteDataType" + kind for kind in KINDS]


def browser_cookies(window) -> list[dict]:
    """All cookies of the page's host, those that scripts do not see too."""
    return window.cdp("Network.getCookies")["cookies"]


@pytest.fixture
def clean(open_window):
    """Windows whose data are removed when the test is over: all pages share one origin."""
    windows = []

    def open_clean(url):
        windows.append(open_window(url))
        return windows[-1]

    yield open_clean
    for window in windows:
        window.js(
            """document.cookie.split('; ').forEach((each) => {
                 for (const path of ['/', '/data']) document.cookie = each.split('=')[0] + '=; Max-Age=0; Path=' + path;
               });
               localStorage.clear();"""
        )


def test_removal_leaves_nothing_of_the_page_and_all_of_the_bridge(probe, put, clean):
    host = probe()
    window = clean(put(EVERYTHING))
    window.attached()
    window.wait("window.isFilled")
    assert host.do("dataRecords") == {"127.0.0.1": NAMES}
    assert host.do("dataRecords", types=NAMES[:1]) == {"127.0.0.1": NAMES[:1]}
    session = window.session()
    host.do("removeData", since=4e9)
    assert host.do("dataRecords") == {"127.0.0.1": NAMES}, "nothing is removed that will have changed in future"
    host.do("removeData")
    assert window.js(LEFT) == {
        "cookie": "",
        "local": {"pagebridge:viewer:device": "phone"},
        "session": [],
        "caches": [],
        "databases": [],
        "files": [],
    }
    assert host.do("dataRecords") == {}
    window.reload()
    window.attached()
    assert window.session() == session, "the bridge's own keys have stayed"


def test_only_the_named_kinds_and_hosts_are_removed(probe, put, clean):
    host = probe()
    window = clean(put("localStorage.setItem('kept', 'a'); document.cookie = 'own=1';"))
    window.attached()
    host.do("removeDataOfRecords", hosts=["other.example"])
    host.do("removeData", types=["WKWebsiteDataTypeLocalStorage", "WKWebsiteDataTypeDiskCache"])
    assert window.value("[localStorage.length, document.cookie]") == [0, "own=1"]
    host.do("removeDataOfRecords", hosts=["127.0.0.1"])
    assert window.value("document.cookie") == ""


def test_what_is_removed_before_the_page_is_there_goes_before_its_first_script(probe, put, clean):
    host = probe()
    window = clean(put("localStorage.setItem('kept', 'a')"))
    window.attached()
    window.go("about:blank")
    host.events.wait(event="away")
    host.do("removeData")
    second = put("window.found = localStorage.getItem('kept'); localStorage.setItem('kept', 'b')", path="/second")
    window.go(second)
    window.attached()
    assert window.value("[window.found, localStorage.getItem('kept')]") == [None, "b"]
    window.reload()
    window.attached()
    assert window.value("window.found") == "b", "one removal removes once"


def test_cookies_are_set_read_changed_and_deleted(probe, put, clean):
    host = probe()
    window = clean(put("document.cookie = 'own=1; Path=/'"))
    window.attached()
    host.do("setCookie", name="made", value="by the app", domain="127.0.0.1", lifetime=600)
    assert window.value("document.cookie.split('; ').sort()") == ["made=by the app", "own=1"]
    found = {each["name"]: each for each in host.do("cookies")}
    assert {name: each["value"] for name, each in found.items()} == {"made": "by the app", "own": "1"}
    assert found["made"]["domain"] == "127.0.0.1"
    window.js("document.cookie = 'made=by the page; Path=/'; document.cookie = 'own=; Max-Age=0; Path=/'")
    assert [(each["name"], each["value"]) for each in host.do("cookies")] == [("made", "by the page")]
    host.do("deleteCookie", name="made", domain="127.0.0.1")
    assert window.value("document.cookie") == ""
    assert host.do("cookies") == []


def test_a_cookie_that_is_set_before_the_load_is_there_for_the_first_script(probe, put, clean):
    host = probe()
    window = clean(put())
    window.attached()
    window.go("about:blank")
    host.events.wait(event="away")
    host.do("setCookie", name="early", value="1", domain="127.0.0.1")
    host.do("setCookie", name="foreign", value="2", domain=".example.com")
    assert {each["name"] for each in host.do("cookies")} == {"early", "foreign"}
    window.go(put("window.first = document.cookie", path="/second"))
    window.attached()
    assert window.value("window.first") == "early=1"
    window.js("document.cookie = 'early=; Max-Age=0; Path=/'")
    window.reload()
    window.attached()
    assert window.value("window.first") == "", "what a page has removed is not set again"
    assert {each["name"] for each in host.do("cookies")} == {"foreign"}


def test_a_cookie_that_would_be_read_as_more_is_refused(probe, put, clean):
    host = probe()
    window = clean(put())
    window.attached()
    host.do("setCookie", name="a", value="1; Domain=elsewhere.test", domain="127.0.0.1")
    host.do("setCookie", name="b", value="x" * 4096, domain="127.0.0.1")
    host.do("setCookie", name="c", value="x" * 4095, domain="127.0.0.1")
    assert window.value("document.cookie.length") == 4097
    messages = [entry["message"] for entry in host.events.matching(event="error")]
    assert len(messages) == 2
    assert "neither ';'" in messages[0] and "limit is 4096 bytes" in messages[1]


def test_scripts_do_not_see_an_http_only_cookie_of_the_hosts_content(probe, put, clean):
    host = probe()
    window = clean(put())
    window.attached()
    host.do("loadHTMLString", html="<p id=own>content", baseURL=None)
    window.wait("document.getElementById('own') && window.pagebridge?.state === 'attached'")
    host.do("setCookie", name="secret", value="s", domain="127.0.0.1", httpOnly=True)
    assert window.value("document.cookie") == ""
    assert "secret" in [each["name"] for each in browser_cookies(window)]
    assert [(each["name"], each["httpOnly"]) for each in host.do("cookies")] == [("secret", True)]
    host.do("removeData")
    assert host.do("cookies") == []
    until(lambda: "secret" not in [each["name"] for each in browser_cookies(window)], "the cookie to go")


def test_the_app_hears_of_cookies_that_a_page_sets(probe, put, clean):
    host = probe()
    window = clean(put())
    window.attached()
    host.do("observeCookies")
    assert host.evaluate("1") == typed(1)
    window.js("document.cookie = 'news=1; Path=/'")
    host.journal.wait(event="cookiesChanged")
    assert [each["name"] for each in host.do("cookies")] == ["news"]


def test_two_visitors_have_a_store_each(probe, put, open_window, clean):
    host = probe()
    clean(put()).attached()
    open_window(put(path="/second")).attached()
    host.opened(2)
    host.do("setCookie", view=1, name="mine", value="1", domain=".example.com")
    assert [each["name"] for each in host.do("cookies", view=1)] == ["mine"]
    assert "mine" not in [each["name"] for each in host.do("cookies", view=2)]
