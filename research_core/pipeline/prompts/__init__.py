"""The texts in which models are asked, and what every request says of its question.

`version_N/KIND.txt` holds one kind of request as it is asked from version N of the rules of
prompting on (`journal.rule_versions`), until a later version has a file of its own: `version_1`
holds what older sessions asked, word for word, so that their recorded calls are found. A file has
sections, each under a line `=== name ===`: "system" and "prompt", which `str.format` fills, and
parts that only some requests have. `context.txt` holds the line on the date and the language that
begins each prompt from version 2 on. The modules that ask fill the texts, fence what comes from
outside and hold the schemas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from research_core.journal.deps import Deps
from research_core.journal.rule_versions import read_rules
from research_core.model_messages import Json
from research_core.text.languages import (
    FUNCTION_WORDS,
    LANGUAGE_NAMES,
    detect_language,
    guess_language,
)
from research_core.text.question_types import classify_question

#: The version from which a prompt states the date and the language, and a writer sees what is known
#: of each source.
CONTEXT_VERSION = 2
#: The type of a question whose words show none.
GENERAL_TYPE = "overview"
MONTHS = (
    "January February March April May June July August September October November December".split()
)
_SECTION = re.compile(r"^=== (.+) ===\n", re.MULTILINE)


@cache
def load_prompt(kind: str, version: int) -> Mapping[str, str]:
    """Return the sections of a kind of request by name. Raises FileNotFoundError for no such."""
    path = files(__name__) / f"version_{version}" / f"{kind}.txt"
    if version > 1 and not path.is_file():
        return load_prompt(kind, version - 1)
    # Read as bytes: line ends stay as they are on every system.
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    _, *parts = _SECTION.split(text)
    return {
        name: body.removesuffix("\n") for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


@dataclass(frozen=True)
class PromptContext:
    """What the requests of a run share.

    version: of the rules of prompting. today: the day on which the question was first asked
    (YYYY-MM-DD), "" if unknown. language: of the question, a key of LANGUAGE_NAMES, "" if unsure.
    question_type: the name of one of `question_types.QUESTION_TYPES`. length: brief | long, "" for
    the usual length of a report.
    """

    version: int = 1
    today: str = ""
    language: str = ""
    question_type: str = GENERAL_TYPE
    length: str = ""

    def load(self, kind: str) -> Mapping[str, str]:
        """Return the sections of a kind of request in this version."""
        return load_prompt(kind, self.version)

    def describe(self, purpose: str = "write") -> str:
        """Return the line on the date and the language; "" before version 2.

        purpose: write (the reply is in that language), explain (a part of it may be) or check (the
        reply is in no language).
        """
        if self.version < CONTEXT_VERSION:
            return ""
        sections = self.load("context")
        lines = []
        if self.today:
            lines.append(sections["today"].format(today=format_day(self.today)))
        name = LANGUAGE_NAMES.get(self.language, "")
        # Two languages that are not told apart are no language to write in.
        if name and " or " not in name:
            lines.append(sections[purpose].format(language=name))
        elif f"{purpose}_unknown" in sections:
            lines.append(sections[f"{purpose}_unknown"])
        return " ".join(lines)


def format_day(day: str) -> str:
    """Return a day such as 2026-11-26 in words: 26 November 2026."""
    parsed = date.fromisoformat(day)
    return f"{parsed.day} {MONTHS[parsed.month - 1]} {parsed.year}"


def find_sure_language(question: str) -> str:
    """Return the language of a question where it is clear, else "".

    A report in a language that was guessed by a name in the question would be of no use.
    """
    guess = guess_language(question)
    if guess == "en" or guess not in FUNCTION_WORDS or detect_language(question) == guess:
        return guess
    return ""


def build_prompt_context(question: str, deps: Deps) -> PromptContext:
    """Return the context of a run by the rules it began under.

    A question first asked before those of version 2 is asked about as then, also in rewrites, which
    so find its recorded calls. What the words of a question show is recorded, so that a replay by
    later rules asks the same.
    """
    version = read_rules(deps.log)["prompting"]
    if not isinstance(version, int) or version < CONTEXT_VERSION or not deps.run.asked_on:
        return PromptContext()

    def look() -> Json:
        return {
            "language": find_sure_language(question),
            "type": classify_question(question).name,
        }

    asked = {"asked": "the language and the type of a question", "question": question}
    facts = deps.http.record_fact(asked, look)
    return PromptContext(
        version, deps.run.asked_on, facts["language"], facts["type"], deps.run.length
    )
