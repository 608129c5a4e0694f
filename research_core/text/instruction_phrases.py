"""Phrases that address a machine: the tables read by `instructions`.

A phrase is a row of words separated by spaces. `a|b` is one of several, `up_to_now` three words,
`{name}` a list of `WORDS`, `[x]` optional, `[x]*` up to five times, and `~` up to three words of
any kind; `"` an opening quotation mark, `"…"` words between two, `:` what ends a heading or a
greeting, `@` a mail address, `//` a web address. A phrase that begins with `!` counts only where an
order can begin: at the start of a sentence, or after "please", "and", "must" and the like.

What people say to people has no place here, however often attacks say it too: "forget the old
rules", "send us your data", "in this task".
"""

from __future__ import annotations

IGNORE = "tells its reader to ignore what it was told before"
MARKUP = "imitates the markup of a chat with a model"
MACHINE = "speaks to an AI model"
PROMPT = "asks an AI model for its instructions"
ANSWER = "orders what an answer must hold or look like"
SECRECY = "asks to keep something from the user"
LEAK = "asks to send data away"
RATING = "asks to be rated or preferred"

WORDS = {
    "ignore": (
        "ignore|disregard|forget|override|bypass|discard|dismiss|do_not_follow|don't_follow"
        "|stop_following|do_not_obey|set_aside"
    ),
    "all": "all|any|every|each|everything|of|the|these|those|your|my|our|and|or|other",
    "before": (
        "previous|previously|prior|earlier|preceding|foregoing|above|former|existing|original"
        "|initial|old|past|system|preset|default|developer|internal|following|subsequent|safety"
    ),
    "earlier": "previous|previously|prior|earlier|preceding|foregoing|above|initial|system",
    "instructions": (
        "instruction|instructions|prompt|prompts|directive|directives|command|commands"
        "|programming|system_message|system_messages"
    ),
    "rules": (
        "direction|directions|guideline|guidelines|guidance|order|orders|rule|rules|training"
        "|constraints|restrictions|context|conversation|task|tasks|text|input|inputs|policies"
        "|safeguards|filters"
    ),
    "given": (
        "above|before|so_far|until_now|up_to_now|up_to_this_point|you_were_given"
        "|you_have_been_given|you_had|you_got|you_received|i_gave_you|given_to_you|given_before"
        "|given_above|given_so_far|given_earlier|given_previously"
    ),
    "model": (
        "ai|llm|chatgpt|language_model|large_language_model|ai_model|ai_assistant|ai_agent|ai_bot"
        "|chatbot|web_crawler_for_ai"
    ),
    "persona": (
        "chatgpt|language_model|large_language_model|ai_assistant|ai_language_model|ai_model"
        "|ai_chatbot|chatbot|llm|gpt-4"
    ),
    "become": (
        "going_to_act|going_to_pretend|going_to_respond|chatgpt|dan|an_ai|an_assistant|a_model"
        "|a_chatbot"
    ),
    "reader": (
        "llm|llms|chatgpt|language_model|language_models|large_language_models|ai_model|ai_models"
        "|ai_assistant|ai_assistants|ai_agent|ai_agents|ai_system|ai_systems|ai_reader|ai_readers"
        "|ai_crawler|ai_crawlers|ai_reviewer|ai_reviewers|ai_summarizer|ai_summarizers|ai_bot"
        "|ai_bots|chatbot|chatbots|virtual_assistants|automated_agents|automated_readers"
        "|automated_reviewers|automated_systems|machine_readers|summarizers|summarisers|gpt|gpts"
    ),
    "reading": "reading|processing|summarizing|summarising|visiting|parsing|crawling|scraping",
    "tell": (
        "repeat|reveal|print|output|display|show|tell|tell_me|give_me|list|leak|dump|recite"
        "|translate|encode|summarize|summarise|quote|disclose|expose|return"
    ),
    "its_prompt": (
        "system_prompt|system_instructions|initial_prompt|initial_instructions"
        "|initial_configuration|starting_instructions|original_instructions|original_prompt"
        "|hidden_prompt|hidden_instructions|secret_instructions|internal_instructions|prompt_you"
        "|instructions_you_were_given|instructions_you_have_been_given|instructions_you_received"
        "|text_you_were_given|entire_conversation|guidelines_you_follow"
    ),
    "change": (
        "include|add|append|insert|mention|integrate|augment|enhance|modify|incorporate|embed"
        "|encode|encrypt|scramble|anagram|misspell|translate|render|prefix|sprinkle|weave"
        "|substitute|combine|reverse|copy|replace|remove|use"
    ),
    "suggest": (
        "suggest|include|mention|recommend|tease|add|insert|claim|promote|encourage|link|always"
        "|never"
    ),
    "answer": "answer|answers|response|responses|reply|replies|output",
    "whole": "next|final|whole|entire|own",
    "state": (
        "state_that|say_that|claim_that|conclude_that|report_that|mention_that|emphasize_that"
        "|recommend|praise|output|respond"
    ),
    "say": "respond|reply|answer|print|output|return",
    "form": (
        "anagrammed|anagrams|alphanumeric|base64|base32|base16|rot13|cipher|morse|binary|hex"
        "|reverse|misspellings|spaces|pirate|emojis"
    ),
    "user": "the_user|the_human|the_operator|the_analyst|your_user|your_human|your_operator",
    "send": "send|post|forward|upload|submit|email|exfiltrate|transmit|leak",
    "secret": (
        "conversation|chat_history|chat_log|message_history|search_history|api_key|api_keys"
        "|secret_key|secret_keys|private_key|private_keys|access_token|access_tokens"
        "|session_token|session_cookie|session_cookies|environment_variables|system_prompt"
        "|user's_name|user's_data|user's_email|user's_details|user's_question|user's_query"
        "|user's_address|user's_password|user's_messages|user's_files|user's_credentials"
        "|everything_above|previous_messages|research_question|your_instructions"
    ),
    "this": (
        "this_source|this_page|this_site|this_website|this_article|this_document|this_passage"
        "|this_text|this_result|this_paper"
    ),
    "page": "source|page|site|website|article|document|passage",
    "rate": "rate|score|rank|grade|mark|classify|treat|consider|regard|judge|label|assess|evaluate",
    "trusted": "trustworthy|trusted|reliable|authoritative|credible|relevant|highest|maximum|best",
}

PHRASES: dict[str, str] = {
    IGNORE: (
        """
        ! {ignore} [{all}]* {before} [and|or] [{before}] ~ {instructions}
        ! {ignore} [{all}]* {earlier} [and|or] [{before}] {rules}
        ! {ignore} [{all}]* {instructions} {given}
        ! {ignore} everything|all \
          above|before_this|said_above|said_before|written_above|you_were_instructed
        ! {ignore} [all|any|of|about]* your [{before}|current|core|ethical|own]* \
          instructions|guidelines|programming|directives|training_data
        ! {ignore} all [of] [the] instructions|prompts|directives
        ! ignore|disregard any|all ~ instructions|prompts
        ! {ignore} the|all|everything [the]* above and|then [just|simply|only]* {say}|write \
          with|only|just|exactly|that
        ! {ignore} what|everything|all [that|which]* you have_been|ve_been|were \
          told|taught|instructed so_far|until_now|up_to_now|above
        ! pay_no_attention_to|pay_no_heed_to|do_not_listen_to|don't_listen_to|take_no_notice_of \
          [{all}]* {earlier} [and|or] [{before}] {instructions}|directions|guidelines|orders|rules
        ! ignora|ignore|olvida|olvide|descarta todo_lo_anterior y|e \
          responde|responda|escribe|escriba|di|diga|recomienda|recomiende|alaba
        ! oublie|oubliez tout_ce_qui_précède et \
          réponds|répondez|écris|écrivez|dis|dites|recommande|recommandez
        ! vergiss|vergessen_sie alles [bisherige|vorherige|vorige|obige]* und \
          antworte|antworten_sie|schreibe|schreiben_sie|empfiehl|sage
        nicht auf [die|alle]* vorherigen|vorherige|bisherigen|bisherige|früheren|frühere \
          anweisungen|befehle hören|achten|reagieren
        ! ignoriere|ignorieren_sie|vergiss|vergessen_sie|missachte|missachten_sie \
          ~ vorherigen|vorigen|bisherigen|obigen|früheren|alle \
          ~ anweisungen|instruktionen|befehle|vorgaben
        ! ignore|ignorez|ignorer|oublie|oubliez ~ instructions|consignes|directives|ordres \
          ~ précédentes|précédents|antérieures|dessus|reçues|données
        ! ignora|ignore|ignorad|olvida|olvide|descarta \
          ~ instrucciones|indicaciones|órdenes|directrices \
          ~ anteriores|previas|precedentes|recibidas|arriba
        ! ignora|ignorate|dimentica|dimenticate ~ istruzioni|indicazioni|direttive|ordini \
          ~ precedenti|anteriori|ricevute|sopra
        ! ignore|ignora|esqueça|esquece|desconsidere ~ instruções|orientações|ordens|comandos \
          ~ anteriores|prévias|acima|recebidas
        ! negeer|vergeet ~ vorige|eerdere|bovenstaande|voorgaande|alle \
          ~ instructies|opdrachten|aanwijzingen
        ! zignoruj|ignoruj|pomiń|zapomnij ~ poprzednie|wcześniejsze|powyższe|wszystkie \
          ~ instrukcje|polecenia
        ! игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте \
          ~ предыдущие|прежние|прошлые|все ~ инструкции|указания|команды
        önceki|yukarıdaki ~ talimatları|komutları ~ yoksay|unut|görmezden
        önceki|yukarıdaki ~ talimatları|talimatların|komutları|yönergeleri \
          ~ yok_say|yok_sayın|dikkate_alma|dikkate_almayın
        ! abaikan|lupakan|hiraukan ~ instruksi|perintah|petunjuk|arahan \
          ~ sebelumnya|sebelum_ini|di_atas|terdahulu
        ! bỏ_qua|phớt_lờ|quên ~ ~ hướng_dẫn|chỉ_dẫn|chỉ_thị|mệnh_lệnh|yêu_cầu \
          ~ trước|trước_đó|trước_đây|ở_trên
        ! ігноруй|ігноруйте|проігноруй|забудь|забудьте ~ попередні|усі|всі \
          ~ інструкції|вказівки|команди
        ! ignorera|glöm|bortse_från ~ tidigare|föregående|ovanstående|alla \
          ~ instruktioner|anvisningar
        ! ignorer|glem|se_bort_fra ~ tidligere|foregående|foregående|ovenstående|alle \
          ~ instruktioner|instruksjoner|instrukser|anvisninger
        ! ohita|unohda|jätä_huomiotta ~ aiemmat|aikaisemmat|edelliset|kaikki \
          ~ ohjeet|käskyt|määräykset
        ! ignoruj|ignorujte|zapomeň|zapomeňte|zabudni \
          ~ předchozí|předešlé|predchádzajúce|všechny|všetky ~ instrukce|pokyny|příkazy|inštrukcie
        ! ignoră|ignorați|uită|uitați ~ instrucțiunile|comenzile|indicațiile \
          ~ anterioare|precedente|primite
        ! hagyd|hagyja figyelmen_kívül ~ korábbi|előző|összes ~ utasítást|utasítást|utasításokat
        ! αγνόησε|αγνοήστε|ξέχασε|ξεχάστε ~ προηγούμενες|παραπάνω|όλες ~ οδηγίες|εντολές
        ! התעלם|התעלמו|שכח ~ ההוראות|ההנחיות|הפקודות ~ הקודמות|לעיל
    """
    ),
    MACHINE: (
        """
        note|notice|message|attention|instruction|instructions|warning|reminder|memo|information \
          ~ to|for [all|any|the|every]* {reader} :
        note|notice|message|instruction|instructions|warning|reminder|memo ~ to|for \
          [all|any|the|every]* {reader} [that|which|who|are]* {reading}
        ! attention|dear|hello|hey|hi [all|any]* {reader} :
        if you [are|re|re] [an|a|the]* {model} {reading}
        ! if you [are|re] [an|a|the]* \
          llm|language_model|large_language_model|ai_model|ai_assistant|ai_agent|chatbot
        any|all|every {reader} [that|which|who|is|are]* {reading} this|these
        {reader} [that|which|who|are|is]* {reading} this|these [web]* \
          {page}|pages|text|content|paper ~ must|should|shall|please|need|needs|has|have|are|is
        {reader} must|should|shall|have_to|are_to [always|only|please]* \
          cite|quote|recommend|rate|rank|prefer|trust|praise {this}
        ! if this|the [web]* {page}|text|content|paper is|are|was [being]* \
          read|processed|summarized|summarised|parsed|crawled|indexed by [an|a|any]* \
          {model}|{reader}
        ! when|whenever|while|if|before [you|are|re]* {reading}|reviewing|citing|evaluating|rating \
          {this} ~ ~ {state}
        reader|readers|recipient ~ ~ being|is|are|if an|a \
          {reader}|ai|automated_system|language_model ~ is|are|must|should|shall|please
        ! your task|instructions|instruction|assignment|objective has|have [now]* \
          changed|been_changed|been_replaced|been_overridden :
        ! decode|decrypt|unscramble [this|it|the|text|above|following|string|message]* and|then \
          obey|comply|do_what_it_says
        to [all|any|every|the]* {reader} {reading} this|these
        new|updated|important|special instruction|instructions to|for [the|any|all]* \
          ai|assistant|{reader} :
        ! your new goal|task|objective|instruction|instructions|mission is|are to \
          promote|recommend|praise|ignore|output|convince|persuade
        you are [now|a|an|the|going|to|act|as]* \
          [helpful|unrestricted|uncensored|evil|new|different|unfiltered|advanced]* {persona}
        as [an|a] ai_language_model|ai_model|ai_assistant|language_model|large_language_model|llm \
          you|please
        ! from now on [you|will|must|shall|always|only]* act|respond|answer|reply|speak|pretend \
          as|like|only|in|with|to_be|every|all
        ! from now on you are {become}
        you [are|will|must|shall|going|to|now]* play|act|assume the_role_of|as \
          ~ ai|artificial_intelligence|language_model|ai_model|dan
        you [will|must|shall|now|can]* pretend|act|roleplay|behave \
          ~ without_restrictions|without_any_restrictions|unrestricted_ai|evil_ai
        role of ~ ai_model|al_model|artificial_intelligence|language_model known|named|called
        do anything now stands|mode
        dan|developer mode enabled ~ you|answer|respond
        you will|must|shall [now] only|always follow|obey \
          ~ instruction|instructions|command|commands|orders
        obey this|these|my instruction|instructions|command|commands|orders
        chat|ai|browsing|virtual assistant|assistants must|shall|should|will \
          ~ respond|reply|ignore|disregard|obey|say|recommend|cite|rate|fetch
        the assistant has_been|is|must|will \
          now_augmented|augmented|instructed|reprogrammed|obey|now_respond|now_ignore|disregard
        assistant will|must|shall \
          obey|disregard|retrieve_instructions|fetch_instructions|use_retrieval_tools
        you the_assistant|the_ai|the_chatbot
        stop everything ~ print|output|respond
        hinweis|nachricht|anweisung|anweisungen ~ an|für [alle|die|das|den]* \
          ki-modelle|sprachmodelle|ki-assistenten|ki-systeme|chatbots :
        ! wenn du|sie ein|eine ki|sprachmodell|ki-modell|ki-assistent bist|sind
        ! si tu|vous es|êtes un|une ia|modèle_de_langage|assistant_ia|agent_ia
        ! si eres un|una ia|modelo_de_lenguaje|asistente_de_ia|inteligencia_artificial
        ! se você|tu é|és um|uma ia|modelo_de_linguagem|assistente_de_ia|inteligência_artificial
        ! se sei un|una ia|modello_linguistico|assistente_ia|intelligenza_artificiale
        ! als je|jij|u een ai|taalmodel|ai-model|chatbot bent
        ! jeśli jesteś [systemem|modelem|asystentem]* \
          ai|sztuczną_inteligencją|językowym|modelem_językowym|chatbotem
        ! если ты|вы [это]* ии|языковая_модель|нейросеть|искусственный_интеллект|чат-бот
        ! eğer bir yapay_zeka|dil_modeli ~ isen|iseniz|asistanıysan
    """
    ),
    PROMPT: (
        """
        ! {tell} ~ ~ {its_prompt}
        ! share|describe|copy|paste|write|send [me|us]* your [full|exact|entire|complete]* \
          {its_prompt}
        ! repeat|output|dump|recite|leak \
          ~ words_above|text_above|above_text|everything_above|previous_text|text_before
        ! {tell} ~ verbatim|word_for_word from [your|the] prompt
        ! {tell} ~ the instructions|prompt|text|rules \
          you_were_given|you_have_been_given|you_received|you_were_told
        what ~ is|are|was|were your [exact|full|own|current]* {its_prompt}
        what ~ ~ of your system_prompt|initial_prompt|system_instructions
        what were those|your [initial|original|previous]* instructions
        what were you told|instructed before_this
        sentence|sentences|word|words|line|lines of your [initial|system|original]* prompt
    """
    ),
    ANSWER: (
        """
        ! {change} ~ ~ ~ in|into|to|at|with|throughout|of|from [the|end|start|beginning|of|every]* \
          your [{whole}]* {answer}
        ! {change} "…" in|into|to|at [the|end|start|beginning|of|every]* your [{whole}]* {answer}
        ! include|add|insert|mention|put [the|this|a|following|link|url|address|to]* // \
          [in|into|to|at|the|end|of]* your [{whole}]* {answer}
        ! modify|augment|enhance|encode|encrypt|scramble|anagram|misspell|reverse|translate your \
          [{whole}]* {answer}
        in your {answer} {suggest}
        ! {say} only|exactly|simply|solely|just with|by "
        ! {say} with|by ~ the_word|the_phrase|the_sentence|the_string|the_following|exactly "
        ! only|just|simply {say} [with|by|exactly]* "
        ! print|output|write exactly|only|nothing_but "
        ! start|begin|end|finish|prefix every|each|all|your [one|of|your]* {answer} with|by
        ! provide|give|write|render|deliver|show your {answer} in|using|with|without \
          [an|a|any|intentional|only]* {form}
        ! {say} ~ in|using {form}
        ! your [final|whole|entire]* answer|response|reply|report must|should|has_to|needs_to \
          ~ say|state|include|contain|begin|end|read ~ "
    """
    ),
    SECRECY: (
        """
        ! do_not|don't|never [ever|directly]* tell|inform|alert|notify|warn|let|show {user}
        ! do_not|don't|never reveal|mention|disclose|say|show|explain ~ to {user}
        ! do_not|don't|never mention|reveal|disclose|acknowledge|repeat|admit [that|to]* \
          these|this|any_of_these|you_received|you_were|you_read [hidden|system|secret]* \
          instruction|instructions|prompt|told|instructed|given
        keep|hide this|these|it [a|instruction|instructions|message|request|as]* \
          secret|hidden|concealed from {user}
        ! sag|sage|sagen|erzähl|erzähle ~ dem benutzer|nutzer|anwender ~ nichts|nicht
    """
    ),
    LEAK: (
        """
        ! {send} ~ ~ {secret} ~ ~ to ~ //
        ! {send} ~ ~ {secret} ~ ~ to ~ @
        ! {send} ~ ~ conversation|chat_history|chat_log|system_prompt ~ ~ to \
          ~ url|endpoint|webhook|server
        ! exfiltrate|leak ~ ~ {secret}
        ! fetch|visit|open|load|request|call|get ~ // ~ ~ ~ with|append|appending|containing \
          ~ {secret}
    """
    ),
    RATING: (
        """
        ! {rate} {this} ~ as|with|at [a|an|the|most|highly|very|fully|being]* {trusted}
        ! {rate} {this} [most|highly|very]* {trusted}
        ! rate|score|grade {this} [as|a|an|with|at|the]* 5/5|10/10|100/100|5_out_of_5|10_out_of_10
        ! rate|score|grade|rank {this} as|with|at [a|an]* 5|10|100
        ! summarize|summarise|describe {this} as|with|by "
        ! give|write ~ ~ ~ only|a|an positive|favorable|favourable|glowing \
          review|rating|evaluation|assessment only
        ! assign|give|award|grant {this}|it|them \
          ~ relevance|credibility|trust|reliability|authority score|rating
        relevance|credibility|trustworthiness|reliability score|scores|rating \
          of|to|is|as|must_be|should_be [the|a]* 5|10|five|100|maximum|highest
        this {page} must|should|shall|has_to [always|therefore]* be \
          rated|scored|ranked|cited|treated|considered|preferred|trusted \
          ~ first|highest|above|only|5|10|{trusted}
        ! cite|quote|trust|prefer only|exclusively this {page}
        ! cite|quote|recommend|prefer|trust this {page} only|first|exclusively|above|over
        ! do_not|don't|never cite|mention|use|quote|trust|summarize [any|the]* other|competing \
          sources|source|pages|sites|websites|articles
    """
    ),
}

#: What regular expressions find better: orders in scripts without spaces, text that only occurs
#: between a chat and its model, and addresses with a blank to fill in. Each follows the characters
#: (in lower case) of which it needs at least one.
EXPRESSIONS: tuple[tuple[str, str, str], ...] = (
    (
        IGNORE,
        "指 提 命 規 规",
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|忽視|不要理会).{0,8}"
        r"(?:之前|以前|以上|上面|先前|前面|所有|此前).{0,8}"
        r"(?:指令|指示|提示|命令|規則|规则)",
    ),
    (
        IGNORE,
        "無視 忘れ 破棄",
        r"(?:これまで|以前|上記|前述|前|すべて|全て)の?.{0,10}"
        r"(?:指示|命令|プロンプト|ルール|指令).{0,8}(?:無視|忘れ|破棄)",
    ),
    (
        IGNORE,
        "무시 잊",
        r"(?:이전|위의?|앞의|모든|기존).{0,8}(?:지시|명령|지침|프롬프트).{0,8}(?:무시|잊)",
    ),
    (
        IGNORE,
        "تجاهل انس",
        r"(?:تجاهل|تجاهلوا|انس).{0,14}(?:التعليمات|الأوامر|الإرشادات).{0,10}(?:السابقة|أعلاه)",
    ),
    (
        IGNORE,
        "निर्देशों आदेशों",
        r"(?:पिछले|पूर्व|उपरोक्त).{0,10}(?:निर्देशों|आदेशों).{0,10}(?:अनदेखा|नज़रअंदाज़|भूल)",
    ),
    (
        IGNORE,
        "คำสั่ง คำแนะนำ",
        r"(?:เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|ลืม).{0,12}(?:คำสั่ง|คำแนะนำ).{0,12}"
        r"(?:ก่อนหน้า|ข้างต้น|ทั้งหมด)",
    ),
    (
        IGNORE,
        "نادیده فراموش",
        r"(?:دستور|دستورات|دستورالعمل)\S{0,6}.{0,12}(?:قبلی|پیشین|بالا).{0,8}(?:نادیده|فراموش)",
    ),
    (
        IGNORE,  # "i.g.n.o.r.e", followed by "i n s t r u …", "p-r-o-m-p-t" or "r u l e"
        "i d",
        r"\b(?:i([\W_]{1,2})g\1n\1o\1r\1e|d([\W_]{1,2})i\2s\2r\2e\2g\2a\2r\2d)\b(?=[^\n]{0,80}?"
        r"\b(?:i[\W_]{1,2}n[\W_]{1,2}s[\W_]{1,2}t[\W_]{1,2}r[\W_]{1,2}u"
        r"|p[\W_]{1,2}r[\W_]{1,2}o[\W_]{1,2}m[\W_]{1,2}p[\W_]{1,2}t"
        r"|r[\W_]{1,2}u[\W_]{1,2}l[\W_]{1,2}e))",
    ),
    (
        MACHINE,
        "if",
        r"\bif you(?:['’]re| are) (?:an? |the )?"
        r"(?:ai|a\.i\.|artificial intelligence|gpt(?:-\d\w?)?|machine reader"
        r"|automated (?:system|agent|reader|reviewer))"
        r"\s?[,:;—–](?!\s?(?:ml|machine|data|deep|iot|or|and|cloud|robotics|robot|big)\b)",
    ),
    (
        MACHINE,
        "assistant gpt llm language agent reader crawler reviewer",
        r"(?:\A|\n|[.!?:]\s)[\W_]{0,4}"
        r"(?:(?:virtual )?assistant|(?:chat)?gpt(?:-\d\w?)?|language model"
        r"|(?:llm|ai) (?:agent|reader|assistant|crawler|reviewer)|llm)s?[,:] {0,2}"
        r"(?:please |you must |always |now )?"
        r"(?:ignore|disregard|forget|include|add|insert|recommend|rate|cite|respond|reply|output"
        r"|praise|state that|say that)\b",
    ),
    (
        MACHINE,
        "attention note message dear",
        r"(?:\A|\n|[.!?]\s)\W{0,4}(?:attention|note to|message (?:to|for)|dear),? "
        r"(?:all |any |the )?ais?\s?[:,!]",
    ),
    (
        MACHINE,
        "[",
        r"\[(?:instructions?|notes?|messages?|notice) (?:to|for) (?:the |all |any )?"
        r"(?:ai|llm|language model|assistant|chatbot)s?\b",
    ),
    (
        MACHINE,
        "读者 阅读者 讀者 閱讀者",
        r"(?:AI|人工智能|人工智慧|语言模型|語言模型)(?:阅?读者|閱?讀者).{0,4}"
        r"(?:必须|必須|应当|應當|应该|應該|请|請)",
    ),
    (
        MACHINE,
        "如果",
        r"如果(?:你|您)是(?:一个|一個|一种)?"
        r"(?:AI|人工智能|人工智慧|大?(?:语言|語言)模型|聊天机器人)",
    ),
    (
        MACHINE,
        "言語モデル ai 人工知能",
        r"(?:あなた|貴方)が(?:AI|人工知能|(?:大規模)?言語モデル)(?:アシスタント)?"
        r"(?:なら|であれば|の場合|でしたら)",
    ),
    (
        MACHINE,
        "라면",
        r"(?:당신|너|귀하)[이가는은]? ?(?:AI|인공지능|언어 ?모델)(?:이?라면)",
    ),
    (
        MARKUP,
        "<|",
        r"<\|(?:im_(?:start|end|sep)|system|user|assistant|endoftext|eot_id|begin_of_text"
        r"|(?:start|end)_header_id|endofprompt|channel)\|>",
    ),
    (
        MARKUP,
        "<",
        r"</?im_(?:start|end)>|<</?SYS>>|<(?:start|end)_of_turn>"
        r"|</?system(?:[ _-](?:prompt|message|instructions?))?>",
    ),
    (
        MARKUP,
        "[",
        r"\[/?INST\]|\[(?:system|assistant|user)\]\(#\w{1,20}\)"
        r"|\[/?system[ _-](?:prompt|message|instructions?|note)\]",
    ),
    (
        MARKUP,
        "[system [sys [developer [admin [assistant",
        r"\[(?:system|sys|developer|admin|assistant)\b[^\]\n]{0,20}\][\s:>*-]{0,4}"
        r"(?:new |important |updated |critical )?"
        r"(?:rules?|instructions?|directives?|orders?|commands?|override|you|ignore|disregard"
        r"|from now|always|never|respond|reply|output|the (?:assistant|ai|model|user))\b",
    ),
    (
        MARKUP,
        "system: system*",
        r"(?:\A|\n)[ \t>*#]{0,4}system\*{0,2}: {0,3}\*{0,2}"
        r"(?:you (?:are|must|will|should)\b|ignore\b|disregard\b|from now on\b|respond\b"
        r"|always (?:answer|respond|reply)\b|the (?:user|assistant|ai|model)\b)",
    ),
    (
        MARKUP,
        "role",
        r"[\"']role[\"']\s{0,2}:\s{0,2}[\"'](?:system|developer)[\"']\s{0,2}"
        r",\s{0,2}[\"']content[\"']\s{0,2}:\s{0,2}[\"']"
        r"(?:you must|ignore|disregard|from now on|always recommend|recommend|praise)\b",
    ),
    (
        RATING,
        "score",
        r"(?:\A|\n|\{)[\W_]{0,6}(?:(?:relevance|credibility|final|overall)[ _])?"
        r"score[\W_]{1,5}\d{1,3}(?:\.\d)?(?: ?(?:/|out of) ?\d{1,3})?"
        r"[\W_]{1,8}(?:explanation|reasoning|rationale|justification)[\W_]{0,2}:",
    ),
    (
        MARKUP,
        "##",
        r"(?:^|\n)[ \t>*]{0,4}#{2,4} ?(?:instruction|response|system prompt):[ \t]{0,3}(?=\n|\Z)",
    ),
    (
        MARKUP,
        "##",
        r"(?:^|\n)[ \t>*]{0,4}#{2,4} ?(?:(?:new|system|updated) )?(?:instructions?|system):\s{0,3}"
        r"(?:you|ignore|disregard|from now on|respond|reply)\b",
    ),
    (
        MARKUP,
        "instruction prompt override directive",
        r"(?:^|[\n\[({<*#=-])[ \t]*"
        r"(?:(?:begin|end|new|updated|start|override)[ _-](?:of[ _-])?){1,2}"
        r"(?:system|admin|developer|root|assistant|ai)[ _-]"
        r"(?:instructions?|prompts?|overrides?|directives?)\b",
    ),
    (
        MARKUP,
        "begin end",
        r"(?:^|\n)[^\w\n]{0,10}(?-i:BEGIN|END)[ _-]"
        r"(?-i:(?:[A-Z]+[ _-])?(?:INSTRUCTIONS?|PROMPT|REPROGRAMMING|DIRECTIVES?))\b",
    ),
    (
        MARKUP,
        "new updated",
        r"(?:^|\n)[^\w\n]{0,10}(?-i:NEW|UPDATED)[ _-](?-i:INSTRUCTIONS?|PROMPT|DIRECTIVES?)"
        r"(?: TO| FOR)?[A-Z ]{0,40}:",
    ),
    (
        MARKUP,
        "system",
        r"\bsystem (?:override|prompt|message|notice|instructions?|note|update) ?: ?\W{0,4}"
        r"(?:you|ignore|disregard|the (?:user|assistant|model|ai)|from now on|respond|reply"
        r"|as an)\b",
    ),
    (
        MARKUP,
        "assistant: assistant* ai: ai* chatgpt: chatgpt*",
        r"(?:^|\n)[ \t>*]{0,4}(?:human|user)\*{0,2}: [^\n]{1,400}\n{1,3}"
        r"[ \t>*]{0,4}(?:assistant|ai|chatgpt)\*{0,2}:",
    ),
    (
        LEAK,
        "](http",
        r"!\[[^\]\n]{0,200}\]\(https?://[^)\s]{1,300}(?:[?&=/])"
        r"(?:[\[{<]|\$\{|%7b|secret|conversation|history|your|user_?(?:data|name|info))"
        r"[^)\n]{0,200}\)",
    ),
    (
        LEAK,
        "=[ ={ =<",
        r"https?://[^\s)\]]{1,200}[?&/]\w{1,20}=[\[{<](?=[^\n\])}>]{0,60}[ _+'’-])[^\n\])}>]{0,40}"
        r"(?:user|secret|conversation|prompt|history|password|chat|key)[^\n\])}>]{0,40}[\])}>]",
    ),
)
