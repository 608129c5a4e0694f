"""The command line: arguments, one file for each group of commands, output."""
