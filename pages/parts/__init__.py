"""Drawing that several screens share. Nothing here decides, and nothing here calls the store."""
