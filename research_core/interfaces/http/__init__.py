"""Serve MCP over HTTP: authentication, limits, metrics, and the operator's endpoints.

What a tool does, and whose data it may see, is decided below: here a request only gets its
principal.
"""
