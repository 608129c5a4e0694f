"""Fetch and read web pages and documents, with checked addresses and bounded time and size."""
