"""Programs in Relay: as Relax text, and ready to run."""

from __future__ import annotations

import re
from os import fspath

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.relax_error import RelaxError
from relax_lang.base.source import RelayFile, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.driver import Checked
    from relax_lang.files.arrays.array_files import Header
    from relax_lang.relay.checking import Analysed
    from relax_lang.relay.syntax.metadata import Array, Objects
    from relax_lang.relay.translation.program import Translated
    from relax_lang.runtime.session import Session
    from relax_lang.syntax.tree import FileLit

    ConstantChecker = Callable[[SourceFile], Callable[[FileLit], Diagnostic | Header]]


def translated(source: RelayFile, archive: str = "constants.npz") -> SourceFile:
    """Return a Relay program as one of Relax; its constants are in `.arrays`, under `archive` and their names.

    Raises RelaxError if the program has errors, or parts that have no translation; it lists them all.

    >>> print(translated(RelayFile("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")).text, end="")
    def @main(x: Tensor[(2,), float32]) -> Tensor[(2,), float32] {
      let gv = nn.relu(x);
      gv
    }
    """
    from relax_lang.relay.translation.program import translate

    with deep_recursion():
        found = translate(source, archive)
        if found.diagnostics:
            raise RelaxError(source, found.diagnostics)
        made = SourceFile(found.text, source.path, source.allowed)
    made.arrays = _arrays(found)
    return made


def translation_report(source: RelayFile) -> str:
    """Return which operators a program in Relay calls, how often, and what they become: a line for each.

    It is there for programs, too, of which parts have no translation. Raises RelaxError if the program has errors.

    >>> print(translation_report(RelayFile("def @main(%x: float32) { nn.leaky_relu(%x) + log2(%x) }")), end="")
    operator       calls  in Relax
    add                1  add
    log2               1  log, divide
    nn.leaky_relu      1  nn.leakyrelu
    """
    from relax_lang.relay.translation.program import translate

    with deep_recursion():
        found = translate(source, "constants.npz")
    if found.diagnostics and not found.used:
        raise RelaxError(source, found.diagnostics)
    rows = [("operator", "calls", "in Relax")]
    for name in sorted(found.used):
        made = found.used[name]
        rows.append((name, str(len(made)), "; ".join(dict.fromkeys(made))))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "".join([f"{row[0]:{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]}\n" for row in rows])


def check_translation(source: RelayFile, constant_checker: ConstantChecker) -> Checked:
    """Return what a Relay program is in Relax, checked; its nodes have their places in the Relay text.

    Raises RelaxError as `translated` does.
    """
    from relax_lang.check.driver import check_parsed
    from relax_lang.relay.translation.program import translate
    from relax_lang.syntax.parsed import Features, Parsed

    with deep_recursion():
        found = translate(source, "constants.npz")
        if found.diagnostics:
            raise RelaxError(source, found.diagnostics)
        features = Features()
        for name in Features.__slots__:
            setattr(features, name, name != "directives")
        parsed = Parsed(source.text, features)
        parsed.tree = found.module
        shown = source.with_text(source.text)
        shown.arrays = _arrays(found)
        checked = check_parsed(shown, parsed, constant_checker(shown))
    if checked.has_errors:  # the translation is not what it should be
        wrong = next(one for one in checked.diagnostics if one.severity == "error")
        raise AssertionError(f"a translation that is wrong: {wrong}\n{found.text}")
    return checked


def _arrays(found: Translated) -> dict[tuple[str, str | None], Any]:
    return {key: numpy_array(one) for key, one in found.arrays.items()}


def numpy_array(array: Array) -> Any:
    """Return a constant of the metadata as NumPy has it."""
    import numpy as np

    from relax_lang.ops.core.dtypes import numpy_dtype

    return np.frombuffer(array.data, dtype=numpy_dtype(array.dtype)).reshape(array.shape)


def read_metadata(path: str | PathLike[str]) -> Objects:
    """Return the objects that a file has for programs in Relay.

    It is JSON as in the section `#[metadata]`, or an archive of arrays, `.npz` or `.safetensors`, in which
    `constant_3`, `arr_3` or `3` is `meta[relay.Constant][3]`. Raises RelaxError if it cannot be read. [R.12]
    """
    from relax_lang.files.arrays import array_files as arrays
    from relax_lang.files.reasons import reason
    from relax_lang.relay.diagnostics.names import meta_invalid
    from relax_lang.relay.syntax.metadata import Constants, Invalid, Metadata

    path = fspath(path)
    try:
        if path.endswith((".npz", arrays.SAFETENSORS)):
            return Constants(_by_index(arrays.load_archive(path)))
        with open(path, "rb") as file:
            text = arrays.read_limited(file).decode("utf-8")
        return Metadata(text if text.startswith(("#[metadata]", "METADATA:")) else f"#[metadata]\n{text}")
    except OSError as error:
        why = reason(error)
    except (arrays.ArrayFileError, Invalid) as error:
        why = str(error)
    except UnicodeDecodeError:
        why = "it is not a text in UTF-8"
    raise RelaxError(
        SourceFile("", path), [meta_invalid(None, f"`{path}` has no metadata that can be read: {why}")]
    )


_INDEX = re.compile(r"(?:constant_|arr_)?(\d{1,9})")


def _by_index(found: Mapping[str, Any]) -> dict[int, Array]:
    """Return the arrays of an archive by index. Raises Invalid for a name without one."""
    from relax_lang.relay.syntax.metadata import Array, Invalid
    from relax_lang.syntax.dtypes import DTYPES

    made: dict[int, Array] = {}
    for name, one in found.items():
        matched = _INDEX.fullmatch(name)
        if matched is None:
            raise Invalid(f"an array is named `{name}`; `constant_0` is `meta[relay.Constant][0]`")
        if str(one.dtype) not in DTYPES:
            raise Invalid(f"the array `{name}` is of {one.dtype}, which is not a dtype of Relay")
        data = one.astype(one.dtype.newbyteorder("<"), order="C", copy=False).tobytes()
        made[int(matched[1])] = Array(tuple(one.shape), str(one.dtype), data)
    return made


def start_relay(source: RelayFile, checked: Checked, **more: Any) -> Session:
    """Make a program ready to be run by the direct interpreter; `checked` is its translation."""
    from relax_lang.files.arrays.constants import constant_loader
    from relax_lang.relay.evaluation.session import RelaySession
    from relax_lang.runtime.values.tensors import DEFAULT_MAX_BYTES

    most = more.pop("max_bytes", None) or DEFAULT_MAX_BYTES
    with deep_recursion():
        program = _analysed(source)
        loader = constant_loader(checked.source, most)
        return RelaySession(program, checked.normal, load_constant=loader, max_bytes=most, **more)


def _analysed(source: RelayFile) -> Analysed:
    from relax_lang.relay.checking import analyse

    return analyse(source)
