"""How a command says that it was called in a wrong way."""

__all__ = ["SeveralFitError", "UsageError"]


class UsageError(Exception):
    """The command was called in a wrong way. The message is for people and has no secret."""


class SeveralFitError(UsageError):
    """Several apps fit. `listed` names them, and the message says how one is chosen by words."""

    def __init__(self, message: str, listed: tuple[str, ...]) -> None:
        super().__init__(message + "".join(f"\n  {each}" for each in listed))
        self.listed = listed
