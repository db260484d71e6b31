"""Diagnostics about files: RLX0001 to RLX0015 for programs and settings, RLX0021 to RLX0024 for constants."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0001", "file-not-found", ERROR)
def file_not_found(rule: Rule, path: str) -> Diagnostic:
    """A path on the command line leads to nothing.

    A path is a file, a folder (every `.rlx` file below it is meant) or `-` for standard input. Paths are
    relative to the current folder. The command ends with exit status 2, and what could be read is still
    worked on.

    ```console
    $ relax check modle.rlx
    error[RLX0001 file-not-found]: there is no file `modle.rlx`
    ```
    """
    return rule.at(None, f"there is no file `{path}`")


@rule("RLX0002", "not-utf8", ERROR)
def not_utf8(rule: Rule, place: Location, byte: int, offset: int) -> Diagnostic:
    """A program is not encoded as UTF-8.

    Programs are UTF-8 text everywhere, so that they mean the same on every machine. The usual cause is an
    editor set to an older encoding (Latin-1, Windows-1252, UTF-16), or a file that holds no text at all.

    ```console
    $ iconv -f latin1 -t utf-8 old.rlx > new.rlx
    ```
    """
    return (
        rule.at(place, f"this file is not UTF-8: byte 0x{byte:02x} at offset {offset}", "cannot be decoded")
        .note("everything from here on was left unread")
        .helped("save the file as UTF-8")
    )


@rule("RLX0003", "nul-in-text", ERROR)
def nul_in_text(rule: Rule, place: Location) -> Diagnostic:
    """A program holds a NUL character.

    Text never does. The file is most likely compiled, packed or encoded as UTF-16.

    ```console
    $ relax check weights.npz
    error[RLX0003 nul-in-text]: this is not a text file: it holds a NUL character
    ```
    """
    return rule.at(place, "this is not a text file: it holds a NUL character", "the first one")


@rule("RLX0005", "unreadable-file", ERROR)
def unreadable_file(rule: Rule, path: str, why: str) -> Diagnostic:
    """A path exists, but the operating system does not let us read it.

    The message gives the system's reason: a missing permission, a folder where one file is expected, a
    device that fails.
    """
    return rule.at(None, f"cannot read `{path}`: {why}")


@rule("RLX0006", "file-too-large", ERROR)
def file_too_large(rule: Rule, path: str, limit: int) -> Diagnostic:
    """A program is larger than any program is meant to be.

    The limit keeps a wrong path, a data file or a device, from filling the memory. Numbers belong in an
    array file beside the program:

    ```relax right
    def @main() -> Object {
      shape(1, 2)
    }
    ```
    """
    return rule.at(None, f"`{path}` is larger than {limit >> 20} MiB").helped(
        'keep large constants in an array file: `const(file("weights.npz", "name"))`'
    )


@rule("RLX0007", "no-programs", ERROR)
def no_programs(rule: Rule, path: str) -> Diagnostic:
    """A folder was given in which there is nothing to do.

    No file below it ends in `.rlx`, and no Python file with TVMScript is under `include` in the settings. Folders
    whose names start with a dot are not entered. This is an error, so that a build does not stay green because of a
    misspelt folder.
    """
    return rule.at(None, f"there is no `.rlx` file below `{path}`")


@rule("RLX0011", "cannot-write", ERROR)
def cannot_write(rule: Rule, path: str, why: str) -> Diagnostic:
    """A result could not be written.

    Files are written as a whole: beside the old one first, which is then replaced. So the folder must be
    writable too, and what was there before is untouched when this is reported.
    """
    return rule.at(None, f"cannot write `{path}`: {why}")


@rule("RLX0015", "bad-config", ERROR)
def bad_config(rule: Rule, place: Location, message: str, help: str = "") -> Diagnostic:  # noqa: A002
    """The settings of a project are not understood.

    Settings are in `relax.toml`, or in `[tool.relax]` of `pyproject.toml`; those in the folder of a
    program or the nearest one above it hold. Options on the command line win over them. A mistake in the
    settings ends with exit status 2.

    ```toml
    select = ["RLX02", "arity"]        # report only these
    ignore = ["no-entry-point"]        # do not report these
    strict = true                      # warnings make the exit status 1, too
    strict-shapes = true               # shapes that are not proved to match are errors
    exclude = ["generated/", "*_old.rlx"]
    line-length = 80                   # of `relax fmt`
    plugins = ["my_ops.py"]            # Python files with operators

    [severity]                         # error, warning, hint or off
    shadowing = "warning"
    ```

    In `pyproject.toml` the table is called `[tool.relax.severity]`.
    """
    found = rule.at(place, message)
    return found.helped(help) if help else found


@rule("RLX0021", "constant-file-missing", ERROR, "CF.1")
def constant_file_missing(rule: Rule, place: Location, path: str) -> Diagnostic:
    """A constant names an array file that does not exist.

    The path of `const(file("…"))` is relative to the folder of the program, not to the current one.

    ```relax wrong
    def @main() -> Object {
      const(file("no_such_file.npy"))
    }
    ```

    ```relax right
    def @main() -> Object {
      const([0.5, 1.5], float32)
    }
    ```
    """
    return rule.at(place, f"there is no file `{path}`", "looked up in the folder of this program")


@rule("RLX0022", "constant-file-invalid", ERROR, "CF.1")
def constant_file_invalid(rule: Rule, place: Location, path: str, why: str) -> Diagnostic:
    """A constant names a file that holds no array of the language.

    Readable are `.npy` files and `.npz` archives of them, as NumPy writes them, with the dtypes of the
    language. Pickled objects are never loaded: reading such a file would run code.

    ```relax wrong
    def @main() -> Object {
      const(file("."))
    }
    ```

    ```relax right
    def @main() -> Object {
      const([0.5, 1.5], float32)
    }
    ```
    """
    return rule.at(place, f"`{path}` is not an array file that the language can read: {why}")


@rule("RLX0023", "constant-file-outside", ERROR, "CF.3")
def constant_file_outside(rule: Rule, place: Location, path: str) -> Diagnostic:
    """A constant names a file outside the folder of its program.

    A program may read what lies beside it or below, and nothing else: absolute paths, paths with `..` and
    links that lead out are refused. So a program from somewhere else cannot read the rest of your disk. Whoever runs
    a program can open further folders to it: `relax run model.rlx --allow-path /data/weights`.

    ```relax wrong
    def @main() -> Object {
      const(file("../weights.npy"))
    }
    ```

    ```relax right
    def @main() -> Object {
      const([0.5, 1.5], float32)
    }
    ```
    """
    return rule.at(place, f"`{path}` lies outside the folder of this program").helped(
        "put the array file into the folder of the program, or below it, or allow its folder with --allow-path"
    )


@rule("RLX0024", "constant-key-missing", ERROR, "CF.2")
def constant_key_missing(
    rule: Rule, place: Location, path: str, key: str | None, keys: Iterable[str]
) -> Diagnostic:
    """A constant names an array that its archive does not have.

    An `.npz` file holds arrays by name: `const(file("weights.npz", "fc1"))`. The name may be left out only
    if there is just one; a `.npy` file has no names.
    """
    from relax_lang.base.names import nearest

    known = sorted(keys)
    listed = ", ".join(f"`{name}`" for name in known[:12]) + (", …" if len(known) > 12 else "")
    if key is None:
        return rule.at(place, f"`{path}` has several arrays; name one of {listed}")
    found = rule.at(place, f"`{path}` has no array `{key}`; it has {listed or 'none'}")
    like = nearest(key, known)
    return found.helped(f"the nearest name is `{like}`") if like else found
