"""MCP over Streamable HTTP and what a service needs around it: who asks, how much, what is counted,
and what its operator can do.

What a tool does, and whose data it may see, is decided below: here a request only gets its
principal.
"""
