"""The notation of values in cases, compared with the probe host's typed values.

JSON, and `{"$nil": true}`, `{"$num": "NaN"}`, `{"$date": seconds}`, `{"$utf16": units}`, `{"$repeat": [text, count]}`,
`{"$seq": [from, to]}`, `{"$keys": [prefix, from, to]}`, `{"$times": [value, count]}`, `{"$nest": ["array", depth, leaf]}`,
`{"$dict": pairs}`, `{"$data": hex}`, `{"$int64": text}`, `{"$native": any}`, `{"$any": true}`, `{"$regex": text}` and
`{"$contains": text}` for what JSON lacks. `{"$cycle": path}` never matches: a value's containers cannot hold themselves.
"""

import re
from pathlib import Path

SPELLED = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf", "-0": "-0.0"}


def text_of(typed: dict) -> str:
    """The text of a typed string, long or not."""
    if "file" in typed:
        return Path(typed["file"]).read_bytes().decode()
    return typed.get("value", "")


def typed_of(value) -> dict:
    """The typed form of a value that came as JSON."""
    if value is None or value == {"$nil": True}:
        return {"kind": "nil"}
    kinds = {bool: "bool", int: "number", float: "number", str: "string"}
    if type(value) in kinds:
        return {"kind": kinds[type(value)], "value": value}
    if isinstance(value, list):
        return {"kind": "array", "value": [typed_of(item) for item in value]}
    return {"kind": "object", "value": {key: typed_of(item) for key, item in value.items()}}


def units_of(text: str) -> list[int]:
    """The UTF-16 code units."""
    bytes_ = text.encode("utf-16-le", "surrogatepass")
    return [bytes_[at] | bytes_[at + 1] << 8 for at in range(0, len(bytes_), 2)]


def matches(expected, typed) -> bool:
    """Whether a typed value of the probe host is what the notation says."""
    if typed is None:
        return False
    kind, value = typed["kind"], typed.get("value")
    if expected is None:
        return kind == "null"
    if isinstance(expected, bool):
        return kind == "bool" and value == expected
    if isinstance(expected, (int, float)):
        return kind == "number" and not isinstance(value, str) and value == expected
    if isinstance(expected, str):
        return kind == "string" and text_of(typed) == expected
    if isinstance(expected, list):
        return kind == "array" and len(value) == len(expected) and all(map(matches, expected, value))
    if len(expected) == 1:
        (name, argument), = expected.items()
        if name in SPECIAL:
            return SPECIAL[name](argument, kind, value, typed)
        if name == "$dict":
            expected = dict(argument)
    return kind == "object" and value.keys() == expected.keys() and all(matches(expected[key], value[key]) for key in expected)


def _text(kind: str, typed: dict, fits) -> bool:
    return kind == "string" and bool(fits(text_of(typed)))


def _nest(argument: list, typed: dict) -> bool:
    _, depth, leaf = argument
    if typed["kind"] == "nest":
        return typed["depth"] == depth and matches(leaf, typed["leaf"])
    for _ in range(depth):
        if typed["kind"] != "array" or len(typed["value"]) != 1:
            return False
        typed = typed["value"][0]
    return matches(leaf, typed)


def _number(kind: str, value, fits) -> bool:
    return kind == "number" and not isinstance(value, str) and fits(value)


SPECIAL = {
    "$nil": lambda _, kind, value, typed: kind == "nil",
    "$any": lambda _, kind, value, typed: True,
    "$num": lambda name, kind, value, typed: kind == "number" and value == SPELLED[name],
    "$date": lambda seconds, kind, value, typed: kind == "date" and (
        value == SPELLED[seconds["$num"]] if isinstance(seconds, dict)
        else not isinstance(value, str) and abs(value - seconds * 1000) < 0.001
    ),
    "$int64": lambda text, kind, value, typed: _number(kind, value, lambda number: number == int(text)),
    "$utf16": lambda units, kind, value, typed: _text(kind, typed, lambda text: units_of(text) == units),
    "$repeat": lambda pair, kind, value, typed: _text(kind, typed, lambda text: text == pair[0] * pair[1]),
    "$regex": lambda pattern, kind, value, typed: _text(kind, typed, lambda text: re.search(pattern, text)),
    "$contains": lambda part, kind, value, typed: _text(kind, typed, lambda text: part in text),
    "$seq": lambda ends, kind, value, typed: matches(list(range(ends[0], ends[1] + 1)), typed),
    "$keys": lambda keys, kind, value, typed: matches(
        {"$dict": [[f"{keys[0]}{i}", i] for i in range(keys[1], keys[2] + 1)]}, typed
    ),
    "$times": lambda pair, kind, value, typed: matches([pair[0]] * pair[1], typed),
    "$nest": lambda argument, kind, value, typed: _nest(argument, typed),
    "$data": lambda _, kind, value, typed: kind == "Data",
    "$native": lambda _, kind, value, typed: kind not in ("nil", "null", "bool", "number", "string", "array", "object", "date"),
    "$cycle": lambda *_: False,
}
