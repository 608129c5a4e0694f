"""The local library: the analyst's documents and saved pages, searched by words and meaning.

`library` holds the class `Library` and gives a run access to one library. `reading` defines the
import format, `file_discovery` lists what there is to import, `importing` reads it, `shelf` stores
the documents in the database, `meaning` their embeddings, and `index` holds each process's search
index.
"""
