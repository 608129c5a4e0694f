"""Check the shape of what a model's server answers. Pure; shared by all that read replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from research_core.errors import ModelError
from research_core.model_messages import Json
from research_core.policy import OFFLINE_MODEL
from research_core.text.words import truncate

if TYPE_CHECKING:
    from research_core.settings import Settings


def require_object(value: Any, model: str) -> Json:
    """Return an object, {} for a missing one. Raises ModelError of kind bad_reply."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise make_shape_error(model)
    return value


def require_list(value: Any, model: str) -> list[Any]:
    """Return a list, [] for a missing one. Raises ModelError of kind bad_reply."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise make_shape_error(model)
    return value


_KIND_OF_STATUS = {
    401: "auth_required",
    403: "auth_required",
    404: "not_found",
    408: "timeout",
    413: "too_large",
    429: "rate_limited",
    504: "timeout",
}


def find_kind_of_status(status: int) -> str:
    """Return the kind of error that an HTTP status of a model's server means by itself."""
    return _KIND_OF_STATUS.get(status, "upstream_unavailable" if status >= 500 else "config")


#: How providers say that an account has nothing left, until somebody pays or raises a limit. A quota
#: that fills up again by itself is not meant, though Google's words for it name billing, too.
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:(?:account|user) )?(?:quota|credits?|balance|funds)"
    r"|(?:balance|credits?|funds|quota) (?:is|are|has been|have been) (?:too low|insufficient"
    r"|depleted|exhausted|used up|negative)"
    r"|\b(?:no|out of|not enough|requires? more|used all(?: available)?) (?:\w+ )?credits?\b"
    r"|exceeded your (?:monthly |included ){0,2}credits"
    r"|exceeded_current_quota|credit[_ ]limit|billing[_ ](?:hard[_ ]limit|not[_ ]active)"
    r"|(?:monthly |its )?spending (?:limit|cap)|account is not active|arrearage"
    r"|(?:requires?|enable) billing|billing (?:to be|is not|is) (?:enabled|disabled)"
    r"|欠费|余额不足|餘額不足|请充值|残高が不足|недостаточно средств|guthaben (?:reicht|ist)"
    r"|(?:solde|cr[ée]dit) insuffisant|saldo insuficiente",
    re.IGNORECASE,
)
PAYMENT_REQUIRED = 402
_WRONG_PLACE = re.compile(
    r"unsupported[_ ](?:country|region|location)"
    r"|(?:country|region|territory|location)[^.]{0,40} (?:is )?not (?:supported|available|allowed)"
    r"|not (?:available|supported|offered|allowed) (?:in|from) your (?:country|region|location"
    r"|territory)",
    re.IGNORECASE,
)


def lacks_credit(status: int, words: str) -> bool:
    """Return True if an error says that the account behind the key has nothing left to spend."""
    return status == PAYMENT_REQUIRED or (status < 500 and bool(_NO_CREDIT.search(words)))


def is_of_place(words: str) -> bool:
    """Return True if an error says that the provider does not serve the caller's country."""
    return bool(_WRONG_PLACE.search(words))


def describe_place_step(others: Sequence[str]) -> str:
    """Return the next step where a provider does not serve the place. others: models by name."""
    return (
        "This provider does not serve the place you are in. Other models that are configured:"
        f" {', '.join(others)}."
    )


def list_other_models(settings: Settings, family: str) -> tuple[str, ...]:
    """Return the models of other families that could be asked, by name, the offline one last."""
    names = []
    if family != "gemini" and settings.gemini_api_key:
        names += [f"gemini:{model}" for model in settings.gemini_models[:1]]
    if family != "openai" and settings.openai_base_url:
        names += [f"openai:{model}" for model in settings.openai_models[:1]]
    return (*names, OFFLINE_MODEL)


#: Characters of a server's words in an error.
MAX_QUOTE_LENGTH = 300


def shorten_quote(text: str) -> str:
    """Return the words of a server as one line of at most MAX_QUOTE_LENGTH characters.

    It never ends inside a number, which would then be another one.
    """
    line = " ".join(text.split())
    cut = truncate(line, MAX_QUOTE_LENGTH)
    kept = cut.removesuffix("…") if cut != line else line
    if re.search(r"\d[.,]?\Z", kept) and re.match(r"[.,]?\d| \d{3}(?!\d)", line[len(kept) :]):
        return re.sub(r"\d(?:[\d.,]| (?=\d))*\Z", "", kept).rstrip() + "…"
    return cut


def quote_failure(model: str, status: int, said: str) -> str:
    """Return the sentence that a server answered this status, with its own words, if any.

    It ends with a full stop where those words end with none, as a next step follows.
    """
    if not said:
        return f"{model} answered {status}."
    return f"{model} answered {status}: {end_server_words(said)}"


def end_server_words(said: str) -> str:
    """Return the words of a server with a full stop, unless they end with a mark of their own."""
    ended = said.rstrip("\"'”’»)]").endswith((".", "!", "?", "…", "。", "！", "？", "۔", "।"))
    return said if ended else f"{said}."


#: Characters by which servers replace the middle of a key that they refuse.
_MASK = r"[*•·.…x_-]"
#: Characters at the beginning of a key by which what is left of it is recognized.
_KEY_BEGINNING = 4


def mask_key(text: str, key: str) -> str:
    """Return a text without the key, and without what a server left of it ("sk-ab****wxyz")."""
    if not key:
        return text
    text = text.replace(key, "…")
    if len(key) < 2 * _KEY_BEGINNING:
        return text
    beginning = re.escape(key[:_KEY_BEGINNING])
    return re.sub(rf"{beginning}[\w-]*?(?:{_MASK}{{2,}}|…)[\w-]*", "…", text)


#: What an error of a connection says, why that is, and what to check.
_NO_CONNECTION = (
    (
        r"CERTIFICATE_VERIFY_FAILED",
        "its certificate is not accepted",
        "Use the name that is in the certificate, or http:// for a local server.",
    ),
    (
        r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|UNEXPECTED_EOF",
        "it does not speak TLS",
        "Does its address begin with http:// instead of https://?",
    ),
    (
        r"gaierror|Name or service not known|name resolution|nodename nor",
        "the name in its address could not be found",
        "Is the name spelled correctly? In a container, localhost is the container.",
    ),
    (
        r"RemoteProtocolError|ReadError|ECONNRESET|reset by peer",
        "it closed the connection before it had answered",
        "Did it run out of memory, or end?",
    ),
    (r"(?i)refused", "the connection was refused", ""),
)


#: What to do where a connection was lost in mid-text.
LOST_CONNECTION_STEP = "Try again, or choose another model."


def describe_lost_connection(model: str) -> str:
    """Return what happened where a connection was lost in mid-text."""
    return f"The answer of {model} broke off in the middle, before its end arrived."


def describe_used_up(model: str) -> str:
    """Return what happened where a model reached its length limit before it wrote anything."""
    return f"{model} used up its tokens before it answered (it may think at length)."


def describe_thoughts(model: str) -> str:
    """Return what happened where a model gave its thoughts and no answer, and what to do."""
    return (
        f"{model} answered nothing but its thoughts."
        " Turn its thinking off, or choose another model."
    )


def describe_unreadable(error: BaseException) -> str:
    """Return why an answer could not be read, in words instead of Python's names."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, ValueError):
        return "it is no JSON"
    return "it has another shape than the documented one"


def describe_no_connection(error: BaseException) -> tuple[str, str]:
    """Return why a server could not be reached, and what to check, "" if unknown."""
    text = ""
    cause: BaseException | None = error
    while cause is not None:
        text += f" {type(cause).__name__}: {cause}"
        cause = cause.__cause__ or cause.__context__
    for pattern, why, check in _NO_CONNECTION:
        if re.search(pattern, text):
            return why, check
    return "the connection failed", ""


#: How a model says of itself that it will not do what it is asked: that it cannot, and then what,
#: in each language in the order of its words. "We cannot predict the weather" is an answer.
_REFUSALS = (
    (
        r"(?:\bI|\bwe|^(?:sorry|apologies|unfortunately),?(?: but)?)(?:['’](?:m|re)| am| are)?"
        r"(?: (?:\w+ly|also|just|still))? (?:can['’]?t|cannot|can not|could not|couldn['’]t"
        r"|(?:won['’]t|will not)(?: be able to)?|unable to|not (?:able|allowed|permitted) to"
        r"|(?:must|have to)(?: \w+ly)? decline)\b[^,;:]{0,60}?",
        r"\b(?:help\b(?! but)|assist\b|answer\b|respond\b|comply\b|fulfil|write\b|discuss\b"
        r"|engage\b|do (?:that|this|so)\b|(?:this|that|your|the) request\b|advice\b|instructions\b"
        r"|(?:create|generate|give|offer|produce|provide|share) (?:you )?(?:any |the |with )*"
        r"(?:that|this|such|an?|requested|information|content|summary|text)\b)",
    ),
    (
        r"(?:\b(?:kann|darf|werde|könnte) ich\b|\bich (?:kann|darf|werde|könnte)\b"
        r"|\b(?:können|dürfen|werden) wir\b|\bwir (?:können|dürfen|werden)\b"
        r"|\b(?:dass|weil|da|,) ich\b|\b(?:ist|es) mir\b|\bich bin\b)"
        r"[^;:]{0,60}?\b(?:nicht|keine?[nrs]?)\b[^;:]{0,60}?",
        r"(?:\b(?:weiter)?helfen|\b(?:be)?antworten|schreiben|verfassen|unterstützen|behilflich"
        r"|nachkommen|zu erfüllen|anfrage|auskunft|ratschl[aä]g|bericht (?:erstellen|liefern))",
    ),
    (
        r"(?:\bje (?:ne|n['’]y)|\bnous ne|\bil (?:ne )?m['’]est)[^,;:]{0,20}?"
        r"(?:peux|puis|pourrai|pouvons|pourrons|suis pas|sommes pas|impossible|pas possible)\b"
        r"[^,;:]{0,60}?",
        r"(?:\baider|répondre|écrire|rédiger|\bassister|traiter (?:cette|votre)|donner suite"
        r"|\b(?:fournir|donner)\b[^,;:]{0,20}(?:informations?|conseils?|réponse|avis)"
        r"|satisfaire|(?:cette|votre) demande)",
    ),
    (
        r"\bno (?:(?:te|le|les|os|me|nos) )?(?:es posible|puedo|podr[ée]|podemos|podremos)\b"
        r"[^,;:]{0,60}?",
        r"(?:ayud|asisti|responder|contestar|escribir|redactar|atender|cumplir con"
        r"|hacer (?:eso|esto)"
        r"|(?:proporcionar|dar|generar|ofrecer)\w*[^,;:]{0,20}"
        r"(?:informaci|consejo|contenido|respuesta|asesor)"
        r"|(?:esa|esta|su|tu) (?:solicitud|petici))",
    ),
    (
        r"\bnão (?:(?:lhe|te|me) )?(?:é possível|posso|consigo|poderei|podemos|conseguimos"
        r"|sou capaz)\b[^,;:]{0,60}?",
        r"(?:ajud|auxili|respond|escrev|redigi|atender|fazer isso"
        r"|(?:fornecer|dar|oferecer)[^,;:]{0,20}(?:informaç|conselho|resposta|aconselh)"
        r"|(?:esse|este|seu|teu) pedido|(?:essa|esta|sua) solicitaç)",
    ),
    (
        r"\bnon (?:(?:ti|le|vi|mi) )?(?:è possibile|posso|potrò|possiamo|potremo|sono in grado"
        r"|siamo in grado)\b[^,;:]{0,60}?",
        r"(?:aiutar|assister|risponder|scriver|rediger|soddisfar|farlo"
        r"|(?:fornir|dar|offrir)[^,;:]{0,20}(?:informazion|consigl|rispost)"
        r"|(?:questa|tua|sua) richiesta)",
    ),
    (
        r"\bне (?:могу|смогу|можем|сможем)\b[^,;:]{0,60}?",
        r"(?:помочь|помогать|ответить|отвечать|написать|выполнить (?:этот|ваш|эту|вашу)|обсуждать"
        r"|(?:дать|предоставить)[^,;:]{0,20}(?:совет|ответ|информаци)|(?:этот|ваш) запрос)",
    ),
    (
        r"(?:(?:لا|لن) (?:أستطيع|يمكنني|أقدر|نستطيع|يمكننا|أتمكن|نتمكن)"
        r"|(?:أنا|إنني|أنني|إني|أني) غير قادر)[^،؛:]{0,60}?",
        r"(?:مساعد|أساعد|نساعد|الإجابة|أجيب|الرد على|أرد|كتابة|أكتب|تلبية|طلبك|هذا الطلب"
        r"|تقديم[^،؛:]{0,20}(?:نصيحة|نصائح|معلومات|مشورة|إجابة))",
    ),
    (
        r"(?:お(?:応|こた|答)え|お手伝い|お力|ご(?:協力|回答|案内|対応|提供)|(?:依頼|要求|質問|リクエスト)に"
        r"|回答を?|(?:報告書|レポート|文章|要約|情報|アドバイス)[はを])[^、,;:]{0,20}?",
        r"(?:できません|できない|出来ません|かねます|いたしません|ありません)",
    ),
    (
        r"(?:我们?|我們|抱歉|对不起|對不起|不好意思|遗憾|遺憾)[,，]?\s?(?:但|但是)?(?:我们?|我們)?"
        r"(?:恐怕|目前|现在|現在|暂时|暫時|真的|实在|實在|也|还|還)?"
        r"(?:不能|无法|無法|没办法|沒辦法|不可以)[^,，;；:：]{0,30}?",
        r"(?:协助|協助|帮助|幫助|帮你|幫你|帮您|幫您|回答|答复|答覆|回应|回應|撰写|撰寫|编写|編寫|写|寫|讨论|討論"
        r"|(?:提供|给出|給出|生成)[^,，;；:：]{0,15}(?:信息|資訊|建议|建議|内容|內容|答案|报告|報告)"
        r"|(?:请求|請求|要求))",
    ),
    (
        r"(?:도와\s?드|도움을 드|답변|답해|대답|응답|응할|작성|요청|제공해\s?드)[^,;:]{0,20}?",
        r"(?:수(?:가|는)? 없(?:습니다|어요|네요)|어렵습니다|못합니다)",
    ),
    # A sentence that ends with it refuses too: "I'm sorry, but I can't."
    (
        r"(?:\b(?:I|we) (?:can['’]?t|cannot|can not|won['’]t|must decline)"
        r"|\b(?:kann|darf) ich (?:\w+ )?nicht|\bich (?:kann|darf) (?:\w+ ){0,2}nicht"
        r"|\bje ne (?:peux|puis) pas|\bno (?:puedo|podemos)|\bnão posso|\bnon posso|\bне могу"
        r"|(?:لا|لن) (?:أستطيع|يمكنني)"
        r"|(?:申し訳\w*|すみません|恐れ入ります)が、(?:それは)?(?:いたし|でき)(?:ません|かねます)"
        r"|(?:我们?|我們|抱歉|对不起|對不起)[,，]?我?(?:不能|无法|無法|没办法|沒辦法)"
        r"|(?:죄송|미안)\w*,? 할 수 없습니다)",
        r"(?: (?:do|hacer|faire|fazer|fare) \w+)?\W*$",
    ),
)
_REFUSAL = re.compile("|".join(f"{unable}{task}" for unable, task in _REFUSALS), re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])\s*")
#: Sentences of a text that may refuse: "I'm sorry." may stand before the one that does.
_REFUSING_SENTENCES = 2
#: Characters of a text that may be a refusal, and those of its beginning that must say so.
MAX_REFUSAL_LENGTH, REFUSAL_BEGINNING = 600, 200
#: Characters of the words of a refusal that are shown.
MAX_SHOWN_REFUSAL = 120


def find_refusal(text: str) -> str:
    """Return the words by which a model refuses a request, "" if its text is no refusal.

    "I'm sorry, but I can't help with that" comes as an ordinary answer.
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    words = " ".join(" ".join(lines).split())
    if len(words) > MAX_REFUSAL_LENGTH:
        return ""
    sentences = _SENTENCE_END.split(words[:REFUSAL_BEGINNING])[:_REFUSING_SENTENCES]
    if not any(map(_REFUSAL.search, sentences)):
        return ""
    return truncate(words, MAX_SHOWN_REFUSAL).rstrip(".。")


def make_shape_error(model: str) -> ModelError:
    """Return the error for a reply that is not of its documented shape."""
    return ModelError(
        f"{model} answered in a shape its documentation does not promise.",
        kind="bad_reply",
        next_step="Check the address of the model in .env, or choose another model.",
    )
