"""A page that overwrites everything it can reach does not break its bridge."""

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
