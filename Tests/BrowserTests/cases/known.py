"""Cases that fail because what they need is not there yet, by engine and id. One that passes fails the run."""

POLICY = "what a page's policy blocks ends with an error of the library's own domain"
BEHIND = "the page that a visitor opens first lies before the first load in the history of its tab"

FAILURES: dict[str, dict[int, str]] = {
    "all": {
        42: POLICY,
        254: POLICY,
        482: POLICY,
        350: "what became of a refused body's promise is not seen",
        528: BEHIND,
        566: BEHIND,
        478: "the head is there already when scripts at the document's start run",
    },
    "chromium": {},
    "firefox": {},
    "webkitgtk": {568: "the driver ends with the process of the page that it is to kill"},
}
