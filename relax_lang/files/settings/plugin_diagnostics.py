"""Diagnostics about Python files that settings name: RLX0040 to RLX0042, RLX0044, RLX0045."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, WARNING, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0040", "plugin-failed", ERROR)
def plugin_failed(rule: Rule, place: Location, path: str, why: str) -> Diagnostic:
    """A Python file that the settings name under `plugins` could not be run.

    The path is relative to the folder of the settings. The file is run as Python runs a script: what lies
    beside it can be imported. An exception that it raises ends it; operators declared before stay known.

    ```toml
    plugins = ["my_ops.py"]
    ```
    """
    return rule.at(place, f"cannot run the plugin `{path}`: {why}")


@rule("RLX0041", "bad-operator", ERROR)
def bad_operator(rule: Rule, place: Location, name: str, why: str) -> Diagnostic:
    """An operator that a plugin declares is not complete, and is not known.

    A declaration needs what an operator of the language has: a name of its own, a signature that can be read, a
    struct info rule, a kernel that takes the parameters and attributes, a docstring and an example.

    ```python
    from relax_lang import register_op


    def infer_scale(call):
        x = call.tensor(0)
        return call.like(x, x.dtype)


    @register_op(
        "my.scale", "x: tensor(float)", "by: float = 2.0",
        infer=infer_scale, example="my.scale(const([1.0, 2.0]), by=0.5)",
    )
    def scale(x, by):
        \"\"\"Multiply every element by a number. The result has the shape and dtype of `x`.\"\"\"
        return x * x.dtype.type(by)
    ```
    """
    return rule.at(place, f"operator `{name}`: {why}")


@rule("RLX0042", "bad-example", ERROR)
def bad_example(rule: Rule, place: Location, name: str, why: str) -> Diagnostic:
    """The example of an operator that a plugin declares does not work, and the operator is not known.

    When a plugin is loaded every example is checked and run, and its result compared with what the operator's
    struct info rule said before. So an operator whose rule and kernel do not go together is found at once, not
    in the middle of a program.
    """
    return rule.at(place, f"operator `{name}`: its example {why}")


@rule("RLX0044", "code-not-trusted", WARNING)
def code_not_trusted(rule: Rule, place: Location, path: str, folder: str, *, changed: bool) -> Diagnostic:
    """Settings name a Python file that was not run, because the user has not trusted its folder.

    Settings are found in the folder of a program or above it, so they may have come with a clone or an archive. Their
    Python code only runs after `relax trust FOLDER`, with the option `--trust`, or if `RELAX_TRUST` in the
    environment names the folder (`RELAX_TRUST=1`: every folder, as CI does for a project of its own). A trusted
    folder whose code has changed since has to be trusted again. Without the code, the operators and packed
    functions that it declares are not known, and programs that use them are reported.

    ```toml
    plugins = ["my_ops.py"]
    ```
    """
    why = (
        "the code in its folder has changed since it was trusted" if changed else "its folder is not trusted"
    )
    found = rule.at(place, f"`{path}` was not run: {why}")
    return found.helped(f"read the code; then `relax trust {folder}`, or `--trust` for this run")


@rule("RLX0045", "settings-of-another-user", WARNING)
def settings_of_another_user(rule: Rule, path: str) -> Diagnostic:
    """A settings file belongs to another user and was not used.

    Settings are also found in folders above a program. In a folder that several people can write to, such as
    `/tmp`, anyone could leave some there for others. Only files of the user and of the superuser count;
    `RELAX_TRUST`, with the folder or as `1`, admits others.
    """
    found = rule.at(None, f"the settings `{path}` belong to another user and were not used")
    folder = path.rpartition("/")[0] or "."
    return found.helped(f"`RELAX_TRUST={folder}` admits them")
