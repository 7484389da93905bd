"""The files that come with codriver: where they are, and what YAML files hold."""

from pathlib import Path
from typing import Any

import yaml

# PyYAML may be built without its parser in C. It is 20 times as fast, and crashes on what is
# nested deeply.
QUICK: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def shipped(name: str, beside: str) -> Path:
    """A folder packed into the wheel next to the module `beside`, or the same in a checkout."""
    package = Path(beside).parent
    packed = package / f"_{name}"
    return packed if packed.is_dir() else package.parent / name


def quick_yaml(file: Path) -> Any:
    """The content of a YAML file that is not nested deeply."""
    return yaml.load(file.read_bytes(), QUICK)
