"""Faults that a request is answered with, beside InputError, which is 400."""

from __future__ import annotations

from astragal.errors import InputError


class NotFoundError(InputError):
    """What was named is not there: 404."""


class ConflictError(InputError):
    """The game has gone on since: 409."""


class TooLargeError(InputError):
    """More was sent than is read: 413."""


class TooMuchError(InputError):
    """More at once than is done here: 429."""


def status_of(fault: InputError) -> int:
    """The status that tells the fault."""
    codes = {NotFoundError: 404, ConflictError: 409, TooLargeError: 413, TooMuchError: 429}
    return codes.get(type(fault), 400)
