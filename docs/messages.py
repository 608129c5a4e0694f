"""Extract the texts that readers see, and compile their translations: `python docs/messages.py`.

Writes `research_core/locale/assay.pot` with every text marked in `research_core`, `pages` and
`app.py`, brings each `LANGUAGE/LC_MESSAGES/assay.po` up to date with it, and compiles the `.mo`
files that Assay reads. A text that changed loses its translation: none is guessed. Prints how many
are translated. `--check` writes nothing and exits with 1 if anything would change. Needs the
development tools.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

sys.path.insert(0, str(Path(__file__).parents[1]))

from research_core.i18n import DOMAIN, EARLIER_ENGLISH, FOLDER, LANGUAGES, SOURCE_LANGUAGE

ROOT = Path(__file__).parents[1]
SOURCES = ("research_core", "pages", "app.py")
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
#: The date in compiled files, so that they change only with their texts.
UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
TEMPLATE = FOLDER / f"{DOMAIN}.pot"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    changed = []
    for path, content in build_files():
        if not path.exists() or path.read_bytes() != content:
            changed.append(path)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    for path in changed:
        print(f"{'outdated' if check else 'written'}: {path.relative_to(ROOT)}")
    return 1 if check and changed else 0


def build_files() -> Iterator[tuple[Path, bytes]]:
    """Yield the path and content of the template, and of each language's two files."""
    template = extract_template()
    yield TEMPLATE, render_catalogue(template)
    for code in (*LANGUAGES, EARLIER_ENGLISH):
        if code == SOURCE_LANGUAGE:
            continue
        path = FOLDER / code / "LC_MESSAGES" / f"{DOMAIN}.po"
        locale = SOURCE_LANGUAGE if code == EARLIER_ENGLISH else code
        catalogue = update_catalogue(path, locale, template)
        if code == EARLIER_ENGLISH:
            keep_translated(catalogue)
        content = render_catalogue(catalogue)
        yield path, content
        yield path.with_suffix(".mo"), compile_catalogue(content, locale)


def extract_template() -> Catalog:
    """Return every marked text with the files that have it, without line numbers or dates."""
    template = Catalog(project="Assay", charset="utf-8")
    for source in SOURCES:
        folder = ROOT / source
        found = extract_from_dir(
            folder.parent if folder.suffix else folder,
            method_map=[(folder.name if folder.suffix else "**.py", "python")],
            keywords=KEYWORDS,
            comment_tags=("Translators:",),
            strip_comment_tags=True,
        )
        for name, _line, message, comments, context in found:
            path = source if folder.suffix else f"{source}/{name}"
            template.add(message, locations=[(path, 1)], auto_comments=comments, context=context)
        for module in [folder] if folder.suffix else sorted(folder.rglob("*.py")):
            place = module.relative_to(ROOT).as_posix()
            for marked in find_in_f_strings(module.read_text(encoding="utf-8")):
                template.add(marked, locations=[(place, 1)])
    return template


def find_in_f_strings(source: str) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts that are marked within f-strings, which Babel does not look into."""
    for outer in ast.walk(ast.parse(source)):
        if isinstance(outer, ast.JoinedStr):
            for call in ast.walk(outer):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    places = {"_": 1, "N_": 1, "ngettext": 2}.get(call.func.id, 0)
                    texts = [
                        str(ast.literal_eval(each))
                        for each in call.args[:places]
                        if isinstance(each, ast.Constant)
                    ]
                    if texts:
                        yield texts[0] if len(texts) == 1 else tuple(texts)


def update_catalogue(path: Path, code: str, template: Catalog) -> Catalog:
    """Return the stored translations of the texts that the template still has."""
    if path.exists():
        with path.open("rb") as stored:
            catalogue = read_po(stored, locale=code)
    else:
        catalogue = Catalog(locale=code, project="Assay", charset="utf-8")
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False)
    return catalogue


def keep_translated(catalogue: Catalog) -> None:
    """Drop the texts whose wording did not change: the catalogue of older wording lacks them."""
    for message in list(catalogue):
        string = message.string or ""
        forms = [string] if isinstance(string, str) else string
        if message.id and not any(forms):
            catalogue.delete(message.id, message.context)


def render_catalogue(catalogue: Catalog) -> bytes:
    """Return the text of a catalogue, sorted by file; its header has only what readers need."""
    written = BytesIO()
    write_po(
        written, catalogue, sort_by_file=True, ignore_obsolete=True, include_lineno=False, width=100
    )
    _, _, body = written.getvalue().decode().partition("\n\n")
    header = ['msgid ""', 'msgstr ""', r'"Content-Type: text/plain; charset=utf-8\n"']
    if catalogue.locale is not None:
        header.append(rf'"Language: {catalogue.locale}\n"')
        header.append(rf'"Plural-Forms: {catalogue.plural_forms}\n"')
    return ("\n".join(header) + "\n\n" + body.rstrip("\n") + "\n").encode()


def compile_catalogue(content: bytes, code: str) -> bytes:
    """Return the `.mo` file of a rendered catalogue."""
    catalogue = read_po(BytesIO(content), locale=code)
    catalogue.fuzzy = False
    catalogue.creation_date = catalogue.revision_date = UNDATED
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    return compiled.getvalue()


if __name__ == "__main__":
    sys.exit(main())
