"""A sentence that its passage rejects, exceeds or turns round, in words that both mostly share."""

from __future__ import annotations

import pytest

from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.models import Block, Passage, Sentence
from research_core.pipeline.verify import verify
from research_core.text.support import check_support, says_the_same
from research_core.text.support.scope import find_added_scope

#: By what sets them apart: (sentence, passage, what the note names).
DIFFERENT = [
    # rejected
    (
        "Doctors recommend ibuprofen for back pain.",
        "Doctors recommend paracetamol rather than ibuprofen for back pain.",
        "rather than ibuprofen",
    ),
    (
        "The team used lead in the shield.",
        "The team used tungsten instead of lead in the shield.",
        "instead of lead",
    ),
    (
        "The museum was paid for by the city.",
        "Rather than by the city, the museum was paid for by private donors.",
        "Rather than by the city",
    ),
    (
        "The authors blame overfishing for the decline.",
        "As opposed to overfishing, the authors blame warmer water for the decline.",
        "As opposed to overfishing",
    ),
    (
        "Engineers chose steel rather than timber for the bridge.",
        "Engineers chose timber rather than steel for the bridge.",
        "rather than steel",
    ),
    (
        "Die Stadt baute eine Autobahn.",
        "Die Stadt baute eine Straßenbahn statt einer Autobahn.",
        "statt einer Autobahn",
    ),
    (
        "La ville a choisi le bus.",
        "La ville a choisi le tramway plutôt que le bus.",
        "plutôt que le bus",
    ),
    (
        "The council closed the library.",
        "Instead of closing the library, the council cut its opening hours.",
        "Instead of closing the library",
    ),
    # denied
    (
        "Sabotage was the cause of the crash.",
        "Investigators ruled out sabotage as the cause of the crash.",
        "ruled out",
    ),
    (
        "The minister took money from the builder.",
        "The minister denied that he took money from the builder.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Vaccines are linked to autism.",
        "Several large studies have refuted that vaccines are linked to autism.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Coffee stunts growth in children.",
        "The idea that coffee stunts growth in children has been rejected by researchers.",
        "rejected",
    ),
    ("The dam is leaking.", "The operator disputes that the dam is leaking.", "disputes"),
    (
        "The drug damages the liver.",
        "The manufacturer rejects the claim that the drug damages the liver.",
        "rejects",
    ),
    (
        "The company broke the law.",
        "A judge dismissed the allegation that the company broke the law.",
        "dismissed",
    ),
    (
        "Das Unternehmen hat Daten verkauft.",
        "Der Sprecher bestreitet, dass das Unternehmen Daten verkauft hat.",
        "bestreitet",
    ),
    # answered no
    (
        "Coffee dehydrates the body.",
        "Does coffee dehydrate the body? No. A cup counts towards daily fluids.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Goldfish have a memory of three seconds.",
        "Do goldfish have a memory of three seconds? No, they remember for months.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "The bridge is safe for lorries.",
        "Is the bridge safe for lorries?\nNo – it was closed to them in May.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Lightning strikes always avoid the same place.",
        "Q: Do lightning strikes always avoid the same place?\nA: No, tall masts are hit often.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Antibiotics cure a cold.",
        "Can antibiotics cure a cold? Not really. Colds come from viruses.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Kaffee entzieht dem Körper Wasser.",
        "Entzieht Kaffee dem Körper Wasser? Nein, das ist ein Irrtum.",
        "Nein",
    ),
    (
        "El café deshidrata el cuerpo.",
        "¿El café deshidrata el cuerpo? No, es un mito.",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (
        "Le café déshydrate le corps.",
        "Le café déshydrate le corps ? Non, une tasse compte comme de l'eau.",
        "Non",
    ),
    (
        "O café desidrata o corpo.",
        "O café desidrata o corpo? Não, uma chávena conta como água.",
        "Não",
    ),
    ("Koffie droogt het lichaam uit.", "Droogt koffie het lichaam uit? Nee, dat is onzin.", "Nee"),
    ("Kaffe torkar ut kroppen.", "Torkar kaffe ut kroppen? Nej, det är en myt.", "Nej"),
    (
        "Goldfish have a memory of three seconds.",
        "Do goldfish have a memory of three seconds? False. They remember for months.",
        "False",
    ),
    (
        "Hair grows back thicker after shaving.",
        "Does hair grow back thicker after shaving? Myth! The cut end only feels coarse.",
        "Myth",
    ),
    # higher degree
    (
        "Lake Vanern is the largest lake in the region.",
        "Lake Vanern is one of the largest lakes in the region.",
        "one of the largest",
    ),
    (
        "The Meyer group is the largest employer in the town.",
        "The Meyer group is a large employer in the town.",
        "Not in the passage: largest.",
    ),
    (
        "Stress is the most common cause of headaches.",
        "Stress is a common cause of headaches.",
        "Not in the passage: most common.",
    ),
    (
        "The tower is the tallest building in the city.",
        "The tower is the second tallest building in the city.",
        "second tallest",
    ),
    (
        "The firm is the largest employer in the state.",
        "The firm is the largest private employer in the state.",
        "largest private employer",
    ),
    (
        "Rio Verde is the longest river.",
        "Rio Verde is the longest river in the province.",
        "longest river in the province",
    ),
    (
        "It was the only survey of the reef.",
        "It was a survey of the reef.",
        "Not in the passage: only.",
    ),
    (
        "The village has the oldest church.",
        "The village has an old church.",
        "Not in the passage: oldest.",
    ),
    # wider
    (
        "Athletes who train at altitude need more iron.",
        "Women athletes who train at altitude need more iron.",
        "women athletes",
    ),
    (
        "The drug halves the growth of tumours.",
        "The drug halves the growth of tumours in mice.",
        "in mice",
    ),
    (
        "Frogs of this family are poisonous.",
        "Some frogs of this family are poisonous.",
        "Some frogs of",
    ),
    (
        "Adults who sleep badly gain weight.",
        "Older adults who sleep badly gain weight.",
        "older adults",
    ),
    ("All students passed the exam in June.", "Most students passed the exam in June.", "Most"),
    ("The valve fails under pressure.", "The valve sometimes fails under pressure.", "sometimes"),
    ("The compound kills bacteria.", "The compound kills bacteria in vitro.", "in vitro"),
    (
        "Exercise lowers blood pressure.",
        "Exercise lowers blood pressure in postmenopausal women.",
        "in postmenopausal women",
    ),
    ("The treatment restores hearing.", "The treatment partly restores hearing.", "partly"),
    (
        "Tea lowers the risk of dementia.",
        "Some studies suggest that tea may lower the risk of dementia.",
        "suggest",
    ),
    (
        "The pill raises the risk of clots.",
        "The pill might raise the risk of clots.",
        "might",
    ),
    # added scope
    (
        "In the United States, the number of beekeepers doubled in ten years.",
        "The number of beekeepers doubled in ten years.",
        "Not in the passage: United States.",
    ),
    (
        "The number of beekeepers doubled in ten years in Canada.",
        "The number of beekeepers doubled in ten years.",
        "Not in the passage: Canada.",
    ),
    (
        "Across Europe, rents rose faster than wages.",
        "Rents rose faster than wages.",
        "Not in the passage: Europe.",
    ),
    (
        "Among women, the rate of injuries fell by half.",
        "The rate of injuries fell by half.",
        "Not in the passage: women.",
    ),
    (
        "In New Zealand, the bird nests on cliffs and small islands.",
        "The bird nests on cliffs and small islands.",
        "Not in the passage: New Zealand.",
    ),
    (
        "Throughout Asia, demand for the metal has grown strongly.",
        "Demand for the metal has grown strongly.",
        "Not in the passage: Asia.",
    ),
    # other kind
    (
        "A dog bit the driver of the mail van in June.",
        "An animal bit the driver of the mail van in June.",
        "Not in the passage: dog.",
    ),
    (
        "The oak in the churchyard was felled after the storm.",
        "The tree in the churchyard was felled after the storm.",
        "Not in the passage: oak.",
    ),
    (
        "Coal heated the palace until the end of the war.",
        "A solid fuel heated the palace until the end of the war.",
        "Not in the passage: coal.",
    ),
    (
        "A bus blocked the tunnel for two hours on Monday.",
        "A vehicle blocked the tunnel for two hours on Monday.",
        "Not in the passage: bus.",
    ),
    (
        "All animals in the shelter were fed at dawn.",
        "A dog in the shelter was fed at dawn.",
        "Not in the passage: animals.",
    ),
    (
        "No animal was hurt in the fire at the farm.",
        "No dog was hurt in the fire at the farm.",
        "Not in the passage: animal.",
    ),
    # exchanged
    (
        "Norvik acquired Halden Foods in 2014.",
        "Halden Foods acquired Norvik in 2014.",
        "The passage has these in another order: Norvik and Halden Foods.",
    ),
    ("Norvik was acquired by Halden Foods.", "Norvik acquired Halden Foods.", "acquired"),
    ("Insomnia causes stress in nurses.", "Stress causes insomnia in nurses.", "causes"),
    ("Depression is caused by chronic pain.", "Depression causes chronic pain.", "causes"),
    (
        "The floods led to the landslide.",
        "The floods resulted from the landslide.",
        "resulted from",
    ),
    (
        "Wolves hunt the foxes of the valley.",
        "The wolves of the valley are hunted by foxes.",
        "hunted",
    ),
    ("Copper is heavier than lead.", "Lead is heavier than copper.", "heavier than"),
    (
        "Bern lost to Basel.",
        "Basel lost to Bern in the final.",
        "The passage has these in another order: Bern and Basel.",
    ),
]
SAME = [
    (
        "An animal bit the driver of the mail van in June.",
        "A dog bit the driver of the mail van in June.",
    ),
    (
        "A tree in the churchyard was felled after the storm.",
        "The oak in the churchyard was felled after the storm.",
    ),
    (
        "A vehicle blocked the tunnel for two hours on Monday.",
        "A bus blocked the tunnel for two hours on Monday.",
    ),
    (
        "A plant in the garden carries a rare fungus.",
        "An oak in the garden carries a rare fungus.",
    ),
    (
        "Die Stadt baute eine Straßenbahn in Hinblick auf die Messe.",
        "Die Stadt baute eine Straßenbahn im Hinblick auf die Messe.",
    ),
    (
        "Doctors recommend paracetamol for back pain.",
        "Doctors recommend paracetamol rather than ibuprofen for back pain.",
    ),
    (
        "Doctors prefer paracetamol over ibuprofen for back pain.",
        "Doctors prefer paracetamol rather than ibuprofen for back pain.",
    ),
    (
        "Engineers chose timber rather than steel for the bridge.",
        "Engineers, after a year of tests, chose timber rather than steel for the bridge.",
    ),
    ("The court upheld the ban.", "The court rejected the appeal and upheld the ban."),
    ("The council rejected the plan in March.", "In March the council rejected the plan."),
    (
        "Investigators ruled out sabotage.",
        "Investigators ruled out sabotage as the cause of the crash.",
    ),
    (
        "Coffee does not dehydrate the body.",
        "Does coffee dehydrate the body? No. Coffee does not dehydrate the body.",
    ),
    (
        "Herbal tea is safe in pregnancy.",
        "Is green tea safe? No. Herbal tea is safe in pregnancy.",
    ),
    (
        "Lake Vanern is one of the largest lakes in the region.",
        "Lake Vanern is the largest lake in the region.",
    ),
    (
        "Lake Vanern is the biggest lake in the region.",
        "Lake Vanern is the largest lake in the region.",
    ),
    (
        "Lake Vanern is a large lake in the region.",
        "Lake Vanern is the largest lake in the region.",
    ),
    (
        "Women athletes who train at altitude need more iron.",
        "Women athletes who train at altitude need more iron, a study says.",
    ),
    ("Some frogs of this family are poisonous.", "Several frogs of this family are poisonous."),
    (
        "Most students passed the exam in June.",
        "Most of the students passed the exam in June, teachers say.",
    ),
    (
        "In the United States, the number of beekeepers doubled in ten years.",
        "The number of beekeepers in the US doubled in ten years.",
    ),
    ("In Germany, rents rose faster than wages.", "German rents rose faster than wages."),
    ("Norvik was acquired by Halden Foods.", "Halden Foods acquired Norvik."),
    ("Stress leads to insomnia in nurses.", "Insomnia in nurses is caused by stress."),
    ("Lead is heavier than copper.", "Copper is lighter than lead."),
    ("Basel lost to Bern.", "Basel lost to Bern in the final."),
]


@pytest.mark.parametrize(("sentence", "passage", "words"), DIFFERENT)
def test_a_sentence_that_means_something_else_is_partly_supported(
    sentence: str, passage: str, words: str
) -> None:
    state, note = check_support(sentence, [passage])
    assert state == "partly"
    assert words in note
    assert check_support(passage, [passage]) == ("supported", "")


@pytest.mark.parametrize(("sentence", "passage"), SAME)
def test_a_sentence_that_means_the_same_or_less_is_supported(sentence: str, passage: str) -> None:
    assert check_support(sentence, [passage]) == ("supported", "")


def test_another_passage_that_supports_the_sentence_outweighs_one_that_limits_it() -> None:
    limited = "Women athletes who train at altitude need more iron."
    whole = "Athletes who train at altitude need more iron."
    assert check_support(whole, [limited, whole]) == ("supported", "")


@pytest.mark.parametrize(
    ("version", "state"), [(2, "supported"), (3, "partly"), ("unknown", "supported")]
)
def test_a_session_of_older_rules_keeps_its_states(version: int | str, state: str) -> None:
    said = Sentence("Lead is lighter than copper.", ("p",))
    passage = Passage("p", "Copper is lighter than lead.", 0, 28)
    rules = {**RULE_VERSIONS, "scoring": version}
    (block,) = verify([Block("paragraph", (said,))], {"p": passage}, rules)
    assert block.sentences[0].state == state


def test_the_bar_for_sources_that_nobody_cited_is_not_raised() -> None:
    """It decides counts that stored reports hold."""
    assert not says_the_same("Rents rose in Oslo.", ["Did rents rise in Oslo? No."])


@pytest.mark.parametrize(
    ("sentence", "passage", "added"),
    [
        ("The law in Wales is old.", "A Welsh law is old.", ""),
        ("The law in Scotland is old.", "The Scottish law is old.", ""),
        ("The law in England is old.", "The British law is old.", ""),
        ("The law in France is old.", "The French law is old.", ""),
        ("The bridge in London is old.", "The bridge in Scotland is old.", "London"),
        ("The bridge in Wales is old.", "The bridge in England is old.", "Wales"),
        ("The bridge in Paris is old.", "The French bridge is old.", "Paris"),
        ("The bridge in Berlin is old.", "The German bridge is old.", "Berlin"),
        ("The bridge in Tokyo is old.", "The Japanese bridge is old.", "Tokyo"),
    ],
)
def test_a_part_of_a_country_is_another_place(sentence: str, passage: str, added: str) -> None:
    assert find_added_scope(sentence, passage) == added
