"""Measure how plausible a text is in the languages an encoding is used for.

The measure is an estimate of the bits by which the characters of a text are encoded best: frequent
letters of one language take few, letters of another script and symbols within words take many. It
decides between decodings of the same bytes, and needs only a few words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

#: Bits of a character, by what it is.
REPLACEMENT_BITS, CONTROL_BITS, SYMBOL_BITS, FOREIGN_BITS = 32.0, 26.0, 16.0, 15.0
PUNCTUATION_BITS, WIDE_PUNCTUATION_BITS = 8.0, 7.0
#: Bits of the most frequent letter of an alphabet, and of each further rank of letters.
FIRST_LETTER_BITS, RANK_BITS = 3.2, 0.15
#: Bits of the most frequent accented letter of a language in Latin letters, and of each rank.
FIRST_ACCENT_BITS, ACCENT_RANK_BITS = 4.0, 0.4
#: Bits of ideographs and syllables: in the list of frequent ones, in the first level of the
#: national standard, in the second one, and beyond.
FREQUENT_BITS, FIRST_LEVEL_BITS, SECOND_LEVEL_BITS, RARE_BITS = 8.5, 13.0, 18.0, 24.0
HIRAGANA_BITS, KATAKANA_BITS, HALF_WIDTH_BITS = 6.0, 7.5, 9.0
#: Bits of a word with capitals or of a letter next to a digit, of each capital that follows a small
#: letter, or of a word that ends in capitals otherwise, and of a change of script within a word.
CAPITAL_BITS, MIXED_CASE_BITS, MIXED_SCRIPT_BITS = 1.5, 8.0, 6.0
#: Bits by which the language that a page declares is preferred, for each non-ASCII character.
DECLARED_LANGUAGE_BITS = 4.0

_PUNCTUATION = frozenset("“”„‘’‚–—…•«»‹›°§©®€£™·¿¡№−×\xa0¡½¼²´")
_WIDE_PUNCTUATION = frozenset(
    "、。「」『』（）【】《》〈〉・，．：；！？～〜ー―‘’“”…　·％￥々〇＋－"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SCRIPT_CHANGE = re.compile(
    r"[A-Za-z](?=[\u0370-\u06ff\u0e00-\u0e7f])|[\u0370-\u06ff\u0e00-\u0e7f](?=[A-Za-z])"
    r"|[a-z](?=[\u3400-\u9fff\uac00-\ud7a3])|[\u3400-\u9fff\uac00-\ud7a3](?=[a-z])"
)
#: Vowels, tones and points that are written on letters.
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
#: Letters next to what is no letter within a word: "³" in "Ma³gorzata".
_SYMBOL_IN_WORD = re.compile(rf"[^\W\d_][^\w\s\x00-\x7f’‘–—·{_MARKS}]+(?=[^\W\d_])")

_LETTER_BY_DIGIT = re.compile(r"[\u00c0-\u06ff](?=\d)|(?<=\d)[\u00c0-\u06ff]")


@dataclass(frozen=True)
class Language:
    """A language, or several with the same letters.

    codes: as pages declare them. encodings: those its texts are found in, by Python's names.
    letters: the non-ASCII ones in small letters, the most frequent first; of a script with
    ideographs or syllables the frequent ones, in any order. alphabet: whether the letters are the
    whole alphabet. levels: the codec of its national standard, and the last lead bytes of its first
    level and of its second one.
    """

    codes: tuple[str, ...]
    encodings: tuple[str, ...]
    letters: str
    alphabet: bool = False
    levels: tuple[str, int, int] | None = None


_LATIN_1 = "cp1252"
_LATIN_2 = ("cp1250", "iso8859-2")
_CYRILLIC = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic")

LANGUAGES = (
    Language(("en",), (_LATIN_1,), "éèïöüçñàâêáíó"),
    Language(("de",), (_LATIN_1, "cp1250", "iso8859-2"), "üäößé"),
    Language(("fr",), (_LATIN_1,), "éèàêçôîûùâëïœüÿæ"),
    Language(("es", "ca", "gl"), (_LATIN_1,), "óíáéñúüçàèïò"),
    Language(("pt",), (_LATIN_1,), "ãçáéíóõêúâàôü"),
    Language(("it",), (_LATIN_1,), "àèòùéìî"),
    Language(("nl", "af"), (_LATIN_1,), "ëéïöüèêô"),
    Language(("sv", "fi"), (_LATIN_1,), "äåöéüàšž"),
    Language(("da", "no", "nb", "nn"), (_LATIN_1,), "øåæéèòüóäö"),
    Language(("is", "fo"), (_LATIN_1,), "áíðéóúöæþý"),
    Language(("pl",), _LATIN_2, "łęóążśćńź"),
    Language(("cs", "sk"), _LATIN_2, "íáéěýžřšůčúľťôňóďäĺŕ"),
    Language(("hu",), _LATIN_2, "áéöóőüíűú"),
    Language(("hr", "sl", "bs", "sr"), _LATIN_2, "čšžćđ"),
    Language(("ro",), (*_LATIN_2, "iso8859-16"), "ăîâșțşţ"),
    Language(("sq",), (_LATIN_1, *_LATIN_2), "ëç"),
    Language(("tr", "az"), ("cp1254",), "ıüşğçöiəâîİ"),
    Language(("lt",), ("cp1257", "iso8859-13"), "ėšžųįūčąę"),
    Language(("lv",), ("cp1257", "iso8859-13"), "āīēšņūļžčķģ"),
    Language(("et",), ("cp1257", "iso8859-13", _LATIN_1), "äõüöšž"),
    Language(("vi",), ("cp1258",), "đáàôêươâăéèíìóòúùýõũĩ\u0309\u0303\u0323\u0301\u0300"),
    Language(("ru",), _CYRILLIC, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", alphabet=True),
    Language(("bg", "mk", "sr"), _CYRILLIC, "аоиетнрсвлкдпмзубягчъжшйцхщфюьјљњћђџќѓѕ", alphabet=True),
    Language(("uk", "be"), (*_CYRILLIC, "koi8-u"), "оаинвтіерслкдмупязьбгчйхїжюєшцщфґўыэё", alphabet=True),
    Language(("el",), ("cp1253", "iso8859-7"), "αοιετνσρκπμλςυίηόγάδέύήωώχθφβξζψϊϋ", alphabet=True),
    Language(("he", "yi"), ("cp1255", "iso8859-8"), "יוהלאמרתשבנכםחדעקפגטזסןצץךף", alphabet=True),
    Language(("ar", "fa", "ur"), ("cp1256", "iso8859-6"), "اليمونرتبةعدسفهكقحجشطصخىذضزغثظئءأإآؤپچگیک", alphabet=True),
    Language(("th",), ("cp874",), "ารนก\u0e48อ\u0e31เง\u0e49มย\u0e35\u0e34ลวดทสตะ\u0e37\u0e38ปบคห\u0e39แจพชไขใโผซณศธภญฐ"
             "ฟษ\u0e4c\u0e47ำ\u0e36ถฝฎฒฉฌฆฤๆฬ\u0e4b\u0e4aฏฮ", alphabet=True),
    Language(
        ("ja",), ("cp932", "euc_jp"),
        "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木"
        "聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多"
        "正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住無真有口少町料工建空急止送切転研究楽起着店病質待試族銀早映親"
        "験英医去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋服夕曜肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢政議民連対部"
        "合市内相定回選米実関決全表戦経最現調化当約首法性要制治務成期取都和機平加受続進数記初指権支産点報済活原共得解交資予向際勝面告反"
        "判認参利組信在件側任引求所次論官増係感情投示変打直両式確果容必演争談能位置流格過局放常状球職供役構割身費付由説難優夫収断石違番"
        "号規術備宅害配警育席訪乗残想声念助労例然限追商葉伝働形景落好退頭負渡失差末守若種美命福望非観察段深申様財港識達良程満値光路科積"
        "他処太客師登易速存単座破完降責給苦園具府県郡区村株価氏佐藤鈴橋井林島松清森池阿沢丸",
        levels=("euc_jp", 0xCF, 0xF4),
    ),
    Language(
        ("zh", "zh-cn", "zh-hans", "zh-sg"), ("gb18030",),
        "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经"
        "么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全"
        "三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任"
        "常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场"
        "件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类"
        "求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔参石满广步单整元花转办费照石包连示号价买卖收销称额城省"
        "县址编码姓李刘陈杨赵黄周吴徐孙州京江苏商类期姑食六七八九千百亿投企银行团队研究际组医药低率增减级语写字服超节消装台湾香港",
        levels=("gb2312", 0xD7, 0xF7),
    ),
    Language(
        ("zh", "zh-tw", "zh-hant", "zh-hk"), ("big5", "big5hkscs"),
        "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經"
        "麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全"
        "三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任"
        "常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活更別打女變四神總何電數安少報才結反受目太量再感建務做接必場"
        "件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類"
        "求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運筆參石滿廣步單整元花轉辦費照包連示號價買賣收銷稱額城省縣"
        "址編碼姓李劉陳楊趙黃周吳徐孫州京江蘇商食六七八九千百億投企銀團研究際組醫藥低率增減級語寫字服超節消裝臺台灣香港",
        levels=("big5", 0xC6, 0xF9),
    ),
    Language(
        ("ko",), ("cp949",),
        "이다는에의가을하고은를기지사도로한서대리시인어자정나스들해라과일아수그보여전주조유상부장비제면성년국원오우안회구신공무니음만세거"
        "미계모되용방관소게내진문경중연마선생있으등동트적개위치학와할저물달산실심요양발드레까데러포명민강통간행타입체초습없번김박최윤임황"
        "권송류홍영민현지훈준철희숙순옥재호석종남북동서울부광천인역군읍면시도품격가량수출단판매업식당점금액원값질책표목록날짜름류번역약"
        "업투자증감분기화학교육료금반설결과말건복직추향환경변형태별활터널빠른높낮작큰많적합필요예외살림집차길바람빛색꽃물불흙새벽밤낮",
        levels=("euc_kr", 0xC8, 0xFD),
    ),
)  # fmt: skip


def measure_implausibility(text: str, encoding: str, language: str = "") -> float:
    """Return the bits of the text's non-ASCII characters in the best language of the encoding.

    language: the tag that the page declares, which is preferred. UTF-8 is used for all languages.
    Only texts decoded from the same bytes can be compared.
    """
    counts = Counter(re.findall(r"[^\x00-\x7f]", text))
    shape = _measure_shape(text)
    declared = language.lower().partition("-")[0]
    languages = [each for each in LANGUAGES if encoding == "utf-8" or encoding in each.encodings]
    measured = []
    for each in languages or [_UNKNOWN]:
        bits = 0.0
        for character, count in counts.items():
            bits += count * _measure_character(character, each)
        if declared and declared in each.codes:
            bits -= DECLARED_LANGUAGE_BITS * counts.total()
        measured.append(bits)
    return min(measured) + shape


_UNKNOWN = Language((), (), "")


def _measure_shape(text: str) -> float:
    """Return the bits of words with capitals after small letters, and of mixed scripts."""
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    odd = capitals = 0
    for word, count in Counter(words).items():
        if word != word.lower():
            capitals += count
            if word[1:] != word[1:].lower() and word != word.upper():
                odd += count * max(1, _count_inner_capitals(word))
    changes = len(_SCRIPT_CHANGE.findall(text)) + len(_SYMBOL_IN_WORD.findall(text))
    capitals += len(_LETTER_BY_DIGIT.findall(text))
    return CAPITAL_BITS * capitals + MIXED_CASE_BITS * odd + MIXED_SCRIPT_BITS * changes


def _count_inner_capitals(word: str) -> int:
    """Count the capitals that follow a small letter."""
    return sum(one.islower() and other.isupper() for one, other in pairwise(word))


@lru_cache(maxsize=16_384)
def _measure_character(character: str, language: Language) -> float:
    """Return the bits of a non-ASCII character in a language."""
    if character == "\ufffd":
        return REPLACEMENT_BITS
    if language.levels:
        return _measure_ideograph(character, language)
    rank = language.letters.find(character)
    if rank < 0:
        rank = language.letters.find(character.lower()[:1])
    if rank >= 0 and language.alphabet:
        return FIRST_LETTER_BITS + RANK_BITS * rank
    if rank >= 0:
        return FIRST_ACCENT_BITS + ACCENT_RANK_BITS * rank
    if character in _PUNCTUATION:
        return PUNCTUATION_BITS
    return _measure_foreign(character)


def _measure_ideograph(character: str, language: Language) -> float:
    """Return the bits of a character in a language with ideographs or syllables."""
    if character in _WIDE_PUNCTUATION:
        return WIDE_PUNCTUATION_BITS
    if "\u3041" <= character <= "\u30ff" and "ja" in language.codes:
        return HIRAGANA_BITS if character < "\u30a0" else KATAKANA_BITS
    if "\uff66" <= character <= "\uff9f":
        return HALF_WIDTH_BITS
    if "\uff10" <= character <= "\uff5a":  # digits and letters of full width
        return FREQUENT_BITS
    if not ("\u3400" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3"):
        return max(RARE_BITS, _measure_foreign(character))
    if character in language.letters:
        return FREQUENT_BITS
    assert language.levels
    codec, first_end, second_end = language.levels
    try:
        lead = character.encode(codec)[0]
    except UnicodeEncodeError:
        return RARE_BITS
    if lead <= first_end:
        return FIRST_LEVEL_BITS
    return SECOND_LEVEL_BITS if lead <= second_end else RARE_BITS


def _measure_foreign(character: str) -> float:
    """Return the bits of a character that the language does not use."""
    category = unicodedata.category(character)
    if category in ("Cc", "Co", "Cn", "Cs"):
        return CONTROL_BITS
    return FOREIGN_BITS if category[0] in "LM" else SYMBOL_BITS
