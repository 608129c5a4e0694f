"""Facts about hosts, known before a page is read: institutions, outlets, names and ratings."""
