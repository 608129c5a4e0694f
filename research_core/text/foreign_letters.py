"""Read letters in other languages than English: what they ask, and what they tell of.

"Guten Tag, wir haben Hausschwamm im Keller. Ist das gefährlich?" asks whether dry rot is dangerous.
Uses word lists for each language (courtesies, pronouns, reporting verbs) and word frequency; no
list is about a subject. A language without a list keeps all its words.
"""

from __future__ import annotations

import gzip
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate

from research_core.text.languages import LETTERS_PER_SYLLABLE, SYLLABIC_LANGUAGES
from research_core.text.question import find_keywords, find_question_words
from research_core.text.segmenter import SEGMENTED_LANGUAGES, segment
from research_core.text.sentences import find_sentences
from research_core.text.similarity import HEAVIEST, LIGHTEST
from research_core.text.word_forms import fold_forms

#: Phrases of greeting, thanks and asking, which say nothing of what is asked.
_MANNERS = {
    "de": (
        "guten tag|guten morgen|guten abend|hallo zusammen|hallo|sehr geehrte damen und herren"
        "|liebes team|liebe alle|vielen dank(?: im voraus)?|danke(?: im voraus|schön)?"
        "|herzlichen dank|besten dank|(?:mit )?(?:freundlichen|viele|liebe|beste) grüßen?"
        "|ich habe (?:da )?(?:mal )?eine frage|ich (?:würde gerne|möchte|wüsste gern) wissen"
        "|(?:kann|könnte|können|könnten) (?:mir|uns|sie mir|ihr mir)(?: jemand| bitte)* sagen"
        "|weiß jemand|ich bitte um (?:hilfe|rat)|bitte um (?:hilfe|rat)|für eure hilfe"
        "|für ihre hilfe"
    ),
    "fr": (
        "bonjour(?: à tous| madame| monsieur)?|bonsoir(?: à tous)?|madame, monsieur"
        "|merci(?: d'avance| beaucoup| par avance)?(?: pour (?:vos|votre) (?:aide|réponses?))?"
        "|cordialement|bien à vous|j'ai une question|je (?:voudrais|souhaite|souhaiterais) savoir"
        "|j'aimerais savoir|pouvez-vous me dire|quelqu'un (?:sait|peut-il me dire)|s'il"
        " vous plaît|svp"
    ),
    "es": (
        "hola(?: a todos)?|buenos días|buenas tardes|buenas noches|buenas(?=[,.!])"
        "|estimados señores"
        "|muchas gracias(?: de antemano| por (?:su|vuestra|la) ayuda)?"
        "|gracias (?:de antemano|por (?:su|vuestra|la) ayuda)"
        "|tengo una (?:pregunta|duda|consulta)|(?:quisiera|quiero|me gustaría) saber"
        "|alguien (?:sabe|puede decirme)|(?:me )?(?:puede|podría|pueden|podrían) decirme|por favor"
    ),
    "it": (
        "buongiorno(?: a tutti)?|buonasera|salve|ciao(?: a tutti)?|gentili signori"
        "|(?:grazie|ringrazio)(?: mille| in anticipo| a tutti)*|cordiali saluti"
        "|ho una domanda|(?:vorrei|volevo) sapere|qualcuno sa|(?:potete|può|potreste) dirmi"
        "|per favore|per cortesia"
    ),
    "pt": (
        "olá(?: a todos)?|oi(?=[,!])|bom dia|boa tarde|boa noite|muito obrigad[oa](?: desde já)?"
        "|agradeço(?: desde já)?|desde já(?: obrigad[oa])?|atenciosamente|abraços?(?=[.!]*$)"
        "|tenho uma (?:pergunta|dúvida)|(?:gostaria de|queria|quero) saber|alguém (?:sabe"
        "|pode me dizer)"
        "|(?:podem|pode|poderia) me dizer|por favor"
    ),
    "nl": (
        "goedemiddag|goedemorgen|goedenavond|goedendag|goede(?:dag|n dag)|hallo(?: allemaal)?|hoi"
        "|alvast bedankt|(?:hartelijk |heel erg )?bedankt|dank (?:u|je)(?: wel)?"
        "|met vriendelijke groet(?:en)?|ik heb een vraag|ik (?:wil|zou) graag weten|weet iemand"
        "|kunt u mij vertellen|kan iemand mij vertellen|alstublieft"
    ),
    "pl": (
        "dzień dobry|dobry wieczór|witam|z góry dziękuję|dziękuję(?: z góry)?|pozdrawiam"
        "|mam pytanie|chciał[a]?bym (?:wiedzieć|zapytać)|czy ktoś wie|proszę o (?:pomoc|radę)"
    ),
    "cs": "dobrý den|ahoj|předem děkuji|děkuji(?: předem)?|s pozdravem|mám (?:dotaz|otázku)|prosím",
    "sv": (
        "hej(?: på er| alla)?|god (?:dag|morgon|kväll)|tack(?: på förhand| så mycket)?|jag undrar"
    ),
    "da": (  # and Norwegian
        "he[ij](?: alle)?|god(?: dag| morgen| aften)|(?:på forhånd|mange|tusen) takk?"
        "|(?:^|(?<=[.!?] ))takk?(?=[.!]*$)|jeg vil gerne vide"
    ),
    "tr": "merhaba(?:lar)?|iyi günler|selam(?:lar)?|şimdiden teşekkürler|teşekkür(?:ler| ederim)",
    "ru": (
        "здравствуйте|добрый день|добрый вечер|доброе утро|привет(?: всем)?|заранее"
        " (?:спасибо|благодарю)"
        "|(?:большое )?спасибо(?: заранее| за ответ)?|с уважением|у меня вопрос"
        "|подскажите(?:,? пожалуйста)?|хотел[а]? бы узнать|скажите(?:,? пожалуйста)?|пожалуйста"
    ),
    "uk": (
        "добрий день|вітаю|доброго дня|дякую(?: заздалегідь)?|підкажіть(?: будь ласка)?|у"
        " мене питання"
    ),
    "el": "καλημέρα|καλησπέρα|γεια σας|ευχαριστώ(?: πολύ| εκ των προτέρων)?|θα ήθελα να μάθω",
    "ar": (
        "السلام عليكم(?: ورحمة الله(?: وبركاته)?)?|مرحبا|صباح الخير|مساء الخير|شكرا(?:"
        " جزيلا| لكم| مقدما)?"
        "|جزاكم الله خيرا|لدي سؤال|عندي سؤال|أريد أن أعرف|أود أن أعرف|من فضلكم|من فضلك"
    ),
    "he": "^שלום(?: לכולם)?|תודה(?: רבה| מראש)?|בוקר טוב|ערב טוב|יש לי שאלה|אשמח לדעת|בבקשה",
    "fa": "^سلام|با سلام|متشکرم|ممنون|با تشکر|سوالی دارم|می‌خواستم بدانم|لطفا",
    "hi": "नमस्ते|नमस्कार|धन्यवाद|शुक्रिया|मेरा एक सवाल है|कृपया",
    "ko": "안녕하세요|감사합니다|미리 감사합니다|질문이 있습니다|알고 싶습니다|부탁드립니다",
    "ja": (
        "はじめまして|初めまして|こんにちは|こんばんは|おはようございます|お世話になっております"
        "|どうぞ|よろしくお願い(?:いた)?します|よろしくお願い致します|宜しくお願いします"
        "|ありがとうございます|質問(?:があります|です|させてください)|教えてください|ご回答"
    ),
    "zh": (
        "大家好|您好|你好|请教一下|请问一下|想请问|请问|我想知道|我想问一下|我想问|我们想|我想|有人知道|非常感谢|谢谢大家"
        "|谢谢您|谢谢|多谢|(?<!自)我(?:们|(?!国))"
    ),
    "th": "สวัสดีครับ|สวัสดีค่ะ|สวัสดี|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณ|ขอถามหน่อย|อยากทราบว่า",
}
#: The same of words that also name something: only where a clause holds nothing else.
_MANNERS_ALONE = {
    "fr": "salut(?: à tous| tout le monde)?",
    "es": "gracias|un saludo|saludos",
    "pt": "obrigad[oa](?: desde já| a todos| pela (?:ajuda|atenção))?|cumprimentos",
    "it": "saluti",
    "pl": "cześć",
}
#: Words of time and number, and verbs that say nothing by themselves. No query needs them.
_LIGHT_WORDS = {
    "de": (
        "letzte letzten letzter letztes woche wochen monat monate monaten jahr jahre"
        " jahren tag tage"
        " tagen stunde stunden minuten uhr gestern heute morgen abend nachmittag nacht"
        " zeit frage idee"
        " glaube weiß wissen tun machen passiert stimmt zwei drei vier fünf sechs"
    ),
    "fr": (
        "hier soir matin midi nuit jour jours semaine semaines mois an ans année années"
        " heure heures"
        " minutes fois question idée crois sais savoir passe faire deux trois quatre cinq six"
    ),
    "es": (
        "ayer noche mañana tarde día días semana semanas mes meses año años hora horas"
        " minutos vez veces"
        " pregunta idea creo sé saber pasa hacer dos tres cuatro cinco seis"
    ),
    "it": (
        "ieri sera mattina notte giorno giorni settimana settimane mese mesi anno anni"
        " ora ore minuti"
        " volta volte domanda idea credo so sapere vorrebbe fare due tre quattro cinque"
    ),
    "pt": (
        "ontem noite manhã tarde dia dias semana semanas mês meses ano anos hora horas"
        " minutos vez vezes"
        " pergunta ideia acho sei saber verdade fazer dois três quatro cinco seis"
    ),
    "nl": (
        "gisteren avond ochtend nacht dag dagen week weken maand maanden jaar jaren uur"
        " minuten keer"
        " tijd vraag idee denk weet weten twee drie vier vijf zes"
    ),
    "ru": (
        "вчера сегодня утром вечером ночью день дня дней неделя неделю недели недель"
        " месяц месяца месяцев"
        " год года лет час часа часов минут раз вопрос думаю знаю правда делать"
    ),
    "ar": (
        "أمس اليوم غدا صباح مساء ليلة الليل يوم أيام أسبوع أسابيع شهر أشهر سنة سنوات ساعة"
        " ساعات دقائق مرة"
        " سؤال خمس ثلاث أربع ست"
    ),
    "ja": "先週 昨日 今日 明日 今朝 今夜 先月 去年 今年 最近 毎日 時間 自分 私 質問",
    "zh": (
        "昨天 今天 明天 早上 晚上 上周 上个月 去年 今年 最近 每天 经常 小时 分钟 我家的 我的 我们家 我家 我们"
        " 大家 问题"
    ),
}
#: Words by which a letter says who is concerned and who said what. A question may ask about them.
_TELLING_WORDS = {
    "de": (
        "tochter sohn mann frau mutter vater kind kinder oma opa großmutter großvater"
        " bruder schwester"
        " freund freundin nachbar nachbarin kollege kollegin bekannter leute hilfe"
        " antwort rat grund"
        " problem sagt sagte meint meinte klagt erzählt gelesen gehört gekauft bekommen gefunden"
        " entdeckt hilft behauptet arzt ärztin hausarzt zahnarzt tierarzt anwalt anwältin"
        " installateur"
        " handwerker verkäufer händler chef"
    ),
    "fr": (
        "fille fils mari femme mère père enfant enfants grand-mère grand-père frère sœur ami amie"
        " voisin voisine collègue gens aide réponse conseil problème dit disent pense lu"
        " entendu acheté"
        " trouvé reçu médecin docteur dentiste vétérinaire avocat installateur plombier"
        " vendeur patron"
    ),
    "es": (
        "hija hijo marido mujer madre padre niño niños niña abuela abuelo hermano hermana"
        " amigo amiga"
        " vecino vecina colega gente ayuda respuesta consejo problema dice dijo leído oído compré"
        " encontré médico doctor doctora dentista veterinario abogado instalador vendedor jefe"
    ),
    "it": (
        "figlia figlio marito moglie madre padre mamma bambino bambini nonna nonno fratello sorella"
        " amico amica vicino vicina collega gente aiuto risposta consiglio problema dice"
        " detto letto"
        " sentito comprato trovato medico dottore dentista veterinario avvocato tecnico"
        " venditore capo"
    ),
    "pt": (
        "filha filho marido esposa mulher mãe pai criança crianças avó avô irmão irmã amigo amiga"
        " vizinho vizinha colega gente ajuda resposta conselho problema diz disse lido"
        " ouvido médico"
        " doutor dentista veterinário advogado instalador vendedor chefe"
    ),
    "nl": (
        "dochter zoon man vrouw moeder vader kind kinderen oma opa broer zus vriend"
        " vriendin buurman"
        " buurvrouw collega mensen hulp antwoord advies probleem zegt zei gelezen gehoord gekocht"
        " gevonden maakt arts huisarts dokter tandarts dierenarts advocaat installateur"
        " verkoper baas"
    ),
    "ru": (
        "дочь дочка сын муж жена мать отец мама папа ребенок ребёнок дети бабушка дедушка"
        " брат сестра"
        " друг подруга сосед соседка коллега люди помощь ответ совет проблема говорит"
        " сказал советует"
        " читал слышал купил купили нашел нашли врач доктор стоматолог ветеринар юрист"
        " мастер продавец"
    ),
    "ar": (
        "ابني ابنتي زوجي زوجتي أمي أبي والدي والدتي أخي أختي طفلي أطفالي جدتي جدي صديقي"
        " صديقتي جاري عمره"
        " عمرها عمري الطبيب طبيب الدكتور المحامي البائع مساعدة جواب نصيحة مشكلة قال قالت يقول تقول"
    ),
    "ja": (
        "医者 獣医 弁護士 先生 子ども 子供 息子 娘 夫 妻 主人 母 父 祖母 祖父 兄 弟 姉 妹 友人 友達 隣人"
        " 近所 同僚 うち 相談 回答"
    ),
    "zh": (
        "医生 兽医 律师 女儿 儿子 老公 老婆 丈夫 妻子 妈妈 爸爸 母亲 父亲 孩子 奶奶 爷爷 朋友 邻居 同事"
        " 可能 这样 发现 觉得 愿意"
    ),
}
#: Where no spaces part words: the start of a sentence that names who says something, and what
#: beside a listed word makes it a part of another: "主人公", "可能性".
_SAID = {"zh": r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{1,3}说"}
_NOT_BESIDE = {
    "ja": ("(?<![\u3005\u4e00-\u9fff])", "(?![\u3005\u4e00-\u9fff])"),
    "zh": ("", "(?![性圈])"),
}
#: Words that point to what a text has named before.
_POINTERS = {
    "de": (
        r"(?:er|sie|(?<!gibt )es(?! gibt)|ihn|ihm|dies|dieses?|diese[nrm]|davon|dagegen"
        r"|damit|dabei|dafür|daran|darauf"
        r"|darüber|daraus)|das(?!\s+[a-zäöü]*\s?[A-ZÄÖÜ])"
    ),
    "fr": (
        r"ça|cela|ceci|ce(?! qu)|cet|cette|ces|il(?! (?:y|faut|existe|est))|ils|elles?|c['’]est"
        r"|(?:comment|faut|peut|peux|doit|dois|\w+-(?:on|il|je)) l['’]\w*er"
    ),
    "es": (
        r"esto|eso|est[ae]s?|es[ae]s?|ello|él|ellas?|ellos|\w{3,}[aeiáéí]r(?:lo|la|los|las)"
        r"|(?:cómo|puedo|debo) l[oa]s? \w+o"
    ),
    "it": r"quest[oaie]|quell[oaie]|ciò|ess[oaie]|\w{3,}[aei]r(?:lo|la|li|le|ne)",
    "pt": (
        r"isto|isso|aquilo|est[ae]s?|ess[ae]s?|eles?|elas?|disso|disto|nisso|dele|dela"
        r"|\w+-l?[oa]s?"
    ),
    "nl": (
        r"(?:dat|die)(?= ?\w*\W*$)|dit|deze|(?<=is )het(?= \w+\?)|hij|zij|ervan|ertegen|ermee"
        r"|daarvan|daartegen|hiervan"
    ),
    "pl": r"(?<!co )to|tego|tym|ten|ta|te|on|ona|ono|go|jego|jej",
    "cs": r"(?<!co je )to|toho|tím|ten|ta|tato|tento|toto|on|ona|ono|ho|jeho|její",
    "sv": r"detta|denna|dessa|(?:det|den|de)(?= ?\w*\W*$)",
    "da": r"dette|denne|disse|(?:det|den|de)(?= ?\w*\W*$)",
    "tr": r"bu|bunu|bunun|o|onu|onun|şu",
    "ru": r"эт[оауи]|этого|этому|этим|этой|эту|он|она|оно|они|его|её|ее|них|ним|ними|не[йеё]",
    "uk": r"(?<!що )це|цього|цим|ця|цей|він|вона|воно|вони|його|її|них|ним",
    "el": r"αυτό|αυτή|αυτός|αυτά|αυτές",
    "ar": r"هذا|هذه|ذلك|تلك|(?<!ما )(?:هو|هي)|منه|منها|عنه|عنها|به|بها",
    "he": r"(?<!מה )(?<!שבוע )(?<!חודש )(?<!שנה )(?:זה|זו|זאת|הוא|היא)|הם|אלה|אותו|אותה",
    "fa": r"این|آن|آنها|او",
    "hi": r"यह|वह|ये|वे|इस|इसे|इसका|इसकी|उस|उसे",
    "ko": r"이것\w*|그것\w*|이게|그게|이건|그건|이거|그거|저것\w*",
    "ja": r"(?<![\u3041-\u309f])(?:それ|これ|あれ|その|この|あの)",
    "zh": r"这|那(?=[个些种样])|它们?",
    "th": r"นี้|นั้น|มัน(?!ฝรั่ง|เทศ|สำปะหลัง)",
}
#: Words of time that a pointing word may stand before, beside those of `_LIGHT_WORDS`: "this year"
#: points to nothing. In letters they may also name something ("moon").
_POINTED_TIMES = {
    "pl": "dzień dnia dni tydzień tygodnia tygodniu miesiąc miesiąca miesiącu rok roku lata",
    "cs": "den dne dny týden týdne měsíc měsíce rok roku",
    "sv": "dag dagar vecka veckan månad månaden år året",
    "da": "dag dage uge ugen måned måneden år året",
    "tr": "gün günler hafta haftaki ay ayki yıl yılki sene seneki",
    "uk": "день дня дні тиждень тижня місяць місяця рік року роки",
    "el": "ημέρα μέρα εβδομάδα μήνα μήνας έτος χρόνο χρονιά",
    "ar": "اليوم الأسبوع الشهر السنة العام",
    "fa": "روز روزها هفته ماه سال",
    "hi": "दिन हफ्ते सप्ताह महीने माह साल वर्ष",
}
#: Articles, possessives and prepositions: what stands behind one in these languages is a noun or
#: its adjective, as against a verb.
_BEFORE_NOUN = {
    "fr": (
        "le la les un une des du de au aux en à avec sans pour dans sur sous par contre"
        " ce cet cette ces"
        " mon ma mes notre nos son sa ses leur leurs d l"
    ),
    "es": (
        "el la los las un una unos unas del de al en con sin por para sobre contra mi mis"
        " nuestro nuestra"
        " nuestros nuestras su sus este esta estos estas"
    ),
    "it": (
        "il lo la i gli le un uno una del dello della dei degli delle di da dal dalla al"
        " alla nel nella in"
        " con senza per su sul sulla contro mio mia nostro nostra suo sua questo questa a"
    ),
    "pt": (
        "o a os as um uma uns umas do da dos das de no na nos nas em com sem por pelo"
        " pela para sobre contra"
        " meu minha meus minhas nosso nossa seu sua este esta"
    ),
    "nl": "de het een onze ons mijn zijn haar van in op aan met zonder voor tegen door uit bij",
}
#: The words of a subject at most, and how heavy one is at least (`weigh_word`).
MAX_SUBJECT_WORDS, MIN_SUBJECT_WEIGHT = 3, 3.0
#: A question with so many nouns of at least this weight names its thing by itself; or so many words
#: in a language that does not show which are nouns.
MIN_OWN_NOUNS, MIN_OWN_WORDS, MIN_OWN_WEIGHT = 2, 3, 3.3
#: A word that several sentences name weighs so much more; so does a letter of a word.
REPEATED_BONUS, LETTER_BONUS = 1.0, 0.04
#: The same for a word behind an article, as against one that may be a verb.
NOUN_BONUS = 2.0
#: Words in a row behind an article that may belong to the noun.
MAX_NOUN_RUN = 3
#: The logarithms of the number of words that the lists of frequent words count, by language. Those
#: of the Persian list are too few to tell how rare a word is.
_LOG_TOTALS = {"ar": 8.43, "de": 8.09, "es": 8.84, "fr": 8.55, "it": 8.65, "nl": 8.58, "pt": 8.59, "ru": 7.52}  # fmt: skip
#: Key words that are no nouns: of Japanese with hiragana, of Korean with the ending of a verb,
#: and of Portuguese with that of a verb of the first person: "comprei".
_NO_NOUN = {
    "ja": re.compile("[\u3041-\u309f]"),
    "ko": re.compile("(?:다|요|까)$"),
    "pt": re.compile(r"\w{3,}ei$"),
}
#: Pronouns at the end of verbs, which no page has there, and what the verb ends with instead.
_CLITICS = {
    "es": (re.compile(r"(?<=[aei]r)l[oae]s?$"), ""),
    "it": (re.compile(r"(?<=[aei]r)(?:l[oaie]|ne)$"), "e"),
    "pt": (re.compile(r"r?-(?:se|l?[oa]s?|lhes?)$"), "r"),
}
_PORTUGUESE_ENDINGS = str.maketrans("áê", "ae")
_MARK = re.compile(r"[^\w\s'’-]+")
#: Japanese sentences that ask may end without a question mark.
_JAPANESE_QUESTION = re.compile(r"(?:です|ます|でしょう|ません|ました|の)か[。.\s]*$")


@dataclass(frozen=True)
class ForeignQuestion:
    """A question of a letter: its own key words, and those of the subject that it does not name.

    heaviest: the word of the subject that weighs most, () without one.
    """

    text: str
    words: tuple[str, ...]
    subject: tuple[str, ...] = ()
    heaviest: tuple[str, ...] = ()


def split_letter(text: str, language: str) -> tuple[ForeignQuestion, ...]:
    """Return the questions of a text of several sentences, () if it is none or asks nothing.

    language: a code of `languages.guess_language`.
    """
    sentences = [text[start:end].strip() for start, end in find_sentences(text, language)]
    if len(sentences) < 2:
        return ()
    asking: list[tuple[str, str]] = []
    telling: list[str] = []
    for sentence in sentences:
        is_asking = asks(sentence, language)
        bare = _cut_unspaced(strip_manners(sentence, language), language, is_asking=is_asking)
        if bare and is_asking:
            asking.append((sentence, bare))
        elif bare:
            telling.append(bare)
    questions: list[ForeignQuestion] = []
    for sentence, bare in asking:
        keywords = _drop_words(find_keywords(bare, language), _LIGHT_WORDS, language)
        words = _cut_clitics(keywords, language)
        before = telling or [each.text for each in questions[:1]]
        subject: Sequence[str] = ()
        names_thing = not points_back(sentence, language) and _names_thing(bare, language)
        if before and not names_thing:
            subject = _find_subject(before, language)
        known = frozenset(map(str.lower, words))
        lacking = tuple(word for word in subject if word.lower() not in known)
        heaviest = _find_heaviest(lacking, language)
        questions.append(ForeignQuestion(sentence, tuple(words), lacking, heaviest))
    return tuple(questions) if any(each.words or each.subject for each in questions) else ()


def asks(sentence: str, language: str) -> bool:
    """Return whether a sentence in this language is a question."""
    if language == "ja" and _JAPANESE_QUESTION.search(sentence):
        return True
    return any(mark in sentence for mark in "?？؟\u037e")


def strip_manners(text: str, language: str) -> str:
    """Return a text without greetings, thanks and frames of asking; "" if nothing else is in it."""
    pattern = _compile_manners(language)
    if pattern is None:
        return text
    left = pattern.sub(" ", text)
    return " ".join(left.split()).strip(" ,;.!:–-，、。！") if any(map(str.isalnum, left)) else ""


@cache
def _compile_manners(language: str) -> re.Pattern[str] | None:
    phrases = _MANNERS.get(language)
    if not phrases:
        return None
    if language in SEGMENTED_LANGUAGES:
        return re.compile(phrases)
    pattern = rf"(?<![\w'’-])(?:{phrases})(?![\w'’-])[,!.]*"
    alone = _MANNERS_ALONE.get(language)
    if alone:
        before, behind = r"(?:^|(?<=[.,;:!?¡])|\s(?:e|et|i|y)(?=\s))", r"(?=\s*(?:[.,;!…]|$))"
        pattern += rf"|{before}\s*(?:{alone}){behind}[,!.]*"
    return re.compile(pattern, re.IGNORECASE)


def _cut_unspaced(text: str, language: str, *, is_asking: bool) -> str:
    """Return a text whose words no spaces part without the words that no query needs.

    Those are whole words of its segmentation: "この" of "この毒", not of "きのこの毒".
    """
    if language not in SEGMENTED_LANGUAGES:
        return text
    edges = _find_word_edges(text, language)

    def cut(found: re.Match[str]) -> str:
        ends = {found.start(), found.end(), found.end() - found[0].endswith("说")}
        return " " if ends <= edges else found[0]

    return " ".join(_compile_unneeded(language, is_asking).sub(cut, text).split())


@cache
def _compile_unneeded(language: str, is_asking: bool) -> re.Pattern[str]:
    """Return a pattern for words that point back or that no query needs."""
    tables = [_LIGHT_WORDS] if is_asking else [_LIGHT_WORDS, _TELLING_WORDS]
    words = [word for table in tables for word in table.get(language, "").split() if len(word) > 1]
    longest = "|".join(sorted(words, key=lambda word: (-len(word), word)))
    before, behind = _NOT_BESIDE.get(language, ("", ""))
    said = "" if is_asking else _SAID.get(language, "")
    listed = f"{before}(?:{longest}){behind}" if longest else ""
    return re.compile("|".join(filter(None, (said, listed, _POINTERS[language]))))


def _find_word_edges(text: str, language: str) -> frozenset[int]:
    """Return the places in a text between two words of its segmentation."""
    return frozenset(accumulate(map(len, segment(text, language)), initial=0))


def _drop_words(words: Iterable[str], table: Mapping[str, str], language: str) -> list[str]:
    """Return the words that a table does not list, without numbers.

    Where no spaces part words, `_cut_unspaced` has cut the longer ones.
    """
    listed = frozenset(table.get(language, "").split())
    if language in SEGMENTED_LANGUAGES:
        listed = frozenset(word for word in listed if len(word) == 1)
    return [word for word in words if word.lower() not in listed and not word.isdigit()]


def _names_thing(question: str, language: str) -> bool:
    """Return whether a question has the nouns for its thing."""
    nouns = _drop_words(_list_nouns(question, language), _LIGHT_WORDS, language)
    heavy = [word for word in nouns if weigh_word(word, language) >= MIN_OWN_WEIGHT]
    if language in _BEFORE_NOUN:
        behind_articles = _find_words_behind_articles(question, language)
        heavy = [word for word in heavy if word.lower() in behind_articles]
    shows_nouns = language in _BEFORE_NOUN or language in ("de", "ja")
    return len(heavy) >= (MIN_OWN_NOUNS if shows_nouns else MIN_OWN_WORDS)


def points_back(question: str, language: str) -> bool:
    """Return whether a question in this language points to what was named before."""
    pointers = _POINTERS.get(language)
    if not pointers:
        return False
    if language in SEGMENTED_LANGUAGES:
        edges = _find_word_edges(question, language)
        return any(edges.issuperset(found.span()) for found in re.finditer(pointers, question))
    cased = question.lstrip("¿¡ ")
    cased = cased[:1].lower() + cased[1:]
    return bool(_compile_pointers(language).search(cased))


@cache
def _compile_pointers(language: str) -> re.Pattern[str]:
    """Return a pattern for words that point back: "this", not that of "this year"."""
    pattern = rf"(?<![\w-])(?:{_POINTERS[language]})(?![\w'’-])"
    times = [*_LIGHT_WORDS.get(language, "").split(), *_POINTED_TIMES.get(language, "").split()]
    if times:  # Greek has an article before its noun
        pattern += rf"(?!\s+(?:τ(?:ο|η|ην|ον)\s+)?(?i:{'|'.join(times)})(?!\w))"
    return re.compile(pattern)


def _find_subject(sentences: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the heaviest words of sentences that may name a thing, in their order."""
    weights: dict[str, float] = {}
    spelled: dict[str, str] = {}
    named: Counter[str] = Counter()
    for sentence in sentences:
        told = _drop_words(_list_nouns(sentence, language), _LIGHT_WORDS, language)
        nouns = dict.fromkeys(_drop_words(told, _TELLING_WORDS, language))
        named.update({fold_forms(word.lower(), language) for word in nouns})
        behind_articles = _find_words_behind_articles(sentence, language)
        for word in nouns:
            root = fold_forms(word.lower(), language)
            spelled.setdefault(root, word)
            weight = weigh_word(word, language) + NOUN_BONUS * (word.lower() in behind_articles)
            weights[root] = max(weight, weights.get(root, 0.0))
    fit = {
        root: weight + REPEATED_BONUS * (named[root] > 1) + LETTER_BONUS * len(spelled[root])
        for root, weight in weights.items()
        if weight >= MIN_SUBJECT_WEIGHT
    }
    heaviest = sorted(fit, key=lambda root: -fit[root])[:MAX_SUBJECT_WORDS]
    return tuple(word for root, word in spelled.items() if root in heaviest)


def _cut_clitics(words: Iterable[str], language: str) -> list[str]:
    """Return words without the pronouns that verbs end with: "salvar" for "salvarlo"."""
    if language not in _CLITICS:
        return list(words)
    pattern, ending = _CLITICS[language]
    cut = []
    for word in words:
        bare, count = pattern.subn(ending, word)
        if count and language == "pt":
            bare = bare[:-2] + bare[-2:].translate(_PORTUGUESE_ENDINGS)
        cut.append(bare)
    return cut


def _find_heaviest(words: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the heaviest of the words that is no proper name, () without one."""
    common = [word for word in words if language == "de" or not word[:1].isupper()]
    weights = {word: weigh_word(word, language) + LETTER_BONUS * len(word) for word in common}
    return tuple(sorted(common, key=lambda word: -weights[word]))[:1]


def _list_nouns(sentence: str, language: str) -> list[str]:
    """Return the key words of a sentence that may be nouns, as far as the language shows it."""
    keywords = find_keywords(sentence, language)
    if language in _NO_NOUN:
        return [word for word in keywords if not _NO_NOUN[language].search(word)]
    if language == "tr":  # the verb ends the sentence
        last = sentence.split()[-1:]
        return [word for word in keywords if word not in last]
    if language != "de":
        return keywords
    nouns = [word for word in keywords if word[:1].isupper()]
    first = sentence.split()[0].strip("„\"»'(,") if sentence.split() else ""
    if first in nouns and sentence.count(first) == 1 and weigh_word(first, language) < HEAVIEST:
        nouns.remove(first)
    return nouns


def _find_words_behind_articles(sentence: str, language: str) -> frozenset[str]:
    """Return the words, in lower case, that stand behind an article or a preposition."""
    before = frozenset(_BEFORE_NOUN.get(language, "").split())
    asking = find_question_words(language)
    found: set[str] = set()
    run = 0
    for word in _MARK.sub(" . ", sentence).replace("’", "'").lower().split():
        elided, _, bare = word.rpartition("'")
        if elided in before:
            run = MAX_NOUN_RUN
        if bare in before:
            run = MAX_NOUN_RUN
        elif run and bare not in asking and bare != ".":
            found.add(bare)
            run -= 1
        else:
            run = 0
    return frozenset(found)


# ---------------------------------------------------------------- how common a word is


#: The weights of Chinese words by their characters, and of longer ones.
CHINESE_WEIGHTS, LONG_CHINESE_WEIGHT = {1: LIGHTEST, 2: 3.5}, 3.3


@lru_cache(maxsize=5_000)
def weigh_word(word: str, language: str) -> float:
    """Return how rare a word is, from 1.0 (commonest) to 5.5; by its length without a list."""
    if word.isdigit():
        return LIGHTEST
    total = _LOG_TOTALS.get(language)
    if language == "zh":  # words of two characters are seldom torn
        return CHINESE_WEIGHTS.get(len(word), LONG_CHINESE_WEIGHT)
    if total is None:
        letters = len(word) * (LETTERS_PER_SYLLABLE if language in SYLLABIC_LANGUAGES else 1)
        return min(HEAVIEST, max(LIGHTEST, 1.0 + letters / 2))
    found = re.search(rf'\n"{re.escape(word.lower())}": (\d+)'.encode(), _read_counts(language))
    count = int(found[1]) if found else 0
    return min(HEAVIEST, max(LIGHTEST, total - 1.0 - math.log10(count + 1)))


@lru_cache(maxsize=1)
def _read_counts(language: str) -> bytes:
    """Return the list of frequent words as JSON, which is searched without parsing it."""
    table = files("spellchecker").joinpath("resources", f"{language}.json.gz")
    return gzip.decompress(table.read_bytes())
