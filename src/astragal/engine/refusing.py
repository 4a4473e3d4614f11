"""Lines that UBGI does not answer, each with one of the draft's four words for why."""

from __future__ import annotations

from astragal.errors import InputError


class ProtocolError(InputError):
    """A line that cannot be answered, and the draft's word for the reason."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def bad_command(sentence: str) -> ProtocolError:
    """What is no command, or not written as one."""
    return ProtocolError("bad_command", sentence)


def bad_state(sentence: str) -> ProtocolError:
    """What cannot be answered now."""
    return ProtocolError("bad_state", sentence)


def unsupported(sentence: str) -> ProtocolError:
    """What the draft has, and this engine has not."""
    return ProtocolError("unsupported", sentence)


def error_line(fault: InputError) -> str:
    """The line that says so; any other fault of what was told is a bad value."""
    code = fault.code if isinstance(fault, ProtocolError) else "bad_value"
    return f"error {code} {fault}"
