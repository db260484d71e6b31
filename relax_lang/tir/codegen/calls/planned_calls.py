"""PrimFuncs in the form for calls that the runtime has planned. [TIR.21] [O.4]

Of such a call dtypes, ranks and shapes are established, its results are new arrays that no other name refers to, and
errors of floats are ignored already. So the function tests nothing of that, and makes its results itself; a result that
one operation computes is what this operation makes. What only sizes decide is asked once for each combination of them,
by a function of its own.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, Ref, names_in, parts_of
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.calls.blocks import in_one_block
from relax_lang.tir.codegen.calls.constant_folding import ConstantFolding, decided_numbers, named_sizes
from relax_lang.tir.codegen.calls.dot_products import with_dots
from relax_lang.tir.codegen.calls.few_elements import on_few_elements
from relax_lang.tir.codegen.calls.forms import FITS, LARGE, MAKE, RUN, TINY, Form, size_class
from relax_lang.tir.codegen.calls.monotone_sizes import are_monotone
from relax_lang.tir.codegen.calls.planned_memory import may_overwrite, view_of_input, without_scratch
from relax_lang.tir.codegen.calls.planned_reductions import with_reductions
from relax_lang.tir.codegen.calls.repeated_calls import lines_of, tables_function
from relax_lang.tir.codegen.calls.size_values import SizeValues
from relax_lang.tir.codegen.calls.small_arrays import (
    with_results_named,
    with_sums_of_few_rows,
    with_ufuncs,
    without_restoring,
)
from relax_lang.tir.codegen.passes.effects import definitions, may_fail
from relax_lang.tir.codegen.passes.rewriting import propagate
from relax_lang.tir.codegen.printer.module import makes_arrays, module_with
from relax_lang.tir.codegen.printer.statements import Printer
from relax_lang.tir.ir import signature
from relax_lang.tir.options.sharing import NOTHING_SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.array_ir.nodes import Scalar, Statement
    from relax_lang.tir.codegen.printer.module import Generated, Module
    from relax_lang.tir.options.sharing import Sharing

    Shape = tuple[int, ...]

_BFLOAT16 = "bfloat16"


class PlannedCall:
    """Calls of one PrimFunc that have the last of its buffers as results; `shapes` are those of all buffers.

    All calls have these shapes if they are `certain`; otherwise the first one has, by which operations are chosen.
    """

    def __init__(
        self,
        code: Generated,
        results: int,
        shapes: Sequence[Shape],
        certain: bool,
        sharing: Sharing = NOTHING_SHARED,
    ) -> None:
        names = {param: name for name, param in code.params}
        buffers = signature.buffers(code.func)
        arrays = [names[buffer] for buffer in buffers]
        self._code = code
        self._dtypes = {names[buffer]: buffer.dtype.name for buffer in buffers}
        self._inputs, self._results = arrays[: len(arrays) - results], arrays[len(arrays) - results :]
        self._numbers = [names[scalar] for scalar in signature.scalars(code.func)]
        self._shapes = dict(zip(arrays, shapes, strict=True)) if certain else {}
        self._size_class = size_class(shapes)
        self._sizes = self._about_sizes()
        self._known = decided_numbers(self._sizes)
        self._body = without_restoring(code.parts[1], ())  # what it stores to is new
        self._sharing = sharing

    @property
    def is_possible(self) -> bool:
        """Whether a call needs no more than its inputs: the function calls nothing, stores to no other parameter than
        its results, and makes arrays in all calls, of sizes that are known before.
        """
        code = self._code
        if code.externs or not set(code.writable) <= {*self._results}:
            return False
        if any(makes_arrays(one) for one in self._body if not isinstance(one, ir.Allocate)):
            return False
        known = {*definitions(self._sizes), *self._numbers}
        if not set[str]().union(*[names_in(size) for one in self._made() for size in one.shape]) <= known:
            return False
        of_results = [one for one in self._sizes if not names_in(one).isdisjoint(self._results)]
        return bool(self._results) and not [one for one in of_results if not isinstance(one, ir.Require)]

    @property
    def may_fail(self) -> bool:
        """Whether a call may have to be given up while it runs."""
        return any(may_fail(statement) for statement in self._code.parts[1])

    def _made(self) -> list[ir.Allocate]:
        """Return the arrays that the program makes."""
        return [one for one in self._body if isinstance(one, ir.Allocate) and not one.workspace]

    @property
    def forms(self) -> list[Form]:
        """How such calls may run, what is best first."""
        views = bool(self._sharing.views) and any(
            view_of_input(self._body, name, self._dtypes, self._shape_of) is not None
            for name in self._results
        )
        found = [Form(views=views), Form(), Form(makes=False)]
        if in_one_block(self._body)[1]:
            found.insert(0, Form(views=views, whole=True))
        return list(dict.fromkeys(found))

    @property
    def overwritten(self) -> int | None:
        """The position of an input that the result may be written over."""
        if len(self._results) != 1 or any(may_fail(statement) for statement in self._body):
            return None
        [result] = self._results
        for at in self._sharing.over:
            given = self._inputs[at]
            if self._dtypes[given] == self._dtypes[result] != _BFLOAT16:
                body = self._with_scratch_in_results(self._body)
                if may_overwrite(body, result, given):
                    return at
        return None

    def module(self, form: Form, tables: bool = True) -> Module:
        """Return the module with three functions: the one that runs a call and returns its results; the one that
        raises `NotVectorized` for sizes that it does not run, and returns the shapes and dtypes of the arrays that the
        program makes; and the one that returns what the first one finds under names of the module, as all calls compute
        the same: nothing without `tables`.
        """
        body, wanted = self._computing(form)
        allocated = [name for name in self._results if not self._is_found(body, name, form)]
        first: list[Statement] = []
        if form.over is not None:
            first = [ir.Define(self._results[0], Ref(self._inputs[form.over]))]
            allocated = []
        body = [
            *[one for one in self._sizes if not isinstance(one, ir.Require)],
            *[
                ir.Allocate(name, self._shape_of(name), self._dtypes[name], workspace=True)
                for name in allocated
            ],
            *first,
            *body,
        ]
        body = with_dots(ConstantFolding(self._known, self._code.fresh).folded(body))
        if self._size_class == TINY:
            body = [with_sums_of_few_rows(statement) for statement in body]
        printer = Printer(self._code.fresh, by_position=True)
        decided = SizeValues((), self._code.fresh, self._results)
        if tables:
            body = decided.taken_from(body)
        body = on_few_elements(body, decided.definitions)
        make = tables_function(MAKE, printer, decided.definitions)
        run = self._function(printer, RUN, self._inputs, body)
        run.append(f"    return {', '.join(self._results)}")
        made = [(self._code.fresh("made"), one) for one in self._made()]
        shapes = [ir.Define(name, ir.Tuple(one.shape)) for name, one in made]
        same = [ir.ScalarOp("==", (Ref(name), size)) for name, size in wanted]
        fits = self._function(
            printer,
            FITS,
            [*self._inputs, *self._results],
            [*self._sizes, *([ir.Require(tuple(same))] if same else []), *shapes],
            [name for name, _ in made],
        )
        fits.append(f"    return [{', '.join([f'({name}, {one.dtype!r})' for name, one in made])}]")
        return module_with(printer.helpers, ["\n".join(lines) for lines in (run, fits, make)])

    def is_monotone(self, form: Form) -> bool:
        """Return whether two combinations of sizes that fit have nothing but such in between."""
        _, wanted = self._computing(form)
        made = [size for one in self._made() for size in one.shape]
        return are_monotone(self._sizes, self._numbers, wanted, made)

    def makes_results(self, form: Form) -> bool:
        """Return whether each result is what an operation makes, so that all of its elements are written."""
        body, _ = self._computing(form)
        return all(self._is_found(body, name, form) for name in self._results)

    def _computing(self, form: Form) -> tuple[list[Statement], list[tuple[str, Scalar]]]:
        """Return the statements of a form, and sizes that names must have."""
        body, wanted = in_one_block(self._body) if form.whole else (self._body, [])
        body = self._with_scratch_in_results(body)
        body = [
            ir.Allocate(one.name, one.shape, one.dtype, workspace=True)
            if isinstance(one, ir.Allocate)
            else one
            for one in body
        ]
        if self._size_class < LARGE:
            body = [with_ufuncs(statement) for statement in body]
        if self._size_class == TINY and form.over is None:
            own = [*self._results, *[one.name for one in body if isinstance(one, ir.Allocate)]]
            body = with_reductions(body, own)
        propagate(body, self._results)
        if self._size_class < LARGE:
            body = with_results_named(body)
        return body, wanted

    def _with_scratch_in_results(self, body: list[Statement]) -> list[Statement]:
        for name in self._results if len(self._results) == 1 else ():
            if self._dtypes[name] != _BFLOAT16:
                body = without_scratch(body, name, self._dtypes[name], self._shape_of(name))
        return body

    def _is_found(self, body: list[Statement], name: str, form: Form) -> bool:
        """Let a result be a view of an input, or what an operation makes; return whether it is either."""
        if form.over is not None:
            return False
        if form.views and self._sharing.views:
            found = view_of_input(body, name, self._dtypes, self._shape_of)
            if found is not None and self._inputs.index(found[1]) in self._sharing.views:
                body[found[0]] = ir.Define(name, found[2])
                return True
        return form.makes and self._is_made(body, name)

    def _function(
        self,
        printer: Printer,
        name: str,
        arrays: list[str],
        body: list[Statement],
        returned: Sequence[str] = (),
    ) -> list[str]:
        lines = lines_of(printer, body, [*arrays, *self._results, *returned])
        return [f"def {name}({', '.join([*arrays, *self._numbers])}):", *lines]

    def _about_sizes(self) -> list[Statement]:
        """Return what the entry defines and requires of sizes, in order; sizes that are known are numbers."""
        found: list[Statement] = []
        for statement in self._code.parts[0]:
            named = named_sizes(statement)
            if named is not None and named[0] in self._shapes:
                sizes = self._shapes[named[0]]
                found += [ir.Define(name, Literal(sizes[at])) for name, at in named[1]]
                continue
            match statement:
                case ir.Require(conditions):
                    kept = [one for one in conditions if not _is_about_arrays(one)]
                    found += [ir.Require(tuple(kept))] if kept else []
                case _:
                    found.append(statement)
        return found

    def _shape_of(self, name: str) -> tuple[Scalar, ...]:
        """Return the shape of an array: numbers, the names that it gives sizes, or what the entry compares it with."""
        if name in self._shapes:
            return tuple([Literal(size) for size in self._shapes[name]])
        for statement in self._code.parts[0]:
            match statement:
                case ir.Unpack(names, ir.Property(Ref(array), "shape")) if array == name:
                    return tuple([Ref(one) for one in names])
                case _:
                    pass
            for condition in statement.conditions if isinstance(statement, ir.Require) else ():
                match condition:
                    case ir.ScalarOp("==", (ir.Property(Ref(array), "shape"), ir.Tuple(sizes))) if (
                        array == name
                    ):
                        return tuple([size for size in sizes if isinstance(size, ir.Scalar)])
                    case _:
                        pass
        return ()  # all others are compared, or name a size

    def _is_made(self, body: list[Statement], name: str) -> bool:
        """Let the operation that stores a whole result first make it; return whether there is one."""
        first = next((at for at, statement in enumerate(body) if name in names_in(statement)), None)
        if first is None:
            return False
        match body[first]:
            case ir.Into(
                Ref(target, dtype, shape), ir.Elementwise() | ir.Clip() | ir.MatMul() | ir.Reduce() as value
            ) if (
                target == name
                and dtype == self._dtypes[name] != _BFLOAT16
                and shape
                and name not in names_in(value)
            ):
                body[first] = ir.Define(name, value)
                return True
            case ir.Store(Ref(target, dtype, shape), ir.Elementwise() as value) if (
                target == name
                and value.dtype == dtype == self._dtypes[name] != _BFLOAT16
                and shape
                and value.domain == shape
                and name not in names_in(value)
            ):
                body[first] = ir.Define(name, value)  # a function that makes its result anyway
                return True
            case ir.Evaluate(ir.Call("product_into", (a, b, Ref(target, dtype)))) if (
                target == name and dtype == self._dtypes[name] != _BFLOAT16
            ):
                body[first] = ir.Define(name, ir.Reshaped(ir.MatMul(a, b), self._shape_of(name)))
                return True
            case _:
                return False


def _is_about_arrays(part: Node | Polynomial) -> bool:
    """Return whether a condition looks at an array, not at sizes and numbers alone."""
    if isinstance(part, ir.Property | ir.HasDtype | ir.Call):
        return True
    return isinstance(part, Node) and any(_is_about_arrays(one) for one in parts_of(part))
