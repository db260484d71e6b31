"""Small random loop nests with one access, as a PrimFunc and as Python: what the checks claim is tried out.

All pieces are texts that both languages read alike, so that Python evaluates them on its own.
"""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

SIZES = (0, 1, 2, 3, 4, 5)
LIST = st.sampled_from


class Nest:
    """Loops as (name, low, stop), conditions, and indices for buffers of the given dimensions."""

    def __init__(self, loops, guards, indices, dims, kind="", symbolic=True) -> None:
        self.loops = loops
        self.guards = guards
        self.indices = indices
        self.dims = dims
        self.kind = kind
        self.symbolic = symbolic

    def program(self, statement: str, params: str = "") -> str:
        """Return the PrimFunc that runs a statement in the nest; `{0}` is the list of indices."""
        opening, closing = "let v = L[0]; ", ""
        for at, (name, low, stop) in enumerate(self.loops):
            kind = f"{self.kind} " if self.kind and not at else ""
            opening += f"for {kind}{name} in {low}..{stop} {{ "
            closing += " }"
        opening += "R[0] = 1; "
        for guard in self.guards:
            opening += f"if {guard} {{ "
            closing += " }"
        dims = ", ".join(self.dims) + ","
        head = "A: Buffer[(n, m), float32], L: Buffer[(1,), int64], R: Buffer[(2,), int32], "
        head += f"X: Buffer[({dims}), float32]{params}"
        return f"prim_func @f({head}) {{ {opening}{statement.format(', '.join(self.indices))}{closing} }}"

    def sizes(self):
        """Yield values for n and m, and for v, which is loaded; one of each where nothing depends on them."""
        loaded = (-2, 0, 3) if "v" in repr(self) else (0,)
        for n, m, v in product(SIZES, SIZES, loaded) if self.symbolic else ((3, 4, 0),):
            yield {"n": n, "m": m, "v": v}

    def shape(self, env: dict[str, int]) -> list[int]:
        return [eval(dim, {}, env) for dim in self.dims]

    def iterations(self, env: dict[str, int]):
        """Yield the values of all names at every iteration, conditions or not."""
        yield from self._iterations(dict(env), 0)

    def _iterations(self, env, at):
        if at == len(self.loops):
            yield dict(env)
            return
        name, low, stop = self.loops[at]
        for value in range(eval(low, {}, env), eval(stop, {}, env)):
            yield from self._iterations({**env, name: value}, at + 1)

    def reached(self, env: dict[str, int]) -> bool:
        return all(eval(guard.replace("&&", "and").replace("||", "or"), {}, env) for guard in self.guards)

    def element(self, env: dict[str, int]) -> tuple[int, ...]:
        return tuple(eval(index, {}, env) for index in self.indices)

    def __repr__(self) -> str:
        return self.program("X[{0}] = 1.0;").partition("L[0];")[2]


def expressions(names: list[str]):
    """Return texts of index expressions over some names."""
    leaf = st.one_of(LIST(names), LIST(names), st.integers(0, 4).map(str))
    small = st.integers(1, 4).map(str)

    def grown(inner):
        return st.one_of(
            st.tuples(inner, LIST("+-"), inner).map(" ".join).map("({})".format),
            st.tuples(inner, LIST(["*", "//", "%"]), small).map(" ".join).map("({})".format),
            st.tuples(LIST(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        )

    return st.recursive(leaf, grown, max_leaves=4)


@st.composite
def nests(draw, guarded: bool = True, affine: bool = False, kind: str = "") -> Nest:
    """Draw a nest; an affine one has constant sizes and nothing but sums and multiples."""
    sizes = ["3", "4"] if affine else ["n", "m"]
    loops: list[tuple[str, str, str]] = []
    for name in draw(LIST([["i"], ["i", "j"], ["i", "j", "k"]])):
        outer = [] if affine else [one[0] for one in loops]
        low = draw(LIST(["0", "0", "0", "1", *outer]))
        stop = draw(
            LIST(
                [*sizes, *sizes, "2", f"{sizes[0]} + 1", f"{sizes[1]} * 2", *[f"{one} + 1" for one in outer]]
            )
        )
        loops.append((name, low, stop))
    names = [one[0] for one in loops]
    dims = draw(st.lists(LIST([*sizes, "4", f"{sizes[0]} + 1", f"{sizes[0]} * 2"]), min_size=1, max_size=2))
    if affine:
        term = st.tuples(st.integers(-2, 2).map(str), LIST(names)).map(" * ".join)
        index = st.tuples(term, term, st.integers(-1, 6).map(str)).map(" + ".join)
    else:
        index = expressions([*names, *names, *names, *sizes, "v"])
    indices = [draw(st.one_of(LIST(names), index)) for _ in dims]
    guards: list[str] = []
    if guarded:
        side = expressions([*names, *names, *sizes, "v"])
        compare = st.tuples(side, LIST(["<", "<=", ">", ">=", "==", "!="]), side).map(" ".join)
        condition = st.one_of(compare, st.tuples(compare, LIST(["&&", "||"]), compare).map(" ".join))
        guards = draw(st.lists(condition, max_size=2))
    return Nest(loops, guards, indices, dims, kind, symbolic=not affine)
