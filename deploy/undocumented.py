"""Lists the public symbols without a comment in the symbol graphs below a folder, one folder a target; ends with 1 if there is one.

Left out is what has no place in the sources: members that the compiler makes for a conformance (==, hash, encode, rawValue's
initializer). What implements a requirement has the requirement's comment in the graph unless it has its own, and so counts as
documented; the requirement itself is looked at where it is declared.
"""

import json
import os
import sys
import urllib.parse
from pathlib import Path


def has_sentence(symbol: dict) -> bool:
  """Whether the comment begins with text, not with a list of parameters."""
  lines = (line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))
  first = next((line for line in lines if line), "")
  return bool(first) and not first.startswith("- ")


def place(symbol: dict) -> tuple[str, int]:
  """File, from the current folder, and line, from 1."""
  path = urllib.parse.unquote(urllib.parse.urlparse(symbol["location"]["uri"]).path)
  return os.path.relpath(path), symbol["location"]["position"]["line"] + 1


def main() -> int:
  graphs = sorted(Path(sys.argv[1]).glob("*/*.symbols.json"))
  if not graphs:
    print(f"undocumented.py: no symbol graphs in {sys.argv[1]}", file=sys.stderr)
    return 1
  symbols = [symbol for graph in graphs for symbol in json.loads(graph.read_text())["symbols"] if "location" in symbol]
  missing = sorted((*place(symbol), ".".join(symbol["pathComponents"])) for symbol in symbols if not has_sentence(symbol))
  for path, line, name in missing:
    print(f"{path}:{line} {name}: no comment")
  print(f"{len(symbols)} public symbols, {len(missing)} without a comment")
  return 1 if missing else 0


if __name__ == "__main__":
  sys.exit(main())
