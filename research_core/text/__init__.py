"""Strings in, values out: words, sentences, dates, figures, languages, similarity, support, stance,
embeddings.
"""
