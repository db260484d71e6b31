"""Parts of messages about infos: the author's names, reasons, casts to insert. Loaded for messages only."""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.check.infer.context.source_index import WORD, Index
from relax_lang.check.infer.messages import scalars
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.format.printer import show
from relax_lang.scope.inserted_bindings import bound_before
from relax_lang.struct_info.bound_variables import bare_names, names_in, substitute, written_dims
from relax_lang.struct_info.match_casts import match_cast_refused
from relax_lang.struct_info.printing import is_large, shown
from relax_lang.struct_info.verdict import DIMENSION
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.check.infer.context.module_state import Signature
    from relax_lang.check.infer.context.state import State
    from relax_lang.struct_info.verdict import Reason

    Info = tree.StructInfo


def index_of(state: State) -> Index:
    """Return the index of the text, which is made at the first message."""
    module = state.module
    if module.index is None:
        module.index = Index(module.text, module.written)
    return module.index


def report(state: State, found: Diagnostic) -> None:
    """Report a diagnostic, with the author's names in its texts."""
    names = state.module.origins.names(state.function)
    if names:
        texts = [
            found.message,
            found.primary,
            found.help,
            *found.notes,
            *[one.message for one in found.labels],
        ]
        used = {word for text in texts for word in WORD.findall(text)}
        # Two variables to which the author gave the same name keep their names of the normal form.
        _rename(found, {name: own for name, own in names.items() if own not in used}, names)
    state.module.report(found)


def renamed(text: str, names: dict[str, str]) -> str:
    """Return a text with some names replaced by others."""
    return WORD.sub(lambda match: names.get(match[0], match[0]), text) if names else text


def _rename(found: Diagnostic, shown_names: dict[str, str], names: dict[str, str]) -> None:
    def author(text: str) -> str:
        return renamed(text, shown_names)

    found.message, found.primary, found.help = (
        author(found.message),
        author(found.primary),
        author(found.help),
    )
    found.notes = [author(note) for note in found.notes]
    for label in found.labels:
        label.message = author(label.message)
    for fix in found.fixes:
        fix.edits = tuple([Edit(edit.pos, edit.end, renamed(edit.text, names)) for edit in fix.edits])


def callee_names(state: State, declared: Info, applied: Info) -> dict[str, str]:
    """Return the dimensions of a parameter that no argument binds, each with the name that the signature gives it."""
    own, there = written_dims(declared) or (), written_dims(applied) or ()
    return {
        new.name: old.name
        for old, new in zip(own, there, strict=False)
        if isinstance(old, tree.PrimVar)
        and isinstance(new, tree.PrimVar)
        and new.name not in state.shape_vars
    }


def function_text(signature: Signature | None, call: tree.Call) -> str:
    """Return the words for a callee."""
    if isinstance(call.op, tree.GlobalVar):
        return global_name(call.op.name_hint)
    if signature is not None and signature.node.name is not None:
        return global_name(signature.node.name.name_hint)
    return f"`{local_name(call.op.name_hint)}`" if isinstance(call.op, tree.Var) else "the function"


def label_definition(state: State, found: Diagnostic, value: Node) -> None:
    """Point at the definition of a variable that does not fit, if it is annotated."""
    binder = state.binders.get(value.name_hint) if isinstance(value, tree.Var) else None
    if binder is not None and binder.struct_info_annotation is not None:
        found.label(binder.struct_info_annotation, f"`{name_of(state, binder)}` is declared here")


def name_of(state: State, binder: tree.Binder) -> str:
    """Return the author's name of a variable, quoted if need be."""
    name = binder.name_hint
    return local_name(state.module.origins.names(state.function).get(name, name))


def span_of_name(state: State, binder: tree.Binder) -> Span:
    """Return the span of the name at a definition, without its annotation."""
    if binder.struct_info_annotation is None:
        return binder.pos, binder.end
    return binder.pos, min(binder.end, binder.pos + len(name_of(state, binder)))


def explain(state: State, found: Diagnostic, reason: Reason | None, names: dict[str, str]) -> None:
    """Explain why an answer is undecided: the pair of dimensions, and values for which they differ. [Z.4]

    `names` are those that the author gave to dimensions of what is expected.
    """
    if reason is None:
        return
    found.note(renamed(str(reason), names))
    example = author_names(state, reason.example or {}, names)
    if example:
        found.note(f"fails for {', '.join([f'{name} = {value}' for name, value in example.items()])}")
    elif reason.example is None:
        undefined = author_names(state, reason.without_value or {}, names)
        if undefined:
            shown = ", ".join([f"{name} = {value}" for name, value in undefined.items()])
            found.note(f"for {shown} it is a division by zero")
    found.data["counterexample"] = example


def author_names(
    state: State, example: dict[str, int], names: dict[str, str] | None = None
) -> dict[str, int]:
    """Return the part of an example that is about sizes of the author, by the names that the author gave them.

    `names` are those that the author gave to dimensions of what is expected.
    """
    known = {name: name for name in state.shape_vars} | (names or {})
    return {known[name]: value for name, value in example.items() if name in known}


def explain_direction(found: Diagnostic, reason: Reason | None) -> None:
    """Explain why a parameter is compared the other way round. [T.S8]"""
    if reason is not None and reason.reversed and reason.path:
        found.note(
            f"{reason.path[-1]} is too narrow: a function must accept every argument that it may be given"
        )


def label_dimensions(state: State, found: Diagnostic, reason: Reason | None) -> None:
    """Point at where the names in two dimensions that do not agree are bound."""
    if reason is None or reason.what != DIMENSION:
        return
    dims = [dim for dim in (reason.expected, reason.found) if isinstance(dim, tree.PrimExpr)]
    for name in sorted(names_in(dims)):
        binder = index_of(state).binder_of(state.function, name) if name in state.shape_vars else None
        if binder is not None and not [one for one in found.labels if one.pos <= binder.pos < one.end]:
            found.label(binder, f"`{name}` is bound here")


# Infos and casts to write.


def offer(found: Diagnostic, title: str, *edits: Edit) -> None:
    """Offer one more change. The first one is the help."""
    if not found.fixes:
        found.help = title
    found.fix(title, *edits)


def offer_info(
    found: Diagnostic,
    place: Node,
    info: Info,
    names: AbstractSet[str],
    title: str = "change the annotation to",
) -> None:
    """Offer to replace an annotation by what is known, if all names in that are in scope there."""
    if not is_large(info, _MOST_WRITTEN) and place.pos >= 0 and names_in([info]) <= names and _is_plain(info):
        text = show(info)
        offer(found, f"{title} `{text}`", Edit(place.pos, place.end, text))


_MOST_WRITTEN = 20


def _is_plain(info: Info) -> bool:
    """Return whether an info mentions no Relax variables: they may be out of scope, or another one may hide them."""
    if isinstance(info, tree.TupleStructInfo):
        for field in info.fields:
            if not _is_plain(field):
                return False
    return not (isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.Var))


def offer_cast(
    state: State, found: Diagnostic, value: Node, expected: Info, title: str, *, written: str = ""
) -> None:
    """Offer to bind the value with a `match_cast` above the statement, and to use that. [Z.3]

    `written` is what is cast, if it is not the value as it is written.
    """
    if scalars.offer_number(value, expected, found):
        return
    target = _castable(state, expected)
    if target is None or value.pos < 0 or _differing_branches(state, found, value, expected):
        return
    anchor = index_of(state).statement_start(value)
    if anchor is None:
        return
    text = state.module.text
    written = written or text[value.pos : value.end]
    taken = index_of(state).words_of(state.function)
    wanted = written if written.isidentifier() else "checked"
    cast = f"match_cast({written}, {show(target)})"
    found.fix(title, *bound_before(value, anchor, wanted, taken, cast, text), applicability=UNSAFE)


def offer_cast_of_binding(state: State, found: Diagnostic, value: Node, expected: Info, title: str) -> None:
    """Offer to check the whole value of a `let` with a `match_cast`."""
    if scalars.offer_number(value, expected, found):
        return
    target = _castable(state, expected)
    if target is None or value.pos < 0 or _differing_branches(state, found, value, expected):
        return
    written = state.module.text[value.pos : value.end]
    found.fix(
        title, Edit(value.pos, value.end, f"match_cast({written}, {show(target)})"), applicability=UNSAFE
    )


def _differing_branches(state: State, found: Diagnostic, value: Node, expected: Info) -> bool:
    """Point at the branches of an `if` whose value is not known well enough because they differ. [D.6]

    Returns whether one of them never is what is expected: then a match_cast would only move the mistake.
    """
    choice = value if isinstance(value, tree.If) else _definition(state, value)
    infos = state.module.branches.get(choice) if isinstance(choice, tree.If) else None
    if not isinstance(choice, tree.If) or infos is None:
        return False
    refused = False
    for branch, info in zip((choice.true_branch, choice.false_branch), infos, strict=True):
        place = branch.body if isinstance(branch, tree.SeqExpr) and branch.body.pos >= 0 else branch
        if place.pos >= 0:
            found.label(place, f"this branch is `{shown(info)}`")
        refused = refused or match_cast_refused(info, expected, state.context) is not None
    if refused:
        found.helped("let the branches have values of one kind, or bind and use them apart")
    return refused


def _definition(state: State, value: Node) -> tree.Expr | None:
    """Return what a variable is bound to."""
    return bound_value(state, value) if state.module.branches else None


def bound_value(state: State, value: Node) -> tree.Expr | None:
    """Return what a variable is bound to; None for a parameter, and for anything but a variable."""
    if not isinstance(value, tree.Var):
        return None
    return index_of(state).value_of(state.function, value.name_hint)


def _castable(state: State, info: Info) -> Info | None:
    """Return an info as the target of a match_cast here; None if nothing binds its dimensions, or it is too large."""
    if is_large(info):
        return None
    new = [name for name in bare_names([info]) if name not in state.shape_vars]
    if not names_in([info]) <= state.shape_vars.union(new):
        return None
    words = index_of(state).words_of(state.function)
    shorter = {name: tree.PrimVar(name.rstrip("0123456789").rstrip("_")) for name in new}
    return substitute(
        info, {name: own for name, own in shorter.items() if own.name not in words}, frozenset()
    )
