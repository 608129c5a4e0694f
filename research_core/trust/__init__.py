"""Whether to believe a source: credibility, host authority, expert ratings, page signals,
independence.
"""
