"""Extract what a question is about, and build queries from follow-ups and instructions.

Goes by the form of a question, never by its subject. The words of asking are those of the
question's language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from research_core.errors import UsageError
from research_core.i18n import N_
from research_core.policy import INSTRUCTION_LENGTH, QUESTION_LENGTH
from research_core.text.words import STOPWORDS, stem, strip_invisible, tokenize, truncate

#: Words that ask, rather than name what is asked about.
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
#: Words that ask in other languages, besides their stop words and those of `languages`.
_FRAME_ROWS = {
    "de": (
        "erkläre erklären beschreibe beschreiben nenne nennen zeige bitte gibt bedeutet heißt"
        " versteht"
        " eigentlich genau unterschied unterschiede unterscheiden unterscheidet vergleich"
        " vergleiche"
        " verglichen viele lange hoch oft vom beim mal denn zwischen gilt gelten wurde wurden"
        " worden wird"
        " könnten sollten dürfte dürften müsste müssten wäre wären hätte hätten geworden"
    ),
    "fr": (
        "explique expliquez expliquer décris décrivez donne donnez différence différences entre"
        " signifie existe-t-il y-a-t-il sont-ils est-ce est-il est-elle peut peut-on faut-il"
        " comparer compare fait-on svp beaucoup fonctionne-t-il d'après"
        " pourrait pourraient devraient devenu devenue devenus devenues"
    ),
    "es": (
        "explica explique explicar describe describir dime diferencia diferencias entre significa"
        " existe existen hay puede pueden debe deben favor comparar compara mucho mucha tan"
        " cuántas cuantas cuantos cuanto cuanta cada debería deberían"
    ),
    "pt": (
        "explique explica explicar descreva diga diferença diferenças entre significa existe"
        " existem"
        " há pode podem deve devem favor comparar compare muito muita poderia poderiam deveria"
        " deveriam"
    ),
    "it": (
        "spiega spiegare descrivi dimmi differenza differenze tra fra significa esiste esistono può"
        " possono deve devono favore confronta molto molta c'è potrebbe potrebbero dovrebbe"
        " dovrebbero"
    ),
    "nl": (
        "leg uit beschrijf noem verschil verschillen tussen betekent bestaat bestaan kan kunnen"
        " moet"
        " moeten alstublieft vergelijk veel lang zouden werden geworden mocht mochten"
    ),
    "pl": (
        "wyjaśnij opisz podaj różnica różnice między oznacza istnieje istnieją proszę porównaj"
        " byłoby byłby byłaby"
    ),
    "cs": "vysvětli popiš uveď rozdíl rozdíly mezi znamená existuje existují prosím porovnej",
    "sv": (
        "förklara beskriv skillnad skillnaden skillnader mellan betyder finns snälla jämför borde"
    ),
    "da": (
        "forklar beskriv forskel forskjell forskelle mellem mellom betyder betyr findes finnes"
        " burde"
    ),
    "tr": "açıkla anlat fark farkı farklar arasında arasındaki demek anlamı var lütfen karşılaştır",
    "ru": (
        "объясни опиши назови разница разницу отличие отличия между значит означает существует"
        " существуют есть пожалуйста сравни сравнить насколько стал стала стали стало каковы"
        " какова каков какие какая какой какое чем"
        " сколько почему зачем чому що як яка який яке які коли хто"
    ),
    "uk": (
        "поясни опиши назви різниця відмінність між означає існує існують є будь ласка порівняй"
        " наскільки би стали стало які"
        " яка який яке чому скільки навіщо чим"
    ),
    "el": (
        "ο η το τι πώς πως πού πού πότε ποιος ποια ποιο ποιοι ποιες ποιον γιατί πόσο πόση πόσα"
        " πόσοι είναι"
        " έχει έχουν εξήγησε διαφορά διαφορές μεταξύ σημαίνει υπάρχει υπάρχουν μπορεί πρέπει στη"
        " στην στο στον στις στα των της του τους τις οι ένα μια μία με από για σε"
    ),
    "ar": (
        "ما ماذا متى أين كيف لماذا كم هل من أي اشرح صف الفرق بين يعني تعني هي هو يوجد توجد"
        " الذي التي يمكن يجب هناك سوف إلى مم مما لم عم بم فيم متى ماهو ماهي وما وكيف أهم"
    ),
    "he": (
        "מה מהי מהו מהם מהן איך כיצד למה מדוע מתי איפה היכן מי כמה האם איזה אילו הסבר הבדל"
        " בין פירוש של"
    ),
    "fa": (
        "چیست چیستند کیست چه چرا چگونه چطور کجا کی چند آیا کدام توضیح تفاوت بین میان یعنی است هستند"
        " دارد دارند می‌شود می‌کند چقدر"
    ),
    "hi": (
        "क्या कैसे क्यों कब कहाँ कहां कौन कितना कितनी कितने किस किसे समझाइए बताइए अंतर बीच मतलब"
        " है हैं होता"
        " होती होते का की के में से को पर और"
    ),
    "ko": (
        "무엇 무엇인가 무엇인가요 무엇입니까 뭐 뭔가요 어떤 어떻게 왜 언제 어디 어디서 누가 누구 얼마나 얼마 몇 무슨 어느"
        " 있나요 있습니까 인가요 입니까 하나요 합니까 되나요 됩니까 설명해 알려줘 알려주세요 차이 차이는 차이점은"
        " 사이의 대해 대한 어떻게 한가요 있는가"
    ),
}
#: Words of other languages that join clauses, weigh a statement or place it in time, and that the
#: lists of stop words lack. Ones that also name something are left out: "laut", "logo", "약".
_JOINING_ROWS = {
    "de": (
        "obwohl obgleich obschon wenngleich trotz trotzdem wohingegen sodass falls sofern sobald"
        " solange bevor seit seitdem außer ausser statt anstatt wegen aufgrund gemäß bezüglich"
        " hinsichtlich gegenüber jedoch allerdings dennoch außerdem zudem ferner deswegen folglich"
        " schon immer bereits etwa ungefähr vielleicht sogar besonders dagegen dafür dabei davon"
        " daran darauf womit worauf entweder weder sowohl neben"
    ),
    "fr": (
        "quoique lorsque puisque afin sinon pourtant cependant toutefois néanmoins ainsi"
        " jusqu jusqu'à"
        " plutôt surtout toujours déjà presque peut-être lequel laquelle lesquels lesquelles auquel"
        " auxquels assez quelqu'un quelque quelques au-dessus"
    ),
    "es": (
        "pese puesto quizás quizá asimismo cuyo cuya cuyos cuyas alguien sino salvo"
        " mientras aunque todavía"
    ),
    "it": (
        "sebbene benché mentre poiché siccome affinché finché purché qualora tuttavia eppure dunque"
        " perciò inoltre già forse troppo abbastanza così qualcosa qualcuno alcuni alcune"
        " ciascuno presso"
    ),
    "pt": (
        "embora apesar conquanto porquanto pois porém contudo todavia entretanto portanto"
        " assim conforme"
        " além ainda sempre quase talvez cujo cuja cujos cujas alguém algo ninguém tanto"
    ),
    "nl": (
        "hoewel ofschoon ondanks terwijl doordat zodat indien tenzij totdat nadat voordat"
        " sinds behalve"
        " volgens wegens vanwege achter naast echter daarom bovendien steeds bijna"
        " ongeveer misschien"
        " zelfs vooral onze jullie waarbij waarop waarmee"
    ),
    "pl": "chociaż zanim odkąd oprócz wbrew przeciw ponadto zwłaszcza",
    "cs": "ačkoliv přestože navzdory jelikož přesto navíc téměř dokonce zejména",
    "sv": "fastän medan såvida utom bredvid ändå dessutom nästan ungefär särskilt",
    "da": (
        "selvom skønt mens derfor medmindre inden undtagen ifølge uden alligevel desuden endnu"
        " allerede altid næsten cirka måske især vores"
    ),
    "tr": (
        "rağmen karşın iken zira eğer önce sonra beri hariç göre olmadan ancak fakat yine"
        " ayrıca hâlâ"
        " neredeyse yaklaşık hatta özellikle"
    ),
    "ru": "несмотря вопреки поскольку прежде согласно возле нашей благодаря вместо",
    "uk": "незважаючи попри оскільки перш згідно біля",
    "el": (
        "αν και παρόλο ενώ επειδή διότι ώστε εάν πριν εκτός σύμφωνα χωρίς όμως ωστόσο"
        " επίσης ακόμα ήδη"
        " πάντα σχεδόν περίπου ίσως ειδικά μας"
    ),
    "ar": (
        "رغم بالرغم الرغم وهل وما أن بأن لأن إذا لو بينما سوى حسب وفقا بدون أيضا كذلك تقريبا ربما"
    ),
    "he": (
        "למרות כי בעוד בגלל משום כדי לפני אחרי מאז חוץ לפי נגד בלי ללא ליד אבל אולם גם עוד כבר תמיד"
        " כמעט בערך אולי אפילו במיוחד"
    ),
    "fa": "درحالی‌که مخصوصا",
    "hi": ("हालांकि यद्यपि बावजूद जबकि क्योंकि ताकि अगर सिवाय अनुसार बिना परंतु हमेशा लगभग शायद"),
    "ko": "반면 전에 후에 아직 이미 항상 아마 특히",
}
#: How a question asks for a degree, by language; the groups are the words that only ask. Elsewhere
#: the same words can say something: "a badly worn tyre", "eine starke Säure".
_DEGREE_FORMS = {
    language: re.compile(rf"(?<!\w)(?:{form})(?!\w)", re.IGNORECASE)
    for language, form in {
        "en": (
            r"how (?:very |much )?(bad|badly|severely|seriously|strongly|heavily|greatly|deeply"
            r"|hard|significantly"
            r"|substantially|considerably|quickly|rapidly|slowly|soon|fast|easily|commonly|widely"
            r"|frequently|often|likely|well|closely|effectively|efficiently|accurately|reliably"
            r"|early"
            r"|late|drastically|dramatically|profoundly|adversely)"
            r"|to what (extent|degree)"
        ),
        "de": (
            r"wie (sehr|stark|schwer|schlimm|ernst|gut|schlecht|weit|schnell|leicht|häufig|groß"
            r"|gross|hoch)"
            r"|in welchem (ausmaß|maße|umfang)"
        ),
        "fr": (
            r"à quel (point|degré)|dans quelle (mesure)"
            r"|(?:avec|à) quelle (rapidité|fréquence|vitesse)"
        ),
        "es": r"hasta qué (punto)|en qué (medida)|(?:qué tan|cuán) (\w+)",
        "pt": r"até que (ponto)|em que (medida)|quão (\w+)",
        "it": (
            r"fino a che (punto)|in (?:che|quale) (misura)"
            r"|quanto (gravemente|seriamente|velocemente|rapidamente|spesso|fortemente|facilmente)"
        ),
        "nl": (
            r"hoe (erg|sterk|zwaar|ernstig|snel|vaak|ver|goed|slecht|hoog|groot)"
            r"|in welke (mate)|in (hoeverre)"
        ),
        "pl": r"w jakim (stopniu)|jak (bardzo|mocno|szybko|często|długo|poważnie|silnie)",
        "cs": r"do jaké (míry)|jak (moc|velmi|rychle|často|dlouho|vážně|silně)",
        "sv": (
            r"i vilken (utsträckning|grad|mån)"
            r"|hur (mycket|illa|allvarligt|snabbt|ofta|länge|stort|långt|starkt)"
        ),
        "da": (
            r"i hvilken (grad|utstrækning|utstrekning)"
            r"|hvor (meget|mye|slemt|alvorligt|alvorlig|hurtigt|raskt|ofte|længe|lenge|sterkt"
            r"|stærkt)"
        ),
        "ru": (
            r"в какой (степени|мере)"
            r"|(?:как|насколько) (сильно|быстро|часто|долго|серьезно|серьёзно)"
        ),
        "uk": r"якою (мірою)|(?:як|наскільки) (сильно|швидко|часто|довго|серйозно)",
        "el": r"σε ποιο (βαθμό)|πόσο (πολύ|σοβαρά|γρήγορα|συχνά|άσχημα)",
        "tr": r"ne (kadar|ölçüde|derece|derecede)",
        "ar": r"إلى أي (مدى|حد|درجة)",
        "he": r"עד (כמה)|באיזו (מידה)",
        "fa": r"تا چه (حد|اندازه)",
        "hi": r"किस (हद) तक",
        "ko": r"얼마나 (심하게|자주|빨리|많이|오래|크게)",
    }.items()
}  # fmt: skip
#: How an English question asks for a measure, which a query for it may name: "how deep".
_MEASURE_FORM = re.compile(
    r"\bhow (?P<measure>long|far|old|big|large|high|tall|deep|heavy|wide)\b", re.IGNORECASE
)
#: Elided articles and prepositions: "l'énergie", "d'une", "qu'est-ce".
_ELIDED = re.compile(
    r"^(?:l|d|qu|s|n|c|j|m|t|un|dell|nell|all|dall|sull|quell|cos|com|dov)['’](?=\w)", re.IGNORECASE
)
#: A French verb and the pronoun that follows it in a question: "chante-t-il", "voit-on".
_INVERTED = re.compile(r"(?:-t)?-(?:ils?|elles?|on|vous|nous|tu|je|ce)$", re.IGNORECASE)
#: Words that refer back to something mentioned before.
BACK_REFERENCES = frozenset(
    "it its they them their theirs this that these those he him his she her hers there then former"
    " latter".split()
)
#: Words of an instruction that address the writer, not the search engine.
WRITER_WORDS = frozenset(
    "say look include add also focus mention cover only note put more less first emphasise"
    " emphasize prefer report".split()
)
#: Openings of an instruction to exclude something. A query made of it would find more of that.
EXCLUSION_OPENINGS = (
    "leave out", "leave off", "ignore", "ignoring", "exclude", "excluding", "skip", "omit", "avoid",
    "filter out", "without",
    "no", "not", "never", "nothing from", "except", "do not", "don't", "dont",
)  # fmt: skip
#: Similar openings that ask for more.
NON_EXCLUSION_OPENINGS = (
    "not only",
    "not just",
    "not least",
    "no matter",
    "do not forget",
    "don't forget",
    "dont forget",
)
#: Polite words that may precede the opening.
_FILLING_WORDS = frozenset("please kindly also and but".split())
#: The answer to such an instruction, and the next step.
NO_FILTER = "Assay can look for more; it does not filter by kind."
EXCLUSION_NEXT_STEP = (
    "Take that line out. Exclude such a source under Activity when it appears, or raise the minimum"
    " credibility."
)
#: The least number of keywords of a question that stands alone, without and with a back reference.
MIN_KEYWORDS, MIN_KEYWORDS_POINTING_BACK = 3, 6
#: The most words that a query takes from another text.
MAX_BORROWED_WORDS = 10
_EDGES = "\"'“”„‘’«»()[]{}<>.,;:!?¿¡…*_`؟،؛।。，、？！：；「」『』（）\u037e·"


@cache
def find_question_words(language: str) -> frozenset[str]:
    """Return the words of a language that ask rather than name what is asked about.

    language: a code of `languages.guess_language`; those of English for "" and "en".
    """
    from research_core.text.languages import find_stop_words

    if language in ("", "en"):
        return QUESTION_WORDS
    asking = _FRAME_ROWS.get(language, "").split()
    return find_stop_words(language).union(asking, _JOINING_ROWS.get(language, "").split())


def find_degree_words(text: str, language: str) -> frozenset[str]:
    """Return the words of a text, in lower case, that only ask for a degree: "how badly would …".

    language: as for `find_question_words`.
    """
    form = _DEGREE_FORMS.get(language or "en")
    if form is None:
        return frozenset()
    found = (match.groups() for match in form.finditer(text))
    return frozenset(word.lower() for groups in found for word in groups if word)


def find_measure_words(text: str) -> frozenset[str]:
    """Return the words of an English text, in lower case, that ask for a measure: "how deep"."""
    return frozenset(match["measure"].lower() for match in _MEASURE_FORM.finditer(text))


def find_keywords(text: str, language: str = "") -> list[str]:
    """Return the words that say what a text is about, in order, each once, as spelled.

    language: its code where it is known; "" to guess it from the text. Korean nouns are without
    their particles.
    """
    from research_core.text.languages import guess_language
    from research_core.text.segmenter import SEGMENTED_LANGUAGES, find_unspaced_keywords

    language = language or guess_language(text)
    asking = find_question_words(language) | find_degree_words(text, language)
    if language in SEGMENTED_LANGUAGES:
        words = find_unspaced_keywords(text, language)
    else:
        words = text.split()
    first_spellings: dict[str, str] = {}
    nouns = _find_capitalized_joining_words(text) if language == "de" else ()
    for word in words:
        bare = word.strip(_EDGES)
        if language in ("fr", "it"):
            bare = _INVERTED.sub("", _ELIDED.sub("", bare))
        lowered = bare.lower()
        if language == "ko" and lowered not in asking:
            bare = lowered = stem(bare)
        if any(map(str.isalnum, bare)) and (lowered not in asking or bare in nouns):
            first_spellings.setdefault(lowered, bare)
    return list(first_spellings.values())


def _find_capitalized_joining_words(text: str) -> frozenset[str]:
    """Return the joining words of a German text that are nouns: "Trotz" inside a sentence."""
    inside = re.findall(r"(?<=[\w,;] )[A-ZÄÖÜ][a-zäöüß]+", text)
    joining = _JOINING_ROWS["de"].split()
    return frozenset(word for word in inside if word.lower() in joining)


def needs_context(question: str) -> bool:
    """Return whether a follow-up needs the previous question: "And what does it cost?"."""
    points_back = not BACK_REFERENCES.isdisjoint(tokenize(question))
    least = MIN_KEYWORDS_POINTING_BACK if points_back else MIN_KEYWORDS
    return len(find_keywords(question)) < least


def make_standalone(question: str, follows: str) -> str:
    """Return the question, with what the previous one was about if it needs that."""
    if not follows or not needs_context(question):
        return question
    about = " ".join(_new_keywords(follows, question))
    if not about:
        return question
    end = "?" if question.endswith("?") else ""
    return f"{question.removesuffix('?')} (about: {about}){end}"


def build_instruction_query(question: str, instruction: str) -> str:
    """Return a query of the question's keywords and what the instruction adds."""
    added = [
        word for word in _new_keywords(instruction, question) if word.lower() not in WRITER_WORDS
    ]
    return " ".join([*find_keywords(question)[:MAX_BORROWED_WORDS], *added]) or instruction


def asks_to_exclude(instruction: str) -> bool:
    """Return whether an instruction begins by asking to leave something out.

    An instruction that ends with a question mark asks for an answer and does not count.
    """
    if instruction.rstrip().endswith("?"):
        return False
    words = instruction.casefold().replace("’", "'").split()
    while words and words[0].strip(_EDGES) in _FILLING_WORDS:
        del words[0]
    said = " ".join(word.strip(_EDGES) for word in words) + " "
    return _begins_with(said, EXCLUSION_OPENINGS) and not _begins_with(said, NON_EXCLUSION_OPENINGS)


def _begins_with(said: str, openings: tuple[str, ...]) -> bool:
    """Return whether a text begins with one of the openings, as whole words."""
    return any(said.startswith(f"{opening} ") for opening in openings)


def check_instructions(instructions: Iterable[str], *, by_model: bool) -> None:
    """Raise UsageError for an instruction to exclude something, unless a model writes.

    Without a language model no search can follow such an instruction.
    """
    for instruction in instructions:
        if asks_to_exclude(instruction) and not by_model:
            raise UsageError(
                f"“{truncate(instruction, 80)}” asks to leave something out. {NO_FILTER}",
                next_step=EXCLUSION_NEXT_STEP,
            )


def _new_keywords(text: str, known: str) -> list[str]:
    """Return the first keywords of a text that `known` does not hold."""
    known_words = {word.lower() for word in find_keywords(known)}
    new = [word for word in find_keywords(text) if word.lower() not in known_words]
    return new[:MAX_BORROWED_WORDS]


def clean_question(text: str) -> str:
    """Return the question with white space folded and invisible characters removed.

    Raises UsageError below 3 and above 2,000 characters.
    """
    question = " ".join(strip_invisible(text).split())
    low, high = QUESTION_LENGTH
    if not question:
        raise UsageError(
            N_("The question is empty."),
            next_step=N_("Type what you want to know, best in a full sentence."),
        )
    if len(question) < low:
        raise UsageError(
            f"The question is too short: it has {len(question)}"
            f" character{'s' * (len(question) > 1)}, and at least {low} are needed.",
            next_step=N_("Say more of what you want to know, best in a full sentence."),
        )
    if not any(character.isalnum() for character in question):
        raise UsageError(
            N_("The question has no word in it."),
            next_step=N_("Type what you want to know, best in a full sentence."),
        )
    if len(question) > high:
        raise UsageError(
            f"The question is too long: it has {len(question):,} characters, and at most {high:,}"
            " can be asked.",
            next_step=N_("Shorten it, or ask its parts one by one."),
        )
    return question


def clean_instruction(text: str) -> str:
    """Return the instruction with white space folded and invisible characters removed.

    Raises UsageError if it is too short or too long.
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
