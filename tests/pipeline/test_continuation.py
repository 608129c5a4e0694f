"""A text that was cut off, joined with its continuation, holds nothing twice and lacks nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.pipeline.continuation import join_texts

#: Reports in several languages, with headings, lists, tables and code blocks.
REPORTS = {
    "en": """## Executive Summary

The mean spring range at Harwich is 3.6 metres. [p00000001] It was measured in 2020. [p00000002]

## Main Findings

### Range

- Spring tides reach 3.6 metres on average. [p00000001]
- Neap tides reach 2.3 metres on average. [p00000003]

| Tide | Range | Source |
|---|---|---|
| Spring | 3.6 m | [p00000001] |
| Neap | 2.3 m | [p00000003] |

### Trend

The range grew by 4 mm a year. [p00000004] Nothing is known of the years before 1950.""",
    "de": """## Zusammenfassung

Der mittlere Springtidenhub beträgt 3,6 Meter. [p00000001] Er wurde 2020 gemessen. [p00000002]

## Ergebnisse

1. Bei Springtide sind es 3,6 Meter. [p00000001]
2. Bei Nipptide sind es 2,3 Meter. [p00000003]

Über die Jahre vor 1950 ist nichts bekannt. [p00000004]""",
    "ja": """## 要約

ハリッジの大潮の平均潮差は3.6メートルである。[p00000001] 2020年に測定された。[p00000002]

## 主な結果

小潮では2.3メートルである。[p00000003] 1950年以前のことは知られていない。[p00000004]""",
    "zh": """## 摘要

哈里奇大潮的平均潮差为3.6米。[p00000001] 该数据于2020年测得。[p00000002]

## 主要发现

- 小潮时为2.3米。[p00000003]
- 1950年以前的情况尚不清楚。[p00000004]""",
    "ar": """## الملخص

يبلغ متوسط المدى المدّي في هارويتش 3.6 أمتار. [p00000001] وقد قيس في عام 2020. [p00000002]

## النتائج

يبلغ المدى عند المحاق 2.3 متر. [p00000003] ولا يُعرف شيء عما قبل عام 1950. [p00000004]""",
    "ru": """```markdown
## Итог

Средняя величина прилива в Харидже составляет 3,6 метра. [p00000001]

```
h = 3.6
```

## Выводы

О годах до 1950-го ничего не известно. [p00000004]
```""",
}
#: What models put before a continuation.
ANNOUNCEMENTS = [
    "",
    "Continuing:\n\n",
    "Continuing: ",
    "(continued)\n\n",
    "Here is the rest:\n\n",
    "Sure! Here is the rest of the report, from where it stopped:\n\n---\n\n",
    "Natürlich, hier ist die Fortsetzung des Berichts:\n\n",
    "Voici la suite du rapport :\n\n",
    "Aquí está el resto:\n\n",
    "Вот продолжение:\n\n",
    "以下是报告的其余部分：\n\n",
    "続き：\n\n",
]


def list_beginnings(text: str) -> list[int]:
    """Return the offsets of the paragraphs of a text."""
    offsets = [0]
    while (found := text.find("\n\n", offsets[-1])) >= 0:
        offsets.append(found + 2)
    return offsets


def test_a_rule_that_announces_is_not_the_sign_of_the_item_that_was_cut() -> None:
    text = REPORTS["zh"]
    cut = text.rindex("- ") + 1
    announcement = "Sure! Here is the rest of the report:\n\n---\n\n"
    assert join_texts(text[:cut], announcement + text) == text
    assert join_texts(text[:cut], text[cut - 1 :]) == text


@given(st.data())
def test_a_continuation_that_begins_anew_at_any_paragraph_repeats_nothing(
    data: st.DataObject,
) -> None:
    text = REPORTS[data.draw(st.sampled_from(sorted(REPORTS)))]
    cut = data.draw(st.integers(1, len(text)))
    begun = text[:cut]
    starts = [start for start in list_beginnings(text) if start < len(begun.rstrip())]
    restart = data.draw(st.sampled_from(starts))
    announcement = data.draw(st.sampled_from(ANNOUNCEMENTS))
    assert join_texts(begun, announcement + text[restart:]) == text


@given(st.data())
def test_other_spacing_of_what_is_repeated_changes_nothing(data: st.DataObject) -> None:
    text = REPORTS[data.draw(st.sampled_from(["en", "de", "zh", "ar"]))]
    cut = data.draw(st.integers(40, len(text) - 1))
    restart = data.draw(st.sampled_from([s for s in list_beginnings(text) if s < cut]))
    spaced = text[restart:].replace("\n\n", "\n\n\n").replace(". ", ".  ")
    joined = join_texts(text[:cut], spaced)
    assert "".join(joined.split()) == "".join(text.split())


@pytest.mark.parametrize("language", ["en", "de", "ja", "zh", "ar"])
@pytest.mark.parametrize("fence", ["```markdown\n{}\n```", "```\n{}\n```\n", "```md\n{}"])
@pytest.mark.parametrize("announcement", ["", "Here is the rest:\n\n"])
def test_a_continuation_in_a_code_block_is_taken_out_of_it(
    language: str, fence: str, announcement: str
) -> None:
    text = REPORTS[language]
    cut = len(text) * 2 // 3
    for restart in list_beginnings(text)[:3]:
        assert join_texts(text[:cut], announcement + fence.format(text[restart:])) == text
    last = text.rindex("\n\n") + 2
    assert join_texts(text[:last], fence.format(text[last:])) == text


#: A text, a continuation in other words, and both together.
REPLACED = {
    "from the beginning": ("## Summary\n\nA. [p1]\n\n## Find", "## Summary\n\nB. [p2]", "## Summary\n\nB. [p2]"),
    "from the last heading": ("## A\n\nA. [p1]\n\n### B\n\nB is", "### B\n\nOne B. [p2]", "## A\n\nA. [p1]\n\n### B\n\nOne B. [p2]"),
    "with its mark": ("## A\n\nA. [p1]\n\n## 结论\n\n结", "## **结论**：\n\n二。[p2]", "## A\n\nA. [p1]\n\n## **结论**：\n\n二。[p2]"),
    "announced": ("## Ä\n\nA. [p1]\n\n## Ö\n\nO", "Hier der Rest:\n\n## Ö\n\nÖ. [p2]", "## Ä\n\nA. [p1]\n\n## Ö\n\nÖ. [p2]"),
    "from a paragraph": (
        f"A. [p1]\n\nThe {'long ' * 30}sentence ends so. [p1] It",
        f"The {'long ' * 30}sentence ends otherwise. [p2]",
        f"A. [p1]\n\nThe {'long ' * 30}sentence ends otherwise. [p2]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLACED)
def test_a_continuation_that_begins_anew_in_other_words_replaces_what_was_there(name: str) -> None:
    begun, rest, whole = REPLACED[name]
    assert join_texts(begun, rest) == whole


TABLE = "| Study | Year | Participants | Result | Risk of bias | Country | Journal | Funding | Source |\n|---|---|"
#: A text, a continuation that repeats nothing, and both together.
APPENDED = {
    "same heading below another": ("## A\n\n### C\n\nX.\n\n## B", "\n\n### C\n\nY.", "## A\n\n### C\n\nX.\n\n## B\n\n### C\n\nY."),
    "table with the same head": (f"{TABLE}\n| 1 | 2 |\n\n", f"{TABLE}\n| 3 | 4 |", f"{TABLE}\n| 1 | 2 |\n\n{TABLE}\n| 3 | 4 |"),
    "next row": ("| A | B |\n|---|---|", "| 3 | 4 |", "| A | B |\n|---|---|\n| 3 | 4 |"),
    "inside a row": ("| A | B |\n|---|---|\n| 3", "| 4 |", "| A | B |\n|---|---|\n| 3 | 4 |"),
    "next item": ("- One. [p1]", "- Two. [p2]", "- One. [p1]\n- Two. [p2]"),
    "same beginning of an item": ("- Smith 2019: A.\n- Jones 2020", "- Smith 2019: B.", "- Smith 2019: A.\n- Jones 2020\n- Smith 2019: B."),
    "inside a word": ("It was mea", "sured.", "It was mea sured."),
    "own space": ("It was mea", " sured.", "It was mea sured."),
    "inside a mark": ("It was measured. [p0000", "0001] Then.", "It was measured. [p00000001] Then."),
    "Chinese": ("该数据于2020年", "测得。", "该数据于2020年测得。"),
    "Thai": ("น้ำขึ้น", "น้ำลง", "น้ำขึ้นน้ำลง"),
    "Korean": ("조차는 3.6미터이며", "2020년에 측정되었다.", "조차는 3.6미터이며 2020년에 측정되었다."),
    "full stop": ("Es sind 3,6 Meter", ". Mehr nicht.", "Es sind 3,6 Meter. Mehr nicht."),
    "below a heading": ("## Итог", "Прилив велик. [p1]", "## Итог\n\nПрилив велик. [p1]"),
    "inside a heading": ("## Limits of", "the evidence\n\nX.", "## Limits of the evidence\n\nX."),
    "announced": ("## A\n\nX. [p1]", "Voici la suite :\n\n## B", "## A\n\nX. [p1] Voici la suite :\n\n## B"),
    "in a code block": ("The range is", "```\n3.6 m.\n```", "The range is 3.6 m."),
    "no announcement": ("The drugs", "continued to be used in:\n\n- A", "The drugs continued to be used in:\n\n- A"),
    "nor this": ("X.", "The trials reported:\n\n- A", "X. The trials reported:\n\n- A"),
    "end of a code block": ("```markdown\n## A\n\n```\nx = 1", "```\n\nB.\n```", "```markdown\n## A\n\n```\nx = 1 ```\n\nB.\n```"),
    "nothing": ("The range is 3.6 m.", " \n", "The range is 3.6 m."),
}  # fmt: skip


@pytest.mark.parametrize("name", APPENDED)
def test_a_continuation_that_repeats_nothing_is_added_whole(name: str) -> None:
    begun, rest, whole = APPENDED[name]
    assert join_texts(begun, rest) == whole


#: What stands before a text that a model begins anew, beside what announces it with a colon.
BEFORE_A_NEW_BEGINNING = [
    "# Tidal ranges at Harwich\n\n",
    "I apologize for the interruption. Here is the complete report.\n\n",
    "Entschuldigung, ich beginne noch einmal.\n\n",
    "Lo siento, aquí está el informe entero\n\n---\n\n",
    "申し訳ありません。最初から書きます。\n\n",
    "<draft>\n",
    "عذرًا، أبدأ من جديد.\n\n# عنوان\n\n",
]


@pytest.mark.parametrize("language", ["en", "de", "ja", "zh"])
@pytest.mark.parametrize("words", BEFORE_A_NEW_BEGINNING)
def test_a_text_that_is_begun_anew_below_other_words_is_there_once(
    language: str, words: str
) -> None:
    text = REPORTS[language]
    after = "\n</draft>" if words.startswith("<draft>") else ""
    for cut in (len(text) * 2 // 3, len(text) - 4):
        assert join_texts(text[:cut], words + text + after).strip() == text


#: How the beginning of a text that is begun anew may differ from what was there.
NEW_BEGINNINGS = [
    ("en", "## Executive Summary\n", "**Executive Summary**\n"),
    ("en", "## Executive Summary\n", "## Summary\n"),
    ("en", "## Executive Summary\n\n", ""),
    ("de", "## Zusammenfassung\n", "### Fazit\n"),
    ("ja", "## 要約\n", "## 概要\n"),
    ("zh", "## 摘要\n", "**概要**：\n"),
]


@pytest.mark.parametrize(("language", "heading", "other"), NEW_BEGINNINGS)
def test_a_text_that_is_begun_anew_with_another_heading_is_there_once(
    language: str, heading: str, other: str
) -> None:
    text = REPORTS[language]
    begun = text[: len(text) * 2 // 3]
    assert join_texts(begun, text.replace(heading, other)) == text


def test_a_first_paragraph_in_other_words_is_left_out_where_the_next_ones_are_the_same() -> None:
    text = REPORTS["en"]
    begun = text[: text.index("### Trend")]
    other = "At Harwich, the mean spring range is 3.6 metres. [p00000001]\n\n"
    assert join_texts(begun, other + text[text.index("- Spring") :]) == text


@pytest.mark.parametrize("rest", [
    "## Conclusion\n\nThe mean spring range at Harwich is 3.6 metres. [p00000001] Of that, all"
    " is sure.",
    "## Sources of error\n\nWhat follows is new.\n\n- Neap tides reach 2.3 metres on average."
    " [p00000003]\n- So it was. [p00000001]",
])  # fmt: skip
def test_a_new_section_that_repeats_one_sentence_replaces_nothing(rest: str) -> None:
    assert join_texts(REPORTS["en"], f"\n\n{rest}") == f"{REPORTS['en']}\n\n{rest}"


def test_a_continuation_that_only_repeats_adds_nothing() -> None:
    text = REPORTS["en"]
    assert join_texts(text[:400], text[:300]) == text[:400].rstrip()
