"""What has to be known about a run to read its figures."""

from evaluator.manifest import Manifest


def notes(manifest: Manifest) -> list[str]:
    """Sentences that stand below the figures and in the report."""
    if not manifest.agent.startswith("a2a:"):
        return []
    return [
        "Over A2A an answer arrives whole: the first text (ttft_text) is the end of the agent's "
        "work in a turn, and nothing can be said on the way."
    ]
