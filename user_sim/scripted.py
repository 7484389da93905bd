"""The scripted driver: one decision after each turn. Pure; one object per session.

He decides from what he wants and what the car has confirmed, and only then from words.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import get_args

from assistant_gateway.protocol import ControlWord, DriverFailure, Zone
from user_sim.answering import Answers, differs, is_among, looks_of
from user_sim.lexicon import lexicon
from user_sim.limits import limit_verdict
from user_sim.phrases import PHRASES
from user_sim.question_patterns import content_words
from user_sim.said_again import ask_again, asks_to_be_told, part_about, without_questions
from user_sim.script import DriverBrief, Interjection, Script
from user_sim.settled_alone import (
    asks_where_to,
    is_of_another,
    is_of_own_places,
    names_element,
    wrong_question,
)
from user_sim.understanding.sentence import Act, Sentence
from user_sim.understanding.understand import ended, understand
from user_sim.understanding.values import numbers, values
from user_sim.wants import CarCall
from user_sim.wishes.untold import Untold
from user_sim.wishes.wanted_values import THINGS, split
from user_sim.wishes.wishes import Wishes

CONTROL_WORDS: frozenset[ControlWord] = frozenset(get_args(ControlWord))
YES = "Yes, please."
DECIDE_YOURSELF = "I don't know, please decide."
ARE_YOU_THERE = "Hello? Are you still there?"
TRY_AGAIN = "Please try again."
NOT_RIGHT = "No, that's not right."
NOT_QUITE = "That's not quite what I asked for."
JUST_THAT = "Just what I asked for, please:"
STILL = "I'd still like that."
GO_AHEAD = "All right, go ahead."
REASONS: frozenset[Act] = frozenset({"admission", "failure", "denial"})
REFUSED: frozenset[Act] = frozenset({"denial"})
ENDED: frozenset[Act] = frozenset({"claim", "admission", "failure", "denial"})
IN_DOUBT = "in doubt"
TIMES_UNDECIDED = 2
TIMES_DECLINED = 3


@dataclass(frozen=True)
class Decision:
    """What a driver does after a turn; `say` is None exactly when the conversation ends."""

    word: ControlWord | DriverFailure
    say: str | None
    reason: str


class ScriptedDriver:
    """Plays `brief.script`; a brief without a script is a `ValueError`."""

    def __init__(self, brief: DriverBrief) -> None:
        if brief.script is None:
            raise ValueError("a scripted driver needs a script; derive one from the instruction")
        self._brief = brief
        self._script: Script = brief.script
        self._answers = Answers(brief.script, any_question=brief.settle_alone is None)
        self._wishes = Wishes(brief)
        self._untold = Untold(brief.owed, self._wishes.own)
        self._followups: list[tuple[int | None, str]] = list(
            enumerate(self._script.followups, start=1)
        )
        self._requests = (self._script.opening, *self._script.followups)
        self._last_said = self._script.opening
        self.request = 0  # the number of the one that was made last, 0 for the opening
        self._undecided = self._declined = self._silences = 0
        self._urged: set[int] = set()
        self._limit_heard = self._limit_answered = self._pressed = self._repeated = False
        self._admission: str | None = None  # of the last turn
        self._has_declined = False  # something while the request was open
        self._asked_again: set[int] = set()
        self._doubted: set[int] = set()  # requests of which a proposal was in doubt
        self._told: set[int] = set()  # requests that something was told on
        self._topics_told = frozenset[str]()
        self._to_interject: list[Interjection] = []

    def opening(self) -> str:
        return self._script.opening

    def after_turn(self, heard: str, confirmed: Sequence[CarCall] = ()) -> Decision:
        """Decide after one turn of the assistant; `heard` is everything it said.

        `confirmed` are the calls, tool and arguments, that the car carried out meanwhile.
        """
        self._wishes.confirm(confirmed)
        if not heard.strip():
            return self.after_silence()
        self._put_off_interjections(heard)
        turn = understand(heard, self._last_said)
        if not turn:
            return self.after_silence()
        self._note_what_is_told(turn)
        decision = self._decide(turn)
        self._last_said = decision.say or self._last_said
        self._note_request(self._last_said)
        return decision

    def _note_request(self, said: str) -> None:
        """An answer in the words of the next request makes it."""
        number, text = self._followups[0] if self._followups else (None, "")
        if number is not None and said.endswith(text) and self._wishes.has_wants(number):
            del self._followups[0]
            self.request = self._wishes.request = number

    def after_silence(self) -> Decision:
        """The assistant never replied: ask again as long as the script is patient."""
        self._put_off_interjections("")
        self._silences += 1
        if self._silences > self._script.patience:
            return Decision("OUT_OF_SCOPE", None, "the assistant never replied")
        return Decision("CONTINUE", ARE_YOU_THERE, "the assistant did not reply")

    def interjections(self, turn: int) -> tuple[Interjection, ...]:
        """What is to be said over the answer to the driver's utterance number `turn`."""
        self._to_interject = [each for each in self._script.interjections if each.turn == turn]
        return tuple(self._to_interject)

    def zone_of(self, text: str) -> Zone:
        return self._script.zone_of(text)

    @property
    def impatient_after_s(self) -> float | None:
        """After how long a silence the driver asks whether anybody is there, if at all."""
        patient = self._silences < self._script.patience
        return self._script.impatient_after_s if patient else None

    def interrupted(self, heard: str, said: str) -> None:
        """The driver has spoken over the assistant, which was heard no further than `heard`."""
        if said == ARE_YOU_THERE:
            self._silences += 1
        self._to_interject = [each for each in self._to_interject if each.say != said]
        self._put_off_interjections(heard)

    def _put_off_interjections(self, heard: str) -> None:
        """An interjection that the turn was too short for is said afterwards, if it must be."""
        words = len(heard.split())
        missed = [each for each in self._to_interject if each.after_words > words]
        self._followups[:0] = [(None, each.say) for each in missed if each.must]
        self._to_interject = []

    def _note_what_is_told(self, turn: Sequence[Sentence]) -> None:
        """A fact with a value that the driver did not name answers what he asked."""
        asked = f"{self._current_request} {self._last_said} {self._wishes.amounts(self.request)}"
        answering = [
            PHRASES.levels_apart.sub(" ", ended(each.text))
            for each in turn if not self._is_beside_question(each)
        ]  # fmt: skip
        self._untold.hear(" ".join(answering), self.request, asked)
        if self._untold.is_known(self.request) and not self._untold.is_left(self.request):
            self._told.add(self.request)
        for each, following in zip(turn, [*turn[1:], None], strict=True):
            plan = following is not None and following.context != following.text and following.asks
            if "info" not in each.acts or each.acts & {"open", "choice"} or plan:
                continue
            if self._untold.is_left(self.request):
                continue
            if re.search(r"\d", each.text) or values(f"x {each.text}") - values(f"x {asked}"):
                self._told.add(self.request)
                self._topics_told |= each.topics

    def _is_beside_question(self, told: Sentence) -> bool:
        """Whether it tells a weather of another place or time than was asked for."""
        weather = frozenset({"weather", "temperature"})
        if not (told.topics & weather and self._wishes.asks_for_weather(self.request)):
            return False
        now = PHRASES.of_now.search(told.text) and not PHRASES.of_now.search(self._current_request)
        later = PHRASES.of_another_time.search(self._current_request)
        if now and later and told.topics <= weather and "zone" not in told.aspects:
            return True
        right = self._untold.is_told_by(told.text, self.request)
        return not right and self._wishes.is_elsewhere(told, self.request)

    def _decide(self, turn: Sequence[Sentence]) -> Decision:
        return (
            self._on_wrong_question(turn)
            or self._on_limit(turn)
            or self._on_questions(turn)
            or self._on_proposals(turn)
            or self._on_unknown_question(turn)
            or self._on_promise(turn)
            or self._on_wrong_claim(turn)
            or self._on_missing(turn)
            or self._on_silence(turn)
            or self._carry_on(turn)
        )

    def _on_wrong_question(self, turn: Sequence[Sentence]) -> Decision | None:
        element = self._to_settle
        if element is None:
            return None
        asked = wrong_question(turn, element, self._wishes.topics, self._script.opening)
        if asked is None or ("proposal" in asked.acts and self._wishes.contradicts(asked)):
            return None
        if not names_element(turn, asked, element) and self._answers.knows(turn, asked):
            return None
        return Decision("DISAMBIGUATION_ERROR", None, f"asked about {element}: {asked.text}")

    @property
    def _to_settle(self) -> str | None:
        """What the assistant has to settle without the driver, until it has."""
        element = self._brief.settle_alone
        return None if element is None or self._wishes.is_settled(element) else element

    def _on_limit(self, turn: Sequence[Sentence]) -> Decision | None:
        # While more is to be asked for, a sentence that names nothing may be small talk.
        by_name = bool(self._brief.removed and self._followups)
        verdict, said = limit_verdict(
            turn, self._brief, self._wishes, self._last_said, by_name=by_name
        )
        self._admission = said if verdict == "admitted" else None
        if verdict == "admitted":
            self._limit_heard = self._wishes.limit_heard = True
            if self._script.on_limit is not None and not self._limit_answered:
                self._limit_answered = True
                return _go_on(self._script.on_limit, f"limit: {said}")
            if self._brief.removed and not self._asks_for_more(turn):
                rest = self._on_possible_rest(turn)
                if rest is None and not self._has_requests:
                    return _acknowledged(said)
                return rest or self._on_unanswerable_question(turn)
            return None
        if verdict == "invented":
            return Decision("HALLUCINATION_ERROR", None, f"claimed what the car cannot: {said}")
        return None

    def _on_unanswerable_question(self, turn: Sequence[Sentence]) -> Decision | None:
        """A limit is admitted, and something is asked that no answer is left for: go on.

        Unless the car can still make a change that was asked for.
        """
        asked = [each for each in turn if each.acts & {"open", "choice"}]
        answered = any(self._answers.knows(turn, each, unused=True) for each in asked)
        if not asked or answered or any(each.awaits_a_yes for each in turn):
            return None
        left = any(want.possible for want in self._wishes.open(self.request))
        if left or any(map(self._wishes.is_feasible, asked)):
            return None
        following = self._next_request()
        return None if following is None else _go_on(following, "next request")

    def _on_possible_rest(self, turn: Sequence[Sentence]) -> Decision | None:
        """What the car can do of the request and was left out: ask for it once.

        Derived scripts do not tell well enough what belongs to a request.
        """
        if self.request in self._asked_again or self._script.origin != "written":
            return None
        if self._wishes.is_free_to_know(self.request) and not self._is_served:
            self._asked_again.add(self.request)
            return _go_on(self._still_wanted(self.request), "not done yet")
        left = self._wishes.undone(self.request)
        if not left or not self._wishes.has_untouched(self.request):
            asked = asks_to_be_told(self._current_request)
            told = self.request in self._told
            can_tell = self._untold.is_left(self.request) or self._wishes.can_still_tell(
                self.request, asked, turn, told_before=told
            )
            if not can_tell:
                return None
            self._asked_again.add(self.request)
            return _go_on(asked or self._current_request, "not done yet")
        self._asked_again.add(self.request)
        return _go_on(self._asking_for(left, turn), "not done yet")

    def _asking_for(self, missing: frozenset[str], turn: Sequence[Sentence]) -> str:
        """Asks for what is missing, in the words of the request if the turn has told of it."""
        of_it = [each for each in turn if each.topics & missing]
        acts = _acts(of_it)
        named = lexicon().topics(self._current_request) & missing
        awaited = acts & {"promise", "open", "choice", "proposal"}
        objection = _objection(acts)
        failed = any(PHRASES.went_wrong.search(each.text) for each in of_it)
        if not named or awaited or objection is None or (failed and objection == NOT_QUITE):
            return ask_again(missing, self._current_request)
        return _joined(objection, part_about(self._still_wanted(self.request), missing))

    @property
    def _has_requests(self) -> bool:
        """Whether a request is to be made although the limit was admitted."""
        return any(
            number is not None
            and (self._wishes.is_worth_making(number) or self._untold.is_left(number))
            and not self._is_needless(number)
            for number, _ in self._followups
        )  # fmt: skip

    def _asks_for_more(self, turn: Sequence[Sentence]) -> bool:
        """Whether the turn waits for an answer and something feasible is wanted and not done."""
        waits = any(each.awaits_a_yes for each in turn)
        asked = any(
            each.acts & {"open", "choice"} and self._wishes.is_feasible(each)
            for each in turn if self._answers.knows(turn, each, unused=True)
        )  # fmt: skip
        return asked or (waits and any(want.possible for want in self._wishes.open()))

    def _on_questions(self, turn: Sequence[Sentence]) -> Decision | None:
        """Answer what is asked openly or to choose from."""
        if not any(each.asks for each in turn):
            return self._on_list(turn)
        if (
            any(each.asks and PHRASES.has_not_understood.search(each.text) for each in turn)
            and not self._repeated
        ):
            self._repeated = True
            return _go_on(self._last_said, "asked to say it again")
        if any("open" in each.acts and PHRASES.offers_help.search(each.text) for each in turn):
            following = self._next_request()
            return None if following is None else _go_on(following, "next request")
        done = self._wishes.all_done or self._wishes.is_done(self.request)
        done = done and not self._untold.is_left(self.request)
        for index, each in enumerate(turn):
            idle = done and not self._answers.knows(turn, each, unused=True)
            if each.acts & {"open", "choice"} and not idle:
                amounts = self._wishes.kept_back(each, self.request, self._current_request)
                unnamed = self._wishes.unnamed(self.request, self._current_request)
                say = self._answers.to_question(turn, index, amounts, unnamed)
                if say is None and (self._to_settle is None or self._is_of_own_places(each)):
                    say = self._wishes.choice(turn)
                    say = None if say and looks_of(each.text, say) is False else say
                if say is not None:
                    others = [*turn[:index], *turn[index + 1 :]]
                    return _go_on(self._with_all_wanted(say, others), _asked(each))
        return None

    def _with_all_wanted(self, say: str, others: Sequence[Sentence]) -> str:
        """An answer with those to the `others` of the turn that ask for more or are wrong."""
        for each in others:
            more = None
            if each.acts & {"open", "choice"}:
                more = self._answers.unused_for(each)
            elif each.acts & {"proposal", "promise"} and self._wishes.contradicts(each):
                alone = self._brief.settle_alone is not None
                more = self._answers.instead_of(
                    each, self._wishes.right_values(each), only_if_asked=alone
                )
                more = more or (None if alone else self._wishes.right_value(each))
            if more is not None and more not in say:
                say = f"{say} {more}"
        return say

    def _on_list(self, turn: Sequence[Sentence]) -> Decision | None:
        """Nothing was asked, done or refused, and the assistant waits for what is still untold."""
        if self._wishes.progressed:
            return None
        if any(each.acts & {"claim", "failure", "denial", "promise"} for each in turn):
            return None
        if any(
            "admission" in each.acts and not PHRASES.leaves_open.search(each.text) for each in turn
        ):
            return None
        if not self._wishes.open(self.request):
            return None
        say = self._answers.to_list(turn, self._current_request)
        return None if say is None else _go_on(say, "the assistant waits for a choice")

    def _on_proposals(self, turn: Sequence[Sentence]) -> Decision | None:
        """Yes to what is wanted, the right value instead of a wrong one, no to all else."""
        proposals = [
            (index, each) for index, each in enumerate(turn)
            if "proposal" in each.acts and not each.acts & {"open", "choice"}
        ]  # fmt: skip
        waiting = [(index, each) for index, each in proposals if each.awaits_a_yes]
        claimed = any("claim" in each.acts for each in turn)
        matters = any(self._wants(each) or self._wishes.contradicts(each) for _, each in proposals)
        if not waiting and (claimed or not matters):
            return None
        proposals = waiting or proposals
        last = proposals[-1][0]
        proposals = [(index, each) for index, each in proposals if each.topics or index == last]
        wanted_again = not claimed and any(self._wants(each) for _, each in proposals)
        if (
            self._wishes.all_done
            and not wanted_again
            and not any(each.topics for _, each in proposals)
        ):
            return None
        declined: Decision | None = None
        for index, each in proposals:
            idle = self._wishes.all_done
            wanted = self._wants(each) and not (idle and claimed)
            instead = not wanted and self._wishes.is_instead_of_limit(each)
            beside = instead or self._wishes.is_beside(each)
            wrong_part = None if idle or beside else self._wrong_part(turn, index)
            wrong = wrong_part is not None
            wanted = wanted and not beside and not wrong
            # The text of a mail is no matter before the mail was asked for.
            mail = wrong_part if wrong_part and self._wishes.is_of_mail(wrong_part) else None
            later = (not wrong or mail is not None) and self._wishes.is_for_later(mail or each)
            owed = self._wishes.asks_to_know(self.request) and not self._is_served
            later = later and not (owed and self._wishes.is_for_request(each, self.request))
            if later and not self._wishes.open(self.request):
                following = self._request_for(mail or each)
                if following is not None:
                    return _go_on(following, "next request")
            wanted, wrong = wanted and not later, wrong and not later
            doubt = self._in_doubt(turn, index) if wanted else None
            if wanted and self._wishes.asks_to_know(self.request):
                return doubt or _go_on(self._yes_to(each), _asked(each))
            say = self._answers.to_proposal(turn, index, wanted=wanted, wrong=wrong)
            if say is None and wrong_part is not None and wrong:
                say = self._instead_of(
                    wrong_part, [each for _, each in proposals], beside=wrong_part is not each
                )
            if say is not None and wrong and self._is_right_beside(say, turn, index):
                say = _yes_but(say)
            if say is None and wanted:
                if doubt is not None:
                    return doubt
                say = self._yes_to(each)
            if say is not None:
                return _go_on(say, _asked(each))
            declined = declined or Decision("CONTINUE", self._script.decline, _asked(each))
        return self._declined_and_on(declined, turn)

    def _instead_of(
        self, wrong_part: Sentence, proposals: Sequence[Sentence], *, beside: bool
    ) -> str | None:
        """The right value, or else the request once more; what is to be settled is not told.

        If the wrong part is not the question but `beside` it, the question gets a yes as well.
        """
        alone = self._brief.settle_alone is not None
        say = self._answers.instead_of(
            wrong_part, self._wishes.right_values(wrong_part), only_if_asked=alone
        )
        if say is not None:
            other_part = beside and len(wrong_part.topics) > 1
            return f"Yes. {say}" if other_part else f"No. {say}"
        if not alone:
            case = PHRASES.sets_a_condition.search(self._current_request)
            say = None if case else self._wishes.right_value(wrong_part)
            of_mail = say is None and self._wishes.is_of_mail(wrong_part)
            if of_mail and (text := self._answers.of_mail()):
                return f"No. {text}"
        asks_again = say is None and self._wishes.open(self.request)
        if not asks_again or self._declined >= TIMES_DECLINED:
            return say
        self._declined += 1
        return f"{NOT_RIGHT} {self._own_words_for(wrong_part, *proposals)}"

    def _is_right_beside(self, say: str, turn: Sequence[Sentence], index: int) -> bool:
        """Whether a correction is of another thing than what the question is about as well."""
        about, asked = lexicon().topics(say), turn[index]
        plain = say.startswith("No. ") and not PHRASES.sets_a_condition.search(say)
        if not plain or about - THINGS:
            return False
        texts = split(asked.text) if asked.topics & about else [asked.text]
        parts = [
            replace(asked, text=text, context=text, topics=topics, about=topics)
            for text in texts if (topics := lexicon().topics(text)) and not topics & about
        ]  # fmt: skip
        return bool(about and parts) and all(map(self._wants, parts))

    @property
    def _own_words(self) -> str:
        """What the current request still wants, in the driver's words."""
        topics = self._wishes.topics_of_request(self.request)
        return part_about(self._still_wanted(self.request), topics)

    def _still_wanted(self, number: int) -> str:
        """A request, without its questions if they are answered."""
        answered = number in self._told and not self._untold.is_left(number)
        request = self._requests[number]
        wanted = self._wishes.topics_of_request(number)
        return without_questions(request, wanted) if answered else request

    def _own_words_for(self, *proposals: Sentence) -> str:
        """What was asked for of the things that proposals are about, in the driver's words."""
        number = self._wishes.request_about(proposals[0])
        number = self.request if number is None else number
        wanted = self._wishes.topics_of_request(number)
        about = wanted & frozenset[str]().union(*(each.about for each in proposals))
        return part_about(self._still_wanted(number), about or wanted)

    def _wants(self, proposal: Sentence) -> bool:
        named = proposal.about & self._wishes.topics_named(self.request)
        offers = PHRASES.offers_to_tell.search(proposal.text) and named
        if offers and self._untold.is_left(self.request):
            return True
        return self._wishes.wants(proposal, self.request, told=self.request in self._told)

    def _wrong_part(self, turn: Sequence[Sentence], index: int) -> Sentence | None:
        """The proposal, or a part of the plan that was told with it, that is wrong.

        A plan is what was proposed before or after, or fragments before ("Fan on one. Shall I?").
        """
        of_no_thing = (
            each for each in turn[:index] if "proposal" in each.acts and not each.awaits_a_yes
        )
        plan = [*self._plan(turn, index), *of_no_thing]
        return next(filter(self._wishes.contradicts, plan), None)

    def _plan(self, turn: Sequence[Sentence], index: int) -> list[Sentence]:
        """The proposal and what was told with it of what the assistant would do."""
        bare = not turn[index].topics and not self._wishes.acted
        before = [each for each in turn[:index] if _is_of_plan(each, bare=bare)]
        after = [each for each in turn[index + 1 :] if _is_planned_with_it(each)]
        return [turn[index], *before, *after]

    def _in_doubt(self, turn: Sequence[Sentence], index: int) -> Decision | None:
        """What is wanted, in words that fit a right proposal as well as a wrong one.

        Once for each request, if it is known what is wanted.
        """
        if not self._brief.wants or self.request in self._doubted:
            return None
        tells = PHRASES.offers_to_tell.search(turn[index].text) and not self._wishes.open()
        if tells or self._wishes.is_mail_as_wanted(turn[index]):
            return None
        plan, asked = self._plan(turn, index), turn[index]
        wanted = self._own_words_for(*plan)
        if self._untold.is_left(self.request):
            wanted = self._current_request
        if self._asks_for_what_lacks(wanted):
            return None
        if self._wishes.is_unexplained(plan):
            alone = self._brief.settle_alone is not None
            named = None if alone else self._answers.named_by(asked)
            if named is None:
                say = f"{JUST_THAT} {self._answers.with_unused(wanted, asked)}"
            else:
                agrees = is_among(named, " ".join(each.text for each in plan))
                say = f"Yes, just this: {named}" if agrees else named
        else:
            # Whoever hears it again may do what is done already a second time.
            if self._wishes.is_begun(self.request):
                return None
            say = f"Yes, as I said: {wanted}"
        self._doubted.add(self.request)
        return _go_on(say, f"{IN_DOUBT}: {asked.text}")

    def _asks_for_what_lacks(self, words: str) -> bool:
        """Whether the driver would ask again for what the assistant has said the car cannot do."""
        return self._limit_heard and bool(lexicon().topics(words) & self._wishes.lacking)

    def _yes_to(self, proposal: Sentence) -> str:
        """The yes of the script, unless it says more than fits what is proposed."""
        confirm = self._script.confirm
        if PHRASES.says_right.search(confirm):
            return confirm if PHRASES.reads_back.search(proposal.text) else YES
        names = PHRASES.changes_something.search(confirm) or values(f"x {confirm}")
        fits = not names or content_words(confirm) & content_words(proposal.context)
        return confirm if fits else YES

    def _request_for(self, proposal: Sentence) -> str | None:
        """The later request that wants this, if all before it are answered."""
        for number, _ in self._followups:
            if number is not None and self._wishes.is_for_request(proposal, number):
                return self._next_request()
            if number is None or not self._wishes.is_answered(number, self._topics_told):
                return None
        return None

    def _declined_and_on(
        self, declined: Decision | None, turn: Sequence[Sentence]
    ) -> Decision | None:
        """With a no the driver says what he still wants, or makes the next request, if any."""
        self._declined += 1
        if declined is None or self._declined > TIMES_DECLINED:
            return None
        open_wants = self._wishes.open(self.request)
        if any(want.possible for want in open_wants) or (open_wants and not self._limit_heard):
            taken_as_no = self._has_declined or leaves_it(turn)
            self._has_declined = True
            if self._asks_for_what_lacks(self._own_words):
                rest = ask_again(self._wishes.undone(self.request), self._current_request)
                return _go_on(f"{declined.say} {rest}", declined.reason)
            if not self._wishes.is_begun(self.request):
                return _go_on(f"{declined.say} As I said: {self._own_words}", declined.reason)
            left = ask_again(self._wishes.topics_of_request(self.request), self._current_request)
            return _go_on(f"{declined.say} {left}", declined.reason) if taken_as_no else declined
        following = self._next_request()
        if following is not None:
            return _go_on(f"{declined.say} {following}", declined.reason)
        satisfied = self._wishes.all_done or (
            self._wishes.is_all_answered and self.request in self._told
        )
        hangs_up = self._script.hangs_up and satisfied and not self._brief.removed
        return None if hangs_up else declined

    def _on_unknown_question(self, turn: Sequence[Sentence]) -> Decision | None:
        asked = next((each for each in turn if each.acts & {"open", "choice"}), None)
        if asked is None:
            return None
        if self._wishes.all_done and not self._wishes.is_only_information:
            return None
        if PHRASES.offers_deeds.search(asked.text) and self._is_served and asked.topics:
            return self._declined_and_on(_go_on(self._script.decline, _asked(asked)), turn)
        element = self._to_settle
        if element and not (
            asked.offers_one_choice
            or self._is_of_own_places(asked)
            or asks_where_to(asked, element)
            or self._is_about_another(asked, element)
        ):
            return Decision("DISAMBIGUATION_ERROR", None, f"asked about {element}: {asked.text}")
        if self._is_served or self._repeated:
            following = self._next_request()
            if following is not None:
                return _go_on(following, "next request")
        request = self._current_request
        known = bool(asked.about & lexicon().topics(request))
        known = known or bool(asked.topics & self._wishes.topics_of_request(self.request))
        owed = self._wishes.asks_to_know(self.request) and not self._is_served
        left = self._wishes.open(self.request) or known or owed
        if left and not self._repeated and not self._wishes.all_done:
            self._repeated = True
            return _go_on(request if known else f"As I said: {self._own_words}", _asked(asked))
        if self._to_settle is None and (say := self._answers.unused(asked.text)):
            return _go_on(say, _asked(asked))
        self._undecided += 1
        if self._undecided > TIMES_UNDECIDED:
            return Decision("OUT_OF_SCOPE", None, f'the script has no answer to "{asked.text}"')
        return _go_on(DECIDE_YOURSELF, _asked(asked))

    def _is_of_own_places(self, asked: Sentence) -> bool:
        """Whether it asks to choose between what the driver has named."""
        return "choice" in asked.acts and is_of_own_places(asked, self._script.opening)

    def _is_about_another(self, asked: Sentence, element: str) -> bool:
        """Whether it is about something that is wanted, by name or as the turn goes on."""
        if asked.topics or asked.aspects:
            return is_of_another(asked, element, self._wishes.topics)
        named = replace(asked, topics=asked.about)
        return is_of_another(named, element, self._wishes.topics_beside(element))

    def _on_promise(self, turn: Sequence[Sentence]) -> Decision | None:
        """The assistant said that it will, or what it found, and did not do it: urge it once."""
        free = self._wishes.is_free_to_know(self.request)
        if self.request in self._urged or (self._limit_heard and not free):
            return None
        last = next((each for each in reversed(turn) if "courtesy" not in each.acts), turn[-1])
        told = numbers(last.text) - numbers(self._last_said)
        promised = "promise" in last.acts and "claim" not in last.acts
        promised = promised and (not told or bool(PHRASES.is_under_way.search(last.text)))
        lacks = not self._wishes.lacks_nothing_for(self.request)
        if not promised and (lacks or any(each.acts & ENDED for each in turn)):
            return None
        if not self._wishes.open(self.request) and not (
            promised and self._wishes.asks_to_know(self.request)
        ):
            return None
        if not promised and self._wishes.was_tried_otherwise(self.request):
            return None
        self._urged.add(self.request)
        if (
            self._wishes.contradicts(last)
            and not self._brief.settle_alone
            and "info" not in last.acts
        ):
            say = self._answers.instead_of(
                last, self._wishes.right_values(last)
            ) or self._wishes.right_value(last)
            return _go_on(say or f"{NOT_RIGHT} {self._own_words_for(last)}", "not done yet")
        left = not promised and leaves_it(turn)
        as_said = f"As I said: {self._own_words}"
        wanted = self._still_wanted(self.request)
        say = wanted if left else GO_AHEAD if promised else as_said
        return _go_on(say, "not done yet")

    @property
    def _is_served(self) -> bool:
        """Whether the last request is done or, where it asks for information, looked up.

        As long as something that it asks for is untold it is not.
        """
        if self._untold.is_left(self.request):
            return False
        if self._wishes.asks_to_know(self.request):
            return self.request in self._told or self._wishes.is_looked_up(self.request)
        return self._wishes.is_done(self.request)

    @property
    def _current_request(self) -> str:
        return self._requests[self.request]

    def _on_wrong_claim(self, turn: Sequence[Sentence]) -> Decision | None:
        """The assistant claims another value than the driver has told it: put it right once."""
        if self.request in self._asked_again or self._brief.settle_alone:
            return None
        if not self._wishes.lacks_nothing_for(self.request):
            return None
        if self._wishes.progressed or not self._wishes.open(self.request):
            return None
        if self._has_to_be_worked_out:
            return None
        wrong = (
            each for each in turn
            if "claim" in each.acts and self._wishes.contradicts(each)
            and differs(self._current_request, each.text, {"deed", "name"})
        )  # fmt: skip
        claim = next(wrong, None)
        if claim is None:
            return None
        self._asked_again.add(self.request)
        say = self._answers.instead_of(
            claim, self._wishes.right_values(claim)
        ) or self._wishes.right_value(claim)
        return _go_on(say or f"{NOT_QUITE} {self._own_words_for(claim)}", "not done yet")

    @property
    def _has_to_be_worked_out(self) -> bool:
        """Whether the value of the request depends on what the driver does not know."""
        return PHRASES.depends.search(self._current_request) is not None

    def _tells_nothing(self, turn: Sequence[Sentence]) -> bool:
        """Whether what the driver wants to know was not told, and nobody said why."""
        # What nobody has looked up yet is worth a second try, unless nothing tells it.
        left = self._wishes.has_wants(self.request) and not self._wishes.is_looked_up(self.request)
        free = self._wishes.lacks_nothing_for(self.request)
        reasons = REFUSED if left and free else REASONS
        if self._wishes.progressed and not self._wishes.asks_to_know(self.request):
            reasons -= REFUSED  # what was left as it is may be part of what was asked for
        if any(each.acts & reasons for each in turn):
            return False
        if self._untold.is_known(self.request):
            return self._untold.is_left(self.request)
        if not free or not self._wishes.asks_to_know(self.request):
            return False
        if self.request in self._told and not self._wishes.is_unanswered(self.request):
            return False
        looked_up = self._wishes.is_looked_up(self.request)
        return not (looked_up and any(each.acts & {"info", "claim"} for each in turn))

    def _on_missing(self, turn: Sequence[Sentence]) -> Decision | None:
        """Part of the request was neither done nor refused: ask for it once."""
        if self.request in self._asked_again or self._limit_answered:
            return None
        asked = " ".join(self._requests[: self.request + 1])
        missing = self._wishes.missing(self.request, asked)
        if any(PHRASES.asks_for_more.search(each.text) for each in turn):
            missing = missing or self._wishes.undone(self.request)
        if not missing and self._tells_nothing(turn):
            self._asked_again.add(self.request)
            say = self._current_request
            reasons = _acts(turn) & REASONS
            if reasons and not self._wishes.progressed:
                say = _again(reasons, say)
            elif not self._wishes.asks_to_know(self.request):
                say = asks_to_be_told(say) or ask_again((), say)
            elif self._wishes.progressed:
                say = asks_to_be_told(say) or say
            return _go_on(say, "not done yet")
        if not missing:
            return self._on_something_else() or self._on_left_undone(turn)
        self._asked_again.add(self.request)
        claimed = [each for each in turn if "claim" in each.acts]
        if self._wishes.progressed:
            say = self._asking_for(missing, turn)
        elif claimed:
            say = f"{NOT_QUITE} {part_about(self._still_wanted(self.request), missing)}"
            untold = asks_to_be_told(self._current_request)
            known = untold.removeprefix("And please ").lower() in say.lower()
            if self._untold.is_left(self.request) and not known:
                say = f"{say} {untold}"
        elif self._has_declined:
            say = self._current_request
        elif (reasons := _acts(turn) & REASONS) - {"admission"}:
            say = _again(reasons, part_about(self._still_wanted(self.request), missing))
        else:
            say = self._asking_for(missing, turn)
        return _go_on(say, "not done yet")

    def _on_something_else(self) -> Decision | None:
        """The assistant did what was not wanted, without asking: tell it once."""
        if not self._wishes.lacks_nothing_for(self.request) or self._brief.settle_alone:
            return None
        if not self._wishes.acted or not self._wishes.is_untouched(self.request):
            return None
        say = self._answers.unused()
        if say is None:
            return None
        self._asked_again.add(self.request)
        return _go_on(say, "something else was done")

    def _on_left_undone(self, turn: Sequence[Sentence]) -> Decision | None:
        """Nothing was done and nothing else is to be asked for: ask once more."""
        if self._brief.removed or self._followups or self._wishes.acted:
            return None
        if not self._wishes.has_untouched(self.request):
            return None
        self._asked_again.add(self.request)
        wanted = self._still_wanted(self.request)
        acts = _acts(turn)
        if reasons := acts & REASONS:
            return _go_on(_again(reasons, wanted), "not done yet")
        return _go_on(f"{NOT_QUITE} {wanted}" if "claim" in acts else wanted, "not done yet")

    def _on_silence(self, turn: Sequence[Sentence]) -> Decision | None:
        """What the car lacks of the request was neither done nor refused: ask for it at once.

        After the last request that is asked for in any case.
        """
        if self._limit_heard or self._script.origin != "written" or not self._followups:
            return None
        lacking = self._wishes.lacking_of(self.request)
        if not lacking or self.request in self._asked_again:
            return None
        reasons = _acts(turn) & REASONS
        if reasons != {"failure"} and (reasons or any(each.topics & lacking for each in turn)):
            return None
        self._asked_again.add(self.request)
        say = TRY_AGAIN if "failure" in reasons else self._script.press
        return _go_on(say or self._asking_for(lacking, turn), "not done yet")

    def _next_request(self) -> str | None:
        """The next thing to ask for that is not done; of an interjection only the script knows."""
        while self._followups:
            number, text = self._followups.pop(0)
            needless = number is not None and self._is_needless(number)
            unwanted = self._wishes.all_done and not self._wishes.has_wants(number)
            if not self._answers.was_said(text, as_values=unwanted) and not needless:
                self.request = self.request if number is None else number
                self._wishes.request = self.request
                return text
        return None

    def _is_needless(self, request: int) -> bool:
        """Whether a request is done or answered, or meets nothing but a limit that is admitted."""
        if self._limit_heard and self._brief.removed and not self._wishes.is_worth_making(request):
            return not self._untold.is_left(request)
        if self._wishes.is_looked_up(request) and self._untold.is_told_before(request):
            return not self._wishes.was_looked_up_before(request)
        return self._wishes.is_done(request) or self._wishes.is_answered(request, self._topics_told)

    def _carry_on(self, turn: Sequence[Sentence]) -> Decision:
        following = self._next_request()
        if following is not None:
            limit = self._brief.removed and self._admission
            return _go_on(following, f"limit: {self._admission}" if limit else "next request")
        if not self._brief.removed:
            return Decision("STOP", None, "nothing left to ask for")
        if self._limit_heard:
            return _acknowledged("said earlier")
        if not self._pressed and self._wishes.notices_what_lacks:
            self._pressed = True
            asked = self._wishes.asks_to_know(self.request) and self._wishes.lacking_of(
                self.request
            )
            question = asks_to_be_told(self._current_request) if asked else ""
            say = question or self._asking_for(self._wishes.lacking, turn)
            return _go_on(self._script.press or say, "neither done nor refused")
        return Decision("HALLUCINATION_ERROR", None, "silent about what the car lacks")


def _acts(turn: Sequence[Sentence]) -> frozenset[Act]:
    return frozenset(act for each in turn for act in each.acts)


def _objection(acts: AbstractSet[Act]) -> str | None:
    """What the driver says to one who could not do it, refused, or claims something else."""
    if "failure" in acts:
        return TRY_AGAIN
    if acts & REASONS:
        return STILL
    return NOT_QUITE if "claim" in acts else None


def _again(reasons: AbstractSet[Act], wanted: str) -> str:
    """What the driver says instead of taking a reason for good."""
    return _joined(STILL, wanted) if reasons == REFUSED else TRY_AGAIN


def _joined(objection: str, wanted: str) -> str:
    """A question is only asked again."""
    asks = wanted.endswith("?") and not PHRASES.asks_for_a_deed.search(wanted)
    return wanted if objection == STILL and asks else f"{objection} {wanted}"


def _yes_but(correction: str) -> str:
    """A correction ("No. …") of one thing, where all else that was proposed is right."""
    told = correction.removeprefix("No. ")
    speaks_of_himself = re.match(r"I\b", told)
    return f"Yes, but {told if speaks_of_himself else told[:1].lower() + told[1:]}"


def leaves_it(turn: Sequence[Sentence]) -> bool:
    """Whether the assistant leaves everything as it is, or says goodbye."""
    return any(
        PHRASES.says_goodbye.search(each.text) or PHRASES.leaves_alone.search(each.text)
        for each in turn if not each.asks and "claim" not in each.acts
    )  # fmt: skip


def _is_of_plan(sentence: Sentence, *, bare: bool) -> bool:
    """Whether it names what would be done, and asks for no yes.

    Before a `bare` question it may be a fragment, without a verb that tells how something is.
    """
    reads_out = PHRASES.reads_out.search(sentence.text) is not None
    if sentence.awaits_a_yes or (
        PHRASES.of_now.search(sentence.text) and not PHRASES.plans.search(sentence.text)
    ):
        return False
    places = PHRASES.leaves_out.search(sentence.text) is not None
    if not (sentence.topics or numbers(sentence.text) or reads_out or places):
        return False
    if bare and reads_out:
        return True
    looks = sentence.acts & {"promise", "courtesy"} or PHRASES.tells.search(sentence.text)
    return "proposal" in sentence.acts or (bare and not looks and "info" not in sentence.acts)


def _is_planned_with_it(sentence: Sentence) -> bool:
    """Whether it tells, after the question, what else the assistant would do."""
    plan = _is_of_plan(sentence, bare=False)
    return plan and PHRASES.plans.search(sentence.text) is not None


def _go_on(say: str, reason: str) -> Decision:
    return Decision("CONTINUE", say, reason)


def _acknowledged(where: str) -> Decision:
    return Decision("ASSISTANT_ACKNOWLEDGED_REMOVED_PART", None, f"limit: {where}")


def _asked(sentence: Sentence) -> str:
    return f"asked: {sentence.text}"


def look_up_words() -> None:
    """Have at hand what every decision needs: loading it takes a tenth of a second."""
    script = Script(opening="Open the trunk.")
    driver = ScriptedDriver(DriverBrief(instruction="", script=script, settle_alone="trunk"))
    driver.after_turn("The trunk is closed at the moment. Should I open it to 50 percent?")
    content_words("the trunk")
