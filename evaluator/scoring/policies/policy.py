"""What a rule of the car is: a function over an episode, whose docstring is the rule itself."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from evaluator.record.episode import Act, Episode

Profile = Literal["codriver", "car-bench", "car-bench-2026"]
Found = Literal["kept", "broken", "undecided", "not_applicable"]
Arguments = Mapping[str, Any]


class Breach(BaseModel):
    """One moment at which a rule was broken, `t_ns` after the session began."""

    model_config = ConfigDict(frozen=True)

    t_ns: int
    sentence: str


class Finding(BaseModel):
    """What code could find out; `open_question` is what is left to a judge when undecided."""

    model_config = ConfigDict(frozen=True)

    state: Found
    breaches: tuple[Breach, ...] = ()
    open_question: str = ""


class Judgement(BaseModel):
    """What a judge made of a rule that code had left undecided."""

    model_config = ConfigDict(frozen=True)

    followed: bool
    reason: str


NOT_APPLICABLE = Finding(state="not_applicable")
KEPT = Finding(state="kept")

Check = Callable[[Episode], Finding]


@dataclass(frozen=True, slots=True)
class Policy:
    """One rule. `rule` is its text, which agents read too.

    `looks_up` names the tools that have to be asked before a call it is `about`, `goes_with` those
    that change what has to be changed with it; `published` is how the public benchmark decides it.
    """

    id: str
    rule: str
    decided_by: Literal["code", "language"]
    looks_up: tuple[str, ...]
    about: Callable[[str, Arguments], bool]
    careful: Check
    published: Check
    goes_with: tuple[str, ...] = ()

    def check(self, episode: Episode, profile: Profile = "codriver") -> Finding:
        """Decide as far as code can.

        Profile `codriver` looks at the car at the moment of each call, the others decide as
        published; there whatever needs language is undecided as soon as it applies.
        """
        return self.published(episode) if is_published(profile) else self.careful(episode)


def is_published(profile: str) -> bool:
    """Whether a profile is the scoring of the public benchmark, in one of its versions."""
    return profile != "codriver"


def found(breaches: Iterable[Breach], *, applies: bool) -> Finding:
    """Broken if there is a breach, else kept; not applicable if there was nothing to look at."""
    broken = tuple(breaches)
    if broken:
        return Finding(state="broken", breaches=broken)
    return KEPT if applies else NOT_APPLICABLE


def combined(findings: Iterable[Finding]) -> Finding:
    """Broken with all breaches if one is broken, else the first undecided one, else kept."""
    known = tuple(findings)
    breaches = tuple(breach for finding in known for breach in finding.breaches)
    if breaches:
        return Finding(state="broken", breaches=breaches)
    return next((finding for finding in known if finding.state == "undecided"), KEPT)


def looked_up(episode: Episode, act: Act, tool: str) -> bool:
    """Whether a look-up was tried before a call was decided on; the car may have refused it."""
    return any(other.tool == tool and other.message < act.message for other in episode.acts)


def at(act: Act, sentence: str) -> Breach:
    """A breach at the moment of a call."""
    return Breach(t_ns=act.t_ns, sentence=sentence)


Rule = Callable[[Episode, list[Act]], Iterable[Breach]]
LanguageRule = Callable[[Episode, list[Act]], Finding]


def by_code(
    id: str,
    about: Callable[[str, Arguments], bool],
    *,
    published: Check,
    looks_up: tuple[str, ...] = (),
    goes_with: tuple[str, ...] = (),
    attempts: bool = False,
) -> Callable[[Rule], Policy]:
    """Make a function a rule that code decides.

    It gets the calls the rule is about, only those that succeeded unless `attempts`, and yields
    what broke it.
    """

    def made(rule: Rule) -> Policy:
        def careful(episode: Episode) -> Finding:
            acts = concerned(episode.acts if attempts else episode.succeeded, about)
            return found(rule(episode, acts), applies=bool(acts))

        text = _text(rule)
        return Policy(id, text, "code", looks_up, about, careful, published, goes_with)

    return made


def by_language(
    id: str,
    about: Callable[[str, Arguments], bool],
    *,
    published: Check,
    looks_up: tuple[str, ...] = (),
) -> Callable[[LanguageRule], Policy]:
    """Make a function a rule that hangs on words; it settles what is clear without a model.

    It gets the successful calls that the rule is about.
    """

    def made(rule: LanguageRule) -> Policy:
        def careful(episode: Episode) -> Finding:
            return rule(episode, concerned(episode.succeeded, about))

        return Policy(id, _text(rule), "language", looks_up, about, careful, published)

    return made


def concerned(acts: Iterable[Act], about: Callable[[str, Arguments], bool]) -> list[Act]:
    """The calls that a rule is about."""
    return [act for act in acts if about(act.tool, act.arguments)]


def never(_tool: str, _arguments: Arguments) -> bool:
    """For rules about what is said, whatever is called."""
    return False


def _text(rule: Callable[..., object]) -> str:
    return " ".join((rule.__doc__ or "").split())
