"""Entries of project packages, written as WebAssembly's text and made when a test asks."""

from __future__ import annotations

import json
from functools import cache

import wasmtime

__all__ = ["ECHO", "command", "made", "many_functions", "one_long_function", "writing"]

_IMPORTS = """
  (import "wasi_snapshot_preview1" "fd_read"
    (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write"
    (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff"
    (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get"
    (func $environ_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get"
    (func $args_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get"
    (func $fd_prestat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_send"
    (func $sock_send (param i32 i32 i32 i32 i32) (result i32)))
"""
_HELPERS = """
  (memory (export "memory") 4)
  (func $write (param $at i32) (param $size i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $size))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $read (param $at i32) (param $size i32) (result i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $size))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load (i32.const 8)))
"""


@cache
def made(text: str) -> bytes:
    """Return a module as a file of it holds it."""
    return bytes(wasmtime.wat2wasm(text))


def command(body: str, rest: str = "") -> bytes:
    """Return a command that does what a body says, with WASI's functions and two helpers."""
    return made(f'(module {_IMPORTS} {_HELPERS} {rest} (func (export "_start") {body}))')


def writing(output: str | bytes, then: str = "") -> bytes:
    """Return a command that writes something and then does what a body says."""
    data = output.encode() if isinstance(output, str) else output
    literal = "".join(f"\\{byte:02x}" for byte in data)
    body = f"(call $write (i32.const 1024) (i32.const {len(data)})) {then}"
    return command(body, f'(data (i32.const 1024) "{literal}")')


@cache
def many_functions(count: int) -> bytes:
    """Return a module of so many functions that do nothing: compiling takes memory for each."""
    return made(f"(module {'(func)' * count})")


@cache
def one_long_function(calls: int) -> bytes:
    """Return a module of one function of so many calls: compiling takes time for each."""
    return made(f"(module (func $f {'(call $f)' * calls}))")


@cache
def loops_of_values(loops: int) -> bytes:
    """Return a module of so many loops with 200 values each: tiny, and much work to compile."""
    values = "i32 " * 200
    loop = f"(loop (type $many) (param {values}) (result {values}))"
    numbers = "(i32.const 0) " * 200
    return made(
        f"(module (type $many (func (param {values}) (result {values})))"
        f" (func {numbers} {loop * loops} {'drop ' * 200}))"
    )


_BEFORE = json.dumps({"content": "heard", "structuredContent": None})[: -len("null}")]

ECHO = command(
    f"""
    (local $size i32)
    (call $write (i32.const 1024) (i32.const {len(_BEFORE)}))
    (local.set $size (call $read (i32.const 4096) (i32.const 131072)))
    (call $write (i32.const 4096) (i32.sub (local.get $size) (i32.const 1)))
    (call $write (i32.const 2048) (i32.const 2))
    """,
    f"""
    (data (i32.const 1024) "{_BEFORE.replace('"', chr(92) + '"')}")
    (data (i32.const 2048) "}}\\n")
    """,
)
"""Gives back the line that it is given, as structure."""
