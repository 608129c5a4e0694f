"""What is known of a host before anything of it is read: institutions, outlets, names, and the
words of others on it.
"""
