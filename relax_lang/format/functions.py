"""Modules, functions, blocks, bindings and `if`. [G.27-G.29] [G.36-G.40]"""

from __future__ import annotations

from relax_lang.base.doc import HARDLINE, LINE, concat, group, join, nest, width_of
from relax_lang.format import lexemes
from relax_lang.format.context import own_lines, prints, trailing
from relax_lang.format.expressions import condition
from relax_lang.format.literals import attributes
from relax_lang.format.prim_exprs import dims
from relax_lang.format.statement_lists import Lines
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.format.context import Layout, Printer
    from relax_lang.syntax.parser import Comment

FLAT_IF = 60
"""An `if` with two plain values is printed on one line up to this width."""


# -- modules -------------------------------------------------------------------------------------------------


@prints(tree.IRModule)
def _module(printer: Printer, node: tree.IRModule) -> Layout:
    """Print a file: one empty line between items, comments before the item that they precede. [G.40]"""
    parts: list[Layout] = []
    comments = printer.comments
    if node.attrs:
        start, stop = comments.skip(0), node.items[0].pos if node.items else len(printer.text)
        parts += _leading(printer, start)
        parts.append(concat(["module", attributes(printer, node.attrs, (start, stop))]))
        closer = comments.find("}", node.attrs[-1].end) if printer.text else 0
        parts += _behind(printer, closer + 1)
    for item in node.items:
        if parts:
            parts += [HARDLINE, HARDLINE]
        parts += _leading(printer, comments.skip(item.pos))
        outside, printer.hoisted = printer.hoisted, []
        printer.first = comments.n_taken
        doc = printer.show(item)
        parts += own_lines(printer.hoisted)
        if not printer.has_printed:  # else they stay in order behind it
            parts += own_lines(comments.take(item.end))
        parts.append(doc)
        printer.hoisted = outside
        parts += _behind(printer, item.end)
    rest = comments.take(len(printer.text))
    if rest and parts:
        parts += [HARDLINE, HARDLINE]
    for i, comment in enumerate(rest):
        if i:
            parts += [HARDLINE, HARDLINE] if comments.blank_before(comment.pos) else [HARDLINE]
        parts.append(comment.text.rstrip())
    return concat(parts)


def _leading(printer: Printer, before: int) -> list[Layout]:
    """Return the comments before an item; empty lines among them stay, but not behind a doc comment."""
    parts: list[Layout] = []
    is_doc = False
    for comment in printer.comments.take(before):
        if parts and not is_doc and printer.comments.blank_before(comment.pos):
            parts.append(HARDLINE)
        parts += [comment.text.rstrip(), HARDLINE]
        is_doc = comment.text.startswith("##")
    if parts and not is_doc and printer.comments.blank_before(before):
        parts.append(HARDLINE)
    return parts


def _behind(printer: Printer, end: int) -> list[Layout]:
    after = printer.comments.take_trailing(end)
    return [] if after is None else [trailing(after)]


# -- functions -----------------------------------------------------------------------------------------------


@prints(tree.Function)
def _function(printer: Printer, node: tree.Function) -> Layout:
    """`private pure def @f(x: S) -> S attrs { … } { … }`, `fn (x: S) -> S { … }`. [G.28]"""
    words = ["private"] if node.private else []
    if node.purity is not None:
        words.append(node.purity)
    words.append("fn " if node.name is None else f"def {lexemes.global_name(node.name.name_hint)}")
    parts = [printer.sequence(" ".join(words) + "(", node.params, (node.pos, node.body.pos))]
    if node.ret_struct_info is not None:
        parts += [" -> ", group(printer.expr(node.ret_struct_info), tight=True)]
    start = _signature_end(node)
    printer.hoist(start)  # so that neither attributes nor the body take comments of the signature
    parts += [
        attributes(printer, node.attrs, (start, node.body.pos)),
        " ",
        block(printer, node.body, flat=node.name is None),
    ]
    return concat(parts)


def _signature_end(node: tree.Function) -> int:
    if node.ret_struct_info is not None:
        return node.ret_struct_info.end
    return node.params[-1].end if node.params else node.pos


def block(printer: Printer, node: tree.Expr, *, flat: bool) -> Layout:
    """Print a body, on one line with its braces if that is allowed and it is nothing but a value."""
    return group(_branch(printer, node).braces(may_be_flat=flat))


@prints(tree.SeqExpr)
def _seq_expr(printer: Printer, node: tree.SeqExpr) -> Layout:
    """`{ let y = x; y }`. [G.27]"""
    return block(printer, node, flat=True)


def _seq_lines(printer: Printer, node: tree.SeqExpr, early: Sequence[Comment]) -> Lines:
    first = node.blocks[0].pos if node.blocks else printer.span(node.body)[0]
    lines = Lines(printer, first, early)
    for made, explicit in zip(node.blocks, _written_out(node.blocks), strict=True):
        if isinstance(made, tree.BindingBlock) and not explicit:
            for binding in made.bindings:
                lines.add(binding, printer.show)
        else:
            lines.add(made, printer.show)
    lines.add(node.body, printer.expr)
    lines.close(node.end - 1)
    return lines


def _written_out(blocks: Sequence[tree.BlockOfBindings]) -> list[bool]:
    """Return which blocks need their braces: the author's choice, and where two would run together. [G.36]"""
    written = [not isinstance(b, tree.BindingBlock) or b.explicit or not b.bindings for b in blocks]
    needed = written.copy()
    for i in range(1, len(blocks)):
        if not written[i - 1] and not written[i]:
            needed[i - 1] = needed[i] = True
    return needed


# -- blocks and bindings -------------------------------------------------------------------------------------


@prints(tree.BindingBlock)
def _binding_block(printer: Printer, node: tree.BindingBlock) -> Layout:
    """`bindings { … }`. [G.36]"""
    lines = Lines(printer, node.bindings[0].pos if node.bindings else node.end - 1)
    for binding in node.bindings:
        lines.add(binding, printer.show)
    lines.close(node.end - 1)
    return concat(["bindings ", lines.braces()])


@prints(tree.DataflowBlock)
def _dataflow_block(printer: Printer, node: tree.DataflowBlock) -> Layout:
    """`dataflow { let gv = add(x, x); output gv; }`. [G.37]"""
    outputs = node.outputs
    inside = [*node.bindings, *outputs]
    lines = Lines(printer, inside[0].pos if inside else node.end - 1)
    for binding in node.bindings:
        lines.add(binding, printer.show)
    if outputs:
        end = outputs[-1].end
        lines.add_text(lambda: _output(outputs), _output_pos(printer, node), end)
    lines.close(node.end - 1)
    return concat(["dataflow ", lines.braces()])


def _output(outputs: Sequence[tree.Var]) -> Layout:
    parts = join([",", LINE], [lexemes.local_name(var.name_hint) for var in outputs])
    return group(concat(["output ", nest(concat(parts)), ";"]))


def _output_pos(printer: Printer, node: tree.DataflowBlock) -> int:
    comments = printer.comments
    if not printer.text:
        return -1
    return comments.skip(node.bindings[-1].end if node.bindings else comments.find("{", node.pos) + 1)


@prints(tree.VarBinding)
def _var_binding(printer: Printer, node: tree.VarBinding) -> Layout:
    """`let v = e;`, or `e;` as the author chose where nothing is bound. [G.38]"""
    if _binds_nothing(node.var) and not _has_let(printer, node):
        return concat([printer.expr(node.value), ";"])
    var = printer.show(node.var)
    printer.hoist(printer.span(node.value)[0])  # so that the value does not take comments before it
    return concat(["let ", var, " = ", printer.expr(node.value), ";"])


def _binds_nothing(var: tree.Expr) -> bool:
    return isinstance(var, tree.Var) and var.name_hint == "_" and var.struct_info_annotation is None


def _has_let(printer: Printer, node: tree.Binding) -> bool:
    text = printer.text
    return text.startswith("let", node.pos) and lexemes.NAME.match(text, node.pos)[0] == "let"  # type: ignore[index]


@prints(tree.MatchCast)
def _match_cast(printer: Printer, node: tree.MatchCast) -> Layout:
    """`let v = match_cast(e, S);`, `match_cast(e, S);`, older: `match_shape(e, (n, m));`. [G.39] [B.1]"""
    parts: list[Layout] = []
    if node.var is not None:
        parts += ["let ", printer.show(node.var), " = "]
    elif _has_let(printer, node):
        parts.append("let _ = ")
    if printer.comments.following < node.end:  # so that the list does not take comments before it
        var = node.var
        named = node.pos if var is None else (var.struct_info_annotation or var).end
        printer.hoist(printer.comments.find("(", named))
    info = node.struct_info
    if isinstance(info, tree.MatchShapeInfo):
        start = printer.span(node.value)[1]
        value = printer.expr(node.value)
        parts += ["match_shape(", value, ", ", dims(printer, info.values, (start, node.end)), ");"]
    else:
        parts += [printer.sequence("match_cast(", (node.value, info), (node.pos, node.end)), ";"]
    return concat(parts)


# -- if ------------------------------------------------------------------------------------------------------


@prints(tree.If)
def _if(printer: Printer, node: tree.If) -> Layout:
    """`if c { … } else if d { … } else { … }`: on one line only where it is short. [G.29]"""
    heads: list[Layout] = []
    branches: list[Lines] = []
    words: list[Layout] = []
    last: tree.Expr = node
    while isinstance(last, tree.If):
        early = printer.comments_before(last.cond) if heads else []
        heads.append(condition(printer, "if ", last.cond))
        branches.append(_branch(printer, last.true_branch, early))
        words.append(printer.else_after(last.true_branch.end))
        last = last.false_branch
        if isinstance(last, tree.SeqExpr) and _is_chain(printer, last):
            last = last.body
    branches.append(_branch(printer, last))
    if len(heads) == 1 and words == [" else "] and branches[0].is_single and branches[1].is_single:
        doc = _if_else(heads, branches, words, flat=True)
        if width_of(doc) <= FLAT_IF:
            return group(doc)
    return _if_else(heads, branches, words, flat=False)


def _if_else(heads: list[Layout], branches: list[Lines], words: list[Layout], *, flat: bool) -> Layout:
    parts: list[Layout] = []
    for head, branch, word in zip(heads, branches, words, strict=False):
        parts += [head, branch.after_brace(may_be_flat=flat), word]
    return concat([*parts, branches[-1].braces(may_be_flat=flat)])


def _branch(printer: Printer, node: tree.Expr, early: Sequence[Comment] = ()) -> Lines:
    if isinstance(node, tree.SeqExpr):
        return _seq_lines(printer, node, early)
    lines = Lines(printer, node.pos)  # no text form, but messages show such trees too
    lines.add(node, printer.expr)
    return lines


def _is_chain(printer: Printer, node: tree.SeqExpr) -> bool:
    """Return whether a branch is written `else if …` and not `else { if … }`."""
    if node.blocks or not isinstance(node.body, tree.If):
        return False
    return not printer.text.startswith("{", node.pos) if node.pos >= 0 else True
