"""Find the words of Chinese, Japanese and Thai, which are written without spaces.

The models are those of BudouX (Apache License 2.0), which ship in its package. On the share half of
the multilingual sets, pairs of characters find Chinese and Japanese passages better than its words
do (question AUC 0.973 and 0.980 against 0.957 and 0.973), and its words find Thai passages better
(0.984 against 0.973, pooled 0.942 against 0.853). Tokens are therefore pairs for the first two, and
words for Thai. Key words, which are read and searched for, are joined from its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from research_core.text.languages import find_stop_words

#: The model of each language.
_MODELS = {"zh": "zh-hans", "ja": "ja_word", "th": "th"}
SEGMENTED_LANGUAGES = frozenset(_MODELS)
#: A run of katakana is one word, which BudouX would tear: "スズメバチ".
_RUNS = re.compile(
    r"[\u30a1-\u30fa\u30fc]{3,}"
    r"|(?:(?![\u30a1-\u30fa\u30fc]{3})[\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])+"
    r"|[\u0e01-\u0e4e]+|[^\s\u3000-\u9fff\uf900-\ufaff\u0e01-\u0e4e\uff00-\uff65]+"
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{3,}")
#: Phrases that ask, longest first in each pattern; what they part is asked about.
_FRAMES = {
    "zh": re.compile(
        "请告诉我|告诉我|请问|是什么时候|是什么原因|是什么地方|什么时候|为什么|多长时间|怎么样|是什么|有什么|有哪些|有多少|多少[年钱只个位名家条座次]|(?<=[0-9])年"
        "|是否|什么|哪些|哪里|哪个|哪种|哪年|如何|怎么|怎样|多少|多久|多长|多大|多高|多远|几个|何时"
        "|谁|吗|呢|之间|以及|可以|应该|最多不得|最多|最少|不得|主要|才能"
    ),
    "ja": re.compile(
        "教えてください|ことは?[がも]?できますか|どうすればいいですか|しましたか|ましたか|いいですか|とは何ですか|何ですか|のですか|でしょうか|ですか"
        "|ますか|どのくらい|どれくらい"
        "|どのように|どのような|どうやって|どうすれば|どうして|どんな|いくら|いつ|どこ|なぜ|誰|何"
        "|について|における|に関する|による|とは"
    ),
}
#: Particles and auxiliaries that the lists lack.
_PARTICLES = {
    "zh": "的 了 是 有 在 和 与 及 对 被 把 也 都 会 要 让 从 到 于 以 用 吗 呢 之 其 而 或 一般 请 什",
    "ja": (
        "の は が を に で と も へ から まで より や か です ます する した して いる ある な だ こと もの"
        " ため よう など として し れ られ た て れる られる なる なります ば まま"
    ),
    "th": "",
}


@lru_cache(maxsize=50_000)
def segment(run: str, language: str) -> tuple[str, ...]:
    """Return the words of a run of letters, in order; language: zh, ja or th."""
    return tuple(_load_parser(language).parse(run))


def find_unspaced_keywords(text: str, language: str) -> list[str]:
    """Return what a text in Chinese, Japanese or Thai is about, in order, as spelled.

    Phrases that ask and particles part key words. BudouX tears rare words: a single character
    belongs to the word before it, or else after it, and so do all neighbours in Thai.
    """
    frames = _FRAMES.get(language)
    left = frames.sub(" ", text) if frames else text
    listed = find_stop_words(language)
    if language == "zh":
        listed = frozenset(word for word in listed if len(word) > 1)  # "人" is in "人工智能"
    stop_words = listed | frozenset(_PARTICLES[language].split())
    keywords: list[str] = []
    for run in _RUNS.findall(left):
        if run[0] < "\u0e01" or _KATAKANA.fullmatch(run):
            keywords.append(run)
            continue
        for is_stop, words in groupby(segment(run, language), stop_words.__contains__):
            if not is_stop:
                keywords += _join_words(words, language)
    return keywords


def _join_words(words: Iterable[str], language: str) -> list[str]:
    """Join the neighbours that are pieces of one word."""
    joined: list[str] = []
    for word in words:
        if joined and (language == "th" or 1 in (len(joined[-1]), len(word))):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


@cache
def _load_parser(language: str) -> Any:
    """Load a model when the first text needs it."""
    from budoux.parser import Parser

    model = files("budoux") / "models" / f"{_MODELS[language]}.json"
    return Parser(json.loads(model.read_text(encoding="utf-8")))
