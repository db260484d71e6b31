"""What is said holds when programs run: no finding, no failed check; a proof, no failure; an error, no success.

Random programs with dimensions of all kinds, and those that compare the engines. [C.0] [D.13] [D.14] [Z.2]
"""

from __future__ import annotations

import re
from random import Random

import pytest

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import Checked, check_source
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure, ShapeValue
from tests.runtime.compiler.random_host import Host
from tests.runtime.compiler.random_programs import Program

SIZES = [(n, m) for n in (0, 1, 2, 5) for m in (0, 1, 3)]
UNDECIDED = {"match-cast-failed", "negative-dimension", "dim-division-by-zero"}
"""Failures that checking leaves to the run without a word."""
LEFT_OUT = UNDECIDED | {
    "op-runtime-shape", "op-runtime-value", "recursion-limit", "assertion-failed", "out-of-memory",
}  # fmt: skip


class Dimensions:
    """Writes programs whose annotations, signatures and casts have dimensions that mostly go together."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def dim(self, names: str, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.25):
            return self.pick(*names, *names, str(self.random.randint(0, 4)))
        a, b = self.dim(names, depth - 1), self.dim(names, depth - 1)
        divisor = self.random.randint(1, 4)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"(({a}) // {divisor})", f"(({a}) % {divisor})",
            f"min({a}, {b})", f"max({a}, {b})", f"select({a} {self.pick('<', '==', '>=')} {b}, {b}, {a})",
        )  # fmt: skip

    def like(self, dim: str, names: str) -> str:
        """Return a dimension that is the same, or is not."""
        same = self.pick(dim, f"({dim} + 0)", f"({dim}) * 2 - ({dim})", f"(({dim}) * 4 + 3) // 4")
        return self.pick(same, same, f"({dim}) + 1", f"max({dim}, 0)", self.dim(names))

    def program(self) -> str:
        given, result = self.dim("ab"), self.dim("ab")
        first, second = self.dim("nm", 1), self.dim("nm", 1)

        def called(dim: str) -> str:
            return re.sub(r"\b[ab]\b", lambda name: f"({first if name[0] == 'a' else second})", dim)

        body = self.like(result, "ab") if self.chance(0.3) else result
        lines = [f"def @f(s: Shape[(a, b)], t: Shape[({given},)]) -> Shape[({result},)] {{ shape({body}) }}"]
        lines.append("def @main(x: Shape[(n, m)]) {")
        if self.chance(0.5):
            lines.append(f"match_cast(x, Shape[({self.pick('k', 'n', 'm')}, {self.pick('j', 'n')})]);")
        dim = self.dim("nm")
        if self.chance(0.6):
            lines.append(f"let v: Shape[({dim}, m)] = shape({self.like(dim, 'nm')}, m);")
        if self.chance(0.7):
            lines.append(
                f"let w: Shape[({self.like(called(result), 'nm')},)] = "
                f"@f(shape({first}, {second}), shape({self.like(called(given), 'nm')}));"
            )
        return "\n".join([*lines, "x", "}"])


def outcome(session: Session, *arguments: object) -> str:
    try:
        session.call("main", arguments)
    except RunFailure as failure:
        return failure.slug
    return "value"


def severity(checked: Checked) -> str:
    found = [one.severity for one in checked.diagnostics]
    return "error" if "error" in found else "warning" if "warning" in found else "none"


def unchecked(checked: Checked, **options: object) -> Session:
    module = normalize(checked.tree, checked.resolved)
    return Session(module, checked.source, engine="interpreter", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("part", range(4))
def test_C_0_D_13_D_14_random_dimensions(part: int) -> None:
    kinds: list[str] = []
    for seed in range(part * 100, part * 100 + 100):
        text = Dimensions(seed).program()
        checked = check_source(SourceFile(text))
        kind = severity(checked)
        kinds.append(kind)
        outcomes = [outcome(unchecked(checked), ShapeValue(sizes)) for sizes in SIZES]
        if kind == "error":
            if [one for one in checked.diagnostics if one.pos > text.index("@main") and one.severity == kind]:
                assert "value" not in outcomes, text
            continue
        if kind == "none":
            assert {*outcomes} <= UNDECIDED | {"value"}, text
        proved = Session(checked.normal, checked.source, engine="compiled", proved=checked.inferred.proved)
        assert [outcome(proved, ShapeValue(sizes)) for sizes in SIZES] == outcomes, text
    assert min([kinds.count(kind) for kind in ("none", "warning", "error")]) > 5


class Quiet(Program):
    """A random program without packed functions, whose claims would prove nothing."""

    def packed(self, lines: list[str], depth: int) -> None:
        self.compute(lines, depth)


@pytest.mark.parametrize("part", range(3))
def test_Z_2_T_K12_what_is_found_right_fails_no_check(part: int) -> None:
    right = 0
    for seed in range(part * 60, part * 60 + 60):
        program = Quiet(seed)
        checked = check_source(SourceFile(program.text))
        if severity(checked) == "none":
            host = Host()
            session = unchecked(checked, packed=host.functions, write=host.write, max_calls=program.max_calls)
            assert outcome(session, *program.arguments()) in {*LEFT_OUT, "value"}, program.text
            right += 1
    assert right > 10
