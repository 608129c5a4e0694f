"""Check citations: links, works and cases that exist, notices against them, cited claims."""
