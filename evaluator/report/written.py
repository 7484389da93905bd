"""Pages, and other text, written to files that an option names."""

from pathlib import Path

from evaluator.problems import UsageProblem


def write_page(file: Path, text: str, option: str) -> None:
    """Raises `UsageProblem` if the file cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        why = f"cannot write {file}: {error.strerror}; name another {option}"
        raise UsageProblem(why) from error
