"""What each command looks like; `evaluator.commands` holds what it does."""

from evaluator.cli.main import main

__all__ = ["main"]
