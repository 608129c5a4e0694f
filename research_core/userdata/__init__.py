"""What is kept about a user because they agreed to it: consents, memories, workspaces, counts of
calls; told and erased on request.
"""
