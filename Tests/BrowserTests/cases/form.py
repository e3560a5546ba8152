"""The words in which the cases are written."""

nil = {"$nil": True}


def special(name: str) -> dict:
    """A number that JSON lacks."""
    return {"$num": name}


def seconds(count: float) -> dict:
    """A date, by its distance from 1970."""
    return {"$date": count}


def gives(script: str, value, page: str | None = None) -> dict:
    """A script that has a value."""
    return {"area": "evaluate", "setup": page, "script": script, "expect": {"type": "value", "value": value}}


def error(script: str, code: int, page: str | None = None, **details) -> dict:
    """A script that ends with an error of WebKit's domain."""
    expect = {"type": "error", "errorDomain": "WKErrorDomain", "errorCode": code, "details": details}
    return {"area": "evaluate", "setup": page, "script": script, "expect": expect}


def fails(script: str, starts: str = "", equals: str | None = None, line: int | None = None) -> dict:
    """A script that throws."""
    details: dict = {"messageStartsWith": starts}
    if equals is not None:
        details["messageEquals"] = equals
    if line is not None:
        details["line"] = line
    return error(script, 4, **details)


def returns(body: str, value, **arguments) -> dict:
    """The body of an asynchronous function that comes to a value."""
    expect = {"type": "value", "value": value}
    return {"area": "callAsync", "setup": None, "script": body, "arguments": arguments, "expect": expect}


def rejects(body: str, code: int = 4, arguments: dict | None = None, **details) -> dict:
    """The body of an asynchronous function that comes to an error."""
    expect = {"type": "error", "errorDomain": "WKErrorDomain", "errorCode": code, "details": details}
    return {"area": "callAsync", "setup": None, "script": body, "arguments": arguments or {}, "expect": expect}


def steps(*action: dict, pages=None, **values) -> dict:
    """Steps, and the values that their labels have at the end."""
    return {"area": "steps", "setup": pages, "action": list(action), "expect": {"type": "value", "value": values}}


def load(html: str | None = None) -> dict:
    return {"op": "load", **({"html": html} if html is not None else {})}


def visit(url: str) -> dict:
    return {"op": "loadURL", "url": url}


def handler(name: str, **members) -> dict:
    return {"op": "addHandler", "name": name, **members}


def user_script(source: str, time: str = "start", main: bool = True, **members) -> dict:
    return {"op": "addUserScript", "source": source, "time": time, "mainFrameOnly": main, **members}


def evaluate(script: str, label: str | None = None, **members) -> dict:
    return {"op": "evaluate", "script": script, **({"as": label} if label else {}), **members}


def call(body: str, label: str | None = None, **members) -> dict:
    return {"op": "callAsync", "body": body, **({"as": label} if label else {}), **members}


def messages(count: int) -> dict:
    return {"op": "waitMessages", "count": count}
