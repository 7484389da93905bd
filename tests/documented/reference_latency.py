"""The latency profiles that ship, and the format of others, as a page."""

from collections.abc import Iterator

from assistant_gateway.timing.latency import (
    CHARACTERS_PER_TOKEN,
    LATENCY_PROFILES,
    LatencyModel,
    LatencyProfile,
)
from assistant_gateway.timing.timeline import SECOND
from evaluator.results.statistics import nearest_rank
from tests.documented.reference_models import WRITTEN

SESSIONS = 1000
COLD_TOKENS, WARM_TOKENS = 10_000, 100
EXAMPLE = """\
```sh
cat >my_chip.yaml <<'END'
source: our 7B on the bench board, 300 requests, 28 November 2026
shift_ms: 50
median_ms: 15
sigma: 0.4
prefill_tokens_per_s: 4000
tokens_per_s: 40
END
codriver run --num-tasks 2 --pace virtual --agent reference --latency-profile my_chip.yaml
```
"""


def latency_page() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from ("# Latency profiles", "", WRITTEN)
    yield "How long the model of an included agent or of `mock-llm` takes:"
    yield "`--latency-profile NAME`. All are **simulated**: fits to published measurements. They"
    yield "say how such a deployment feels in a car, not how fast your model is. Hosted models are"
    yield "named by kind, because the same model is slower elsewhere."
    yield ""
    yield "| name | fitted to | first token, s, cold | warm | tokens/s |"
    yield "|---|---|---|---|--:|"
    for name, profile in LATENCY_PROFILES.shipped.items():
        cold, warm = _first_tokens(profile)
        rate = f"{profile.tokens_per_s:g}" if profile.tokens_per_s else "at once"
        yield f"| `{name}` | {profile.source} | {cold} | {warm} | {rate} |"
    yield ""
    yield f"First token: p50 and p95 of {SESSIONS:,} sessions. Cold is the first answer of a"
    yield f"conversation with {COLD_TOKENS:,} tokens to read, about the instructions and tools of"
    yield f"the included tasks; warm is the second, with {WARM_TOKENS} new ones. Where nothing was"
    yield "published about reading it takes no time, and both are the same. aiewf-eval and"
    yield "gb-benchmarks are public benchmarks of voice agents."
    yield from ("", "## A profile of your own", "")
    yield "A `.yaml` file with the fields of one profile and no name. Only `source` is required."
    yield from ("", "| field | default | meaning |", "|---|--:|---|")
    for name, field in LatencyProfile.model_fields.items():
        default = "" if field.is_required() else f"{field.default:g}"
        yield f"| `{name}` | {default} | {field.description} |"
    yield ""
    yield EXAMPLE


def _first_tokens(profile: LatencyProfile) -> tuple[str, str]:
    cold: list[float] = []
    warm: list[float] = []
    for session in range(SESSIONS):
        model = LatencyModel(profile, str(session))
        for tokens, found in ((COLD_TOKENS, cold), (WARM_TOKENS, warm)):
            model.reads(tokens * CHARACTERS_PER_TOKEN)
            found.append(model.first_token_ns() / SECOND)
    return _percentiles(cold), _percentiles(warm if profile.prefill_tokens_per_s else cold)


def _percentiles(found: list[float]) -> str:
    ordered = sorted(found)
    return " / ".join(f"{nearest_rank(ordered, share):.2f}" for share in (0.5, 0.95))
