"""The example questions of the Ask screen: all of them run on the sample library. Nothing else knows the sample."""

from __future__ import annotations

EXAMPLES = (
    "What does the San Diego noise ordinance say about amplified music at outdoor events?",
    "How much do flamenco guitarists charge compared with classical guitarists for weddings and private events?",
    "What are the most popular first dance songs for weddings in 2025?",
    "How did rumba flamenca develop from Cuban rumba, and how do the two differ?",
    "What booking strategies get better rates at luxury hotels?",
    "What are the effects of microplastics on marine life?",
    "What are the environmental risks of deep-sea mining?",
    "What progress has been made toward fusion energy?",
)
