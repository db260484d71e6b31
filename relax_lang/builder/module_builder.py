"""The builder: programs from Python, in normal form and with struct infos as they grow. [N.1-N.17] [D.1]

`relax_lang.BlockBuilder` adds what runs and checks whole programs; passes use this class.
"""

from __future__ import annotations

from contextlib import contextmanager

from relax_lang.base.names import FreshNames
from relax_lang.base.node import replaced
from relax_lang.base.python_callers import calling_line
from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import diagnostics as diag
from relax_lang.builder import tensor_calls
from relax_lang.builder.blocks import Dataflow, Scope
from relax_lang.builder.infos import info_node
from relax_lang.builder.places import beside
from relax_lang.builder.scopes import FunctionBuilder
from relax_lang.builder.values import Atom, Pending, literal
from relax_lang.check.infer.drivers.incremental import GrowingModule
from relax_lang.scope.alpha.structure import alpha_equal, alpha_hash
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from typing import Any

    from relax_lang.base.python_callers import Place


class ModuleBuilder:
    """Builds a module, function by function, binding by binding.

    Mistakes raise RelaxError: a diagnostic at the line of Python that made it. What was built before stays.
    """

    def __init__(self) -> None:
        self._module = GrowingModule()
        self._names = FreshNames()
        self._function: FunctionBuilder | None = None
        self._places: dict[str, Place] = {}
        """Where the functions were opened."""
        self._prim_funcs: dict[int, list[tree.PrimFunc]] = {}
        """Private PrimFuncs by their hash up to names."""
        self._attrs: tuple[tree.Attr, ...] = ()

    # Functions.

    def var(self, name: str, struct_info: object = None) -> Atom:
        """Return a variable to be a parameter: `bb.var("x", Tensor((n, 4), "float32"))`; its info may be text."""
        if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refused(diag.bad_call, f"a variable cannot be called {name!r}")
        info = tree.ObjectStructInfo() if struct_info is None else info_node(struct_info)
        return Atom(tree.Var(name, None), info, _NOWHERE, calling_line())

    @contextmanager
    def function(
        self,
        name: str,
        params: Sequence[Atom] | None = None,
        attrs: Mapping[str, object] | None = None,
        *,
        purity: str | None = None,
        private: bool = False,
        ret_struct_info: object = None,
    ) -> Generator[None]:
        """Open a function of the module; `emit_func_output` gives its result.

        `purity` is None, "pure", "impure" or "force_pure". If the block raises, the function is left out, and the
        builder goes on as if it had not been opened.
        """
        if self._function is not None:
            opened = self._function.places.marks["function"]
            raise beside(
                refused(diag.function_inside, name), opened, f"{self._function.shown} is opened here"
            )
        if purity not in (None, "pure", "impure", "force_pure"):
            raise refused(diag.bad_call, f"the purity of a function cannot be {purity!r}")
        name = self._named(name, private=private)
        made = FunctionBuilder(self._module, name)
        made.places.marks["function"] = self._places[name] = calling_line()
        made.private, made.purity = private, purity
        made.attrs = tuple([tree.Attr(key, literal(value)) for key, value in (attrs or {}).items()])
        made.ret = made.annotation(ret_struct_info, self._places[name])
        made.claims = [self._places[name] if purity == "pure" else None]
        self._function = made
        try:
            if params is not None:
                made.begin(_parameters(params))
            yield
            if made.value is None:
                raise refused(diag.no_output, made.shown)
        except BaseException:
            self._module.remove(name)
            raise
        finally:
            self._function = None

    def emit_func_output(self, value: object, params: Sequence[Atom] | None = None) -> Atom:
        """Give the function its result, a value or nested tuples of values; returns the function."""
        function = self._open("emit_func_output")
        function.places.marks["output"] = calling_line()
        if params is not None:
            if function.params is not None:
                error = refused(diag.parameters_twice, function.shown)
                raise beside(error, function.places.marks["function"], "given here")
            function.begin(_parameters(params))
        if function.params is None:
            raise refused(diag.no_parameters, function.shown)
        scope = function.scope
        if scope.dataflow is not None:
            raise refused(diag.output_in_block)
        if scope is not function.body:
            raise refused(diag.bad_call, "a branch returns its value; `emit_func_output` is for the function")
        function.value = function.atom(value)
        item = function.finished()
        self._module.add(function.name, item)
        return Atom(tree.GlobalVar(function.name), self._module.state.signatures[function.name].info)

    def local_function(
        self,
        params: Sequence[Atom],
        body: Callable[..., object],
        name: str = "f",
        *,
        purity: str | None = None,
        ret_struct_info: object = None,
    ) -> Atom:
        """Bind a function literal: `body(*params)` emits into it and returns its value."""
        function = self._open("local_function")
        place = calling_line()
        if function.scope.dataflow is not None:
            raise refused(diag.block_inside, "a local function")
        made = function.literal(_parameters(params), body, ret_struct_info, purity, place)
        return function.bind(made, name, place)

    # Bindings.

    @contextmanager
    def dataflow(self) -> Generator[None]:
        """Open a dataflow block; what is used after it is emitted by `emit_output`."""
        function = self._open("dataflow")
        scope = function.scope
        if scope.dataflow is not None:
            raise refused(diag.block_inside, "a dataflow block")
        block = scope.dataflow = Dataflow()
        grown = function.opened()
        grown.enter_dataflow(inside=True)
        scope.blocks.open_dataflow(-1, -1)
        try:
            yield
        finally:
            scope.blocks.leave(block.outputs)
            scope.dataflow = None
            grown.enter_dataflow(inside=False)

    def emit(self, value: object, name: str = "") -> Atom:
        """Bind a value to a new variable, whose struct info is known at once; calls in it are bound before it."""
        return self._open("emit").emit(value, name)

    def emit_output(self, value: object, name: str = "") -> Any:
        """Bind a value of a dataflow block to a variable that is visible after it; of a list, each value."""
        function = self._open("emit_output")
        if function.scope.dataflow is None:
            raise refused(diag.output_outside)
        if isinstance(value, list):
            parts: list[Any] = [*value]
            return [function.emit(one, name, output=True) for one in parts]
        return function.emit(value, name, output=True)

    def match_cast(self, value: object, struct_info: object, name: str = "") -> Atom:
        """Bind a value with the struct info that a run checks; new names in it are shape variables from here on."""
        function, place = self._open("match_cast"), calling_line()
        info = info_node(struct_info)
        right = function.right_hand_side(value)
        dataflow = function.scope.dataflow is not None
        hint = function.names.fresh(name or ("lv" if dataflow else "gv"))
        offset = function.places.note(hint, place)
        binder = (tree.DataflowVar if dataflow else tree.Var)(hint, None, offset, offset)
        function.opened().mention([info])
        return function.add(tree.MatchCast(binder, info, right), place)

    def emit_if(
        self, condition: object, then: Callable[[], object], otherwise: Callable[[], object], name: str = ""
    ) -> Atom:
        """Bind an `if`: each callable emits into its branch, and returns the value of the branch."""
        function, place = self._open("emit_if"), calling_line()
        if function.scope.dataflow is not None:
            raise refused(diag.block_inside, "an `if`")
        return function.bind(function.choice(function.atom(condition), then, otherwise), name, place)

    # Calls of functions.

    def call(self, callee: object, *args: object, **attrs: object) -> Pending:
        """Return a call of a function of the module, of a local function, or of `bb.extern("name")`.

        `struct_info=` is what is written behind `->` for a packed function, `pure=` its claim.
        """
        if not isinstance(callee, Atom):
            raise refused(diag.no_operand, callee, "what is called")
        result = attrs.pop("struct_info", None)
        made = tuple([tree.Attr(key, literal(value)) for key, value in attrs.items()])
        return Pending(callee, args, made, calling_line(), None if result is None else info_node(result))

    def extern(self, name: str) -> Atom:
        """Return a packed function by its name."""
        return Atom(tree.ExternFunc(name))

    def global_var(self, name: str) -> Atom:
        """Return a function or PrimFunc of the module by its name. Raises RelaxError if there is none."""
        name = name.removeprefix("@")
        if name not in self._module.items:
            raise refused(diag.no_function, name, list(self._module.items))
        signature = self._module.state.signatures.get(name)
        return Atom(tree.GlobalVar(name), None if signature is None else signature.info)

    def call_tir(
        self, function: object, args: object, struct_info: object, scalars: Sequence[object] = ()
    ) -> Pending:
        """Return a call of a PrimFunc: the tensors that it is given, and the infos of those that it makes."""
        given = args if is_sequence(args) else (args,)
        callee = self.global_var(function) if isinstance(function, str) else function
        operands: tuple[object, ...] = (callee, tuple(given))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if scalars:
            operands = (*operands, tuple(scalars))
        return Pending("call_tir", operands, (), calling_line(), info_node(struct_info))

    def call_te(self, function: Callable[..., Any], *args: Any, **named: Any) -> Pending:
        """Return a call of the PrimFunc that a function of tensor expressions makes.

        Tensors become inputs, tuples and lists of them lists of inputs, shapes tuples of `dim`s; anything else is
        passed on. `primfunc_name` names the PrimFunc, `primfunc_attrs` are its attributes.
        """
        builder = self._open("call_te")
        return tensor_calls.call_te(self, builder, function, args, named)

    def emit_te(self, function: Callable[..., Any], *args: Any, **named: Any) -> Atom:
        """Bind the result of `call_te`."""
        return self.emit(self.call_te(function, *args, **named))

    # The module.

    def add_func(self, item: tree.Item, hint: str = "") -> Atom:
        """Add a function or PrimFunc; returns its name. A private PrimFunc that is there already is found again."""
        if isinstance(item, tree.PrimFunc):
            return self._add_prim_func(item, hint or item.name.name_hint)
        if not isinstance(item, tree.Function):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refused(diag.no_operand, item, "a function of the module")
        written = "" if item.name is None else item.name.name_hint
        name = self._named(hint or written, private=item.private)
        self._module.infer(name, replaced(item, name=tree.GlobalVar(name)))
        return self.global_var(name)

    def update_func(self, name: object, item: tree.Item) -> None:
        """Replace a function or PrimFunc of the module."""
        old = name.name if isinstance(name, Atom) else str(name).removeprefix("@")
        if old not in self._module.items:
            raise refused(diag.no_function, old, list(self._module.items))
        if isinstance(item, tree.PrimFunc):
            self._module.items[old] = replaced(item, name=tree.GlobalVar(old))
            return
        self._module.infer(old, replaced(item, name=tree.GlobalVar(old)))

    def _add_prim_func(self, item: tree.PrimFunc, hint: str) -> Atom:
        key = alpha_hash(item) if item.private else 0
        if item.private:
            for known in self._prim_funcs.get(key, ()):
                if alpha_equal(known, item):
                    return Atom(tree.GlobalVar(known.name.name_hint))
        name = self._named(hint, private=item.private)
        named = tree.PrimFunc(
            tree.GlobalVar(name),
            item.private,
            item.params,
            item.attrs,
            item.body,
            item.ret_dtype,
            item.result,
        )
        if item.private:
            self._prim_funcs.setdefault(key, []).append(named)
        self._module.add(name, named)
        return Atom(tree.GlobalVar(name))

    def module_attrs(self, **attrs: object) -> None:
        """Set attributes of the module."""
        self._attrs = tuple([tree.Attr(key, literal(value)) for key, value in attrs.items()])

    def module(self) -> tree.IRModule:
        """Return the module as it is so far, in normal form: PrimFuncs first. Raises RelaxError in a function."""
        if self._function is not None:
            raise refused(diag.unfinished, self._function.shown)
        items = list(self._module.items.values())
        prim_funcs: list[tree.Item] = [item for item in items if isinstance(item, tree.PrimFunc)]
        functions: list[tree.Item] = [item for item in items if not isinstance(item, tree.PrimFunc)]
        return tree.IRModule(self._attrs, (*prim_funcs, *functions))

    # Questions.

    def get_unique_name(self, hint: str) -> str:
        """Return a name that no variable of the open function has, and reserve it."""
        return self._open("get_unique_name").names.fresh(hint)

    def lookup_binding(self, var: Atom) -> tree.Expr | None:
        """Return what a variable of the open function is bound to; None of a parameter."""
        return self._open("lookup_binding").bound_to(var.name)

    def normalize(self, value: object) -> Atom:
        """Return a value as an atom; calls in it are emitted."""
        function = self._open("normalize")
        node = function.atom(value)
        return Atom(node, function.opened().info_of(node), function.scope)

    @property
    def current_function(self) -> str | None:
        """The name of the open function, if there is one."""
        return None if self._function is None else self._function.name

    def _open(self, method: str) -> FunctionBuilder:
        function = self._function
        if function is None:
            raise refused(diag.outside, method)
        if function.value is not None:
            error = refused(diag.output_twice, function.shown)
            raise beside(error, function.places.marks["output"], "its result is given here")
        return function

    def _named(self, name: str, *, private: bool) -> str:
        if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refused(diag.bad_call, f"a function cannot be called {name!r}")
        if private:
            return self._names.fresh(name)
        if name in self._module.items:
            raise beside(refused(diag.name_taken, name), self._places.get(name), f"@{name} is opened here")
        self._names.take(name)
        return name


def _parameters(params: Sequence[Atom]) -> list[Atom]:
    given: list[Any] = [params] if isinstance(params, Atom) else list(params)
    for one in given:
        if not isinstance(one, Atom) or not isinstance(one.node, tree.Var):
            raise refused(diag.bad_call, f"a parameter is what `bb.var` returns, not {one!r}")
    return given


_NOWHERE = Scope(None)
"""The scope of variables that are not parameters yet."""
