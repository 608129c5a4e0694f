"""Fold what the stemmers of other languages leave apart, and know words that ask for a relation.

The stemmers of Snowball keep apart forms that every text mixes: "genehmigt" and
"genehmigen", "berger" and "bergers", "يكتب" and "تكتب". The roots here are for comparing a
question with a text. Indexes hold the stems themselves.
"""

from __future__ import annotations

import re
from functools import cache

from research_core.text.words import stem

#: Letters that a folded root keeps at least.
MIN_ROOT = 4
#: What is taken off a word before it is stemmed, and off its stem afterwards, in this order.
_BEFORE = {"fr": (re.compile(r"(?<=[^\W\d_]{3})[sx]$"),)}
_AFTER = {
    # er wandert, wandern; sie genehmigt, genehmigen
    "de": tuple(map(re.compile, ("t$", "ig$", "t$", "er$"))),
    # ils chantent, il chante; berger, bergers; chanté, chanter
    "fr": tuple(map(re.compile, ("ent$", "er$", "é$"))),
    # he and she: يكتب, تكتب
    "ar": (re.compile("^[يت]"),),
}
#: In Arabic a root of three letters is whole.
_MIN_ROOTS = {"ar": 3}
#: Roots of German verbs that change their vowel: of the infinitive, and of the other forms.
_STRONG_VERBS = {
    form: infinitive
    for infinitive, *forms in map(
        str.split,
        (
            "bind band bund", "bleib blieb", "brech brach broch", "bring bracht", "denk dacht",
            "find fand fund", "flieg flog", "fliess floss", "geb gab", "geh ging gang", "geniess genoss",
            "gewinn gewann gewonn", "greif griff", "halt hielt", "heb hob", "helf half holf",
            "komm kam", "lass liess", "les las", "lieg lag leg", "nehm nahm nomm", "ruf rief",
            "schaff schuf", "schein schien", "schliess schloss", "schneid schnitt", "schreib schrieb",
            "seh sah", "sing sang sung", "sink sank sunk", "sprech sprach sproch", "spring sprang sprung",
            "steh stand", "steig stieg", "sterb starb storb", "treff traf troff", "treib trieb",
            "trink trank trunk", "verlier verlor", "wachs wuchs", "werf warf worf", "zieh zog",
        ),
    )
    for form in forms
}  # fmt: skip
_STRONG = re.compile(
    r"(?P<prefix>(?:be|er|ver|ent|zer|ab|an|auf|aus|ein|mit|nach|vor|zu|über|unter|um|durch)?)(?:ge)?"
    rf"(?P<form>{'|'.join(_STRONG_VERBS)})"
)


def _find_strong_root(root: str) -> str:
    """Return the root of the infinitive of a German form: "sing" for "sang" and "gesung"."""
    match = _STRONG.fullmatch(root)
    return match["prefix"] + _STRONG_VERBS[match["form"]] if match else root


def fold_forms(word: str, language: str) -> str:
    """Return the root that the forms of a lower-case word share; language: not English."""
    for ending in _BEFORE.get(language, ()):
        word = ending.sub("", word)
    root = stem(word, language)
    if language == "de":
        root = _find_strong_root(root)
    least = _MIN_ROOTS.get(language, MIN_ROOT)
    for ending in _AFTER.get(language, ()):
        shorter = ending.sub("", root)
        if len(shorter) >= least:
            root = shorter
    return root


#: Words that ask for a relation rather than name a thing. An answer seldom repeats them.
_RELATION_ROWS = {
    "de": (
        "ursache ursachen verursacht verursachen grund gründe folge folgen wirkung wirkungen wirkt"
        " auswirkung auswirkungen schaden schäden schadet vorteil vorteile nachteil nachteile"
        " bewirkt entsteht entstehen kostet kosten dauert beträgt heisst besteht"
    ),
    "fr": (
        "cause causes causent effet effets conséquence conséquences impact raison raisons dégât"
        " dégâts avantage avantages inconvénient inconvénients provoque provoquent coûte dure"
    ),
    "es": (
        "causa causas causan efecto efectos consecuencia consecuencias impacto razón razones"
        " motivo daño daños ventaja ventajas desventaja desventajas provoca provocan cuesta dura"
    ),
    "pt": (
        "causa causas causam efeito efeitos consequência consequências impacto razão razões motivo"
        " dano danos vantagem vantagens provoca custa dura"
    ),
    "it": (
        "causa cause causano effetto effetti conseguenza conseguenze impatto ragione ragioni motivo"
        " danno danni vantaggio vantaggi provoca costa dura"
    ),
    "ar": "سبب أسباب اسباب أثر اثر آثار اثار تأثير تاثير نتائج أضرار اضرار فوائد مزايا عيوب تسبب يسبب",
    "zh": "原因 影响 后果 造成 导致 危害 好处 坏处 作用 费用",
    "ja": "原因 理由 影響 結果 被害 効果 利点 欠点 与え 及ぼ 費用 起こ",
}


@cache
def find_relation_words(language: str) -> frozenset[str]:
    """Return the words of a language that ask for a cause, an effect, a price or the like."""
    return frozenset(_RELATION_ROWS.get(language, "").split())
