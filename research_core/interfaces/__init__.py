"""How callers reach Assay: command line, MCP, HTTP."""
