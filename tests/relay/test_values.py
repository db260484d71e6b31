"""Values of Relay programs: the direct interpreter, the translation on both engines, and what is expected. [R.37-R.39]"""

# ruff: noqa: E501 - programs

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import RelayFile
from relax_lang.runtime.values.relay_values import AdtValue

LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
NAT = "type Nat { Z, S(Nat) }\n"
TREE = "type Tree[A] { Leaf, Node(Tree[A], A, Tree[A]) }\n"

PROGRAMS = {
    "[R.11] numbers": ("def @main() { (1, 2i64, 1.5f, True, -3) }", (1, 2, 1.5, True, -3)),
    "[R.14] precedence": ("def @main() { 1 + 2 * 3 - 8 / 2 }", 3),
    "[R.14] left to right": ("def @main() { 10 - 3 - 2 }", 5),
    "[R.37] division truncates": (
        "def @main() { (-7 / 2, mod(-7, 2), floor_divide(-7, 2), floor_mod(-7, 2)) }",
        (-3, -1, -4, 1),
    ),
    "[R.37] integers wrap": ("def @main() { 2147483647 + 1 }", -2147483648),
    "[R.14] comparison": ("def @main() { (1 < 2, 1 == 2, 1 != 2, 2 >= 2) }", (True, False, True, True)),
    "[R.14] and, or": ("def @main() { (True && False, True || False) }", (False, True)),
    "[R.13] tuples": ("def @main() { let %t = (1, (2, 3)); (%t.0 + (%t.1).1, ()) }", (4, ())),
    "[R.20] shadowing": ("def @main() { let %a = 1; let %b = 2 * %a; let %a = %a + %a; %a + %b }", 4),
    "[R.19] blocks": ("def @main() { let %x = { let %y = 2; %y * %y }; %x + 1 }", 5),
    "[R.22] sequences": ("def @main() { let %r = ref(1); ref_write(%r, 2); ref_read(%r) }", 2),
    "[R.18] aliases": ("def @main() { let %r = ref(1); let %s = %r; ref_write(%s, 7); ref_read(%r) }", 7),
    "[R.18] in a closure": (
        "def @main() { let %r = ref(0); let %f = fn (%x: int32) { ref_write(%r, ref_read(%r) + %x) }; %f(3); %f(4); ref_read(%r) }",
        7,
    ),
    "[R.8] graph": ("def @main() { %0 = 2 + 3; %1 = %0 * %0; %1 + %0 }", 30),
    "[R.8] shared nodes are evaluated once": (
        "def @main() { let %r = ref(0); %0 = { ref_write(%r, ref_read(%r) + 1); ref_read(%r) }; let %s = %0 + %0; (%s, ref_read(%r)) }",
        (2, 1),
    ),
    "[R.8] not at all if not needed": ("def @main() { %0 = 1 / 0; if (True) { 1 } else { %0 } }", 1),
    "[R.8] in the branch that is taken": (
        "def @main() { %0 = 4 / 2; %1 = 1 / 0; if (True) { %0 + %0 } else { %1 } }",
        4,
    ),
    "[R.16] if": ("def @main() { if (1 < 2) { 1 } else { 2 } }", 1),
    "[R.16] chain": ("def @main() { let %x = 3; if (%x < 2) { 1 } else if (%x < 4) { 2 } else { 3 } }", 2),
    "[R.15] closures": (
        "def @main() { let %g = fn () { let %x = 5; fn (%y: int32) { %y * %x } }; let %f = %g(); let %x = 1; %f(2) }",
        10,
    ),
    "[R.15] recursion of let": (
        "def @main() { let %f = fn (%n: int32) -> int32 { if (%n == 0) { 1 } else { %n * %f(%n - 1) } }; %f(5) }",
        120,
    ),
    "[R.15] functions as arguments": (
        "def @twice(%f: fn (int32) -> int32, %x: int32) -> int32 { %f(%f(%x)) }\ndef @main() { @twice(fn (%x: int32) { %x * 3 }, 2) }",
        18,
    ),
    "[R.9] operators as arguments": (
        "def @main() { let %g = fn (%h: fn (int32, int32) -> int32) { %h(5, 2) }; %g(subtract) }",
        3,
    ),
    "[R.2] recursion": (
        "def @f(%n: int32) -> int32 { if (%n == 0) { 0 } else { 1 + @f(%n - 1) } }\ndef @main() { @f(5000) }",
        5000,
    ),
    "[R.2] mutual recursion": (
        "def @even(%n: int32) -> bool { if (%n == 0) { True } else { @odd(%n - 1) } }\ndef @odd(%n: int32) -> bool { if (%n == 0) { False } else { @even(%n - 1) } }\ndef @main() { (@even(10), @odd(10)) }",
        (True, False),
    ),
    "[R.2] Ackermann": (
        "def @ack(%m: int32, %n: int32) -> int32 { if (%m == 0) { %n + 1 } else if (%n == 0) { @ack(%m - 1, 1) } else { @ack(%m - 1, @ack(%m, %n - 1)) } }\ndef @main() { @ack(2, 3) }",
        9,
    ),
    "[R.10] values": (LIST + "def @main() { Cons(1, Cons(2, Nil)) }", "Cons(1, Cons(2, Nil))"),
    "[R.10] constructors as functions": (
        LIST
        + "def @main() { let %f = fn (%c: fn (int32, List[int32]) -> List[int32]) { %c(1, Nil) }; %f(Cons) }",
        "Cons(1, Nil)",
    ),
    "[R.17] match": (LIST + "def @main() { match (Cons(1, Nil)) { Cons(%h, _) => %h, Nil => 0 } }", 1),
    "[R.17] first clause": (NAT + "def @main() { match (S(Z)) { S(_) => 1, S(Z) => 2, _ => 3 } }", 1),
    "[R.17] nested": (
        NAT
        + "def @pred2(%v: Nat) -> Nat { match (%v) { S(S(%n)) => %n, _ => %v } }\ndef @main() { (@pred2(S(S(S(Z)))), @pred2(S(Z))) }",
        ("S(Z)", "S(Z)"),
    ),
    "[R.17] tuples": (NAT + "def @main() { match ((Z, S(Z))) { (Z, Z) => 1, (Z, S(%n)) => 2, _ => 3 } }", 2),
    "[R.17] as described": (NAT + "def @main() { match (S(Z)) { case Z() { 1 } case S(%n) { 2 } } }", 2),
    "[R.17] partial": (NAT + "def @main() { match? (S(Z)) { S(%n) => %n } }", "Z"),
    "[R.39] polymorphic": (
        "def @id[A](%x: A) -> A { %x }\ndef @main() { (@id(1), @id(True), @id((1f, 2))) }",
        (1, True, (1.0, 2)),
    ),
    "[R.39] let": ("def @main() { let %id = fn (%x) { %x }; (%id(1), %id(True)) }", (1, True)),
    "[R.39] let calls itself": (
        LIST
        + "def @main() { let %len = fn (%l) { match (%l) { Cons(_, %t) => 1 + %len(%t), Nil => 0 } }; (%len(Cons(1f, Nil)), %len(Cons(True, Cons(False, Nil)))) }",
        (1, 2),
    ),
    "[R.39] map": (
        LIST
        + "def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] { match (%l) { Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)), Nil => Nil } }\ndef @main() { @map(fn (%x: int32) { %x < 2 }, Cons(1, Cons(2, Nil))) }",
        "Cons(True, Cons(False, Nil))",
    ),
    "[R.39] fold": (
        LIST
        + "def @foldl[A, B](%f: fn (A, B) -> A, %a: A, %l: List[B]) -> A { match (%l) { Cons(%h, %t) => @foldl(%f, %f(%a, %h), %t), Nil => %a } }\ndef @main() { @foldl(add, 0, Cons(1, Cons(2, Cons(3, Nil)))) }",
        6,
    ),
    "[R.39] trees": (
        TREE
        + "def @size[A](%t: Tree[A]) -> int32 { match (%t) { Leaf => 0, Node(%l, _, %r) => @size(%l) + 1 + @size(%r) } }\ndef @main() { @size(Node(Node(Leaf, 1f, Leaf), 2f, Leaf)) }",
        2,
    ),
    "[R.39] nothing says the type": (
        LIST
        + "def @len[A](%l: List[A]) -> int32 { match (%l) { Cons(_, %t) => 1 + @len(%t), Nil => 0 } }\ndef @main() { @len(Nil) }",
        0,
    ),
    "[R.5] kinds": (
        "def @main() { let %f = fn<s : Shape, bt : BaseType>(%x : Tensor[s, bt]) -> Tensor[s, bt] { %x }; (%f(1f), %f(2)) }",
        (1.0, 2),
    ),
    "[R.28] any": (
        'def @f(%x: Tensor[(?), int32]) -> Tensor[(?), int32] { concatenate((%x, %x)) }\ndef @main() { @f(zeros(shape=[2], dtype="int32")) }',
        [0, 0, 0, 0],
    ),
    "[R.33] split": (
        'def @main() { let %p = split(arange(0, 6, 1, start=None, stop=None, step=None, dtype="int32"), indices_or_sections=3); %p.1 }',
        [2, 3],
    ),
    "[R.33] topk": (
        'def @main() { topk(arange(0, 4, 1, start=None, stop=None, step=None, dtype="int32"), k=2).0 }',
        [3, 2],
    ),
    "[R.33] argmax": (
        'def @main() { argmax(arange(0, 4, 1, start=None, stop=None, step=None, dtype="float32")) }',
        3,
    ),
    "[R.33] one_hot": ("def @main() { one_hot(1, 1f, 0f, depth=3) }", [0, 1, 0]),
    "[R.33] dropout": ("def @main() { nn.dropout(1f) }", (1.0, 1.0)),
}


def plain(value: object) -> object:
    if isinstance(value, tuple):
        return tuple([plain(one) for one in value])
    if isinstance(value, np.ndarray):
        return value.tolist()
    return repr(value) if isinstance(value, AdtValue) else value


def run(text: str, *args: object, engine: str) -> object:
    return api.run_session(api.start(RelayFile(text, "model.relay"), engine=engine), "main", args)


@pytest.mark.parametrize("engine", ["relay", "compiled", "interpreter"])
@pytest.mark.parametrize(("text", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_R_37_values(text, expected, engine):
    assert plain(run(text, engine=engine)) == expected


@pytest.mark.parametrize("engine", ["relay", "compiled"])
def test_R_37_failures_point_into_the_text(engine):
    text = "def @main(%x: int32) { 1 + 10 / %x }"
    with pytest.raises(api.RelaxError) as error:
        run(text, 0, engine=engine)
    [found] = error.value.diagnostics
    assert text[found.pos : found.end] == "10 / %x"


@pytest.mark.parametrize("engine", ["relay", "compiled"])
def test_R_17_a_partial_match_fails_with_the_value(engine):
    with pytest.raises(api.RelaxError) as error:
        run(NAT + "def @main() { match? (Z) { S(%n) => %n } }", engine=engine)
    [found] = error.value.diagnostics
    assert (found.slug, found.message) == ("relay-no-clause", "no clause of the match fits Z")


def test_R_37_recursion_is_as_deep_as_memory():
    text = (
        "def @f(%n: int32) -> int32 { if (%n == 0) { 0 } else { 1 + @f(%n - 1) } }\ndef @main() { @f(10000) }"
    )
    assert plain(run(text, engine="relay")) == 10000


def test_R_38_everything_that_has_no_translation_is_listed_in_one_run():
    text = "def @main(%x: Tensor[(2, 2), float32], %p: float32) {\n  free_var %y: float32;\n  free_var %z: float32;\n  (%y, %z, %x)\n}\n"
    with pytest.raises(api.RelaxError) as error:
        api.check_sound(RelayFile(text))
    assert {one.slug for one in error.value.diagnostics} == {"relay-not-translated"}
    assert len(error.value.diagnostics) == 2


def test_R_38_pure_runs_are_dataflow_blocks():
    from relax_lang.api.relay import translated

    text = "def @main(%x: Tensor[(2), float32]) { let %y = exp(%x); let %z = %y + %x; if (True) { %z } else { %y } }"
    assert translated(RelayFile(text)).text == (
        "def @main(x: Tensor[(2,), float32]) -> Tensor[(2,), float32] {\n"
        "  dataflow {\n    let y = exp(x);\n    let z = add(y, x);\n    output y, z;\n  }\n"
        "  let gv_2 = if const(true, bool) { z } else { y };\n  gv_2\n}\n"
    )


def test_R_12_constants_of_the_metadata_are_read_and_written_beside_the_translation(tmp_path, capsys):
    import base64
    import json
    import struct

    from tests.docs.tools import relax

    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    data = (
        struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, 2, 2, 32, 1)
        + struct.pack("<qqq", 2, 3, 24)
        + values.tobytes()
    )
    nodes = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
        {"type_key": "Array", "data": [3]},
        {"type_key": "relay.Constant", "attrs": {"data": "0"}},
    ]
    meta = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": [base64.b64encode(data).decode()]})
    text = f"def @main() {{ meta[relay.Constant][0] * 2f }}\n#[metadata]\n{meta}\n"
    for engine in ("relay", "compiled"):
        assert plain(run(text, engine=engine)) == (values * 2).tolist()
    path = tmp_path / "model.relay"
    path.write_text(text)
    assert relax(f"relax import {path} -o {tmp_path / 'model.rlx'}", capsys)[0] == 0
    assert np.array_equal(np.load(tmp_path / "model.npz")["constant_0"], values)
    status, out, _ = relax(f"relax run {tmp_path / 'model.rlx'}", capsys)
    assert status == 0
    assert "10." in out
    broken = text.replace('"b64ndarrays": ["', '"b64ndarrays": ["AAAA')
    assert [one.slug for one in api.check(RelayFile(broken)).diagnostics] == ["relay-meta-invalid"]


def test_R_40_what_looks_into_a_run_is_of_the_translation(tmp_path, capsys):
    from tests.docs.tools import relax

    path = tmp_path / "a.relay"
    path.write_text("def @main(%x: int32) { %x + 1 }")
    for option in ("--trace", "--nan", f"--save-all {tmp_path}/all", "--profile"):
        assert relax(f"relax run {path} --args 4 {option}", capsys)[0] == 0
        status, _, err = relax(f"relax run {path} --args 4 --engine relay {option}", capsys)
        assert (status, f"`{option.partition(' ')[0]}` looks into" in err) == (2, True)


def test_R_40_the_commands_take_relay_programs(tmp_path, capsys):
    from tests.docs.tools import relax

    path = tmp_path / "a.relay"
    path.write_text("def @main(%x: int32) { %x+1 }")
    assert relax(f"relax run {path} --args 4 --engine relay", capsys)[1].split() == [
        "Tensor[(),",
        "int32]",
        "5",
    ]
    assert relax(f"relax run {path} --args 4", capsys)[1].split() == ["Tensor[(),", "int32]", "5"]
    assert relax(f"relax fmt {path}", capsys)[0] == 0
    assert path.read_text() == "def @main(%x: int32) {\n  %x + 1\n}\n"
    assert relax(f"relax parse {path}", capsys)[0] == 0
    status, out, _ = relax(f"relax import {path}", capsys)
    assert (status, out) == (0, api.format_text(out))
    rlx = tmp_path / "b.rlx"
    rlx.write_text("def @main() { 1 }")
    assert relax(f"relax run {rlx} --engine relay", capsys)[0] == 2
