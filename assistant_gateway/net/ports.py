"""What happens when nobody can listen where we were told to."""

import os


class PortTaken(OSError):
    """Somebody else listens there, or nobody may; the text says which option to change."""

    def __init__(self, host: str, port: int, error: OSError, option: str) -> None:
        number = error.errno or 0
        told = os.strerror(number) if number > 0 else str(error.strerror)
        why = told.partition(" (while")[0].lower()
        super().__init__(
            f"port {port} on {host} cannot be used: {why}; "
            f"name another {option}, or 0 for any free one"
        )
