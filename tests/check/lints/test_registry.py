"""Lints are found by listing their package: a new module is all that a new lint takes."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

from relax_lang.base.diagnostic import OFF, RULES
from relax_lang.check.explain import all_rules, lint_modules
from relax_lang.check.lints.core import registry
from relax_lang.check.selection import EDITIONS

ROOT = Path(__file__).parents[3]

NEW = '''"""no-main: functions that are not called main."""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, rule
from relax_lang.check.lints.core.registry import lint


@rule("RLX0899", "no-main", OFF)
def report(rule, name):
    """A function has another name than main.

    For tests.
    """
    return rule.at(name, "this is not main").replace(name, "@main", "call it @main", "safe")


@lint("no-main")
def check(index):
    return [report(one.name) for one in index.functions if one.name.name_hint != "main"]
'''

USE = """
import sys
import relax_lang.check.lints as package
package.__path__.append(sys.argv[1])
from relax_lang import api
text = "def @f() {\\n  1\\n}\\n"
assert api.check(text).diagnostics == []
assert [one.slug for one in api.check(text, lints=["no-main"]).diagnostics] == ["no-main"]
assert [one.slug for one in api.check(text, lints=["RLX0899"]).diagnostics] == ["no-main"]
assert "no-main" in [one.slug for one in api.check(text, lints=["lints"]).diagnostics]
assert api.fix_text(text, lints=["no-main"], want=list).text == text.replace("@f", "@main")
assert api.check("# relax: ignore-file[no-main]\\n" + text, lints=["no-main"]).diagnostics == []
assert api.explain("no-main").startswith("## no-main")
from relax_lang.check.selection import unknown
assert unknown(["no-main"]) == []
from tools.make_docs import lint_table
assert "| `no-main` | A function has another name than main | off | – |" in lint_table(), lint_table()
"""


def test_a_module_is_all_that_a_new_lint_takes(tmp_path: Path) -> None:
    (tmp_path / "no_main.py").write_text(NEW)
    subprocess.run([sys.executable, "-c", USE, str(tmp_path)], cwd=ROOT, check=True)


def test_modules_and_slugs_agree() -> None:
    names = {module.rpartition(".")[2].replace("_", "-") for module in lint_modules()}
    assert names == {*registry.load(), "dead-functions"}


def test_what_is_off_is_a_lint_and_has_a_code_of_lints() -> None:
    all_rules()
    lints = {slug for slug, rule in RULES.items() if rule.code.startswith("RLX08") and rule.severity == OFF}
    of_editions = {slug for slugs in EDITIONS.values() for slug in slugs}
    assert lints == set(registry.load()) - of_editions
    assert of_editions <= set(registry.load())


def test_each_module_registers_what_it_declares() -> None:
    for module in lint_modules():
        loaded = import_module(module)
        slugs = [slug for slug, check in registry.LINTS.items() if check.__module__ == module]
        if hasattr(loaded, "unreached"):  # on by default: the driver calls it
            assert slugs == []
        else:
            assert slugs == [module.rpartition(".")[2].replace("_", "-")]
