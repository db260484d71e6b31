"""Programs in A-normal form and in the form of a graph: the same types, the same values. [R.36]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.api.forms import relay_form
from relax_lang.base.node import walk
from relax_lang.base.source import RelayFile
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.parser import parse
from tests.docs.tools import relax
from tests.relay.support import checked
from tests.relay.syntax.test_text import PROGRAMS as TEXTS
from tests.relay.test_random_programs import HEAD, TYPES, Generator
from tests.relay.test_types import TYPES as TYPED
from tests.relay.test_values import PROGRAMS, plain

FORMS = ("anf", "graph")
LEAVES = (tree.Var, tree.GraphVar, tree.GlobalVar, tree.OpRef, tree.Const, tree.MetaRef)


def form(text: str, kind: str) -> str:
    return relay_form(RelayFile(text), kind)


def value(text: str, engine: str = "relay") -> object:
    return plain(api.run_session(api.start(RelayFile(text), engine=engine), "main", ()))


def parts(node: tree.Expr) -> list[tree.Expr]:
    """What has to be an atom in an expression that is in A-normal form."""
    found = {
        tree.Tuple: lambda: node.fields,
        tree.Proj: lambda: [node.tuple],
        tree.Call: lambda: [node.op, *node.args] if node.infix is None else node.args,
        tree.If: lambda: [node.cond],
        tree.Match: lambda: [node.data],
        tree.RefNew: lambda: [node.value],
        tree.RefRead: lambda: [node.ref],
        tree.RefWrite: lambda: [node.ref, node.value],
    }.get(type(node), list)
    return list(found())


def is_atom(node: tree.Expr) -> bool:
    return isinstance(node, LEAVES) or (isinstance(node, tree.Tuple) and not node.fields)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_R_36_forms_have_the_same_values(name, kind):
    text, _ = PROGRAMS[name]
    made = form(text, kind)
    assert form(made, kind) == made
    for engine in ("relay", "compiled"):
        assert repr(value(made, engine)) == repr(value(text))


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", TYPED)
def test_R_36_forms_have_the_same_types(name, kind):
    """Which `relay_form` proves for each; and nothing is left to be done in what it gives."""
    text, _ = TYPED[name]
    if not checked(text).has_errors:
        made = form(text, kind)
        assert form(made, kind) == made


@pytest.mark.parametrize("name", [*PROGRAMS, *TYPED])
def test_R_36_in_a_normal_form_parts_are_atoms(name):
    text, _ = PROGRAMS.get(name) or TYPED[name]
    if checked(text).has_errors:
        return
    module = parse(form(text, "anf")).tree
    for node in walk(module):
        assert not isinstance(node, tree.GraphBind | tree.GraphVar)
        assert all(is_atom(one) for one in parts(node))
        if isinstance(node, tree.Block):
            assert is_atom(node.value) or isinstance(node.value, tree.Function)


@pytest.mark.parametrize("seed", range(40))
def test_R_36_random_programs_have_the_same_value_in_both_forms(seed):
    generator = Generator(seed)
    type_ = generator.rng.choice(TYPES)
    text = f"{HEAD}def @main() -> {type_} {{ {generator.expr(type_, {}, 5)} }}\n"
    wanted = repr(value(text))
    for kind in FORMS:
        made = form(text, kind)
        assert repr(value(made)) == wanted, made
        assert form(made, kind) == made


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", TEXTS)
def test_R_36_every_program_without_errors_has_both_forms(name, kind):
    text = TEXTS[name]
    if not checked(text).has_errors:
        made = form(text, kind)
        assert form(made, kind) == made


def test_R_36_type_parameters_stay_with_their_function():
    text = "def @f() { fn[A] (%x: A) -> A { %x } }"
    assert "let" not in form(text, "anf")


def test_R_36_a_node_is_bound_in_the_innermost_branch_around_its_uses():
    text = "def @main(%c: bool, %x: int32) { %0 = %x + %x; %1 = %x * %x; if (%c) { %0 * %0 } else { %x } }"
    assert form(text, "anf") == (
        "def @main(%c: bool, %x: int32) {\n  let %value = if (%c) {\n    let %add = %x + %x;\n"
        "    let %multiply = %add * %add;\n    %multiply\n  } else {\n    %x\n  };\n  %value\n}\n"
    )


def test_R_36_effects_stay_in_their_order():
    text = """
def @main() {
  let %r = ref(1);
  let %a = ref_read(%r);
  ref_write(%r, 5);
  let %next = fn () { let %old = ref_read(%r); ref_write(%r, %old + 1); %old };
  let %b = %next();
  let %c = %next() * 10;
  (%a, %b, %c, ref_read(%r))
}
"""
    for kind in FORMS:
        assert value(form(text, kind)) == value(text) == (1, 5, 60, 7)
    assert "let %a = ref_read(%r);" in form(text, "graph")


def test_R_36_names_keep_their_meaning():
    text = "def @main() { let %x = 1; let %y = ({ let %x = 2; %x + %x }); (fn (%x: int32) { %x + %y })(%x) }"
    for kind in FORMS:
        assert value(form(text, kind)) == value(text) == 5


def test_R_36_what_an_annotation_hides_stays_hidden():
    text = "def @main(%x: Tensor[(2, 3), float32]) { let %y: Tensor[(?, 3), float32] = exp(%x); exp(%y) }"
    assert "let %y: Tensor[(?, 3), float32] = exp(%x);" in form(text, "graph")
    same = text.replace("?", "2")
    assert "let" not in form(same, "graph")


def test_R_36_comments_are_kept():
    text = """#[version = "0.0.5"]
// the file

// doubles
def @main(%x: int32) {
  // twice
  %x + %x * 2 // the sum
}
// the end
"""
    assert (
        form(text, "anf")
        == """#[version = "0.0.5"]

// the file

// doubles
def @main(%x: int32) {
  // twice
  // the sum
  let %multiply = %x * 2;
  let %add = %x + %multiply;
  %add
}

// the end
"""
    )


def test_R_36_long_programs_need_no_stack():
    text = f"def @main(%x: int32) {{ {' + '.join(['%x'] * 5000)} }}"
    for kind in FORMS:
        assert form(text, kind).count("+") == 4999


def test_R_36_programs_with_errors_have_no_form():
    with pytest.raises(api.RelaxError):
        form("def @main() { 1 + 2f }", "anf")


def test_R_36_the_options_of_fmt(tmp_path, capsys):
    path = tmp_path / "a.relay"
    path.write_text("def @main(%x: float32) { exp(exp(%x)) /* ty=float32 */ }\n")
    assert relax(f"relax fmt --anf --graph {path}", capsys)[0] == 2
    status, out, _ = relax(f"relax fmt --anf --diff {path}", capsys)
    assert (status, "+  let %exp = exp(%x);" in out) == (1, True)
    assert relax(f"relax fmt --strip-types {path}", capsys)[0] == 0
    assert path.read_text() == "def @main(%x: float32) {\n  exp(exp(%x))\n}\n"
    assert relax(f"relax fmt --graph {path}", capsys)[0] == 0
    assert path.read_text() == "def @main(%x: float32) {\n  %0 = exp(%x);\n  exp(%0)\n}\n"
    other = tmp_path / "a.rlx"
    other.write_text("def @f() {\n  1\n}\n")
    status, _, err = relax(f"relax fmt --graph {other}", capsys)
    assert (status, "`--graph` is for programs in Relay" in err) == (2, True)
