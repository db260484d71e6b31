"""How far TVM agrees about the TVMScript in a folder: `python benchmarks/tvmscript/agreement.py FOLDER`, where TVM is.

For a seeded draw of the units that TVM itself parses and that are read whole and check without an error:

- *import*: is what is read the same program as TVM's own object, printed by TVM and read again?
- *export*: is what is exported structurally equal to TVM's object when TVM has read it?
- *run*: do both give the same values, where the unit has a `main` of tensors of known shapes?

TVM executes nothing but its own parser: units are parsed from their text.
"""

from __future__ import annotations

import argparse
import operator
import random
import sys
from collections import Counter
from pathlib import Path
from textwrap import dedent

import numpy as np

from relax_lang import api
from relax_lang.base.node import Node, walk
from relax_lang.base.source import PythonFile
from relax_lang.format.printer import print_tree
from relax_lang.ops.registry import lookup
from relax_lang.scope.alpha.equality import alpha_equal
from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.index_dtypes import EXCEPTIONS
from relax_lang.tvmscript.script import read_script

HEADER = "from tvm.script import ir as I, relax as R, tirx as T\n"
BOUND = 1e-4


def main() -> None:
    """Print the rates of a folder."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    options.add_argument("--units", type=int, default=200, help="how many to draw")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--list", default="", help="an outcome whose units are shown: `export: differs`")
    options.add_argument(
        "--at-least", type=float, default=0.0, help="exit with 1 if a smaller share is alike"
    )
    given = options.parse_args()
    import tvm

    counts: Counter[str] = Counter()
    for place, text in drawn(given.folder, given.units, given.seed):
        for outcome in compare(tvm, text):
            counts[outcome] += 1
            if given.list and outcome.startswith(given.list):
                print(f"{place}: {outcome}", file=sys.stderr)
    for outcome in sorted(counts):
        print(f"{counts[outcome]:6} {outcome}")
    is_enough = True
    for what in ("import", "export", "run"):
        all_of = sum(number for outcome, number in counts.items() if outcome.startswith(f"{what}:"))
        exact = counts[f"{what}: same"]
        alike = exact + sum(counts[outcome] for outcome in counts if outcome.startswith(f"{what}: the same"))
        if all_of:
            percent = 100 / all_of
            print(f"{what}: {exact} of {all_of} ({percent * exact:.1f} %), alike {percent * alike:.1f} %")
            is_enough = is_enough and alike >= given.at_least * all_of
    sys.exit(not is_enough)


def drawn(folder: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """Return units that are read whole, need nothing of Python, and check: their places and texts."""
    found: list[tuple[str, str]] = []
    paths = sorted(folder.rglob("*.py"))
    random.Random(seed).shuffle(paths)
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        units = [one for one in read_script(text).units if not one.obstacles]
        for one in random.Random(seed).sample(units, min(len(units), 4)):
            root = one.parsed.tree
            start = text.rfind("\n", 0, root.pos) + 1
            own = dedent(text[start : root.end])
            alone = read_script(HEADER + own)
            if len(alone.units) == 1 and not alone.units[0].obstacles and root.items:
                found.append((f"{path}:{one.line}", HEADER + own))
        if len(found) >= count:
            break
    return found[:count]


def compare(tvm, text: str) -> list[str]:
    """Return what came of one unit."""
    try:
        object_ = parsed(tvm, text)
    except Exception:
        return ["TVM does not parse it"]
    source = PythonFile(text, "unit.py")
    if any(one.severity == "error" for one in api.check(source).diagnostics):
        return ["does not check"]
    outcomes: list[str] = []
    is_module = isinstance(object_, tvm.IRModule)
    ours = normal(text)
    try:
        printed = object_.script() if is_module else tvm.IRModule.from_expr(object_).script()
        theirs = normal(printed)
        outcomes.append(f"import: {'same' if same(ours, theirs) else 'differs'}")
    except api.RelaxError as error:
        slug = error.diagnostics[0].slug
        hidden = slug == "metadata-missing"
        outcomes.append(
            "TVM does not print its constants" if hidden else f"import: TVM's text is not read: {slug}"
        )
    except Exception as error:
        outcomes.append(f"TVM does not print it: {type(error).__name__}")
    try:
        exported = api.to_tvmscript(source).text
    except api.RelaxError as error:
        return [*outcomes, f"not exported: {error.diagnostics[0].slug}"]
    try:
        again = parsed(tvm, exported)
    except Exception as error:
        return [*outcomes, f"export: TVM does not read it: {type(error).__name__}"]
    before = object_ if is_module else tvm.IRModule.from_expr(object_)
    if not is_module and len(again.functions) == 1:  # a single function is `main` there
        (alone,) = again.functions.values()
        again = tvm.IRModule({name: alone.without_attr("global_symbol") for name in before.functions})
        before = tvm.IRModule(
            {name: one.without_attr("global_symbol") for name, one in before.functions.items()}
        )
    try:
        tvm.ir.assert_structural_equal(before, again)
        is_equal = True
    except ValueError:
        is_equal = False
    outcome = "same" if is_equal else "differs"
    if not is_equal:
        try:
            if same(normal(before.script()), normal(again.script())):
                outcome = "the same program; dtypes of indices, or devices, differ"
        except Exception:
            outcome = "differs, and TVM's text is not read"
    return [*outcomes, f"export: {outcome}", *ran(tvm, before, source)]


def parsed(tvm, text: str):
    """Return what TVM's own parser makes of a text without its imports."""
    lines = [one for one in text.splitlines() if not one.startswith(("from tvm.script", "import "))]
    from tvm.script.parser.core.entry import _default_globals

    names = {**_default_globals(), "np": np}
    return tvm.script.from_source("\n".join(lines).strip() + "\n", extra_vars=names)


def normal(text: str) -> tree.IRModule:
    """Return a Python text as a program in normal form."""
    return api.normalize(PythonFile(text, "unit.py"))


FILLED_IN = frozenset(("dtype", "out_dtype", "out_layout", "void"))
"""Attributes that TVM's Python works out of others."""


USUAL = {tree.IntLit: "int32", tree.FloatLit: "float32", tree.BoolLit: "bool"}
"""The dtype of a constant that has none."""


SAID_OTHERWISE = frozenset((*spelling.OF_EXPORT, spelling.DEVICES, "target", EXCEPTIONS))
"""Attributes of what TVM's printer spells in another way than programs do."""


COMBINED = {"+=": tree.Add, "-=": tree.Sub, "*=": tree.Mul}
"""What TVM stores where a program adds to an element."""


ATTRIBUTED = tree.PrimFunc | tree.Function | tree.Allocate


def settled_attributes(node, attrs):
    """Return the attributes that TVM's printer writes as programs do."""
    if isinstance(node, tree.Allocate):
        return ()
    kept = [one for one in attrs if one.key not in SAID_OTHERWISE]
    return tuple(sorted(kept, key=lambda one: one.key))  # TVM keeps no order


def settle_call(name: str, fields) -> None:
    """Leave out attributes and arguments that mean what is meant without them."""
    declared = lookup(name)
    fields["attrs"] = tuple(
        [one for one in fields["attrs"] if declared is None or not is_default(one, declared)]
    )
    while fields["args"] and is_left_out(fields["args"][-1]):
        fields["args"] = fields["args"][:-1]


def settle_store(node: tree.BufferStore, fields) -> None:
    """Write out what a store adds to."""
    if node.op in COMBINED:
        load = tree.BufferLoad(fields["buffer"], fields["indices"])
        fields.update(op="=", value=COMBINED[node.op](load, fields["value"]))


def settled(node):  # noqa: C901 - a row for each kind of node
    """Return a part of a program without what TVM works out itself: annotations, regions, defaults, constants."""
    if isinstance(node, tuple):
        return tuple([part for one in node for part in parts_of(settled(one))])
    if not isinstance(node, Node):
        return node
    fields = {name: settled(getattr(node, name)) for name in type(node).FIELDS}
    fields.update(dict.fromkeys(fields.keys() & {"ret_struct_info"}))
    if isinstance(node, tree.VarBinding) and not isinstance(node.value, tree.Function):
        fields["var"] = type(node.var)(node.var.name_hint, None)
    elif isinstance(node, ATTRIBUTED):
        fields["attrs"] = settled_attributes(node, fields["attrs"])
    elif isinstance(node, tree.Block):
        kept = settled_attributes(node, [one for one in fields["attrs"] if one.key not in spelling.REGIONS])
        fields.update(reads=None, writes=None, attrs=kept)
    elif isinstance(node, tree.BufferStore):
        settle_store(node, fields)
    elif isinstance(node, tree.Constant) and type(node.data) in USUAL:
        fields["dtype"] = node.dtype or tree.DType(USUAL[type(node.data)])
    elif isinstance(node, tree.Call) and isinstance(node.op, tree.Op):
        settle_call(node.op.op_name, fields)
    elif isinstance(node, tree.IntImm | tree.FloatImm | tree.TypeLimit):
        return tree.FloatImm(number(node))  # an untyped literal has the dtype of its context
    elif isinstance(node, tree.MapLit):
        fields["items"] = tuple(sorted(fields["items"], key=lambda one: one.key))
    elif isinstance(node, tree.Attr):
        fields["value"] = settled(settled_attribute(node))
    elif isinstance(node, tree.For):
        return nested(node, fields)
    return folded(type(node)(**fields))


FOLDED = {
    tree.Add: operator.add,
    tree.Sub: operator.sub,
    tree.Mul: operator.mul,
    tree.Neg: operator.neg,
    tree.LT: operator.lt,
    tree.LE: operator.le,
    tree.GT: operator.gt,
    tree.GE: operator.ge,
    tree.EQ: operator.eq,
    tree.NE: operator.ne,
}
"""What TVM computes of constants when it reads."""


def number(node) -> float:
    """Return the value of a literal, or of a limit of a dtype."""
    if not isinstance(node, tree.TypeLimit):
        return float(node.value)
    of = np.finfo if node.dtype.name.startswith("float") else np.iinfo
    limits = of(np.dtype(node.dtype.name))
    return float(limits.max if node.name == "max_value" else limits.min)


def settled_attribute(attr: tree.Attr) -> tree.Literal:
    """Return the value of an attribute as TVM's Python fills it in."""
    value = attr.value
    if attr.key == "dst_vdevice" and isinstance(value, tree.StrLit):
        parts = value.value.split(":")
        return tree.StrLit(":".join([*parts, *("", "0", "global")[len(parts) :]]))
    if attr.key == "axis" and isinstance(value, tree.IntLit):
        return tree.ListLit((value,))
    return value


def folded(node):
    """Return a scalar expression of constants as its value."""
    parts = [getattr(node, name) for name in node.CHILDREN]
    if type(node) not in FOLDED or not all(isinstance(one, tree.FloatImm) for one in parts):
        return node
    value = FOLDED[type(node)](*[one.value for one in parts])
    return tree.BoolImm(value) if isinstance(value, bool) else tree.FloatImm(float(value))


def parts_of(node):
    """Return a statement, or what is left of it: TVM leaves out branches that are never taken."""
    if isinstance(node, tree.IfThenElse) and isinstance(node.condition, tree.BoolImm):
        return node.then_case if node.condition.value else node.else_case
    return (node,)


def nested(node: tree.For, fields) -> tree.For:
    """Return a loop over several variables as loops over one."""
    body = fields["body"]
    for var, bounds in reversed(list(zip(fields["loop_vars"], fields["ranges"], strict=True))):
        body = (tree.For(node.kind, node.thread, (var,), (bounds,), body, attrs=fields["attrs"]),)
    return body[0]


def is_left_out(node: tree.Expr) -> bool:
    """Tell whether an argument means what is meant without it: nothing, or the device 0."""
    if isinstance(node, tree.PrimValue):
        return isinstance(node.value, tree.IntImm | tree.FloatImm) and node.value.value == 0
    return isinstance(node, tree.Tuple) and not node.fields


def is_default(attr: tree.Attr, declared) -> bool:
    """Tell whether an attribute is what is meant without it, or what TVM fills in from other attributes."""
    spec = next((one for one in declared.attrs if one.name == attr.key), None)
    if spec is None or attr.key in FILLED_IN:
        return True
    shown = {text.strip() for text in print_tree(attr.value).strip().strip("[]").split(",")}
    usual = str(spec.default)
    meant = {"null", '""', usual, usual.lower(), f'"{usual}"', *usual.strip("[]").split(",")}
    return shown <= meant or attr.key in OF_RESIZE


OF_RESIZE = frozenset(
    ("roi", "method", "coordinate_transformation_mode", "rounding_method", "cubic_alpha", "cubic_exclude",
     "extrapolation_value", "mode")
)  # fmt: skip
"""Attributes whose defaults TVM writes out."""


def unnamed(module: tree.IRModule) -> tree.IRModule:
    """Return a program in which variables that nothing uses have no name: TVM prints calls without a result so."""
    binders = {one.var for one in walk(module) if isinstance(one, tree.VarBinding | tree.MatchCast)}
    used = {one.name_hint for one in walk(module) if isinstance(one, tree.Var) and one not in binders}

    def is_unused_null(node) -> bool:
        is_call = isinstance(node, tree.VarBinding) and isinstance(node.value, tree.Call)
        return (
            is_call
            and node.var.name_hint not in used
            and getattr(node.value.op, "op_name", "") == "null_value"
        )

    def visit(node):
        if isinstance(node, tuple):
            return tuple([visit(one) for one in node if not is_unused_null(one)])
        if not isinstance(node, Node):
            return node
        fields = {name: visit(getattr(node, name)) for name in type(node).FIELDS}
        if isinstance(node, tree.VarBinding) and node.var.name_hint not in used:
            fields["var"] = tree.Var("_", None)
        return type(node)(**fields)

    return visit(module)


def same(left: tree.IRModule, right: tree.IRModule) -> bool:
    """Tell whether two programs are the same but for names and the order of items."""
    left, right = unnamed(left), unnamed(right)

    def ordered(module: tree.IRModule) -> tree.IRModule:
        items = sorted([settled(item) for item in module.items], key=lambda item: item.name.name_hint)
        if len(items) == 1:  # TVM calls a single function `main`
            fields = {name: getattr(items[0], name) for name in type(items[0]).FIELDS}
            items = [type(items[0])(**{**fields, "name": tree.GlobalVar("main")})]
        return tree.IRModule((), tuple(items), module.pos, module.end)

    return alpha_equal(ordered(left), ordered(right))


def ran(tvm, module, source: PythonFile) -> list[str]:
    """Run `main` in both."""
    try:
        arguments = drawn_arguments(normal(source.text))
        ours = np.asarray(api.run(source, *[one.copy() for one in arguments]))
    except Exception as error:
        return [f"not run here: {type(error).__name__}"]
    try:
        machine = tvm.relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
        theirs = machine["main"](*[tvm.runtime.tensor(one) for one in arguments]).numpy()
    except Exception as error:
        return [f"not run by TVM: {type(error).__name__}"]
    bound = BOUND * 100 if ours.dtype == np.float16 else BOUND
    close = ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=bound, atol=bound, equal_nan=True)
    return [f"run: {'same' if close else 'differs'}"]


def drawn_arguments(module: tree.IRModule) -> list[np.ndarray]:
    """Return random arguments of `main`. Raises ValueError where its parameters are not tensors of known shapes."""
    generator = np.random.default_rng(0)
    (function,) = [
        one
        for one in module.items
        if isinstance(one, tree.Function) and one.name and one.name.name_hint == "main"
    ]
    made: list[np.ndarray] = []
    for param in function.params:
        info = param.struct_info_annotation
        if not isinstance(info, tree.TensorStructInfo) or not isinstance(info.shape, tree.ShapeExpr):
            raise ValueError(param.name_hint)
        shape = [dim.value for dim in info.shape.values if isinstance(dim, tree.IntImm)]
        if info.dtype is None or len(shape) != len(info.shape.values):
            raise ValueError(param.name_hint)
        made.append((generator.random(shape) * 4).astype(info.dtype.name))
    return made


if __name__ == "__main__":
    main()
