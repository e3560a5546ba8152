"""Each row that the browser tests have to cover has a test with its id."""

import re
from pathlib import Path

WK = [f"WK_{number:02}" for number in range(1, 20)]
WV = [f"WV_{number:02}" for number in range(1, 35)]
BUGS = [f"B{number:02}" for number in (1, 3, 5, 8, 10, 11, 14, 16, 18, 19, 21, 23, 25, 28, 30, 32, 34, 36, 37)]


def test_each_row_has_a_test_with_its_id():
    files = Path(__file__).parent.glob("test_*.py")
    names = re.findall(r"^def test_((?:W[KV]_|B)\d\d)", "\n".join(file.read_text() for file in files), re.M)
    assert [row for row in [*WK, *WV, *BUGS] if row not in names] == []
