"""What a question is about: its key words, what a follow-up leans on, and the query an instruction
of the analyst makes, if any.

Pure words: by the form of a question, never by its subject. Whether a query is asked, and of whom,
is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

from research_core.errors import UsageError
from research_core.policy import INSTRUCTION_LENGTH, QUESTION_LENGTH
from research_core.text.words import STOPWORDS, strip_invisible, tokenize, truncate

#: Words that ask instead of naming what is asked about.
QUESTION_WORDS = STOPWORDS | frozenset(
    """
        which whom whose when much many does do did has have had was were be been being can could
        should would will may might must shall i me my we us our you your it its they them their
        this that these those there here any some as if than then into from over per via between
        please tell give show find get explain describe list compare compared comparison discuss
        summarize summarise outline know like need want difference differences different vs versus
        mean means meaning exactly currently really actually generally usually known knows knew
        think thought work works well happen happens among within without through during before
        after against because while whether
    """.split()
)
#: Words that point back to what was spoken of before.
BACK_REFERENCES = frozenset(
    "it its they them their theirs this that these those he him his she her hers there then former"
    " latter".split()
)
#: Words of an instruction that are for the writer, not for a search engine.
WRITER_WORDS = frozenset(
    "say look include add also focus mention cover only note put more less first emphasise"
    " emphasize prefer report".split()
)
#: How an instruction begins that asks to leave something out. A query made of it would find more of
#: just that.
EXCLUSION_OPENINGS = (
    "leave out", "leave off", "ignore", "ignoring", "exclude", "excluding", "skip", "omit", "avoid",
    "filter out", "without",
    "no", "not", "never", "nothing from", "except", "do not", "don't", "dont",
)  # fmt: skip
#: What begins like one of these and asks for more all the same.
NON_EXCLUSION_OPENINGS = (
    "not only",
    "not just",
    "not least",
    "no matter",
    "do not forget",
    "don't forget",
    "dont forget",
)
#: Words of courtesy before it.
COURTESY_WORDS = frozenset("please kindly also and but".split())
#: What there is to say to it, and what to do.
NO_FILTER = "Assay can look for more; it does not filter by kind."
EXCLUSION_NEXT_STEP = (
    "Take that line out. Strike such a source on Live when it appears, or raise the minimum"
    " credibility."
)
#: With fewer key words a question is not understood by itself; with a word that points back, with
#: fewer than the second.
MIN_KEYWORDS, MIN_KEYWORDS_POINTING_BACK = 3, 6
#: Most words a query borrows from another text.
MAX_BORROWED_WORDS = 10
_EDGES = "\"'“”‘’«»()[]{}<>.,;:!?¿¡…*_`"


def find_keywords(text: str) -> list[str]:
    """The words that say what a text is about, in order and in their own spelling, each once."""
    words = [
        bare
        for word in text.split()
        if (bare := word.strip(_EDGES)) and bare.lower() not in QUESTION_WORDS
    ]
    firsts: dict[str, str] = {}
    for word in words:
        firsts.setdefault(word.lower(), word)
    return list(firsts.values())


def needs_context(question: str) -> bool:
    """Whether a follow-up can only be understood with the question before it: "And what does it
    cost?".
    """
    return len(find_keywords(question)) < (
        MIN_KEYWORDS_POINTING_BACK if BACK_REFERENCES & set(tokenize(question)) else MIN_KEYWORDS
    )


def make_standalone(question: str, follows: str) -> str:
    """A follow-up as whoever searches, reads and judges needs it: where it leans on the question
    before it, with what that was about.
    """
    if not follows or not needs_context(question):
        return question
    about = " ".join(_new_keywords(follows, question))
    end = "?" if question.endswith("?") else ""
    return f"{question.removesuffix('?')} (about: {about}){end}" if about else question


def build_instruction_query(question: str, instruction: str) -> str:
    """The query that an instruction makes: what the question is about, then what the instruction
    adds to it.
    """
    added = [
        word for word in _new_keywords(instruction, question) if word.lower() not in WRITER_WORDS
    ]
    return " ".join([*find_keywords(question)[:MAX_BORROWED_WORDS], *added]) or instruction


def asks_to_exclude(instruction: str) -> bool:
    """Whether an instruction asks to leave something out, by how it begins; one that ends as a
    question asks for an answer.
    """
    words = instruction.casefold().replace("’", "'").split()
    while words and words[0].strip(_EDGES) in COURTESY_WORDS:
        del words[0]
    said = " ".join(word.strip(_EDGES) for word in words) + " "

    def begins(table: tuple[str, ...]) -> bool:
        return any(said.startswith(f"{start} ") for start in table)

    return (
        begins(EXCLUSION_OPENINGS)
        and not begins(NON_EXCLUSION_OPENINGS)
        and not instruction.rstrip().endswith("?")
    )


def check_instructions(instructions: Iterable[str], *, by_model: bool) -> None:
    """Raises UsageError for the first that asks to leave something out where no language model
    writes: no search can heed it.
    """
    for instruction in instructions:
        if asks_to_exclude(instruction) and not by_model:
            raise UsageError(
                f"“{truncate(instruction, 80)}” asks to leave something out. {NO_FILTER}",
                next_step=EXCLUSION_NEXT_STEP,
            )


def _new_keywords(text: str, known: str) -> list[str]:
    """The first key words of a text that another does not hold already."""
    there = {word.lower() for word in find_keywords(known)}
    return [word for word in find_keywords(text) if word.lower() not in there][:MAX_BORROWED_WORDS]


def clean_question(text: str) -> str:
    """The question, white space folded, nothing hidden in it. Raises UsageError below 3 and above
    2,000 characters.
    """
    question = " ".join(strip_invisible(text).split())
    low, high = QUESTION_LENGTH
    if not question:
        raise UsageError(
            "The question is empty.",
            next_step="Type what you want to know, best in a full sentence.",
        )
    if len(question) < low:
        raise UsageError(
            f"The question is too short: it has {len(question)}"
            f" character{'s' * (len(question) > 1)}, and at least {low} are needed.",
            next_step="Say more of what you want to know, best in a full sentence.",
        )
    if not any(character.isalnum() for character in question):
        raise UsageError(
            "The question has no word in it.",
            next_step="Type what you want to know, best in a full sentence.",
        )
    if len(question) > high:
        raise UsageError(
            f"The question is too long: it has {len(question):,} characters, and at most {high:,}"
            " can be asked.",
            next_step="Shorten it, or ask its parts one by one.",
        )
    return question


def clean_instruction(text: str) -> str:
    """What the analyst asks for beside the question, white space folded, nothing hidden in it.
    Raises UsageError as for a question.
    """
    instruction = " ".join(strip_invisible(text).split())
    low, high = INSTRUCTION_LENGTH
    if not low <= len(instruction) <= high:
        size = (
            f"has {len(instruction)} character{'s' * (len(instruction) > 1)}"
            if instruction
            else "is empty"
        )
        raise UsageError(
            f"The instruction {size}.",
            next_step=f"Say what to look for in {low} to {high} characters.",
        )
    return instruction
