"""What a person's mistake is answered with: one sentence that quotes it."""

from __future__ import annotations

_SHOWN = 60


class InputError(ValueError):
    """Something from outside that cannot be used; the message is a sentence for its author."""


def quote(text: object) -> str:
    """The text in quotation marks, shortened, with nothing that could disturb a terminal."""
    shown = str(text)
    if len(shown) > _SHOWN:
        return f"{shown[:_SHOWN]!a}... ({len(shown):,} characters)"
    return ascii(shown)
