"""Calls as TVMScript and Python write them, once all of a call is known. [Y.7]

One mistake has one message: what was said of parts of the call is taken back, and the fix writes the whole of it.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.foreign import named_results
from relax_lang.syntax.builders.foreign_prim_funcs import foreign_sizes
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.foreign_words import without_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import PartBuilder

SIMPLE = r"[^()\[\]{};\n]*"
CONST = re.compile(
    r"(?:R|relax)\.const\(\s*(-?(?:\d[\w.+-]*|inf)|nan|[Tt]rue|[Ff]alse|\[[^;{}\n]*\])"
    r"\s*(?:,\s*(?:dtype\s*=\s*)?\"?(\w+)\"?\s*)?\)"
)
SHAPE = re.compile(rf"(?:R|relax)\.(?:shape|ShapeExpr)\(\s*[\[(]({SIMPLE})[\])]\s*\)")
TUPLE = re.compile(rf"(?:R|relax)\.(?:tuple|Tuple)\(({SIMPLE}(?:\({SIMPLE}\){SIMPLE})*)\)")
MATCH_CAST = re.compile(
    rf"(?:R|relax)\.match_cast\(\s*+({SIMPLE}),\s*+R\.Tensor\(\s*+\(({SIMPLE})\)\s*+(?:,\s*+(?:dtype\s*+=\s*+)?\"(\w+)\"\s*+)?\)\s*+\)"
)
FUNCTION = re.compile(r"\(\s*(?:(?:cls|self|Module|gv)\.)?(\w+)(?=\s*,)")
PACKED = re.compile(r"\(\s*(\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|“[^”\n]*”)\s*(,?)\s*")

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")

DTYPE_LAST = (
    "arange",
    "astype",
    "eye",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
)
"""Operators whose last argument is a dtype in TVMScript and an attribute here."""

CALLS_INTO_TIR = ("call_tir", "call_tir_inplace")
PACKED_CALLS = ("call_packed", "call_pure_packed")
DPS_CALLS = ("call_dps_packed", "call_inplace_packed", "call_pure_packed")


def settle(builder: PartBuilder, call: tree.Call) -> tree.Call:
    """Report what a call is that another language writes so; return what is to be read for it.

    If the call was reported as a whole, that is a call of nothing, with the operands of which more may be said.
    """
    name = call.op.op_name if isinstance(call.op, tree.Op) else ""
    owner, _, last = name.rpartition(".")
    if owner in ("T", "tir", "tirx") and (not call.args or not last.startswith(("int", "uint"))):
        return foreign_sizes.settle(builder, call)
    kept = _reported(builder, call)
    if kept is not None:
        made = tree.Call(tree.Missing(call.pos, call.pos), kept, (), None, call.pos, call.end)
        if name in ("R.output", "relax.output"):
            builder.elsewhere.outputs[made] = [arg for arg in call.args if isinstance(arg, tree.Var)]
        return made
    with_dtype = _with_dtype(builder, call)
    if with_dtype is not None:
        return with_dtype
    _strings(builder, call)
    return call


def _with_dtype(builder: PartBuilder, call: tree.Call) -> tree.Call | None:
    """Return `zeros((2, 3), "float32")` without the quotes: `scope` reports all that is wrong with it at once."""
    last = call.args[-1] if call.args else None
    word = "" if last is None else builder.strings.get(last, "").strip('"')
    name = call.op.name_hint if isinstance(call.op, tree.Var) else ""
    if isinstance(call.op, tree.Op):
        owner, _, name = call.op.op_name.rpartition(".")
        name = "" if owner in builder.visible else name
    if last is None or word not in DTYPES or name not in (*DTYPE_LAST, "cast") or name in builder.visible:
        return None
    if any(one in builder.strings or one in builder.wrong for one in call.args[:-1]):
        return None
    builder.mute(last.pos, call.end)
    dtype = tree.Var(word, None, last.pos, last.end)
    return tree.Call(call.op, (*call.args[:-1], dtype), call.attrs, None, call.pos, call.end)


def _reported(builder: PartBuilder, call: tree.Call) -> tuple[tree.Expr, ...] | None:
    """Report a call as a whole; return the operands of which more may be said, or None."""
    name = call.op.op_name if isinstance(call.op, tree.Op) else ""
    if isinstance(call.op, tree.Var):
        name = call.op.name_hint
    last = name.removeprefix("relax.").removeprefix("op.").removeprefix("R.")
    is_script = last != name
    text = builder.text[call.pos : call.end]
    form = _form(text, last) if is_script else None
    if form is None and is_script and _dtype_as_string(builder, call, last):
        return call.args[:-1]
    if form is not None:
        _instead(builder, call, "this is a form of TVMScript", form)
        return call.args[1:2] if last in CALLS_INTO_TIR else ()
    if name in (*CALLS_INTO_TIR, "call_dps_packed") and len(call.args) > 2 and _result_inside(builder, call):
        return call.args[1:2]
    string = builder.strings.get(call.args[0]) if call.args else None
    if name in ("R.output", "relax.output") and call.args and not call.attrs:
        names = [arg for arg in call.args if isinstance(arg, tree.Var)]
        if len(names) == len(call.args):
            return _output(builder, call, names)
    if string is not None and last in (*PACKED_CALLS, *DPS_CALLS):
        return _packed(builder, call, last)
    if string is not None and last in CALLS_INTO_TIR:
        return _string_for_prim_func(builder, call, string, last)
    form = _conversion(builder, call, name)
    if form is not None:
        _instead(builder, call, "variables have no methods", form)
        return ()
    return None


def _output(builder: PartBuilder, call: tree.Call, names: list[tree.Var]) -> tuple[tree.Expr, ...]:
    """Report `R.output(y, z)`."""
    form = f"output {', '.join([builder.text[one.pos : one.end] for one in names])}"
    found = diag.syntax(call, f"what a dataflow block gives is listed in it: `{form};`")
    builder.report(found.replace(call, form, f"write `{form}`", applicability=SAFE))
    return ()


def _result_inside(builder: PartBuilder, call: tree.Call) -> bool:
    """Report `call_tir(@f, (x,), Tensor[(n,), float32])`; return whether it was that."""
    behind = _results(builder, call)
    if not behind:
        return False
    place = call.args[-1].pos, call.args[-1].end
    builder.mute(call.pos, call.end)
    found = diag.syntax(place, "what a call returns is written after it")
    builder.report(
        found.fix(f"write `{behind[-1].text.strip()}` after the call", *behind, applicability=SAFE)
    )
    return True


def _string_for_prim_func(
    builder: PartBuilder, call: tree.Call, string: str, operator: str
) -> tuple[tree.Expr, ...]:
    """Report `call_tir("f", (x,))`, also with the prefix of TVMScript."""
    first = call.args[0]
    builder.mute(call.pos, call.end)
    name = string[1:-1]
    written = f"@{name}" if name.isidentifier() else f'@"{name}"'
    found = diag.syntax(first, f"a prim_func is written `{written}`, without quotes")
    if call.attrs or (
        isinstance(call.op, tree.Op) and len(call.args) > 2
    ):  # what it returns is written among the arguments
        form = f"{operator}({written}, (…)) -> Tensor[…]"
        packed = f"call_dps_packed(extern {string}, (…)) -> Tensor[…]"
        builder.report(found.helped(f"write `{form}`; a packed function is called by `{packed}`"))
        return call.args[1:2]
    edits = Edit(call.op.pos, call.op.end, operator), Edit(first.pos, first.end, written)
    builder.report(found.fix(f"write `{written}`", *edits))
    return call.args[1:2]


def _dtype_as_string(builder: PartBuilder, call: tree.Call, name: str) -> bool:
    """Report `R.astype(x, "float16")`: the prefix and the string are one mistake; return whether it was that."""
    word = builder.strings.get(call.args[-1], "").strip('"') if call.args else ""
    if word not in DTYPES or name not in DTYPE_LAST or any(one in builder.strings for one in call.args[:-1]):
        return False
    begin = call if any(one in builder.lists for one in call.args) else call.args[-1]
    builder.mute(begin.pos, call.end)
    found = diag.syntax((call.pos, call.op.end), f"this is a form of TVMScript; here it is `{name}`")
    edits = [
        Edit(call.pos, call.op.end, name),
        Edit(call.args[-1].pos, call.args[-1].end, f"dtype={word}"),
    ]
    builder.report(found.fix(f"write `{name}(…, dtype={word})`", *edits, applicability=SAFE))
    return True


def _instead(builder: PartBuilder, call: tree.Call, message: str, form: str) -> None:
    builder.mute(call.pos, call.end)
    builder.report(diag.syntax(call, message).replace(call, form, f"write `{form}`", applicability=SAFE))


def _conversion(builder: PartBuilder, call: tree.Call, name: str) -> str | None:
    """Return what `x.astype("float16")` and `x.to(float16)` are here."""
    owner, _, method = name.rpartition(".")
    arg = call.args[0] if len(call.args) == 1 and not call.attrs else None
    if method not in ("astype", "to") or owner not in builder.visible or arg is None:
        return None
    dtype = arg.name_hint if isinstance(arg, tree.Var) else builder.strings.get(arg, "").strip('"')
    return f"astype({owner}, dtype={dtype})" if dtype in DTYPES else None


def _form(text: str, name: str) -> str | None:
    """Return what a call of TVMScript is here, if all of it is understood."""
    match = CONST.fullmatch(text)
    if match is not None:
        value = match[1].replace("True", "true").replace("False", "false")
        return f"const({value}, {match[2]})" if match[2] else f"const({value})"
    match = SHAPE.fullmatch(text)
    if match is not None:
        return f"shape({_plain_dims(match[1]).rstrip(', ')})"
    match = MATCH_CAST.fullmatch(text)
    if match is not None:
        return f"match_cast({match[1].strip()}, Tensor[({_plain_dims(match[2])}), {match[3] or '_'}])"
    match = TUPLE.fullmatch(text)
    if match is not None:
        inner = match[1].strip().rstrip(",")
        return f"({inner}{'' if ',' in inner else ','})"
    result = named_results.named_result(text, 0, len(text)) if name in CALLS_INTO_TIR else None
    if result is None:
        return None
    function = FUNCTION.match(text, text.find("("))
    if function is None or result[0] < function.end():
        return None
    operands = text[function.end() : result[0]].strip().removeprefix(",").strip()
    if operands.startswith("[") and operands.endswith("]"):
        inner = operands[1:-1].strip().rstrip(",")
        operands = f"({inner}{'' if ',' in inner or not inner else ','})"
    elif not operands.startswith("("):
        operands = f"({operands},)"
    return None if "=" in operands else f"{name}(@{function[1]}, {operands}) -> {result[1]}"


def _plain_dims(text: str) -> str:
    """Return dimensions without quotes around them."""
    return text.replace('"', "").replace("T.int64", "").strip()


def _packed(builder: PartBuilder, call: tree.Call, name: str) -> tuple[tree.Expr, ...] | None:
    """Report `call_packed("f", x)` and `call_dps_packed("f", (x,))`."""
    text = builder.text
    given = PACKED.search(text, call.pos, call.end)
    if given is None:
        return None
    behind = _results(builder, call)
    builder.mute(call.pos, call.end)
    string = builder.strings[call.args[0]]
    if name in PACKED_CALLS:
        found = diag.syntax(call, f"a packed function is called by its name: `extern {string}(…)`")
        edits = [Edit(call.pos, given.end(), f"extern {string}(")]
        if name == "call_pure_packed":
            edits.append(Edit(call.end - 1, call.end - 1, ", pure=true"))
    else:
        found = diag.syntax((given.start(1), given.end(1)), f"a packed function is written `extern {string}`")
        edits = [Edit(given.start(1), given.end(1), f"extern {string}")]
    named = named_results.named_result(text, call.pos, call.end)
    if named is not None and "=" not in text[given.end() : named[0]]:
        pure = ", pure=true" if name == "call_pure_packed" else ""
        result = Edit(max(named[0], given.end()), call.end, f"{pure}) -> {named[1]}")
        builder.report(found.fix(f"write `extern {string}(…) -> …`", edits[0], result))
        return tuple([arg for arg in call.args[1:] if arg.end <= named[0] and isinstance(arg, tree.Var)])
    plain = not call.attrs and not any("=" in text[one.pos - 1 : one.pos] for one in call.args)
    result = any(word in text[call.pos : call.end] for word in ("Tensor[", "Tensor(", "sinfo"))
    if behind and plain:
        form = f"{name}(extern {string}, …)" if name not in PACKED_CALLS else f"extern {string}(…)"
        builder.report(found.fix(f"write `{form} -> …`", *edits, *behind, applicability=SAFE))
    elif result:
        builder.report(found.helped("what it returns is written behind the call: `-> Tensor[…]`"))
    else:
        builder.report(found.fix(f"write `extern {string}`", *edits, applicability=SAFE if plain else UNSAFE))
    return tuple(
        [
            arg
            for arg in call.args[1:]
            if isinstance(arg, tree.Var | tree.Tuple | tree.Constant) and not result
        ]
    )


def _results(builder: PartBuilder, call: tree.Call) -> list[Edit]:
    """Return the edits that write a struct info behind a call that has it among its operands."""
    last, others = call.args[-1], call.args[:-1]
    found = [one for one in builder.diagnostics if one.pos == last.pos and "result" in one.data]
    comma = builder.text.rfind(",", others[-1].end, last.pos) if found and others else -1
    if comma < 0:
        return []
    return [Edit(comma, last.end, ""), Edit(call.end, call.end, f" -> {found[-1].data['result']}")]


def _strings(builder: PartBuilder, call: tree.Call) -> None:
    """Say of strings among the operands of a call what they should be, and nothing else of the call."""
    if _print(builder, call) or _einsum(builder, call) or _number(builder, call):
        return
    for arg in call.args:
        text = builder.strings.get(arg)
        if text is None:
            continue
        builder.wrong.add(call)
        word = text.strip('"')
        report = next(
            (one for one in reversed(builder.diagnostics) if (one.pos, one.end) == (arg.pos, arg.end)), None
        )
        if report is None:
            continue
        if word in DTYPES:
            report.message = "a dtype is an attribute, which is given by name, without quotes"
            report.replace(arg, f"dtype={word}", f"write `dtype={word}`")
        elif NUMBER.fullmatch(word):
            report.replace(arg, word, f"write `{word}`")
        elif not report.fixes:
            report.helped("a string that an operator takes is an attribute, which is given by name")


def _print(builder: PartBuilder, call: tree.Call) -> bool:
    """Report `print("x", x)`: the text that is printed is the attribute `format`; return whether it was that."""
    name = call.op.name_hint if isinstance(call.op, tree.Var) else ""
    first = builder.strings.get(call.args[0]) if call.args else None
    rest = call.args[1:]
    if name not in ("print", "println", "printf") or first is None or call.attrs or first[:1] != '"':
        return False
    if any(one in builder.strings or isinstance(one, tree.Missing) for one in rest):
        return False
    shown = [builder.text[one.pos : one.end] for one in rest]
    places = "" if "{" in first else " {}" * len(rest)
    form = f"print({', '.join([*shown, f'format={first[:-1]}{places}' + first[-1]])})"
    found = diag.syntax(call.args[0], "the text that `print` writes is its attribute `format`")
    builder.mute(call.pos, call.end)
    builder.report(found.replace(call, form, f"write `{form}`", applicability=UNSAFE))
    builder.wrong.update((call, call.op))
    return True


def _number(builder: PartBuilder, call: tree.Call) -> bool:
    """Report `float("-inf")`, which is `-inf`; return whether it was that."""
    name = call.op.name_hint if isinstance(call.op, tree.Var) else ""
    word = builder.strings.get(call.args[0], "")[1:-1].lower() if len(call.args) == 1 else ""
    form = {"infinity": "inf"}.get(word.lstrip("+-"), word.lstrip("+-"))
    if name != "float" or form not in ("inf", "nan"):
        return False
    form = f"-{form}" if word.startswith("-") else form
    builder.mute(call.pos, call.end)
    found = diag.syntax(call, f"this number is written `{form}`")
    builder.report(found.replace(call, form, f"write `{form}`", applicability=SAFE))
    builder.wrong.update((call, call.op))
    return True


def _einsum(builder: PartBuilder, call: tree.Call) -> bool:
    """Report `einsum("ij,jk->ik", x, w)`: the operands are a tuple; return whether it was that."""
    name = call.op.name_hint if isinstance(call.op, tree.Var) else ""
    if isinstance(call.op, tree.Op):
        name = without_module(call.op.op_name)
    first = builder.strings.get(call.args[0]) if call.args else None
    rest = call.args[1:]
    if name != "einsum" or first is None or call.attrs or first[:1] != '"' or not rest:
        return False
    if any(one in builder.strings or isinstance(one, tree.Missing) for one in rest):
        return False
    only = rest[0] if len(rest) == 1 else None
    operands = builder.text[rest[0].pos : rest[-1].end]
    if not isinstance(only, tree.Tuple):
        operands = f"({operands}{'' if only is None else ','})"
    form = f"einsum({operands}, subscripts={first})"
    found = diag.syntax(call.args[0], "the subscripts of `einsum` are an attribute; its operands are a tuple")
    builder.mute(call.pos, call.end)
    builder.report(found.replace(call, form, f"write `{form}`", applicability=SAFE))
    builder.wrong.update((call, call.op))
    return True
