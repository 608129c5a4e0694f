"""Whether to believe a source: its credibility, host, ratings, page signals and independence."""
