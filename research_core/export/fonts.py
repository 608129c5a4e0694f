"""Choose the fonts that print a text: our own, and known ones on this machine for the rest.

DejaVu has Latin, Greek, Cyrillic, Arabic, Hebrew and most signs. Characters without a font are
counted by script.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from research_core.i18n import N_, _, gettext, join_list, ngettext

FONT_FOLDER = Path(__file__).with_name("fonts")
REGULAR_FONT, BOLD_FONT = FONT_FOLDER / "DejaVuSans.ttf", FONT_FOLDER / "DejaVuSans-Bold.ttf"
#: Shown in place of a character that no font has.
REPLACEMENT = "▯"

#: Font folders of Debian, macOS and Windows.
FOLDERS = (
    "/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts",
    "C:/Windows/Fonts", "~/.local/share/fonts",
    "~/.fonts", "~/Library/Fonts", "~/AppData/Local/Microsoft/Windows/Fonts",
)  # fmt: skip
#: Font files worth having, without spaces, in the order they are tried: those for many scripts
#: first.
KNOWN_FONTS = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "NotoSansSC-Regular.otf",
    "NotoSansSC-Regular.ttf",
    "SourceHanSansSC-Regular.otf",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "DroidSansFallback.ttf",
    "uming.ttc",
    "ArialUnicode.ttf",
    "HiraginoSansGB.ttc",
    "STHeitiLight.ttc",
    "Songti.ttc",
    "AppleSDGothicNeo.ttc",
    "msyh.ttc",
    "simsun.ttc",
    "msgothic.ttc",
    "YuGothM.ttc",
    "malgun.ttf",
    "Nirmala.ttc",
    "Nirmala.ttf",
    "LeelawUI.ttf",
    "ebrima.ttf",
    "seguisym.ttf",
    "segoeui.ttf",
    "AppleSymbols.ttf",
    "Kohinoor.ttc",
    "Thonburi.ttc",
    "FreeSans.ttf",
    "unifont.ttf",
    "Symbola.ttf",
    "NotoSansSymbols2-Regular.ttf",
    *(
        f"NotoSans{script}-Regular.ttf"
        for script in (
            "Devanagari Bengali Tamil Telugu Gujarati Gurmukhi Kannada Malayalam Thai Khmer "
            "Myanmar Sinhala Ethiopic Georgian Armenian Symbols"
        ).split()
    ),
)
#: The face of a collection for simplified Chinese, if it is not the first.
FACE_NUMBERS = {"NotoSansCJK-Regular.ttc": 2}
_FORBIDDEN = 0x0002  # the maker of a font may forbid that documents carry it (fsType)


@dataclass(frozen=True)
class FontChoice:
    """The fonts for a text.

    extra: fonts besides our own; missing: how often each unprintable character occurs.
    """

    extra: tuple[Path, ...]
    missing: Counter[str]

    def sentence(self) -> str:
        """Say what cannot be printed; "" if everything can."""
        if not self.missing:
            return ""
        count = self.missing.total()
        by_script = Counter[str]()
        for character, times in self.missing.items():
            by_script[get_script(character)] += times
        scripts = []
        for name, times in sorted(by_script.items(), key=lambda item: (-item[1], item[0])):
            scripts.append(describe_script(name, times))
        return ngettext(
            "No installed font has {count:,} character, which is shown as {sign}: {scripts}.",
            "No installed font has {count:,} characters, which are shown as {sign}: {scripts}.",
            count,
        ).format(count=count, sign=REPLACEMENT, scripts=join_list(scripts))


def choose_fonts(text: str, folders: Sequence[str] = FOLDERS) -> FontChoice:
    """Choose the fonts that print as much of the text as possible on this machine."""
    wanted = Counter(
        character for character in text if character > "~" and character not in "\x7f\n\t"
    )
    missing = {character for character in wanted if not _is_in_own_font(character)}
    extra: list[Path] = []
    for path in _find_fonts(tuple(folders)) if missing else ():
        printed = {character for character in missing if _can_print(path, character)}
        if printed:
            extra.append(path)
            missing -= printed
        if not missing:
            break
    counts = {character: wanted[character] for character in sorted(missing)}
    return FontChoice(tuple(extra), Counter(counts))


def _can_print(path: Path, character: str) -> bool:
    return ord(character) in read_coverage(path) and _is_public_character(character)


def _is_in_own_font(character: str) -> bool:
    return character < "ɐ" or _can_print(REGULAR_FONT, character)


def _is_public_character(character: str) -> bool:
    """Return False for private-use characters, for which no font can be right."""
    return unicodedata.category(character) not in ("Co", "Cn", "Cs", "Cc")


@lru_cache(maxsize=4)
def _find_fonts(folders: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the known fonts of these folders, in the order they are tried."""
    names: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(_list_files(Path(folder).expanduser())):
            names.setdefault(path.name.replace(" ", ""), path)
    return tuple(names[name] for name in KNOWN_FONTS if name in names)


def _list_files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.rglob("*.[ot]t[fc]"))


def get_face_number(path: Path) -> int:
    """Return the number of the face to use in a font file."""
    return FACE_NUMBERS.get(path.name, 0)


@lru_cache(maxsize=32)
def read_coverage(path: Path) -> frozenset[int]:
    """Return the characters that a font can print.

    It is empty for a file that is no font, or a font that documents may not carry.
    """
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with (
            path.open("rb") as file,
            TTFont(file, fontNumber=get_face_number(path), lazy=True) as font,
        ):
            closed = "OS/2" in font and font["OS/2"].fsType & 0x000F == _FORBIDDEN
            return frozenset() if closed else frozenset(font.getBestCmap() or ())
    except (TTLibError, OSError):
        return frozenset()


_NAMES = {
    "han": N_("Chinese or Japanese (Han)"),
    "hangul": N_("Korean"),
    "hiragana": N_("Japanese (Hiragana)"),
    "katakana": N_("Japanese (Katakana)"),
    "common": N_("symbols and emoji"),
    "inherited": N_("combining signs"),
}


def get_script(character: str) -> str:
    """Return the Unicode name of a character's script, in lower case."""
    from fpdf.unicode_script import get_unicode_script

    return get_unicode_script(character).name.lower().replace("_", " ")


def describe_script(script: str, count: int) -> str:
    """Name a script with the number of its characters."""
    if script == "unknown":
        return ngettext(
            "{count:,} unassigned or private character",
            "{count:,} unassigned or private characters",
            count,
        ).format(count=count)
    name = gettext(_NAMES[script]) if script in _NAMES else script.title()
    return _("{count:,} {script}").format(count=count, script=name)
