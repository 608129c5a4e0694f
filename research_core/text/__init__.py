"""Functions of texts alone: words, sentences, dates, figures, similarity, support, stance."""
