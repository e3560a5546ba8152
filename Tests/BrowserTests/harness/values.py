"""The probe host's typed values."""

NIL = {"kind": "nil"}
NULL = {"kind": "null"}


def typed(value) -> dict:
    """What the probe host writes for a value: booleans, numbers and texts are told apart."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return {"kind": "bool", "value": value}
    if isinstance(value, (int, float)):
        return {"kind": "number", "value": value}
    if isinstance(value, str):
        return {"kind": "string", "value": value}
    if isinstance(value, list):
        return {"kind": "array", "value": [typed(item) for item in value]}
    return {"kind": "object", "value": {key: typed(item) for key, item in value.items()}}


def date(milliseconds: float) -> dict:
    return {"kind": "date", "value": milliseconds}
