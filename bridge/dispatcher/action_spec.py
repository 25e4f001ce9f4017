"""What an app says of one action before anybody calls it: name, kind, schemas, bits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, TypeGuard

from bridge.contract.limits import JSON_LIMITS, PROTOCOL_LIMITS
from bridge.contract.schema import Validator
from bridge.contract.schema import compile as compile_schema
from bridge.contract.strict_json import StrictJsonError
from bridge.dispatcher.json_copy import json_copy

__all__ = ["ActionSpec", "Schema"]

Schema: TypeAlias = Mapping[str, Any] | bool
"""A JSON Schema, 2020-12 unless it says draft-07."""

_SCHEMA_LIMITS: Final = JSON_LIMITS._replace(max_depth=JSON_LIMITS.max_depth - 3)
"""A description of the action holds its schemas three containers deep."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_NO_MEMBERS: Final[Schema] = {"type": "object", "additionalProperties": False}
_ANY_OBJECT: Final[Schema] = {"type": "object"}


class ActionSpec:
    """One named operation of an app. Immutable. Made by `ActionSpec.read` and `ActionSpec.write`.

    `name` is 1 to 128 letters, digits, `.`, `_` and `-`; `description` is one sentence for a
    person or a model that has never seen the app. Raises `ValueError` for a name or an option out
    of bounds, and `bridge.contract.schema.SchemaError` for a bad schema.
    """

    __slots__ = (
        "capabilities",
        "command_id",
        "description",
        "empty_input",
        "input",
        "input_schema",
        "kind",
        "name",
        "output",
        "output_schema",
        "transaction",
        "undo",
    )
    kind: Literal["read", "write"]
    name: str
    description: str
    input_schema: Schema
    output_schema: Schema
    capabilities: int
    undo: bool
    transaction: str | None
    command_id: int | None
    input: Validator
    output: Validator
    empty_input: bool
    """Whether `{}` matches the input's schema: most calls of many apps."""

    def __init__(  # noqa: PLR0913 - one parameter for each member of a description
        self,
        kind: Literal["read", "write"],
        name: str,
        description: str,
        *,
        input_schema: Schema | None = None,
        output_schema: Schema | None = None,
        capabilities: int = 0,
        undo: bool = False,
        transaction: str | None = None,
        command_id: int | None = None,
    ) -> None:
        _check(name, description, capabilities, transaction, command_id)
        put = object.__setattr__
        put(self, "kind", kind)
        put(self, "name", name)
        put(self, "description", description)
        inputs = _NO_MEMBERS if input_schema is None else input_schema
        outputs = _ANY_OBJECT if output_schema is None else output_schema
        put(self, "input_schema", _schema_copy(name, inputs))
        put(self, "output_schema", _schema_copy(name, outputs))
        put(self, "capabilities", int(capabilities))
        put(self, "undo", bool(undo))
        put(self, "transaction", transaction)
        put(self, "command_id", command_id)
        put(self, "input", compile_schema(self.input_schema))
        put(self, "output", compile_schema(self.output_schema))
        put(self, "empty_input", not self.input.errors({}))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an ActionSpec does not change: {name}")

    def __repr__(self) -> str:
        return f"ActionSpec.{self.kind}({self.name!r})"

    @classmethod
    def read(  # noqa: PLR0913
        cls,
        name: str,
        description: str,
        *,
        input_schema: Schema | None = None,
        output_schema: Schema | None = None,
        capabilities: int = 0,
        undo: bool = False,
        transaction: str | None = None,
        command_id: int | None = None,
    ) -> ActionSpec:
        """Describe an action that changes nothing.

        Without an `input_schema` it takes no members, without an `output_schema` it gives any
        object. `capabilities` are bits that the host must hold for it, opaque here; `undo` says
        whether the app can undo it, `transaction` names the domain whose atomic batches it can be
        part of, and `command_id` is the app's own number for it, unique among its actions.
        """
        return cls(
            "read",
            name,
            description,
            input_schema=input_schema,
            output_schema=output_schema,
            capabilities=capabilities,
            undo=undo,
            transaction=transaction,
            command_id=command_id,
        )

    @classmethod
    def write(  # noqa: PLR0913
        cls,
        name: str,
        description: str,
        *,
        input_schema: Schema | None = None,
        output_schema: Schema | None = None,
        capabilities: int = 0,
        undo: bool = False,
        transaction: str | None = None,
        command_id: int | None = None,
    ) -> ActionSpec:
        """Describe an action that changes state: from outside it needs `expectedRevision`.

        Takes what `read` takes.
        """
        return cls(
            "write",
            name,
            description,
            input_schema=input_schema,
            output_schema=output_schema,
            capabilities=capabilities,
            undo=undo,
            transaction=transaction,
            command_id=command_id,
        )


def _check(
    name: object,
    description: object,
    capabilities: object,
    transaction: object,
    command_id: object,
) -> None:
    """Look at everything: most apps are written without a type checker."""
    if (
        not isinstance(name, str)
        or len(name) > PROTOCOL_LIMITS.max_action_name_chars
        or _NAME.fullmatch(name) is None
    ):
        raise ValueError(f"not an action name: {str(name)[:140]}")
    if not isinstance(description, str) or description == "":
        raise ValueError(f"{name}: an action needs a description")
    if command_id is not None and not _is_integer(command_id):
        raise ValueError(f"{name}: command_id is not an integer")
    if not _is_integer(capabilities) or capabilities < 0:
        raise ValueError(f"{name}: capability bits are an integer and not negative")
    if transaction is not None and (not isinstance(transaction, str) or transaction == ""):
        raise ValueError(f"{name}: a transaction domain is a name")


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _schema_copy(action: str, schema: Schema) -> Schema:
    """Return a schema as it will be sent and checked, whatever becomes of the app's own object."""
    try:
        copy: Schema = json_copy(schema, _SCHEMA_LIMITS)
    except StrictJsonError as error:
        raise ValueError(f"{action}: a schema of it cannot be sent: {error}") from error
    return copy
