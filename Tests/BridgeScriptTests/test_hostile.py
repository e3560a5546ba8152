"""A page that overwrites everything it can reach does not break its bridge."""

import pytest

OVERWRITE = """<script>
  const nope = () => { throw new Error('the page has overwritten this') };
  for (const name of ['JSON', 'Promise', 'WebSocket', 'Map', 'Set', 'Date', 'Reflect', 'Proxy', 'Error', 'SyntaxError', 'String',
                      'Object', 'Array', 'TextEncoder', 'DOMException', 'structuredClone', 'reportError', 'setTimeout',
                      'clearTimeout', 'MessageChannel', 'fetch', 'sessionStorage', 'URL', 'Event', 'eval']) {
    try { Object.defineProperty(window, name, {value: nope, configurable: true, writable: true}) } catch (e) {}
  }
</script>"""

PATCH = """<script>
  const bad = () => { throw new Error('the page has patched this') };
  const prototypes = [Object.prototype, Array.prototype, String.prototype, Map.prototype, Set.prototype, Date.prototype,
    Promise.prototype, WebSocket.prototype, EventTarget.prototype, Event.prototype, Function.prototype, TextEncoder.prototype,
    Node.prototype, Element.prototype, Storage.prototype, JSON, Reflect, Math];
  const keep = new Set(['constructor', 'toString', 'valueOf', 'call', 'apply', 'bind', 'hasOwnProperty']);
  for (const prototype of prototypes) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const found = Object.getOwnPropertyDescriptor(prototype, name);
      if (keep.has(name) && prototype !== Promise.prototype || !found.configurable) continue;
      if (typeof found.value === 'function') Object.defineProperty(prototype, name, {...found, value: bad});
    }
  }
  Function.prototype.call = Function.prototype.apply = Function.prototype.bind = bad;
  Array.prototype[Symbol.iterator] = bad;
  Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 'hacked';
  Object.prototype[Symbol.toStringTag] = 'Blob';
  for (const name of ['sync', 'part', 'method', 'id', 'a', 'n', 'get', 'set', 'then', '$', 'once', 'capture', 'signal', 'source']) {
    Object.defineProperty(Object.prototype, name, {value: 'polluted', configurable: true, writable: true});
  }
  for (const index of [0, 1, 2]) Object.defineProperty(Array.prototype, index, {set: bad, get: () => 'polluted', configurable: true});
</script>"""


def exercise(relay, tab, page):
    host = relay.add_host()
    tab.open(head=page)
    assert host.evaluate("1 + 1") == 2
    assert host.evaluate("new (class { constructor() { this.list = [{a: null}]; this.text = 'x' } })()") \
        == {"list": [{"a": None}], "text": "x"}
    host.evaluate("webkit.messageHandlers.echo.postMessage({deep: [[1, 'two'], {three: 3}]}); 0")
    host.wait(lambda: host.messages)
    assert host.messages == [("echo", {"deep": [[1, "two"], {"three": 3}]})]
    assert host.evaluate("\nnoSuchName")["data"]["line"] == 2
    assert host.evaluate("webkit.messageHandlers.echo.postMessage(() => 1)")["message"].startswith("DataCloneError")
    assert host.evaluate("document.createElement('p')")["code"] == 5
    assert host.call_async("return [x, await 1]", {"x": {"y": [1]}}) == [{"y": [1]}, 1]
    relay.cut()
    assert host.evaluate("3") == 3
    host.configure(["other"])
    assert host.evaluate("typeof webkit.messageHandlers.other.postMessage") == "function"
    big = host.call("callAsync", {"source": "return text", "arguments": {"text": "€" * 100_000}})
    assert big["result"] == "€" * 100_000
    return host


def test_overwrittenGlobalsDoNotMatter(relay, tab):
    exercise(relay, tab, OVERWRITE)


def test_patchedPrototypesDoNotMatter(relay, tab):
    host = exercise(relay, tab, PATCH)
    assert host.evaluate("new Date(0)") == {"$": ["date", 0]}


def test_aForgedBootIsIgnored(relay, tab):
    host = relay.add_host(handlers=["real"])
    tab.open(head="<script>__pagebridge__.boot('{\"handlers\":[\"forged\"],\"version\":9,\"scripts\":[]}')</script>")
    assert host.evaluate("['real' in webkit.messageHandlers, 'forged' in webkit.messageHandlers]") == [True, False]
    assert host.evaluate("'use strict'; try { window.__pagebridge__ = 1 } catch (e) { e.name }") == "TypeError"


def test_topLevelNamesOfThePageDoNotHurt(relay, tab):
    host = relay.add_host()
    tab.open(head="<script>var webkit; var pagebridge = 3</script><script>let name1 = 1</script>")
    assert host.evaluate("typeof webkit.messageHandlers.echo") == "object"


# Replaces every global, every method and accessor of every prototype and namespace, also on the instances that bridge.js
# uses, and leaves traps for whoever reads or sets a member that is not there.
SCORCH = """<script>(() => {
  const {getOwnPropertyNames, getOwnPropertySymbols, getOwnPropertyDescriptor, defineProperty, getPrototypeOf} = Object;
  const bad = () => { throw 'scorched' };
  const found = [], names = getOwnPropertyNames(window);
  const add = (object) => {
    for (; object !== null && (typeof object === 'object' || typeof object === 'function'); object = getPrototypeOf(object)) {
      for (let i = 0; i < found.length; i++) if (found[i] === object) return;
      found[found.length] = object;
    }
  };
  for (let i = 0; i < names.length; i++) {
    let value;
    try { value = window[names[i]] } catch (_) { continue }
    if (value === window || names[i] === 'webkit' || names[i] === 'pagebridge' || names[i] === '__pagebridge__') continue;
    add(value);
    if (typeof value === 'function') try { add(value.prototype) } catch (_) {}
  }
  for (const object of [document, history, navigator, performance, crypto, console, sessionStorage, localStorage, location,
    function* () {}, (function* () {})(), async () => {}, (async function* () {})(), [][Symbol.iterator](), ''[Symbol.iterator](),
    new Map()[Symbol.iterator](), document.documentElement, document.head, new MessageChannel().port1]) add(object);
  const scorch = (object, key) => {
    const old = getOwnPropertyDescriptor(object, key);
    if (!old || key === 'prototype') return;
    const next = {__proto__: null, configurable: old.configurable, enumerable: old.enumerable};
    if (old.get || old.set) next.get = next.set = bad;
    else if (typeof old.value !== 'function') return;
    else next.value = bad, next.writable = old.writable;
    try { defineProperty(object, key, next) } catch (_) {}
  };
  for (const name of ['write', 'createElement', 'title', 'documentElement', 'currentScript', 'querySelector', 'readyState', 'append'])
    try { defineProperty(document, name, {get: bad, set: bad}) } catch (_) {}
  for (const [object, name] of [[history, 'pushState'], [history, 'replaceState'], [sessionStorage, 'setItem'], [performance, 'now']])
    try { defineProperty(object, name, {value: bad}) } catch (_) {}
  const keys = [];
  for (let i = 0; i < found.length; i++) keys[i] = [getOwnPropertyNames(found[i]), getOwnPropertySymbols(found[i])];
  const ObjectPrototype = Object.prototype, ArrayPrototype = Array.prototype;
  for (let i = 0; i < found.length; i++)
    for (let j = 0; j < 2; j++)
      for (let k = 0; k < keys[i][j].length; k++) scorch(found[i], keys[i][j][k]);
  for (let i = 0; i < names.length; i++) {
    const name = names[i], old = getOwnPropertyDescriptor(window, name);
    if (!old || name === 'webkit' || name === 'pagebridge' || name === '__pagebridge__') continue;
    try { defineProperty(window, name, {__proto__: null, value: bad, configurable: true, writable: true}) } catch (_) {}
    if (old.writable) try { window[name] = bad } catch (_) {}
  }
  const traps = {__proto__: null, list: ['toJSON', 'then', 'get', 'set', 'value', 'writable', 'enumerable', 'configurable', 'sync',
    'part', 'method', 'id', 'n', 'a', 'd', 'first', 'last', 'next', 'cause', 'text', 'source', 'parent', 'keys', 'count', 'index',
    'once', 'capture', 'signal', 'passive', 'bubbles', 'element', 'form', 'name', 'world', 'error', 'line', 'result', 'params',
    'frame', 'handler', 'replies', '$', '0', '1', 'length']};
  for (let i = 0; i < traps.list.length; i++) {
    try { defineProperty(ObjectPrototype, traps.list[i], {__proto__: null, get: () => 'polluted', set: bad, configurable: true}) } catch (_) {}
    if (i > 40) try { defineProperty(ArrayPrototype, traps.list[i], {__proto__: null, get: () => 'polluted', set: bad, configurable: true}) } catch (_) {}
  }
  pagebridge.register('own', (x) => [x, 1]);
})()</script>"""


@pytest.mark.parametrize("way", ["eval", "inline", "relay"])
def test_aPageThatScorchesItsRealmKeepsItsBridge(relay, tab, way):
    policies = {"inline": "script-src 'self' 'unsafe-inline'", "relay": "script-src 'self'"}
    headers = {"Content-Security-Policy": policies[way]} if way in policies else {}
    relay.pages["/scorch.js"] = ("text/javascript", SCORCH[len("<script>"):-len("</script>")], {})
    relay.pages["/next"] = ("text/html", '<!doctype html><script src="/bridge.js" data-app="test"></script><title>next</title>', {})
    host = relay.add_host(handlers=["echo", {"name": "ask", "reply": True}])
    host.answer_message = lambda params: {"result": params["body"]}
    # Drivers need the page's own globals, so it is the host that goes to the page.
    tab.open(path="/start")
    host.evaluate("1")
    host.notify("load", {"url": tab.page(head='<script src="/scorch.js"></script>', headers=headers)})
    host.wait(lambda: any(each["phase"] == "finished" and each["url"].endswith("/page") for each in host.navigations))

    def works(number):
        assert host.evaluate("1 + 1") == 2
        assert host.evaluate("({a: [1, {b: null}], 't': 'x'})") == {"a": [1, {"b": None}], "t": "x"}
        assert host.evaluate("var v = 3; v + 1") == 4
        error = host.evaluate("\nthrow 'text'")
        assert (error["code"], error["message"], error["data"]["line"]) == (4, "text", 2)
        assert host.evaluate("\nnoSuchName")["code"] == 4
        assert host.evaluate("\n a b c")["code"] == 4
        assert host.evaluate("(() => 1)")["code"] == 5
        assert host.evaluate("document")["code"] == 5
        assert host.call_async("return [x, await 1]", {"x": {"y": [1], "": 2}}) == [{"y": [1], "": 2}, 1]
        assert host.call_async("throw 'reason'")["message"] == "reason"
        assert host.call("callRegistered", {"name": "own", "arguments": [{"z": 1}]})["result"] == [{"z": 1}, 1]
        count = len(host.messages)
        host.evaluate("webkit.messageHandlers.echo.postMessage({deep: [[%d, 'two'], {three: 3}]}); 0" % number)
        host.evaluate("webkit.messageHandlers.ask.postMessage(['question']); 0")
        host.wait(lambda: len(host.messages) == count + 2)
        assert host.messages[count:] == [("echo", {"deep": [[number, "two"], {"three": 3}]}), ("ask", ["question"])]
        refused = "var r = 0; try { webkit.messageHandlers.echo.postMessage(() => 1) } catch (e) { r = 5 }"
        host.evaluate(refused)
        assert host.evaluate("r") == 5

    works(1)
    relay.cut()
    works(2)
    relay.host_away()
    relay.host_back()
    works(3)
    host.configure(["other", "echo", {"name": "ask", "reply": True}])
    works(4)
    text = "€\"" * 100_000
    assert host.call("callAsync", {"source": "return text", "arguments": {"text": text}})["result"] == text
    phases = lambda: [each["phase"] for each in host.navigations if each["url"].endswith("/next")]
    host.notify("load", {"url": relay.url + "/next"})
    host.wait(lambda: "finished" in phases(), what="the next page")
    assert host.evaluate("document.title") == "next"
    host.notify("go", {"delta": -1})
    host.wait(lambda: host.navigations[-1]["phase"] == "finished" and host.navigations[-1]["url"].endswith("/page"))
    works(5)
    before = len(relay.attaches)
    host.notify("reload", {})
    host.wait(lambda: len(relay.attaches) > before and host.channel.synced, what="the reloaded page")
    works(6)
