"""Values at the limits, through the real relay: texts of 16 MiB and values of 40,000 levels, both ways."""

import hashlib

import pytest
from harness.processes import ProbeError
from harness.values import typed

SIZE = 16 * 1024 * 1024
DIGEST = """
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
const digest = async (text) => hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
const pieces = {plain: 'abcdefghijklmno ', escaped: '"\\\\\\n\\t/<&>\\r"\\b\\f\\\\""', wide: 'é😀€\\u2028aa\\u0301'};
const make = (kind) => {
  const piece = pieces[kind], size = new TextEncoder().encode(piece).length;
  return piece.repeat(Math.floor(SIZE / size)) + 'x'.repeat(SIZE % size);
};
const post = (body) => webkit.messageHandlers.large.postMessage(body);
""".replace("SIZE", str(SIZE))


def digest_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@pytest.mark.parametrize("kind", ["plain", "escaped", "wide"])
def test_sixteen_mebibytes_of_text_arrive_with_equal_hash_both_ways(kind, probe, put, open_window):
    host = probe(handlers=["large"])
    window = open_window(put(DIGEST))
    window.attached()
    length, wanted = window.promise(
        f"(async () => {{ const text = make('{kind}'); post(text); "
        "return [new TextEncoder().encode(text).length, await digest(text)] })()"
    )
    assert length == SIZE
    body = host.received("large", timeout=60)["body"]
    assert (body["bytes"], digest_of(body["file"])) == (SIZE, wanted)
    # Back as an argument, and from the page once more as a result.
    result = host.do("callAsync", source="return [await digest(text), text.length]", arguments={"text": {"$file": body["file"]}}, timeout=60)
    assert result["value"][0] == typed(wanted)
    result = host.do("callAsync", source="return text", arguments={"text": {"$file": body["file"]}}, timeout=60)
    assert (result["bytes"], digest_of(result["file"])) == (SIZE, wanted)


def test_a_result_of_five_megabytes_runs_its_script_once(probe, put, proxy, open_window):
    host = probe(handlers=["large"])
    # The connection breaks again and again while the result is on its way.
    through = proxy(budgets=[1_500_000, 1_000_000, 2_000_000])
    open_window(put("var runs = 0", through=f"http://127.0.0.1:{through.port}"))
    result = host.evaluate("runs++; 'y'.repeat(5000000)", timeout=60)
    assert result["bytes"] == 5_000_000
    assert host.evaluate("runs") == typed(1)


def levels(value: dict) -> int:
    """How deep a value is that the journal does not write out."""
    return value["levels"] if value["kind"] == "deep" else value["depth"]


def test_forty_thousand_levels_cross_and_one_more_is_an_error(probe, put, open_window):
    host = probe(handlers=["large"])
    window = open_window(put(DIGEST))
    window.attached()
    nest = "(() => { let v = 0; for (let i = 0; i < %d; i++) v = %s; return v })()"
    for inner in ("[v]", "({v})"):
        assert levels(host.evaluate(nest % (40_000, inner))) == 40_000
        with pytest.raises(ProbeError) as caught:
            host.evaluate(nest % (40_001, inner))
        assert (caught.value.error["domain"], caught.value.error["code"]) == ("WKErrorDomain", 5)
    host.evaluate(f"post({nest % (40_000, '[v]')}); 0")
    assert levels(host.received("large")["body"]) == 40_000
    host.evaluate(f"try {{ post({nest % (40_001, '[v]')}) }} catch (error) {{ post(error.name) }}; 0")
    assert host.received("large", 2)["body"] == typed("DataCloneError")
    count = "let n = 0; while (Array.isArray(v)) { v = v[0]; n++ } return n"
    assert host.do("callAsync", source=count, arguments={"v": {"$deep": 39_999}}) == typed(39_999)
    with pytest.raises(ProbeError) as caught:
        host.do("callAsync", source=count, arguments={"v": {"$deep": 40_001}})
    assert "40000" in caught.value.error["description"]
    assert host.evaluate("1") == typed(1)
