"""The error of a port on which a server cannot listen."""

import os


class PortTaken(OSError):
    """The port is in use or not permitted; the text says which option to change."""

    def __init__(self, host: str, port: int, error: OSError, option: str) -> None:
        number = error.errno or 0
        reason = os.strerror(number) if number > 0 else str(error.strerror)
        why = reason.partition(" (while")[0].lower()
        super().__init__(
            f"port {port} on {host} cannot be used: {why}; "
            f"name another {option}, or 0 for any free one"
        )
