"""An app's actions behind one set of checks, and the protocol by which a terminal asks for them.

Free of input and output: a runtime that is passed in has the clock and starts what takes time.
"""
