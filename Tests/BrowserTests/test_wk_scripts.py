"""Rows of the common web-view surface about scripts: what they give, and where and how long they run."""

from harness.values import NIL, typed

UNSUPPORTED = "JavaScript execution returned a result of an unsupported type"


def test_WK_11_an_unsupported_result_is_an_error_of_its_own(probe, put, open_window):
    host = probe()
    open_window(put()).attached()
    for source in ("() => 1", "Promise.resolve(1)", "[1, {f() {}}]", "window"):
        answer = host.answer(host.send("evaluate", source=source))
        assert "result" not in answer
        error = answer["error"]
        assert (error["domain"], error["code"], error["description"]) == ("WKErrorDomain", 5, UNSUPPORTED)
        assert list(error["userInfo"]) == ["NSLocalizedDescription"]
    assert host.evaluate("1") == typed(1)


def test_WK_12_a_call_ends_with_an_error_when_the_page_is_reloaded(probe, put, open_window):
    host = probe()
    window = open_window(put())
    window.attached()
    number = host.send("callAsync", source="await new Promise(() => {})", arguments={})
    assert host.evaluate("0") == typed(0)
    window.reload()
    answer = host.answer(number, timeout=10)
    assert answer["error"]["code"] == 4
    assert "no longer reachable" in answer["error"]["userInfo"]["WKJavaScriptExceptionMessage"]
    assert host.evaluate("void 0") == NIL
    assert len(host.journal.matching(event="answer", id=number)) == 1


def test_WK_14_a_main_frame_script_does_not_run_in_a_frame(probe, put, open_window):
    scripts = [
        {"source": "window.mainOnly = (window.mainOnly || 0) + 1", "time": "start", "mainFrameOnly": True},
        {"source": "window.everywhere = (window.everywhere || 0) + 1", "time": "start", "mainFrameOnly": False},
    ]
    probe(handlers=["iOSNative"], scripts=scripts)
    inner = put("window.seen = [typeof window.mainOnly, window.everywhere];", path="/inner")
    window = open_window(put(body=f'<iframe src="{inner}"></iframe>'))
    window.wait("frames[0] && frames[0].seen")
    assert window.value("frames[0].seen") == ["undefined", 1]
    assert window.value("[mainOnly, everywhere]") == [1, 1]
