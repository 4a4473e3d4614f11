"""What is wrong with a message, in words."""

from __future__ import annotations

import re

_LONGEST = 300
_WORDS = {
    "`int`": "a whole number",
    "`float`": "a number",
    "`str`": "text",
    "`bool`": "true or false",
    "`array`": "a list",
    "`object`": "an object",
    "`null`": "nothing",
    " of length <= ": " no longer than ",
    " of length >= ": " no shorter than ",
    " >= ": " of at least ",
    " <= ": " of at most ",
    " > ": " above ",
    " < ": " below ",
    " | ": " or ",
}


def told_fault(fault: Exception) -> str:
    """A sentence that names the field, and says what was expected of it."""
    text = str(fault)[-_LONGEST:]  # the name of a field may be as long as a request
    place = re.fullmatch(r"(.*) - at `(?:key in )?`?\$\.?(.*?)`?", text, re.DOTALL)
    what, where = (place[1], place[2]) if place else (text, "")
    for word, plain in _WORDS.items():
        what = what.replace(word, plain)
    what = what.replace("Expected", "expected", 1).rstrip(".")
    if where:
        return f"{where} cannot be so: {what}."
    return f"The request cannot be read: {what}."
