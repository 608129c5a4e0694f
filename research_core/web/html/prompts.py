"""Remove dialogs that ask for consent, and boxes that offer a newsletter.

Neither is text of the page, and on a page that its scripts would fill they are all there is. Such a
box has a control of its kind ("Accept all", a field for an e-mail address) and words about its
subject. A box that holds an article, or mostly other prose, stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice

from lxml import etree

from research_core.web.html.elements import fold_text, get_names
from research_core.web.lxml_types import Element

#: Characters of a box that its role or name marks as a prompt, and of any other.
MAX_MARKED_LENGTH, MAX_UNMARKED_LENGTH = 20_000, 2_000
#: Characters of a control's label, levels between a control and its box, and characters from which
#: a paragraph is prose; and characters of a class or id that is a name.
MAX_LABEL_LENGTH, MAX_LEVELS, MIN_PROSE_LENGTH, MAX_NAME_LENGTH = 60, 8, 80, 200
#: Controls and named boxes examined on a page, and marked boxes around each.
MAX_SIGNS, MAX_MARKED = 60, 3
#: Share of the prose of a box that may be about something else.
OTHER_PROSE_SHARE = 0.4
#: Characters of a page that only asks for consent, the subjects of `_CONSENT_PURPOSES` that it
#: mentions, and the share of its text that may be about something else.
MAX_WALL_LENGTH, MIN_WALL_PURPOSES, OTHER_WALL_SHARE = 1_500, 2, 0.3
_DIALOG_ROLES = frozenset({"dialog", "alertdialog"})
_SILENT_TAGS = frozenset({"script", "style", "nav", "footer", "title"})
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*")
_PAGE_TAGS = frozenset({"html", "body", "main", "article"})


@dataclass(frozen=True)
class PromptKind:
    """A kind of box that asks the reader for something.

    is_control: whether an element is the control of such a box. subject: what its text mentions.
    names: whole classes or ids of such boxes. products: the same of products that make nothing
    else.
    """

    is_control: Callable[[Element], bool]
    subject: re.Pattern[str]
    names: re.Pattern[str]
    products: re.Pattern[str]


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


#: Words of the labels by which a reader consents or refuses.
_CHOICES = _compile(r"""
    \b(?:accept|agree|allow|consent|reject|decline|deny|refuse)\b | \bgot\ it\b
    | \bmanage\ (?:my\ )?(?:cookies|preferences|choices|options|settings)
    | ^\W*(?:ok|okay|understood|i\ understand|continue|cookie\ (?:settings|preferences))\W*$
    | akzeptier | zustimm | einverstanden | ablehnen | zulassen | verstanden | annehmen
    | accepter | accepte\b | refuser | d['’]accord | autoriser | tillåt | neka\b | avvisa | acceptera
    | acept(?:ar|o) | rechaz | permitir | de\ acuerdo | aceitar | aceito | rejeitar | recusar | concordo
    | accett | rifiut | acconsent | accepteer | akkoord | weiger | toestaan | acceptar
    | godkän | godkend | godta | tillad | tillat | afvis | avvis | samtykk | hyväksy | salli | hylkää
    | nõustu | piekrīt | sutink | priimti | akceptuj | zgadzam | odrzu | zezw[oó]l | přijmout | souhlas
    | odmít | povolit | prijať | súhlas | odmiet | elfogad | elutasít | engedélyez | respinge
    | sunt\ de\ acord | prihva | slažem | odbij | sprejm | прин(?:ять|има) | прийма | прийняти | приема
    | согла[сш] | отклон | разреш | погоджу | відхил | съглас | αποδέχ | αποδοχή | συμφων | απόρριψη
    | kabul | reddet | onayl | izin\ ver | מסכי | מאשר | אישור | קבל | דחה | قبول | أوافق | موافق | رفض | پذیرش
    | स्वीकार | सहमत | terima | setuju | tolak | izinkan | chấp\ nhận | đồng\ ý | từ\ chối | ยอมรับ | ยินยอม | ปฏิเสธ
    | 同意 | 許可 | 承諾 | 受け入れ | 拒否 | 接受 | 允许 | 允許 | 拒绝 | 拒絕 | 동의 | 수락 | 허용 | 거부
    """)
_CONSENT_SUBJECT = _compile(r"""
    cookies? | evästee? | evästei | sütik | sušenk | \bçerez | informasjonskaps | kolačić | piškotk
    | slapuk | sīkdat | küpsis | куки | бисквитк | колачић | クッキー | 쿠키 | คุกกี้ | कुकी
    | ملفات\ تعريف\ الارتباط | الكوكيز | کوکی | עוגיות
    | (?:value|respect|care\ about)\ your\ privacy | your\ privacy | (?:your|this)\ consent | gdpr
    | personal(?:ly\ identifiable)?\ (?:data|information) | advertising\ partners | our\ partners
    | legitimate\ interest | store\ and(?:/or)?\ access\ information
    | personenbezogen | datenschutz | einwilligung | dsgvo | données\ (?:à\ caractère\ )?personnel
    | vie\ privée | consentement | rgpd | datos\ personales | privacidad | consentimiento
    | dati\ personali | dados\ pessoais | privacidade | persoonsgegevens | toestemming
    | personuppgift | personopplysning | personoplysning | henkilötie
    | dan(?:ych|e)\ osobow | osobní(?:ch|mi)?\ údaj | személyes\ adat
    | персональн\w+\ данн | персональн\w+\ дан | προσωπικ\w+\ δεδομέν | kişisel\ veri
    | 個人情報 | 个人信息 | 個人資料 | 隐私 | 隱私 | プライバシー | 개인정보
    """)
#: What such a dialog speaks of beside cookies, by subject: partners, advertising, the device, and
#: consent or privacy.
_CONSENT_PURPOSES = tuple(
    map(
        _compile,
        (
            r"""
    partner | partenaire | \bsocios\b | parceir | kumppan | партн[её]р | партньор | συνεργάτ | εταίρ
    | iş\ ortak | ortaklar | שותפ | شركا | شریک | साझेदार | mitra\b | đối\ tác | พันธมิตร | パートナー
    | 合作伙伴 | 合作夥伴 | 파트너 | vendors?\b | third\ part
    """,
            r"""
    advert | \bads\b | werbung | werbe | publicit | publicidad | pubblicit | reclame | annons | annonc
    | reklam | mainos | mainont | hirdet | реклам | διαφημ | διαφήμ | iklan | quảng\ cáo | โฆษณา | 広告
    | 广告 | 廣告 | 광고 | إعلان | تبلیغ | פרסו | विज्ञापन | anúncio | oglas | oglaš
    """,
            r"""
    \bdevice | gerät | appareil | terminal | dispositiv | apparaat | \benhet | \benhed | laite
    | urządze | zařízen | zariaden | eszköz | устройств | пристр | συσκευ | cihaz | perangkat
    | thiết\ bị | อุปกรณ์ | デバイス | 端末 | 设备 | 裝置 | 기기 | جهاز | دستگاه | מכשיר | उपकरण | uređaj
    """,
            r"""
    consent | einwillig | zustimm | stimmen\ sie | consenso | toestemming | samtyck | samtykk
    | suostum | zgod | souhlas | súhlas | hozzájárul | согласи | соглаша | згод | съглас | συγκατ
    | συναίνε | onay | rıza | persetujuan | đồng\ ý | ยินยอม | 同意 | 동의 | موافق | רضا | הסכמ | सहमति
    | privacy | privatsphäre | datenschutz | vie\ privée | privacidad | privacidade | integritet
    | personvern | privatliv | yksityisyy | prywatno | soukrom | magánszféra | adatvédel
    | конфиденц | приватн | απόρρητ | gizlilik | privasi | quyền\ riêng\ tư | ความเป็นส่วนตัว
    | プライバシー | 隐私 | 隱私 | 개인정보 | خصوصي | حریم\ خصوصی | פרטיות | गोपनीयता
    """,
        ),
    )
)
_CONSENT_NAMES = _compile(r"""
    (?:(?:js|m|c|ui|eu|wp|app|site|page|main|global)[-_]+)?
    (?:cookies?|consent|gdpr|dsgvo|rgpd|privacy|cmp|lgpd|ccpa|cookie[-_]?consent)[-_]*
    (?:banner|notice|bar|law|pop-?up|modal|dialog(?:ue)?|overlay|wall|message|alert|box|layer|hint
        |consent|prompt|disclaimer|warning|notification|container|wrapper|manager|policy-?banner)
    (?:[-_][\w-]*\w)?
    """)
_CONSENT_PRODUCTS = _compile(r"""
    onetrust-(?:banner|consent|pc)[\w-]* | didomi-(?:host|popup|notice)[\w-]* | CybotCookiebotDialog
    | usercentrics-(?:root|cmp-ui) | uc-banner[\w-]* | qc-cmp2?-(?:container|ui)[\w-]*
    | sp_message_container[\w-]* | truste[-_][\w-]* | BorlabsCookieBox | cky-consent[\w-]*
    | cc-(?:window|banner) | osano-cm-[\w-]* | iubenda-cs-[\w-]* | tarteaucitron[\w-]*
    | fc-consent-root | cmplz-cookiebanner[\w-]* | axeptio[\w-]* | klaro
    """)
_NEWSLETTER_SUBJECT = _compile(r"""
    news-?letter | in(?:to)?\ your\ (?:inbox|e-?mail) | subscribe | mailing\ list | sign\ up | rundbrief
    | infolettre | abonn | inscri(?:vez|re|ption) | s['’]inscrire | suscr[ií] | bolet[ií]n | inscreva
    | iscriviti | nieuwsbrief | inschrijv | nyhetsbrev | nyhedsbrev | uutiskirje | biuletyn
    | zapisz\ się | zpravodaj | přihla | hírlevél | feliratkoz | abonează | рассылк | подпи[сш]
    | розсилк | підпи[сш] | ενημερωτικ\w+\ δελτί | bülten | ניוזלטר | הרשמ | النشرة | اشترك | خبرنامه
    | buletin | berlangganan | bản\ tin | จดหมายข่าว | メールマガジン | ニュースレター | メルマガ
    | 订阅 | 訂閱 | 뉴스레터 | 구독
    """)
_NEWSLETTER_NAMES = _compile(r"""
    (?:[\w-]+[-_])?(?:news-?letter|nieuwsbrief|nyhetsbrev|mailing-?list|mc_embed|mailchimp)(?:[\w-]*\w)?
    """)
_NEWSLETTER_PRODUCTS = _compile(r"mc_embed_(?:signup|shell)")

#: A part of every name above.
_NAME_PARTS = _compile(
    r"cookie|consent|gdpr|dsgvo|rgpd|privacy|cmp|lgpd|ccpa|onetrust|didomi|cybot|usercentrics|uc-ban"
    r"|sp_mess|truste|cky|cc-|osano|iubenda|tarteauc|axeptio|klaro|letter|brev|brief|mail|mc_embed"
)


def _is_choice(element: Element) -> bool:
    """Return whether an element is a button by which a reader consents or refuses."""
    if element.tag == "input":
        if (element.get("type") or "").lower() not in ("submit", "button"):
            return False
        label = element.get("value") or ""
    else:
        label = "".join(islice(element.itertext(), 8))
    label = fold_text(label[: 4 * MAX_LABEL_LENGTH])
    return 0 < len(label) <= MAX_LABEL_LENGTH and _is_choice_label(label)


@lru_cache(maxsize=4_096)
def _is_choice_label(label: str) -> bool:
    return _CHOICES.search(label) is not None


def _is_email_field(element: Element) -> bool:
    if element.tag != "input":
        return False
    if (element.get("type") or "").lower() == "email":
        return True
    names = f"{element.get('name') or ''} {element.get('placeholder') or ''}".lower()
    return "mail" in names and (element.get("type") or "text").lower() == "text"


PROMPTS = (
    PromptKind(_is_choice, _CONSENT_SUBJECT, _CONSENT_NAMES, _CONSENT_PRODUCTS),
    PromptKind(_is_email_field, _NEWSLETTER_SUBJECT, _NEWSLETTER_NAMES, _NEWSLETTER_PRODUCTS),
)


def drop_prompts(tree: Element) -> bool:
    """Remove the boxes that ask for consent or offer a newsletter, in place.

    Return whether one that asks for consent was removed.
    """
    asked = False
    named: list[Element] = []
    controls: list[Element] = []
    for each in tree.iter(etree.Element):
        if _names_prompt(each.get("class") or "") or _names_prompt(each.get("id") or ""):
            named.append(each)
        if _may_be_control(each):
            controls.append(each)
    gone: set[Element] = set()
    for kind in PROMPTS:
        signs = [each for each in named if _is_marked(each, kind)]
        signs += filter(kind.is_control, controls)
        for sign in islice((each for each in signs if each not in gone), MAX_SIGNS):
            box = _find_box(sign, kind)
            if box is not None:
                gone.update(box.iter())
                box.drop_tree()
                asked = asked or kind is PROMPTS[0]
    return asked


def asks_only_for_consent(tree: Element) -> bool:
    """Return whether a page does nothing but ask for consent, in a box without a mark of its own.

    It is short, has a button to consent or refuse, and hardly says anything but what it asks for.
    """
    lines: list[str] = []
    length = 0
    for line in map(fold_text, _iterate_lines(tree)):
        lines.append(line)
        length += len(line)
        if length > MAX_WALL_LENGTH:
            return False
    text = " ".join(filter(None, lines))
    if not _CONSENT_SUBJECT.search(text):
        return False
    if sum(purpose.search(text) is not None for purpose in _CONSENT_PURPOSES) < MIN_WALL_PURPOSES:
        return False
    if not any(_may_be_control(each) and _is_choice(each) for each in tree.iter(etree.Element)):
        return False
    sentences = [part for line in lines for part in _SENTENCE_END.split(line)]
    other = sum(len(sentence) for sentence in sentences if not _is_about_consent(sentence))
    return other <= OTHER_WALL_SHARE * len(text)


def _iterate_lines(tree: Element) -> Iterator[str]:
    """Yield the texts of a page's body, outside menus, footers and controls."""
    for body in tree.iter("body"):
        for each in body.iter(etree.Element):
            if each.tag in _SILENT_TAGS or _may_be_control(each):
                continue
            if next(each.iterancestors("nav", "footer", "button"), None) is None:
                yield each.text or ""
                yield from (child.tail or "" for child in each)


def _is_about_consent(sentence: str) -> bool:
    return any(
        pattern.search(sentence) for pattern in (_CONSENT_SUBJECT, _CHOICES, *_CONSENT_PURPOSES)
    )


def _may_be_control(element: Element) -> bool:
    if element.tag in ("button", "input") or element.get("role") == "button":
        return True
    return element.tag == "a" and (element.get("href") or "#").startswith(("#", "javascript:"))


@lru_cache(maxsize=16_384)
def _names_prompt(names: str) -> bool:
    """Return whether a class or id is that of a prompt of any kind."""
    if not _NAME_PARTS.search(names):
        return False
    return any(_has_name(names, kind) for kind in PROMPTS)


def _has_name(names: str, kind: PromptKind) -> bool:
    """Return whether a class or id is that of a prompt of this kind, or of such a product."""
    for name in names.split():
        if len(name) > MAX_NAME_LENGTH:
            continue
        if kind.names.fullmatch(name) or kind.products.fullmatch(name):
            return True
    return False


def _find_box(sign: Element, kind: PromptKind) -> Element | None:
    """Return the box that a control or a named element belongs to; None for the page itself.

    A dialog or named box around it, or else the smallest box that mentions the subject.
    """
    smallest: Element | None = None
    tried = 0
    for level, each in enumerate(chain((sign,), sign.iterancestors())):
        if each.tag in _PAGE_TAGS or tried == MAX_MARKED or level > 2 * MAX_LEVELS:
            break
        if _is_marked(each, kind):
            tried += 1
            if _may_drop(each, kind):
                return each
        elif smallest is None and level <= MAX_LEVELS and _mentions_subject(each, kind):
            smallest = each
    if smallest is None or not _may_drop(smallest, kind):
        return None
    return _widen_box(smallest, kind)


def _is_marked(element: Element, kind: PromptKind) -> bool:
    """Return whether an element is a dialog, or has the name of a prompt of this kind."""
    return _is_dialog(element) or _has_name(get_names(element), kind)


def _widen_box(box: Element, kind: PromptKind) -> Element:
    """Return the largest box around this one in which every level adds words about the subject."""
    while (around := box.getparent()) is not None and around.tag not in _PAGE_TAGS:
        text = _read_beginning(around, MAX_UNMARKED_LENGTH)
        added = text.replace(_read_beginning(box, MAX_UNMARKED_LENGTH), " ")
        if not kind.subject.search(added) or not _may_drop(around, kind):
            break
        box = around
    return box


def _is_dialog(element: Element) -> bool:
    return (
        element.tag == "dialog"
        or (element.get("role") or "").lower() in _DIALOG_ROLES
        or element.get("aria-modal") == "true"
    )


def _mentions_subject(element: Element, kind: PromptKind) -> bool:
    return kind.subject.search(_read_beginning(element, MAX_UNMARKED_LENGTH)) is not None


def _may_drop(box: Element, kind: PromptKind) -> bool:
    """Return whether a box is about its subject alone and holds no article."""
    if next(box.iter("main", "article"), None) is not None:
        return False
    if any(map(kind.products.fullmatch, get_names(box).split())):
        return True
    longest = MAX_MARKED_LENGTH if _is_marked(box, kind) else MAX_UNMARKED_LENGTH
    text = _read_beginning(box, longest + 1)
    if len(text) > longest or not kind.subject.search(text):
        return False
    if _is_dialog(box):
        return True
    return next(box.iter("h1"), None) is None and _is_about_subject(box, kind)


def _is_about_subject(box: Element, kind: PromptKind) -> bool:
    """Return whether most of the prose in a box mentions the subject."""
    total = other = 0
    for paragraph in _iterate_prose(box):
        total += len(paragraph)
        other += len(paragraph) * (kind.subject.search(paragraph) is None)
    return other <= OTHER_PROSE_SHARE * total


def _iterate_prose(box: Element) -> Iterator[str]:
    """Yield the paragraphs of prose in a box, and loose text of the same length."""
    for each in box.iter("p"):
        text = fold_text("".join(each.itertext()))
        if len(text) >= MIN_PROSE_LENGTH:
            yield text
    for each in box.iter("div", "span", "section", "li", "td"):
        if next(each.iterancestors("p"), None) is None:
            text = fold_text(each.text or "")
            if len(text) >= MIN_PROSE_LENGTH:
                yield text


def _read_beginning(element: Element, limit: int) -> str:
    """Return the text of an element up to a number of characters, white space folded."""
    pieces: list[str] = []
    length = 0
    for part in element.itertext():
        words = " ".join(part.split())
        if words:
            pieces.append(words)
            length += len(words) + 1
        if length > limit:
            break
    return " ".join(pieces)
