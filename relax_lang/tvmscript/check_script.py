"""Python files in the driver of the check: each unit of TVMScript is a program of its own, all of them one report."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, in_order
from relax_lang.check.driver import Checked, check_parsed, silenced
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Features, Parsed
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript.fixes import as_python
from relax_lang.tvmscript.script import OBSTACLES, read_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import PythonFile
    from relax_lang.check.driver import CheckConstant
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.tvmscript.script import ReadUnit, Script


def check_script(
    source: PythonFile, check_constant: CheckConstant | None = None, lints: Sequence[str] = ()
) -> Checked:
    """Check the units of a Python file, or the one that is meant.

    The result has what was found in all of them; its tree and what was inferred are those of the first.
    """
    return check_units(source, check_constant, lints)[0]


def check_units(
    source: PythonFile, check_constant: CheckConstant | None = None, lints: Sequence[str] = ()
) -> tuple[Checked, list[Inferred]]:
    """Check the units of a Python file, or the one that is meant; return what was inferred in each of them, too."""
    script = read_script(source.text, source.defines)
    units = script.select(source.unit)
    found = [*script.diagnostics]
    if not units and not found and source.named:
        found.append(diag.no_unit(source.path, source.unit, [unit.name for unit in script.units]))
    all_checked: list[Checked] = []
    claims: list[Diagnostic] = []
    for unit in units:
        _settle(unit, source)
        checked = check_parsed(source, unit.parsed, check_constant, lints, silence=False)
        all_checked.append(checked)
        found += checked.diagnostics
        claims += _untrue_claims(unit, checked)
    parsed = _together(script, units)
    reported, ignored = silenced(source, parsed, in_order([*_in_python(source, found), *claims]), lints)
    if not all_checked:
        all_checked.append(check_parsed(source, parsed, check_constant, silence=False))
    first = all_checked[0]
    whole = first.parsed if len(all_checked) == 1 else parsed
    checked = Checked(source, whole, first.resolved, first.inferred, reported, ignored)
    return checked, [one.inferred for one in all_checked]


def purity_findings(source: PythonFile, unit: ReadUnit) -> list[Diagnostic]:
    """Return where a unit declares of its functions what is not inferred: that they are pure, or that they are not."""
    checked = check_parsed(source, unit.parsed, silence=False)
    needless = [one for one in checked.diagnostics if one.slug == "impure-not-needed"]
    return in_order([*_in_python(source, needless), *_untrue_claims(unit, checked)])


def _untrue_claims(unit: ReadUnit, checked: Checked) -> list[Diagnostic]:
    """Return the functions that say that they are pure, and are not."""
    inferred = checked.inferred
    if inferred.purity is None or not unit.claims:
        return []
    purity = inferred.purity()
    found: list[Diagnostic] = []
    for name, (function, _) in inferred.signatures.items():
        place = purity.effects_of(function).place
        if name in unit.claims and function.purity is None and place is not None:
            claim, edit = unit.claims[name]
            found.append(diag.impure(place, name, claim, edit))
    return found


def _settle(unit: ReadUnit, source: PythonFile) -> None:
    """Make errors of what could not be read, where a whole program is asked for."""
    if source.whole:
        for one in unit.parsed.diagnostics:
            if one.slug in OBSTACLES:
                one.severity = ERROR


def _in_python(source: PythonFile, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return findings with those of their fixes that have a form in Python, in that form."""
    for one in found:
        if one.fixes:
            made = [as_python(fix, source.text) for fix in one.fixes]
            for before, after in zip(one.fixes, made, strict=True):
                if one.help == before.title:
                    one.help = "" if after is None else after.title
            one.fixes = [fix for fix in made if fix is not None]
            if one.fixes and not one.help:
                one.help = one.fixes[0].title
    return found


def _together(script: Script, units: list[ReadUnit]) -> Parsed:
    """Return all units as one text: for comments, which may be about any line of the file."""
    made = Parsed(script.text, Features())
    items: list[tree.Item] = []
    for unit in units:
        items += unit.parsed.tree.items
    made.tree = tree.IRModule((), tuple(items), 0, len(script.text))
    if script.units:
        directives = {
            one.pos: one for unit in script.units for one in unit.parsed.comments if one.is_directive
        }
        made.comments = [directives[pos] for pos in sorted(directives)]
    made.features.directives = bool(made.comments)
    return made


def parse_script(source: PythonFile) -> Parsed:
    """Return the first unit of a Python file, or the one that is meant."""
    script = read_script(source.text, source.defines)
    units = script.select(source.unit)
    if not units:
        made = Parsed(source.text, Features())
        made.diagnostics = script.diagnostics or [diag.no_unit(source.path, source.unit, [])]
        return made
    return units[0].parsed


def read_unit(source: PythonFile) -> tuple[ReadUnit | None, list[Diagnostic]]:
    """Return the unit of a Python file that is meant, with its comments, and what keeps it from being a program."""
    refused = refuse_several(source)
    if refused is not None:
        return None, [refused]
    script = read_script(source.text, source.defines, comments=True)
    (unit,) = script.select(source.unit)
    for one in unit.obstacles:
        one.severity = ERROR
    return unit, unit.obstacles


def refuse_several(source: PythonFile) -> Diagnostic | None:
    """Return what is wrong if a file does not hold exactly one unit that is meant."""
    script = read_script(source.text, source.defines)
    units = script.select(source.unit)
    if script.diagnostics:
        return script.diagnostics[0]
    if not units:
        return diag.no_unit(source.path, source.unit, [unit.name for unit in script.units])
    if len(units) > 1:
        return diag.several_units(source.path, [f"{unit.name} (line {unit.line})" for unit in units])
    return None
