"""Handlers, replies, user scripts, worlds and frames."""

from .form import call, evaluate, handler, load, messages, steps, user_script, visit

H = "webkit.messageHandlers.h.postMessage"
ASK = "return await webkit.messageHandlers.h.postMessage(v)"
A, B, CLIENT = {"world": "named:A"}, {"world": "named:B"}, {"world": "client"}
FRAME = {"/": "<!doctype html><iframe id=f src='/f'></iframe>", "/f": "<!doctype html><title>inner</title>f", "/2": "<!doctype html>2"}

NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "length", "then", "漢", "😀", "a.b", "0", " ", "x" * 1000]

CASES = {
    "message_before_completion": steps(
        handler("h"), load(), evaluate(f"{H}('m'); 'done'", "r"), messages(1), r="done", events=["message:m", "r"]
    ),
    "order_over_handlers": steps(
        handler("h"), handler("g"), load(),
        evaluate("for (let i = 0; i < 6; i++) webkit.messageHandlers[i % 2 ? 'h' : 'g'].postMessage(i); 0"), messages(6),
        messages=[["g", 0], ["h", 1], ["g", 2], ["h", 3], ["g", 4], ["h", 5]],
    ),
    "snapshot": steps(
        handler("h"), load(), evaluate(f"const o = {{n: 1}}; {H}(o); o.n = 2; 0"), messages(1), messages=[["h", {"n": 1}]]
    ),
    "handler_objects": steps(
        handler("h"), handler("toString"), load(),
        evaluate("const m = webkit.messageHandlers; [m.h === m.h, Object.keys(m).length, typeof m.toString.postMessage, delete m.h, 'no' in m]", "r"),
        r=[True, 0, "function", False, False],
    ),
    "refused_bodies": steps(
        handler("h"), load(),
        call("const names = []; for (const v of [window, () => 1, [Promise.resolve()], document.body]) try { await webkit.messageHandlers.h.postMessage(v) } catch (e) { names.push(e.name) } return names", "r"),
        evaluate(f"{H}('fence'); 0"), messages(1),
        r=["DataCloneError"] * 4, messages=[["h", "fence"]],
    ),
    "document_written_anew": steps(
        handler("h"), load(),
        evaluate(f"document.open(); document.write('<script>{H}(1)<\\/script>'); document.close(); 0"), messages(1),
        messages=[["h", 1]],
    ),
    "echo": steps(
        handler("h", reply="echo"), load(), call(ASK, "r", arguments={"v": {"a": [1, None, True], "d": {"$date": 0.007}}}),
        r={"a": [1, None, True], "d": {"$date": 0.007}},
    ),
    "reply_of_nothing": steps(
        handler("h", reply={"value": {"$nil": True}}), load(), call(f"return typeof await {H}(0)", "r"), r="undefined"
    ),
    "reply_with_an_error": steps(
        handler("h", reply={"error": ""}), load(), call(f"try {{ await {H}(0) }} catch (e) {{ return [e instanceof Error, e.message] }}", "r"),
        r=[True, ""],
    ),
    "reply_that_does_not_cross": steps(
        handler("h", reply={"value": [{"$native": 1}]}), load(), call(f"await {H}(0)", "r"),
        r={"$error": 4, "messageEquals": "Error: The result value passed back from the WKWebView API client was unable to be serialized"},
    ),
    "reply_that_never_comes": steps(
        handler("h", reply="drop"), load(), call(f"await {H}(0)", "r"),
        r={"$error": 4, "messageContains": "did not respond to this postMessage"},
    ),
    "reply_twice": steps(handler("h", reply="twice"), load(), call(ASK, "r", arguments={"v": 1}), r=1),
    "replies_in_reverse": steps(
        handler("h", reply="echoReversed", batch=10), load(),
        call(f"return await Promise.all(Array.from({{length: 10}}, (_, i) => {H}(i)))", "r"), r={"$seq": [0, 9]},
    ),
    "removed_handler": steps(
        handler("h"), load(), evaluate("var held = webkit.messageHandlers.h; 0", "held"), {"op": "removeHandler", "name": "h"},
        call("return held.postMessage(1).then(() => 'sent', (e) => e.name)", "r"), r="InvalidAccessError", messages=[],
    ),
    "worlds_are_separate": steps(
        load(), evaluate("var v = 1; w = 2; window.x = 3; 0", **A), evaluate("var v = 'b'", **B),
        evaluate("[v, w, x]", "a", **A), evaluate("[v, typeof w]", "b", **B), evaluate("[typeof v, typeof w, typeof x]", "page"),
        evaluate("[typeof v, this === window]", "client", **CLIENT),
        a=[1, 2, 3], b=["b", "undefined"], page=["undefined"] * 3, client=["undefined", True],
    ),
    "worlds_share_the_document": steps(
        load(), evaluate("document.title = 'by the client'; 0", **CLIENT), evaluate("document.title", "r"), r="by the client"
    ),
    "handlers_of_a_world": steps(
        handler("h", reply="echo", **A), load(), evaluate("typeof window.webkit", "page"),
        call(ASK, "r", arguments={"v": 3}, **A), page="undefined", r=3, message={"world": "named:A", "name": "h"},
    ),
    "user_script_of_a_world": steps(
        user_script("var early = document.body === null", **CLIENT), load(), evaluate("early", "r", **CLIENT),
        evaluate("typeof early", "page"), r=True, page="undefined",
    ),
    "user_scripts_in_order": steps(
        user_script("window.log = ['first']"), user_script("log.push('end')", "end"), user_script("log.push('second')"),
        user_script("throw 1"), user_script("log.push('third')"), load("<script>log.push('page')</script>"),
        evaluate("log", "r"), r=["first", "second", "third", "page", "end"],
    ),
    "user_scripts_of_later_documents": steps(
        user_script("window.n = (window.n || 0) + 1"), load(), evaluate("n", "first"), {"op": "removeAllUserScripts"},
        evaluate("n", "still"), load(), evaluate("typeof window.n", "later"), first=1, still=1, later="undefined",
    ),
    "user_scripts_in_frames": steps(
        user_script("window.who = window === top ? 'main' : 'frame'", main=False), user_script("window.only = 1"),
        visit("{origin}/"), evaluate("[who, frames[0].who, frames[0].only === undefined, only]", "r"), pages=FRAME,
        r=["main", "frame", True, 1],
    ),
    "evaluate_in_a_frame": steps(
        visit("{origin}/"), {"op": "captureFrame", "as": "F"}, evaluate("document.title", "r", frame="F"),
        call("return [window !== top, v]", "c", arguments={"v": 2}, frame="F"), pages=FRAME, r="inner", c=[True, 2],
    ),
    "frame_that_is_gone": steps(
        visit("{origin}/"), {"op": "captureFrame", "as": "F"}, visit("{origin}/2"), evaluate("1", "r", frame="F"), pages=FRAME,
        r={"$error": 12},
    ),
    "call_that_a_navigation_ends": steps(
        load(), call("await new Promise(() => {})", "r"), load(), r={"$error": 4, "messageContains": "no longer reachable"}
    ),
    "odd_names": steps(
        *[handler(name, reply="echo") for name in NAMES], load(),
        call("const r = []; for (const n of names) r.push(await webkit.messageHandlers[n].postMessage(n)); return r", "r", arguments={"names": NAMES}),
        r=NAMES,
    ),
    "shape_of_the_objects": steps(
        handler("h"), load(),
        evaluate("const m = webkit.messageHandlers; [String(m.h), String(m), String(webkit), m.h.hasOwnProperty('postMessage'), m.h.postMessage.length, webkit === webkit]", "r"),
        evaluate("webkit.messageHandlers.h.mine = 7; webkit.messageHandlers.h = 1; window.webkit = 2; webkit.messageHandlers.h.mine", "kept"),
        evaluate("webkit", "webkit"), evaluate("[webkit.messageHandlers.h]", "handler"),
        r=["[object UserMessageHandler]", "[object UserMessageHandlersNamespace]", "[object WebKitNamespace]", False, 1, True],
        kept=7, webkit={"$error": 5}, handler={"$error": 5},
    ),
    "post_of_another_handler": steps(
        handler("h"), handler("g"), load(), evaluate("webkit.messageHandlers.g.postMessage.call(webkit.messageHandlers.h, 1); 0"), messages(1),
        messages=[["h", 1]],
    ),
    "post_without_a_handler": steps(
        handler("h"), load(),
        call("const post = webkit.messageHandlers.h.postMessage; const all = []; for (const self of [{}, undefined, webkit.messageHandlers]) all.push(await post.call(self, 1).catch((e) => e.name)); return all", "r"),
        evaluate("try { webkit.messageHandlers.h.postMessage() } catch (e) { e.name }", "nothing"),
        r=["TypeError"] * 3, nothing="TypeError", messages=[],
    ),
    "no_webkit_without_handlers": steps(
        load(), evaluate("typeof window.webkit", "before"), handler("h"), evaluate("typeof window.webkit", "with"),
        {"op": "removeHandler", "name": "h"}, evaluate("typeof window.webkit", "after"), handler("h"), evaluate(f"{H}(1); 0"), messages(1),
        messages=[["h", 1]], **{"before": "undefined", "with": "object", "after": "undefined"},
    ),
    "removed_handler_does_not_come_back": steps(
        handler("h"), load(), evaluate("var held = webkit.messageHandlers.h; 0", "held"), {"op": "removeHandler", "name": "h"}, handler("h"),
        call("return [await held.postMessage(1).catch((e) => e.name), held === webkit.messageHandlers.h]", "r"),
        r=["InvalidAccessError", False], messages=[],
    ),
    "hostile_bodies": steps(
        handler("h", reply="echo"), load(),
        call("const names = []; const r = Proxy.revocable({}, {}); r.revoke(); for (const v of [r.proxy, [new Proxy({}, {ownKeys() { throw 1 }})], Intl, document.all]) try { await webkit.messageHandlers.h.postMessage(v) } catch (e) { names.push(e.name) } return names", "r"),
        r=["DataCloneError"] * 4, messages=[],
    ),
    "scripts_of_a_world": steps(
        load(), evaluate("1;\n}", "syntax", **A), evaluate("'use strict'; var kept = 1; function f() { return kept }; 2", "strict", **A),
        evaluate("kept = 3; f()", "r", **A), evaluate("typeof kept", "page"), evaluate("throw {}", "thrown", **A),
        syntax={"$error": 4, "messageStartsWith": "SyntaxError", "line": 2}, strict=2, r=3, page="undefined",
        thrown={"$error": 4, "messageEquals": "[object Object]"},
    ),
}
