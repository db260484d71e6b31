"""What is wrong with views: buffers of elements of another buffer. [TIR.22]"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, UNSAFE, rule
from relax_lang.base.wording import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Rule
    from relax_lang.base.node import Node
    from relax_lang.syntax import tree


@rule("RLX0726", "tir-view", ERROR, "TIR.22")
def view(rule: Rule, statement: Node, message: str, label: str) -> Diagnostic:
    """A view does not have the elements that its declaration says.

    A view is a buffer whose elements are elements of another buffer: of a region, with a dimension for each range in
    it, or, without a region, of all of it in row-major order. There are as many in the view as there; what is not
    known before the program runs is checked where the view is made.

    ```relax wrong
    prim_func @rows(A: Buffer[(8, 16), float32], B: Buffer[(8,), float32]) {
      for i in 0..8 {
        let row: Buffer[(8,), float32] = A[i, 0..16];
        B[i] = row[0] + row[7];
      }
    }
    ```

    ```relax right
    prim_func @rows(A: Buffer[(8, 16), float32], B: Buffer[(8,), float32]) {
      for i in 0..8 {
        let row: Buffer[(16,), float32] = A[i, 0..16];
        B[i] = row[0] + row[7];
      }
    }
    ```
    """
    return rule.at(statement, message, label)


def ranges_of_view(statement: tree.BufferView, rank: int, ranges: int) -> Diagnostic:
    """Report a region with more or fewer ranges than the view has dimensions."""
    name = statement.buffer.name
    region = f"the region of `{statement.source.name}` has {counted(ranges, 'range')}"
    message = f"`{name}` has {counted(rank, 'dimension')}, {region}"
    found = view(statement, message, f"{counted(ranges, 'range')} here")
    found.label(statement.buffer, f"{counted(rank, 'dimension')} here")
    return found.helped(
        "each range of the region, as in `A[i, 0..4]`, is a dimension of the view; `i..i + 1` is one of size 1"
    )


def size_of_view(
    statement: tree.BufferView, position: int, dim: Node, written: tuple[str, str], size: str
) -> Diagnostic:
    """Report a dimension of a view that is not what its range has."""
    name = statement.buffer.name
    text, region = written
    message = f"dimension {position} of `{name}` is {text}, the range `{region}` has {size}"
    found = view(dim, message, f"is {text}")
    found.label(statement.source, f"`{region}` has {size}")
    return found.replace(dim, size, f"write `{size}`", applicability=UNSAFE)


def count_of_view(statement: tree.BufferView, made: str, given: str) -> Diagnostic:
    """Report a view of a whole buffer with another number of elements."""
    name, source = statement.buffer.name, statement.source.name
    message = f"`{name}` has {made} elements, `{source}` has {given}"
    found = view(statement.buffer, message, f"{made} elements")
    found.label(statement.source, f"{given} elements")
    return found.helped(f"a part of a buffer is written as a region: `{source}[0..4]`")
