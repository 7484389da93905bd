"""Where the files that come with codriver are."""

from pathlib import Path


def shipped(name: str, beside: str) -> Path:
    """A folder packed into the wheel next to the module `beside`, or the same in a checkout."""
    package = Path(beside).parent
    packed = package / f"_{name}"
    return packed if packed.is_dir() else package.parent / name
