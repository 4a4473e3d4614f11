"""What a person's mistake is answered with: one sentence that quotes it."""

from __future__ import annotations


class InputError(ValueError):
    """Something from outside that cannot be used; the message is a sentence for its author."""


def quote(text: object, shown: int = 60) -> str:
    """The text in quotation marks, shortened, with nothing that could disturb a terminal."""
    whole = str(text)
    if len(whole) > shown:
        return f"{whole[:shown]!a}... ({len(whole):,} characters)"
    return ascii(whole)


def printable(text: str) -> str:
    """The text with a sign that says so for each character that only a machine could read."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
