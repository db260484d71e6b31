"""Whether what is read of an export is the program that was exported, in normal form.

Left aside is what the normal form leaves to the author and TVMScript does not: struct infos of bindings, dtypes of
literals that are the usual ones, purity that is inferred, `call_pure_packed`, `+=`, and names.
"""

from __future__ import annotations

from typing import Any

from relax_lang import api
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import PythonFile, SourceFile
from relax_lang.check.driver import check_source
from relax_lang.scope.alpha.equality import differences
from relax_lang.syntax import tree
from relax_lang.tvmscript.check_script import check_script

COMBINED = {"+=": tree.Add, "-=": tree.Sub, "*=": tree.Mul}
USUAL = {tree.IntLit: "int32", tree.FloatLit: "float32", tree.BoolLit: "bool"}


def difference(text: str | SourceFile, *, settled: bool = False) -> str | None:
    """Return the first difference between a program and what is read of its export; "" if there is none.

    None if the program has errors, or says what TVMScript cannot. Reading adds casts to indices of PrimFuncs: with
    `settled` the program that is compared is what is read of a first export.
    """
    source = text if isinstance(text, SourceFile) else SourceFile(text, "program.rlx")
    try:
        if settled:
            source = PythonFile(api.to_tvmscript(source).text, "first.py")
        exported = api.to_tvmscript(source)
    except api.RelaxError:
        return None
    with deep_recursion():
        left = check_script(source) if isinstance(source, PythonFile) else check_source(source)
        right = check_script(PythonFile(exported.text, "program.py"))
        if right.has_errors:
            return right.diagnostics[0].message
        found = differences(plain(left.normal), plain(right.normal))
    return f"@{found[0].name}: {found[0].left!r}, {found[0].right!r}" if found else ""


def plain(node: Any) -> Any:
    """Return a tree without what authors may write or not."""
    match node:
        case tree.VarBinding(var=var):
            return tree.VarBinding(type(var)(var.name_hint, None), plain(node.value))
        case tree.LetStmt():
            return tree.LetStmt(node.var, None, plain(node.value))
        case tree.FloatImm():
            return tree.FloatImm(node.value, None)
        case tree.IntImm() if node.value >= 0:
            return tree.IntImm(node.value, None)
        case tree.Neg(a=tree.FloatImm(value=value)):
            return tree.FloatImm(-value, None)
        case tree.Constant(data=data, dtype=None) if type(data) in USUAL:
            return tree.Constant(data, tree.DType(USUAL[type(data)]))
        case tree.BufferStore(op=op) if op in COMBINED:
            indices = tuple(plain(one) for one in node.indices)
            value = COMBINED[op](tree.BufferLoad(node.buffer, indices), plain(node.value))
            return tree.BufferStore(node.buffer, indices, "=", value)
        case tree.Call(op=tree.Op(op_name="call_pure_packed"), args=(callee, *args)):
            attrs = (*node.attrs, tree.Attr("pure", tree.BoolLit(True)))
            return plain(tree.Call(callee, tuple(args), attrs, node.struct_info))
        case _:
            pass
    if not node.CHILDREN:
        return node
    fields = [_plain_field(node, name) for name in node.FIELDS]
    return type(node)(*fields)


def _plain_field(node: Any, name: str) -> Any:
    value = getattr(node, name)
    if name == "purity" and value in ("pure", "impure"):
        return None
    if name not in node.CHILDREN or value is None:
        return value
    return tuple(plain(one) for one in value) if type(value) is tuple else plain(value)
