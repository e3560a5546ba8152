"""Bodies of asynchronous functions: arguments, thenables, rejections."""

from .form import call, evaluate, load, nil, rejects, returns, seconds, special, steps

CASES = {
    "no_return": returns("1 + 1", nil),
    "null": returns("return null", None),
    "boolean": returns("return !1", False),
    "awaited": returns("const a = await Promise.resolve(2); return a * 3", 6),
    "promise_of_a_promise": returns("return new Promise((r) => r(Promise.resolve('inner')))", "inner"),
    "thenable": returns("return {then(done) { setTimeout(() => done([1]), 5) }}", [1]),
    "nested_thenables": returns("return {then(a) { a({then(b) { b('deep') }}) }}", "deep"),
    "first_settlement_wins": returns("return {then(done, fail) { done(1); fail(2); done(3) }}", 1),
    "then_that_is_data": returns("return {then: 'later'}", {"then": "later"}),
    "this_is_the_window": returns("return this === window && arguments.length === 1", True, a=1),
    "arguments_by_name": returns("return [left, right, typeof flag]", ["l", 2, "boolean"], left="l", right=2, flag=True),
    "odd_but_legal_names": returns("return $ + _ + async + let", 10, **{"$": 1, "_": 2, "async": 3, "let": 4}),
    "name_in_another_script": returns("return número", 5, número=5),
    "date_there_and_back": returns("return [d instanceof Date, d]", [True, seconds(86400.5)], d=seconds(86400.5)),
    "special_numbers": returns("return [Object.is(z, -0), n !== n, i]", [True, True, special("-Infinity")], z=special("-0"), n=special("NaN"), i=special("-Infinity")),
    "objects_of_the_page": returns("return o instanceof Object && o.list instanceof Array", True, o={"list": [1]}),
    "argument_that_looks_like_a_tag": returns("return v", {"$": ["date", 1]}, v={"$dict": [["$", ["date", 1]]]}) | {
        "arguments": {"v": {"$": ["date", 1], "x": 0}}, "expect": {"type": "value", "value": {"$": ["date", 1], "x": 0}},
    },
    "shadowing_with_var": returns("var a; return a", 1, a=1),
    "comment_at_the_end": returns("return 1 // done", 1),
    "shadowing_with_let": rejects("let a = 1", arguments={"a": 1}, messageStartsWith="SyntaxError"),
    "reserved_name": rejects("return 1", arguments={"while": 1}, messageStartsWith="SyntaxError"),
    "name_with_a_space": rejects("return 1", arguments={"a b": 1}, messageStartsWith="SyntaxError"),
    "empty_name_among_others": rejects("return 1", arguments={"a": 1, "": 2}, messageStartsWith="SyntaxError"),
    "closing_our_function": rejects("}); (async function () { return 1", messageStartsWith="SyntaxError") | {
        "expect": {"type": "value", "value": {"$any": True}, "alternatives": [{"type": "error", "errorDomain": "WKErrorDomain", "errorCode": 4}]},
    },
    "unsupported_argument": rejects("window.ran = 1", arguments={"v": [{"$data": "00"}]}, messageContains="must be one of the following types", absentKeys=["WKJavaScriptExceptionLineNumber"]),
    "rejection": rejects("return Promise.reject(new RangeError('far'))", messageEquals="RangeError: far", line=0),
    "throw": rejects("await 0; throw 'thrown'", messageEquals="thrown", line=0, absentKeys=["WKJavaScriptExceptionSourceURL"]),
    "rejection_without_reason": rejects("return Promise.reject()", messageEquals="undefined"),
    "rejection_with_an_object": rejects("return Promise.reject({})", messageEquals="[object Object]"),
    "rejection_with_a_symbol": rejects("return Promise.reject(Symbol('s'))"),
    "throwing_then": rejects("return {then() { throw new Error('t') }}", messageEquals="Error: t"),
    "throwing_then_getter": rejects("return {get then() { throw new Error('g') }}", messageEquals="Error: g"),
    "function_result": rejects("return () => 1", code=5),
    "promise_in_an_array": rejects("return [Promise.resolve(1)]", code=5),
    "window_result": rejects("return window", code=5),
    "settlement_order": steps(
        load(), call("await new Promise((r) => setTimeout(r, 60)); return 'slow'", "slow"), call("return 'quick'", "quick"),
        slow="slow", quick="quick", events=["quick", "slow"],
    ),
    "rejections_are_handled": steps(
        load("<script>window.seen = 0; addEventListener('unhandledrejection', () => seen++)</script>"),
        call("throw 1", "thrown"), call("await new Promise((r) => setTimeout(r, 20)); return seen", "seen"),
        thrown={"$error": 4}, seen=0,
    ),
    "results_in_call_order": steps(
        load(), *[evaluate(f"{i} * 2", f"e{i}") for i in range(6)],
        events=[f"e{i}" for i in range(6)], **{f"e{i}": i * 2 for i in range(6)},
    ),
}
