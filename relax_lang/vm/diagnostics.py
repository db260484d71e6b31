"""Diagnostics about executables: files that are none, and assembly text that cannot be read."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Rule
    from relax_lang.values import RunFailure


@rule("RLX1401", "executable-invalid", ERROR)
def executable_invalid(rule: Rule, path: str, why: str) -> Diagnostic:
    """A file that ends in `.rlxe` is not an executable that could run.

    It was cut off or changed, or something made it that is not `relax build`. Everything in it is verified before any
    of it runs: checksums, every index, the classes of operands, that jumps go forward, that registers are written
    before they are read, and that its PrimFuncs are programs without errors.

    ```console
    $ relax run model.rlxe
    error[RLX1401 executable-invalid]: `model.rlxe` is not an executable: section `code` was changed
    ```
    """
    return rule.at(None, f"`{path}` is not an executable: {why}").helped("build it again: `relax build`")


@rule("RLX1402", "executable-version", ERROR)
def executable_version(rule: Rule, path: str, found: int, known: int) -> Diagnostic:
    """An executable is in a format of another version than the one that this version of relax reads.

    ```console
    $ relax run model.rlxe
    error[RLX1402 executable-version]: `model.rlxe` has format 3, this version of relax reads format 2
    ```
    """
    message = f"`{path}` has format {found}, this version of relax reads format {known}"
    return rule.at(None, message).helped("build it again with this version: `relax build`")


@rule("RLX1403", "executable-failed", ERROR)
def executable_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """An executable did what no build makes: an instruction that does not fit its operands.

    The file is verified when it is loaded, but what its trees say of shapes and attributes is found out by running it.

    ```console
    $ relax run model.rlxe
    error[RLX1403 executable-failed]: @main fails in the machine itself: KeyError: 'n'
    ```
    """
    return rule.at(failure.node, failure.message).helped("build it again: `relax build`")


@rule("RLX1404", "assembly-syntax", ERROR)
def assembly_syntax(rule: Rule, path: str, line: int, why: str) -> Diagnostic:
    """A text that `relax asm` is given is not what `relax disasm` writes.

    ```console
    $ relax asm model.rlxasm -o model.rlxe
    error[RLX1404 assembly-syntax]: `model.rlxasm`, line 3: `jump` is not an instruction
    ```
    """
    return rule.at(None, f"`{path}`, line {line}: {why}")
