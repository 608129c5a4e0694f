"""Decide whether a tool may keep or read a user's own data: only signed in and with consent."""

from __future__ import annotations

from research_core.journal.database import Database
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.userdata import consent


def find_refusal(db: Database, who: Principal, purpose: str) -> Json | None:
    """Return the status and the reason of a refusal, or None if the user has consented."""
    if who.is_anonymous:
        return {
            "status": "unavailable",
            "reason": (
                "Nobody is signed in, and this is kept for users. Call with a token that names one."
            ),
        }
    if consent.find_consent(db, who, purpose) is None:
        how = f"Run `assay data consent {purpose}`, or ask whoever runs this server."
        return {
            "status": "no_consent",
            "reason": f"You have not consented to {purpose}, so nothing is kept or read. {how}",
        }
    return None
