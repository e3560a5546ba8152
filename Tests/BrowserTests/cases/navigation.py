"""Loads, history and properties, and the order in which the delegate hears of them."""

from .form import evaluate, load, steps, visit

PAGES = {f"/{i}": f"<!doctype html><title>{name}</title>{i}" for i, name in enumerate(("none", "one", "two", "three"))}
SLOW = {**PAGES, "/slow": {"body": "<!doctype html><title>slow</title>", "delayMillis": 900}}
LOADED = ["didStart", "didCommit", "didFinish"]
DECIDED = ["decideAction", "didStart", "decideResponse", "didCommit", "didFinish"]


def begin(url: str) -> dict:
    return {"op": "loadURL", "url": url, "wait": "none"}


def pause(millis: int) -> dict:
    return {"op": "wait", "millis": millis}


def look(name: str, label: str) -> dict:
    return {"op": "property", "name": name, "as": label}


def until(name: str, value, label: str) -> dict:
    return {"op": "waitProperty", "name": name, "equals": value, "as": label}


def failed(code: int) -> dict:
    return {"didFailProvisional": {"domain": "NSURLErrorDomain", "code": code}}


def failing(url: str, code: int) -> dict:
    """A load that fails, after which everything is as before."""
    return steps(
        visit("{origin}/1"), visit(url), look("url", "url"), look("title", "title"), look("isLoading", "loads"),
        evaluate("document.title", "r"), pages=PAGES,
        events=LOADED + ["didStart", failed(code)], url="{origin}/1", title="one", loads=False, r="one",
    )


CASES = {
    "dead_port": failing("http://127.0.0.1:{closedPort}/", -1004),
    "unknown_scheme": failing("foo://bar/", -1002),
    "reload": steps(visit("{origin}/1"), {"op": "reload"}, look("title", "title"), pages=PAGES, events=LOADED * 2, title="one"),
    "back_and_forward": steps(
        visit("{origin}/1"), visit("{origin}/2"), {"op": "goBack"}, look("title", "back"), {"op": "goForward"}, look("title", "forward"),
        pages=PAGES, events=LOADED * 4, back="one", forward="two",
    ),
    "nothing_ahead": steps(
        visit("{origin}/1"), {"op": "goForward", "wait": "none"}, pause(300), look("isLoading", "loads"), pages=PAGES, events=LOADED, loads=False
    ),
    "states_are_no_loads": steps(
        visit("{origin}/1"), evaluate("window.kept = 1; history.pushState({a: 1}, '', '/a'); history.pushState({}, '', '?b'); 0", "pushed"),
        until("url", "{origin}/a?b", "url"), evaluate("history.back(); 0", "went"), until("url", "{origin}/a", "back"),
        evaluate("[kept, history.state]", "r"), look("canGoForward", "ahead"), pages=PAGES,
        url="{origin}/a?b", back="{origin}/a", r=[1, {"a": 1}], ahead=True, events=LOADED,
    ),
    "stopped_at_once": steps(
        visit("{origin}/1"), begin("{origin}/slow"), {"op": "stopLoading"}, pause(1300), look("url", "url"), look("isLoading", "loads"),
        evaluate("document.title", "r"), pages=SLOW, lastEvents=[failed(-999)], url="{origin}/1", loads=False, r="one",
    ),
    "stopped_without_a_load": steps(
        visit("{origin}/1"), {"op": "stopLoading"}, pause(200), look("url", "url"), pages=PAGES, events=LOADED, url="{origin}/1"
    ),
    "superseded": steps(
        visit("{origin}/1"), begin("{origin}/slow"), pause(200), visit("{origin}/2"), pause(1000), look("title", "title"), pages=SLOW,
        events=LOADED + ["didStart", failed(-999)] + LOADED, title="two",
    ),
    "page_leaves_while_it_is_finished": steps(
        {**visit("{origin}/1"), "inDidFinish": {"op": "evaluate", "script": "location.href = '/2'; document.title", "as": "r"}},
        until("title", "two", "title"), pause(200), pages=PAGES, events=LOADED * 2, r="one", title="two",
    ),
    "decisions_on_a_page's_own_load": steps(
        {**visit("{origin}/1"), "policies": True}, evaluate("location.href = '/2'; 0", "went"), until("title", "two", "title"), pause(200),
        pages=PAGES, events=DECIDED * 2, title="two",
    ),
    "no_decision_on_a_state": steps(
        {**visit("{origin}/1"), "policies": True}, evaluate("history.pushState(1, '', '/state'); 0"), until("url", "{origin}/state", "url"),
        pages=PAGES, events=DECIDED, url="{origin}/state",
    ),
    "titles": steps(
        load("<!doctype html><title>a</title>"), evaluate("document.title = ' x \\n  y '; 0"), until("title", "x y", "spaces"),
        evaluate("document.title = 'z'.repeat(5000); 0"), until("title", "z" * 4096, "long"),
        evaluate("document.querySelector('title').remove(); 0"), until("title", "", "none"), spaces="x y", long="z" * 4096, none="",
    ),
}
