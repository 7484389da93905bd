"""Pages written to files."""

from pathlib import Path

from evaluator.problems import UsageProblem


def write_page(file: Path, html: str, option: str) -> None:
    """Raises `UsageProblem` if the file cannot be written."""
    try:
        file.write_text(html, encoding="utf-8")
    except OSError as error:
        why = f"cannot write {file}: {error.strerror}; name another {option}"
        raise UsageProblem(why) from error
