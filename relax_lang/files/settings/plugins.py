"""Loads plugins: Python files with operators or passes, which nothing but the settings of a project can name.

Each is run once; then the examples of its operators are checked and run. What is wrong is reported at the name of the
file in the settings, and such operators are not known. Without plugins nothing of this is ever imported.
"""

from __future__ import annotations

import os
import sys

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.python.recursion import deep_recursion, host_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.files.settings import plugin_diagnostics as diag
from relax_lang.files.settings.plugin_policy import plugins_are_off
from relax_lang.files.settings.trust import ALLOWED, CHANGED, use_private_byte_code
from relax_lang.ops.plugins.register import Loading
from relax_lang.values import RunFailure, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.check.driver import Checked
    from relax_lang.files.settings.data import Config
    from relax_lang.ops.core.operator import Operator
    from relax_lang.syntax import tree

    Report = Callable[[Location], Diagnostic]

_loaded: dict[str, list[Report]] = {}


def load_plugins(config: Config) -> None:
    """Load the plugins that settings name, those that are not loaded yet; report what is wrong with them."""
    if plugins_are_off():
        return
    allowed = config.code_verdict()
    if allowed != ALLOWED:
        config.diagnostics += [
            diag.code_not_trusted(place, name, config.folder, changed=allowed == CHANGED)
            for name, place in config.plugins
        ]
        return
    use_private_byte_code()
    for name, place in config.plugins:
        path = os.path.realpath(os.path.join(config.folder, name))
        if path not in _loaded:
            _loaded[path] = []  # a plugin that checks programs itself meets the same settings again
            _loaded[path] = _load(path, name)
        config.diagnostics += [report(place) for report in _loaded[path]]


def _load(path: str, name: str) -> list[Report]:
    if not os.path.isfile(path):
        return [_failed(name, "there is no such file")]
    found: list[Report] = []
    loading, known = Loading(os.path.basename(name)), _count_passes()
    with loading:
        try:
            _run_file(path)
        except (Exception, SystemExit) as error:  # whatever it does, it is the user's own code
            found.append(_failed(name, words_of(error)))
    lines = loading.lines
    found += [_wrong(one, why, name, lines[one]) for one, why in loading.problems]
    for operator in list(loading.operators):
        why = _try_example(operator)
        if why:
            loading.withdraw(operator)
            found.append(_no_example(operator.name, why, name, lines[operator.name]))
    if not found and not loading.operators and _count_passes() == known:
        found.append(
            _failed(name, "it declares no operator with `register_op`, and no pass with `register_pass`")
        )
    return found


def _count_passes() -> int:
    """Return how many passes were registered; none, as long as what knows passes is not loaded."""
    catalogue = sys.modules.get("relax_lang.transform.catalogue")
    return 0 if catalogue is None else len(catalogue.REGISTERED)


def _failed(name: str, why: str) -> Report:
    return lambda place: diag.plugin_failed(place, name, why)


def _wrong(operator: str, why: str, name: str, line: int) -> Report:
    return lambda place: diag.bad_operator(place, operator, why).note(f"declared in `{name}`, line {line}")


def _no_example(operator: str, why: str, name: str, line: int) -> Report:
    return lambda place: diag.bad_example(place, operator, why).note(f"declared in `{name}`, line {line}")


def _run_file(path: str) -> None:
    """Run a file as a module of its own, which stays: its functions are called later."""
    from importlib.util import module_from_spec, spec_from_file_location

    name = f"relax_plugin_{os.path.splitext(os.path.basename(path))[0]}_{len(_loaded)}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("a plugin is a file that ends in `.py`")
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = module_from_spec(spec)
    sys.modules[name] = module
    with host_recursion():
        spec.loader.exec_module(module)


def _try_example(operator: Operator) -> str:
    """Check and run the example of an operator; return what is wrong with it, or an empty text. [D.11.1]"""
    source = SourceFile(f"def @main() {{\n  let y = {operator.example};\n  y\n}}\n", "<example>")
    with deep_recursion():
        checked = check_source(source)
    for one in checked.diagnostics:
        if one.severity == ERROR:
            return f"is wrong: {one.message}"
    info = checked.inferred.at(source.text.index("y ="))
    called = checked.resolved.operators.values()
    if info is None or not any(operator.name in names for names in called):
        return f"does not call `{operator.name}`"
    return _compare_run(checked, info)


def _compare_run(checked: Checked, info: tree.StructInfo) -> str:
    """Run an example; return what is wrong with its result, or an empty text."""
    from relax_lang.format.printer import show
    from relax_lang.runtime.session import Session
    from relax_lang.runtime.values.match_cast import compare  # these import NumPy
    from relax_lang.runtime.values.mismatch import Environment

    try:
        session = Session(checked.normal, checked.source, write=lambda _: None)
        value = session.call("main")
    except RunFailure as failure:
        return f"fails: {failure.message}"
    mismatch = compare(value, info, Environment({}, {}))
    return "" if mismatch is None else f"is not what its rule says, `{show(info)}`: {mismatch}"
