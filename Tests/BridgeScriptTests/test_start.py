"""The start of a document: attach, the host's script, the first posts."""


def test_handlersExistBeforeTheFirstInlineScript(relay, tab):
    relay.add_host(handlers=["echo", "toString"])
    tab.open(head="<script>window.seen = [typeof webkit, typeof webkit.messageHandlers.echo.postMessage, "
                  "typeof webkit.messageHandlers.nope, 'echo' in webkit.messageHandlers]</script>")
    assert tab.run("return seen") == ["object", "function", "undefined", True]


def test_postsBeforeTheSocketOpensWaitInOrder(relay, tab):
    relay.socket_delay = 0.3
    host = relay.add_host()
    tab.open(head="<script>for (let i = 0; i < 50; i++) webkit.messageHandlers.echo.postMessage(i)</script>")
    host.wait(lambda: len(host.messages) == 50)
    assert host.messages == [("echo", i) for i in range(50)]


def test_aThousandPostsInOneLoopArriveInOrder(relay, tab):
    host = relay.add_host()
    tab.open()
    tab.run("for (let i = 1; i <= 1000; i++) webkit.messageHandlers.echo.postMessage(i)")
    host.wait(lambda: len(host.messages) == 1000)
    assert [body for _, body in host.messages] == list(range(1, 1001))


def test_evaluateGivesTheCompletionValue(relay, tab):
    host = relay.add_host()
    tab.open()
    assert host.evaluate("1 + 2") == 3
    assert host.evaluate("if (true) { 42 }") == 42
    assert host.evaluate("this === window") is True
