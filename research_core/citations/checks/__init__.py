"""Whether what is cited holds: links, works and cases that exist, notices against them, what a page
says of a claim. It judges nothing.
"""
