"""The five questions the sample library was made for, and ten rewordings of them by someone who had not read its pages.

The rewordings were written and committed before their author opened a page or a manifest of the library. Do not change them
when one fails: mend the general cause.
"""

from __future__ import annotations

QUESTIONS = {
    "noise": "What does the San Diego noise ordinance say about amplified music at outdoor events?",
    "pricing": "How much do flamenco guitarists charge compared with classical guitarists for weddings and private events?",
    "dance": "What are the most popular first dance songs for weddings in 2025?",
    "rumba": "How did rumba flamenca develop from Cuban rumba, and how do the two differ?",
    "hotel": "What booking strategies get better rates at luxury hotels?",
}

REWORDED = [
    ("noise", "What are the rules in San Diego for playing amplified music at an outdoor event, and how loud may it be?"),
    ("noise", "Do I need a permit to use a sound system at an open-air party in San Diego, and until what time?"),
    ("pricing", "What is the going rate for a flamenco guitarist at a wedding, and is it more than for a classical guitarist?"),
    ("pricing", "Compare the fees of flamenco and classical guitar players for weddings and private parties"),
    ("dance", "Which songs are couples choosing for their first dance in 2025?"),
    ("dance", "Most requested first dance tracks at 2025 weddings"),
    ("rumba", "How is rumba flamenca related to Cuban rumba, and what are the main differences between them?"),
    ("rumba", "Where does rumba flamenca come from, and what sets it apart from the rumba played in Cuba?"),
    ("hotel", "How can I get a better price for a room at a five-star hotel?"),
    ("hotel", "What are the best ways to book a luxury hotel for less?"),
]

OUTCOMES = {"noise": {"full"}, "pricing": {"insufficient"}, "dance": {"full"}, "rumba": {"short"}, "hotel": {"full", "short"}}
