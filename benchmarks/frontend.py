"""Text to tree, scopes, normal form, struct infos, and back to text: throughput, linearity, memory, all in one run.

    python benchmarks/frontend.py [--repeat 5]

Prints bindings per second for files of 1,000, 5,000 and 20,000 bindings, the cost per binding relative to the
smallest file (1.0 is linear), and the memory of the tree per binding. `check` is everything that `relax check` does
with a text: it parses, resolves, normalizes and infers. With `apache-tvm` importable it also times TVM's parser, which
infers as well, on a TVMScript file of the same bindings. Then come a module of 500 PrimFuncs, and programs in Relay of
as many bindings: `check` parses, resolves and infers, `translate` makes a module of Relax.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from relax_lang.api import check
from relax_lang.format.printer import format_parsed
from relax_lang.normalize.normalize import normalize
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse

SIZES = (1_000, 5_000, 20_000)


def program(bindings: int) -> str:
    """Return a file with one function of so many bindings, symbolic shapes and a few kinds of expressions."""
    forms = (
        "  let v{i} = add(v{p}, x);",
        "  let v{i}: Tensor[(n, 4), float32] = multiply(v{p}, const(0.5, float32));",
        "  let v{i} = nn.softmax(v{p} + x, axis=-1);",
        "  let v{i} = reshape(permute_dims(v{p}), shape(n, 4));",
    )
    lines = ["def @main(x: Tensor[(n, 4), float32]) -> Tensor {", "  let v0 = x;"]
    lines += [forms[i % 4].format(i=i, p=i - 1) for i in range(1, bindings)]
    return "\n".join([*lines, f"  v{bindings - 1}", "}", ""])


def relay_program(bindings: int) -> str:
    """Return a Relay file with one function of so many bindings, each of one operator or two."""
    forms = (
        "  let %v{i} = %v{p} + %x;",
        "  let %v{i} = %v{p} * 0.5f;",
        "  let %v{i} = nn.softmax(%v{p});",
        "  let %v{i} = reshape(transpose(%v{p}, axes=None), newshape=[8, 4]);",
    )
    lines = ["def @main(%x: Tensor[(8, 4), float32]) {", "  let %v0 = %x;"]
    lines += [forms[i % 4].format(i=i, p=i - 1) for i in range(1, bindings)]
    return "\n".join([*lines, f"  %v{bindings - 1}", "}", ""])


def relay_rows(repeat: int) -> None:
    """Print the rows of Relay."""
    from relax_lang.base.source import RelayFile
    from relax_lang.relay.checking import analyse
    from relax_lang.relay.syntax.formatting import format_parsed as format_relay
    from relax_lang.relay.syntax.parser import parse as parse_relay
    from relax_lang.relay.translation.program import translate

    first: dict[str, float] = {}
    for size in SIZES:
        text = relay_program(size)
        parsed = parse_relay(text)
        source = RelayFile(text)
        assert not analyse(source).diagnostics
        steps: dict[str, Callable[[], object]] = {
            "Relay: parse": lambda text=text: parse_relay(text),
            "Relay: format": lambda parsed=parsed: format_relay(parsed, parsed.comments),
            "Relay: check": lambda source=source: analyse(source),
            "Relay: translate": lambda source=source: translate(source, "c.npz"),
        }
        for name, work in steps.items():
            seconds = best(work, repeat)
            first.setdefault(name, seconds / size)
            print(f"{size:>9}  {name:<22} {size / seconds:>11,.0f}  {seconds / size / first[name]:>28.2f}")


def prim_funcs(count: int) -> str:
    """Return a module of so many PrimFuncs of symbolic size, each with a block and a reduction, all called."""
    func = """prim_func @f{i}(X: Buffer[(n, m), float32], Y: Buffer[(n,), float32]) {{
  for i, j in grid(n, m) {{
    block sum (vi = spatial(i), vj = reduce(j)) {{
      init {{ Y[vi] = 0.0; }}
      Y[vi] = Y[vi] + X[vi, vj] * {i}.0;
    }}
  }}
}}
"""
    calls = [f"  let v{i} = call_tir(@f{i}, (x,)) -> Tensor[(n,), float32];" for i in range(count)]
    head = "def @main(x: Tensor[(n, m), float32]) -> Tensor[(n,), float32] {"
    return "\n".join([*[func.format(i=i) for i in range(count)], head, *calls, f"  v{count - 1}", "}", ""])


def best(work: Callable[[], object], repeat: int) -> float:
    """Return the least processor time of several runs, in seconds."""
    times: list[float] = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def tvm_rate(bindings: int, repeat: int) -> float | None:
    """Return the bindings per second of TVM's own parser, or None without TVM."""
    try:
        from tvm.script import from_source  # type: ignore[import-not-found]
    except ImportError:
        return None
    forms = (
        "    v{i} = R.add(v{p}, x)",
        '    v{i}: R.Tensor((n, 4), "float32") = R.multiply(v{p}, R.const(0.5, "float32"))',
        "    v{i} = R.nn.softmax(R.add(v{p}, x), axis=-1)",
        "    v{i} = R.reshape(R.permute_dims(v{p}), (n, 4))",
    )
    lines = ["@R.function", 'def main(x: R.Tensor(("n", 4), "float32")):', "    n = T.int64()", "    v0 = x"]
    lines += [forms[i % 4].format(i=i, p=i - 1) for i in range(1, bindings)]
    text = "\n".join([*lines, f"    return v{bindings - 1}", ""])
    return bindings / best(lambda: from_source(text), repeat)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat: int = parser.parse_args().repeat
    sys.setrecursionlimit(100_000)
    first: dict[str, float] = {}
    print(f"{'bindings':>9}  {'step':<22} {'bindings/s':>11}  {'cost per binding, 1,000 = 1':>28}")
    for size in SIZES:
        text = program(size)
        parsed = parse(text)
        assert not check(text).diagnostics, check(text).diagnostics
        resolved = resolve(parsed.tree)
        steps: dict[str, Callable[[], object]] = {
            "parse": lambda text=text: parse(text),
            "resolve": lambda tree=parsed.tree: resolve(tree),
            "normalize": lambda tree=parsed.tree, names=resolved: normalize(tree, names),
            "format": lambda parsed=parsed: format_parsed(parsed),
            "check": lambda text=text: check(text),
        }
        for name, work in steps.items():
            seconds = best(work, repeat)
            first.setdefault(name, seconds / size)
            print(f"{size:>9}  {name:<22} {size / seconds:>11,.0f}  {seconds / size / first[name]:>28.2f}")
        rate = tvm_rate(size, 1) if size <= 5_000 else None
        if rate is not None:
            print(f"{size:>9}  {'TVM parse and infer':<22} {rate:>11,.0f}")
    text = prim_funcs(500)
    assert not check(text).diagnostics, check(text).diagnostics
    print(f"check of a module with 500 PrimFuncs, all called: {best(lambda: check(text), repeat):.2f} s")
    relay_rows(repeat)
    text = program(SIZES[-1])
    tracemalloc.start()
    kept = parse(text)
    current, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    print(
        f"memory per binding at {SIZES[-1]:,}: tree {current / SIZES[-1]:,.0f} bytes, peak {peak / SIZES[-1]:,.0f}"
    )


if __name__ == "__main__":
    main()
