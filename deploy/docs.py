"""Checks the documentation against the symbol graphs below a folder, one folder a target; ends with 1 if something is wrong.

Each public symbol needs a comment. Left out is what has no place in the sources: members that the compiler makes for a
conformance (==, hash, encode, rawValue's initializer). What implements a requirement has the requirement's comment in the
graph unless it has its own, and so counts as documented; the requirement itself is looked at where it is declared.

What "What differs from WebKit" lists as not here must not be here, and what README.md links to must be.
"""

import json
import os
import re
import sys
import urllib.parse
from pathlib import Path

PAGE = Path("Sources/PageBridgeWebKit/PageBridgeWebKit.docc/WhatDiffers.md")


def read(graphs: list[Path]) -> list[dict]:
    return [symbol for graph in graphs for symbol in json.loads(graph.read_text())["symbols"] if "location" in symbol]


def has_sentence(symbol: dict) -> bool:
    """Whether the comment begins with text, not with a list of parameters."""
    lines = (line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))
    first = next((line for line in lines if line), "")
    return bool(first) and not first.startswith("- ")


def place(symbol: dict) -> tuple[str, int]:
    """File, from the current folder, and line, from 1."""
    path = urllib.parse.unquote(urllib.parse.urlparse(symbol["location"]["uri"]).path)
    return os.path.relpath(path), symbol["location"]["position"]["line"] + 1


def absent() -> list[str]:
    """The names that the page says are not here."""
    text = PAGE.read_text()
    section = re.search(r"^## Not here\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    rows = re.findall(r"^\| (.*) \| not here\b", text, re.M)
    return re.findall(r"(?<!`)`(\w+)", " ".join([section[1] if section else "", *rows]))


def dead_links() -> list[str]:
    """The files that the README links to and that are not there."""
    links = re.findall(r"\]\(([^):]+)\)", Path("README.md").read_text())
    return [link for link in links if not Path(link).exists()]


def main() -> int:
    graphs = sorted(Path(sys.argv[1]).glob("*/*.symbols.json"))
    symbols = read(graphs)
    if not symbols:
        print(f"docs.py: no symbol graphs in {sys.argv[1]}", file=sys.stderr)
        return 1
    missing = sorted((*place(symbol), ".".join(symbol["pathComponents"])) for symbol in symbols if not has_sentence(symbol))
    for path, line, name in missing:
        print(f"{path}:{line} {name}: no comment")
    own = [symbol for symbol in symbols if place(symbol)[0].startswith("Sources/PageBridgeWebKit/")]
    names = {word for symbol in own for part in symbol["pathComponents"] for word in re.findall(r"\w+", part)}
    wrong = [name for name in absent() if name in names]
    for name in wrong:
        print(f"{PAGE}: {name} is called not here, and is")
    if not absent():
        print(f"{PAGE}: nothing is called not here")
    for link in dead_links():
        print(f"README.md: {link} is not there")
    print(f"{len(symbols)} public symbols, {len(missing)} without a comment; {len(absent())} names that are not here")
    return 1 if missing or wrong or not absent() or dead_links() else 0


if __name__ == "__main__":
    sys.exit(main())
