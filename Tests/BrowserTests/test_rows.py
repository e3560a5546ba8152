"""Each row that the browser tests have to cover has a test with its id, and what no page can do stands in the documentation."""

import json
import re
from pathlib import Path

ROWS = [f"{name}_{number:02}" for name, count in {"WK": 19, "WV": 34, "GS": 55, "GB": 63, "SQ": 49}.items() for number in range(1, count + 1)]
BUGS = [f"B{number:02}" for number in (1, 3, 5, 8, 10, 11, 14, 16, 18, 19, 21, 23, 25, 28, 30, 32, 34, 36, 37)]


def test_each_row_has_a_test_with_its_id():
    files = Path(__file__).parent.glob("test_*.py")
    names = re.findall(r"^def test_((?:[A-Z]{2}_|B)\d\d)", "\n".join(file.read_text() for file in files), re.M)
    assert [row for row in [*ROWS, *BUGS] if row not in names] == []


SOURCES = Path(__file__).parents[2] / "Sources/PageBridgeWebKit/PageBridgeWebKit.docc"

# The words of "What differs from WebKit" that a case's reason stands under.
DIFFERENCES = {
    "A page's own policy holds for every script that runs in it, whoever sent it.": "the page's policy does not hold for the app's scripts",
    "A value is made of value-typed containers, which cannot hold themselves.": "a value that holds itself crosses",
    "A page is not told in time that a promise was collected.": "a call ends when its promise is collected",
    "All scripts of a page share one realm.": "content worlds have a realm each",
    "A document's address is where it was loaded from.": "a string or data have the origin of their base URL",
    "Scripts of a page do not reach into a frame of another origin.": "frames of other origins",
}
# Reasons for which the behaviour is WebKit's all the same.
BRIDGED = {"A page cannot tell a proxy from its target by its members."}


def test_what_no_page_can_do_stands_in_the_documentation():
    cases = json.loads((Path(__file__).parent / "cases/webkit.json").read_text())
    reasons = {case["reason"] for case in cases if case["reach"] == "unreachable"}
    assert reasons - BRIDGED == set(DIFFERENCES)
    text = "".join((SOURCES / name).read_text() for name in ("WhatDiffers.md", "Porting.md"))
    assert [words for words in DIFFERENCES.values() if words.lower() not in text.lower()] == []
