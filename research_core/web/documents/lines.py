"""Decide whether the line breaks of a plain text matter, as in logs, programs and settings.

Decided by the file name if it says so, else by what most of the first lines look like.
"""

from __future__ import annotations

import re

#: Endings of files that consist of lines.
LINE_FILE_ENDINGS = tuple(
    f".{name}"
    for name in (
        "log out err diff patch srt vtt lrc ics vcf eml bib ris ini cfg conf toml yaml yml env"
        " properties desktop service py pyi pyx pxd js mjs cjs ts tsx java kt kts scala groovy c h"
        " cc cpp cxx hpp hh cs go rs swift m mm rb php pl pm lua r jl hs ml clj ex exs erl dart zig"
        " nim v sv vhd f f90 f95 pas bas vb asm sh bash zsh fish bat cmd ps1 sql css scss less tf"
        " cmake gradle mk"
    ).split()
)
#: Lines examined, and the share of them that must match.
SAMPLE_LINES, MIN_SHARE = 200, 0.4
_LINE_PATTERN = re.compile(
    r"""
      # The time at which something happened.
      [\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.](?:\d\d|[A-Z][a-z]{2})[-/.]\d{2,4}
      |\d\d:\d\d:\d\d)\b
    | [A-Z][a-z]{2}\ {1,2}\d{1,2}\ \d\d:\d\d:\d\d\b
    | \d{1,3}(?:\.\d{1,3}){3}\ \S+\ \S+\ \[
    | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b
    | (?:import|from|package|using|use|include|require|module|namespace|export)
      \s+[\w."'({$*:/@\\-]+\s*(?:;|as\b|import\b|$)
    | (?:return|raise|throw|yield)\b(?:\s+[\w.!-]+(?:[(\[{].*)?)?;?$
    | (?:(?:public|private|protected|static|async|final|abstract)\s+)*
      (?:def|class|func|fn|function|struct|enum|interface|impl)\s+\w+\s*[({:<]
    | (?:const|let|var|val|set|export|echo|cd|if|elif|else|for|while|switch|case|try|except|catch
      |with)\b.*[:;{(\])}]$
    | [\w.$\[\]"'-]{1,60}\s*(?:[-+*/|&:]?=|:=|=>|<-)\s*\S
    | [\w.:>$-]{1,60}\(.*\)[;:,]?$
    | [@#]\w+[(\s"<\[]|\#!|//|/\*|\*/|--\s|\[[\w.\s-]{1,40}\]$|[{}\[\]();,]{1,4}$
    | at\ [\w.$<>]+\(|File\ "|Traceback\ \(|[\w.]{0,60}(?:Error|Exception)\b|["']{3}
    | .*[{};\\]$
    """,
    re.VERBOSE,
)
_MAX_MATCHED_CHARACTERS = 400


def is_line_oriented(text: str) -> bool:
    """Return whether most of the first lines look like a log, a program or settings."""
    if text.startswith("#!"):
        return True
    lines = [
        line.strip()[:_MAX_MATCHED_CHARACTERS]
        for line in text[: SAMPLE_LINES * _MAX_MATCHED_CHARACTERS].split("\n")[: 2 * SAMPLE_LINES]
        if line.strip()
    ][:SAMPLE_LINES]
    return len(lines) > 1 and sum(
        bool(_LINE_PATTERN.match(line)) for line in lines
    ) >= MIN_SHARE * len(lines)
