"""A whole program in another form, with a proof: it has the same types, and its comments. Reads no files. [R.36]"""

from __future__ import annotations

from relax_lang.base.node import Node
from relax_lang.format import diagnostics as diag
from relax_lang.format.safe import FormatResult
from relax_lang.relay.checking import analyse
from relax_lang.relay.forms.a_normal import ANormalForm
from relax_lang.relay.forms.comments import Pairs, insert, items_of
from relax_lang.relay.forms.graph import GraphForm
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.comments import is_note, spelled
from relax_lang.relay.syntax.formatting import format_text
from relax_lang.relay.syntax.parser import parse
from relax_lang.relay.syntax.printer import WIDTH, print_tree
from relax_lang.relay.unification.printing import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.source import SourceFile
    from relax_lang.relay.checking import Analysed
    from relax_lang.relay.forms.rewriter import Rewriter
    from relax_lang.syntax.parsed import Comment

_BINDINGS = (tree.Let, tree.GraphBind, tree.FreeVar, tree.Then)


def a_normal_form(source: SourceFile, width: int = WIDTH) -> FormatResult:
    """Return a program in A-normal form. One with errors is left as it is."""
    return _in_form(source, width, [ANormalForm])


def graph_form(source: SourceFile, width: int = WIDTH) -> FormatResult:
    """Return a program in the form of a graph. One with errors is left as it is."""
    # Inference may need an annotation although it is the type of the value.
    return _in_form(source, width, [GraphForm, lambda found: GraphForm(found, keeps_annotations=True)])


def _in_form(source: SourceFile, width: int, tries: list[Callable[[Analysed], Rewriter]]) -> FormatResult:
    text = source.text
    found = analyse(source)
    if found.has_errors:
        return FormatResult(text, found.diagnostics, changed=False)
    for make in tries:
        made = _rewritten(found, make)
        again = analyse(source.with_text(made))
        if not again.has_errors and _types(again) == _types(found):
            formatted = format_text(made, width)
            return FormatResult(formatted.text, formatted.diagnostics, changed=formatted.text != text)
    return FormatResult(text, [diag.format_not_stable("changed the program")], changed=False)


def _types(found: Analysed) -> dict[str, str]:
    return {name: show(scheme.type) for name, scheme in found.typed.functions.items()}


def _rewritten(found: Analysed, make: Callable[[Analysed], Rewriter]) -> str:
    """Return the text of a program in another form, with its comments."""
    module: tree.Module = found.parsed.tree
    items: list[tree.Item] = []
    for item in module.items:
        if isinstance(item, tree.Def):
            function = make(found).whole(item.function)
            items.append(tree.Def(item.name, function, item.pos, item.end))
        else:
            items.append(item)
    made = tree.Module(None, tuple(items), module.metadata, module.pos, module.end)
    text = print_tree(made)
    comments = [spelled(one) for one in found.parsed.comments if not is_note(one)]
    if comments:
        pairs = Pairs(items_of(made, Node, _BINDINGS), items_of(parse(text).tree, Node, _BINDINGS))
        text = insert(text, pairs, found.parsed, comments, _written)
    return text if module.version is None else f'#[version = "{module.version}"]\n{text}'


def _written(comment: Comment) -> list[str]:
    return [comment.text]
