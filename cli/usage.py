"""Mistakes on the command line, in the form of all other diagnostics: what is wrong, and how to go on."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from relax_lang.base.names import misspelled
from relax_lang.check.diagnostics.toolchain import usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.base.diagnostic import Diagnostic

EXPECTED = {
    "FILE": "a program, or `-` for standard input",
    "PATH": "files, folders, or `-` for standard input",
    "LEFT": "two programs to compare",
    "RIGHT": "two programs to compare",
}
OF_COMMANDS = {
    "relax disasm": "an executable, a file that `relax build` wrote",
    "relax asm": "a text that `relax disasm` wrote, and `--output` for the executable",
}
"""What commands take whose argument is not a program."""
_NUMBERS = {"int": "a whole number", "integer": "a whole number", "float": "a number"}
"""What options take, by the names of types in the parser of the command line."""
_EXTRA = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((?P<words>.*)\)\.?\Z", re.DOTALL)
"""What the parser reports of words too many: its error has them in its message alone."""


def wrong_usage(error: Any, words: Sequence[str], commands: Mapping[str, Any]) -> Diagnostic:
    """Return the diagnostic for what the parser of the command line raised, a `UsageError` of click.

    Its classes differ between releases of Typer, so they are told apart by their names.
    """
    context = error.ctx
    command = str(context.command_path) if context is not None else "relax"
    if " " not in command and words and words[0] in commands:  # the parser of options has no context
        command = f"{command} {words[0]}"
    kind = type(error).__name__
    asked = commands.get(words[0]) if context is None and words else getattr(context, "command", None)
    params = asked.params if asked is not None else ()
    if kind == "NoSuchOption":
        # All options of one letter are alike.
        known = [name for param in params for name in param.opts if error.option_name.startswith("--")]
        like = misspelled(error.option_name, known)
        like += [name for name in known if not like and name.startswith(f"{error.option_name}-")]
        return _with_way_on(f"`{command}` has no option `{error.option_name}`", command, like)
    if kind == "MissingParameter":
        name = getattr(error.param, "metavar", None) or getattr(error.param, "human_readable_name", "")
        expected = OF_COMMANDS.get(command) or EXPECTED.get(name.strip("[]."), f"`{name}`")
        return usage(f"`{command}` takes {expected}", f"`{command} --help` shows how it is called")
    if kind == "BadOptionUsage":
        flag = any(error.option_name in param.opts and getattr(param, "is_flag", False) for param in params)
        return _with_way_on(f"`{error.option_name}` takes {'no' if flag else 'a'} value", command, [])
    param: Any = getattr(error, "param", None)
    if kind == "BadParameter" and param is not None and (wanted := _wanted(param.type)):
        name = next((name for name in param.opts if name.startswith("--")), command)
        return _with_way_on(f"`{name}` takes {wanted}{_given(param.opts, words)}", command, [])
    text = str(error.format_message())
    if extra := _EXTRA.match(text):
        return _extra(extra["words"], command, words)
    message = " ".join(text.split()).rstrip(".")
    unknown = message.removeprefix("No such command")
    if unknown != message and context is not None and context.parent is None:
        word = unknown.split("'")[1] if "'" in unknown else unknown.strip()
        return _with_way_on(f"there is no command `relax {word}`", command, misspelled(word, commands))
    return _with_way_on(message[:1].lower() + message[1:], command, [])


def _wanted(kind: Any) -> str:
    """Return what an option of a type takes; nothing if the type does not show it."""
    words: Sequence[str] = getattr(kind, "choices", ())
    if words:
        *first, last = [f"`{word}`" for word in words]
        return f"{', '.join(first)} or {last}" if first else last
    number = _NUMBERS.get(kind.name.removesuffix(" range"), "")
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if number and low is not None:
        return f"{number} from {low:g} to {high:g}" if high is not None else f"{number} from {low:g} on"
    return number


def _given(names: Sequence[str], words: Sequence[str]) -> str:
    """Return `, not …` with the value of an option on the command line: the last one counts."""
    found = [after for word, after in pairwise(words) if word in names]
    assigned = [word.partition("=") for word in words if word.startswith("--") and "=" in word]
    found += [value for name, _, value in assigned if name in names]
    return f", not `{found[-1]}`" if found else ""


def _extra(joined: str, command: str, words: Sequence[str]) -> Diagnostic:
    """Return the diagnostic for words that no parameter takes, which the parser gives joined by spaces."""
    # A word may have spaces itself, so the words of the command line say where the first one ends.
    first = max((word for word in words if f"{joined} ".startswith(f"{word} ")), key=len, default=joined)
    if command.endswith(" run"):
        found = usage(f"`{command}` runs one program, `{first}` is a second word without an option")
        return found.helped(f"arguments follow `--args`: `{command} FILE --args {joined}`")
    return _with_way_on(f"`{command}` takes no `{first}`", command, [])


def _with_way_on(message: str, command: str, like: list[str]) -> Diagnostic:
    if like:
        return usage(message, f"did you mean `{like[0]}`?")
    return usage(message, f"`{command} --help` shows how it is called")
