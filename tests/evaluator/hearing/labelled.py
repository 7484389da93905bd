"""Lines of the corpora of assistant speech and of replies, with their labels."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict

from evaluator.commands.tasks.hear import HeardReply
from evaluator.task.files import own_tasks
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from user_sim.understanding.sentence import Act

CORPUS = Path(__file__).parents[2] / "user_sim" / "corpus"
WORLD = own_world()
Round = Literal[
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
]
# Where the tasks are as the writers of a round knew them; of the third there are only proposals.
FOLDERS: dict[Round, str] = {
    "first": "replies/first",
    "second": "replies/second",
    "third": "proposals",
    "fourth": "replies/fourth",
    "fifth": "replies/fifth",
    "sixth": "replies/sixth",
    "seventh": "replies/seventh",
    "eighth": "replies/eighth",
    "ninth": "replies/ninth",
    "tenth": "replies/tenth",
    "eleventh": "replies/eleventh",
    "twelfth": "replies/twelfth",
    "thirteenth": "replies/thirteenth",
    "fourteenth": "replies/fourteenth",
}
Part = Literal["building", "held_out"]
Behaviour = Literal["stop", "next", "yes", "no", "answer", "press", "limit", "invented", "asked"]


class LabelledSentence(BaseModel):
    """A sentence and, by act, the topics that it was labelled with."""

    model_config = ConfigDict(frozen=True)

    text: str
    acts: dict[Act, tuple[str, ...]]


class Turn(BaseModel):
    """A line of `assistant_speech`."""

    model_config = ConfigDict(frozen=True)

    sentences: tuple[LabelledSentence, ...]


class Reply(HeardReply):
    """A line of `replies`: what its writer and a second reader accept of a driver, best first.

    `admits` says of later rounds whether the reply admits what the car lacks.
    """

    id: str
    round: Round
    writer: tuple[Behaviour, ...]
    reader: tuple[Behaviour, ...]
    admits: bool | None = None
    sentences: tuple[LabelledSentence, ...]

    @property
    def known_task(self) -> Task:
        """Their task as it was then."""
        return tasks(self.round)[self.task]

    @property
    def accepted(self) -> frozenset[Behaviour]:
        """What at least one of the two accepts."""
        return frozenset((*self.writer, *self.reader))

    def does(self, *acts: Act) -> bool:
        """Whether a sentence of it was labelled as one of these acts.

        Where no sentence was labelled, what is accepted says whether something was asked.
        """
        if not self.sentences:
            asked = {"yes", "no"} if set(acts) == {"proposal"} else {"yes", "no", "answer"}
            return not self.accepted.isdisjoint(asked)
        return any(act in each.acts for each in self.sentences for act in acts)


class Proposal(HeardReply):
    """A line of `proposals`: a proposal of one kind, and what its writer accepts of a driver."""

    id: str
    kind: str
    accepted: tuple[Behaviour, ...]
    round: Round = "second"

    @property
    def as_reply(self) -> Reply:
        """With nobody but its writer as reader, and no sentence but the proposal."""
        said = LabelledSentence(text=self.reply, acts={"proposal": ()})
        both = {"writer": self.accepted, "reader": self.accepted}
        return Reply.model_validate({**self.model_dump(), **both, "sentences": (said,)})


@cache
def tasks(written_in: Round) -> dict[str, Task]:
    """The tasks as the writers of the replies of a round knew them."""
    folder = CORPUS / FOLDERS[written_in] / "tasks"
    return {task.task_id: task for task in own_tasks(folder, WORLD)}


def turns(part: Part, one_in: int = 1) -> list[Turn]:
    return [Turn.model_validate(row) for row in _rows("assistant_speech", part)][::one_in]


def replies(part: Part, one_in: int = 1) -> list[Reply]:
    return [
        Reply.model_validate({**row, "round": written_in})
        for written_in, folder in FOLDERS.items()
        if folder.startswith("replies/")
        for row in _rows(folder, part)
    ][::one_in]


def proposals(part: Part, one_in: int = 1) -> list[Proposal]:
    return [Proposal.model_validate(row) for row in _rows("proposals", part)][::one_in]


def _rows(corpus: str, part: Part) -> Iterator[Any]:
    text = (CORPUS / corpus / f"{part}.jsonl").read_text(encoding="utf-8")
    return map(orjson.loads, text.splitlines())
