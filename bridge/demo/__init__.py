"""Bascule Draw: a small drawing app that people and terminals use side by side.

`python -m bridge.demo.drawing` starts it. It is an example of a native app: everything that it
can do is an action of one dispatcher. Nothing in the other rooms needs it.
"""
