"""How a command says that it was called in a wrong way."""

__all__ = ["UsageError"]


class UsageError(Exception):
    """The command was called in a wrong way. The message is for people and has no secret."""
