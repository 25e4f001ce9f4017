"""The command line: arguments, output and exit codes.

One module per command, imported when it is called; the only room that composes the others.
"""
