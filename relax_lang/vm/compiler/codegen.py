"""From the normal form to code for the machine, one instruction after the other.

Order is that of the interpreter: arguments from left to right, then the call; a check is where the interpreter
makes it. A variable has a register until its last use; `let y = x` makes no instruction. A constant that is only
looked at is an operand, any other is copied where it is evaluated.
"""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.analysis.call_graph import Graph
from relax_lang.analysis.effects import KILLING
from relax_lang.analysis.escape import closed_prim_func, kept_names, only_looks, written_by_direct_call
from relax_lang.analysis.liveness import Liveness
from relax_lang.analysis.proofs import needless
from relax_lang.analysis.shape_vars import binders
from relax_lang.base.node import assert_never, unreachable
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.ops.registry import lookup
from relax_lang.runtime.values.tensors import constant_tensor
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue
from relax_lang.vm.builtins import mentioned_in
from relax_lang.vm.compiler.call_sites import signature_of, site_of
from relax_lang.vm.compiler.exec_builder import ExecBuilder
from relax_lang.vm.compiler.registers import Registers
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM, VM, Code
from relax_lang.vm.instructions import (
    CONSTANT,
    REGISTER,
    VOID,
    Call,
    Goto,
    If,
    Instruction,
    Operand,
    Ret,
    function,
    number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from relax_lang.analysis.call_graph import Plan
    from relax_lang.base.node import Node
    from relax_lang.base.source import SourceFile
    from relax_lang.runtime.values.tensors import LoadConstant
    from relax_lang.vm.executable import Executable


def generate(
    module: tree.IRModule,
    source: SourceFile,
    load_constant: LoadConstant,
    proved: Collection[Node] = frozenset(),
) -> Executable:
    """Return the code of a module in normal form without errors.

    `load_constant` reads constants in files, `proved` are the checks that need not be made. Raises RunFailure for a
    constant that cannot be read.
    """
    with no_collection():
        writer = _ModuleWriter(module, load_constant, proved)
        for item in module.items:  # all have their numbers before code refers to them
            if isinstance(item, tree.PrimFunc):
                writer.builder.add_prim_func(item)
            elif item.name is not None:
                writer.builder.declare(VM, item.name.name_hint)
        for item in module.items:
            if isinstance(item, tree.Function):
                assert item.name is not None
                _FunctionWriter(writer, writer.graph.plans[item], item.name.name_hint).write()
        return writer.builder.get(source)


class _ModuleWriter:
    """What the functions of a module have in common."""

    def __init__(self, module: tree.IRModule, load: LoadConstant, proved: Collection[Node]) -> None:
        self.builder = ExecBuilder()
        self.graph = Graph(module)
        self.proved = needless(proved, proved, self.graph)
        self._load = load
        self._tensors: dict[tree.Constant, Operand] = {}

    def tensor(self, node: tree.Constant) -> Operand:
        """Return the tensor that a constant denotes."""
        known = self._tensors.get(node)
        if known is None:
            known = self._tensors[node] = self.builder.emit_constant(constant_tensor(node, self._load))
        return known


class _FunctionWriter:
    """Generates one function."""

    def __init__(self, module: _ModuleWriter, plan: Plan, name: str, dims: Iterable[str] = ()) -> None:
        self.module = module
        self.builder = module.builder
        self.plan = plan
        self.name = name
        self.dims = list(dims)
        self.outer_dims = tuple(self.dims)
        self.captures: tuple[str, ...] = ()
        self.registers = Registers()
        self.code: list[Instruction] = []
        self.liveness = Liveness(plan, module.graph, drops=False)
        assert isinstance(plan.function.body, tree.SeqExpr)
        self.body = plan.function.body
        self.kept = kept_names(self.body, module.graph.prim_funcs, module.graph.names)
        self.site = -1

    def write(self) -> int:
        """Generate the function; return its number."""
        function = self.plan.function
        signature = signature_of(function)
        params = [self._new(one.name_hint) for one in function.params]
        for name in self.captures:
            self._new(name)
        own = self.plan.bound_to
        if own:
            self._new(own)
        self._check_arguments(signature, params)
        value = self._sequence(self.body)
        info = function.ret_struct_info
        if (
            info is not None
            and info not in self.module.proved
            and not isinstance(info, tree.ObjectStructInfo)
        ):
            self._at(signature)
            self._builtin("vm.check_result", [value, *self._named(info)])
        self.code.append(Ret(self._in_register(value).value))
        code = Code(signature, self.captures, self.outer_dims, own, self.registers.count, tuple(self.code))
        return self.builder.add_code(self.name, code)

    def _new(self, name: str) -> Operand:
        made = self.registers.new()
        if name != "_":
            self.registers.bind(name, made)
        return made

    def _check_arguments(self, signature: tree.Function, params: Sequence[Operand]) -> None:
        """M.6: all parameters, before anything else."""
        infos = [param.struct_info_annotation for param in signature.params]
        new = binders(infos, self.dims)
        proved = self.plan.function in self.module.proved
        if new or not (
            proved or all(info is None or isinstance(info, tree.ObjectStructInfo) for info in infos)
        ):
            self._at(signature)
            self._builtin("vm.check_arguments", [number(int(proved)), *params])
        self.dims += new

    # Sequences and bindings.

    def _sequence(self, seq: tree.SeqExpr) -> Operand:
        """Generate bindings and the value of a body or a branch; the value may be any operand."""
        for binding in bindings_of(seq):
            self._binding(binding)
        self._at(seq.body)
        return self._operand(seq.body)

    def _binding(self, binding: tree.Binding) -> None:
        self._at(site_of(binding))
        var = binding.var
        name = var.name_hint if var is not None else "_"
        annotation = var.struct_info_annotation if var is not None else None
        checked = isinstance(binding, tree.MatchCast) or annotation is not None
        needed = name != "_" and binding not in self.liveness.unneeded
        value = self._value(binding, needed or checked)
        if isinstance(binding, tree.MatchCast):
            self._match_cast(binding, value)
        if annotation is not None and annotation not in self.module.proved:
            self._builtin("vm.check_annotation", [value, *self._named(annotation)])
        if needed:
            self.registers.bind(name, value)
        self.registers.release([value])
        self._end(self.liveness.last_uses[binding])

    def _match_cast(self, binding: tree.MatchCast, value: Operand) -> None:
        new = binders([binding.struct_info], self.dims)
        proved = binding in self.module.proved
        if new or not proved:
            names = [] if proved else self._named(binding.struct_info)
            self._builtin("vm.match_cast", [number(int(proved)), value, *names])
        self.dims += new

    def _value(self, binding: tree.Binding, needed: bool) -> Operand:
        """Generate a right-hand side; return what has its value."""
        value = binding.value
        match value:
            case tree.If():
                return self._if(value)
            case tree.Call():
                return self._call(value, needed)
            case tree.TupleGetItem():
                args = [self._operand(value.tuple_value), number(value.index)]
                return self._builtin("vm.tuple_getitem", args, True)
            case tree.Function():
                return self._function(value, binding)
            case tree.Constant():
                name = binding.var.name_hint if binding.var is not None else "_"
                if name not in self.kept and not isinstance(binding, tree.MatchCast):
                    return self.module.tensor(value)
                return self._operand(value)
            case _:
                return self._operand(value)

    def _if(self, value: tree.If) -> Operand:
        """X.7: the condition, then exactly one branch; both leave their value in one register."""
        condition = self._builtin("vm.read_if_cond", [self._operand(value.cond)], True)
        result = self.registers.new()
        branch_at = len(self.code)
        self.code.append(If(condition.value, 0))
        self.registers.release([condition])
        kept, dims, count = self.registers.snapshot(), list(self.dims), self.registers.count
        self._branch(value.true_branch, result, dims)
        goto_at = len(self.code)
        self.code.append(Goto(0))
        taken = range(count, self.registers.count)
        self.code[branch_at] = If(condition.value, len(self.code) - branch_at)
        self.registers.restore(kept)
        self._branch(value.false_branch, result, dims)
        self.registers.add_free(taken)
        self.code[goto_at] = Goto(len(self.code) - goto_at)
        return result

    def _branch(self, seq: tree.Expr, result: Operand, dims: Sequence[str]) -> None:
        assert isinstance(seq, tree.SeqExpr)
        before = set(self.registers.names)
        kept = self.site
        infos = [binding.struct_info for binding in bindings_of(seq) if isinstance(binding, tree.MatchCast)]
        inner = bool(binders(infos, dims))
        if inner:
            self._builtin("vm.enter_scope", [])
        self._end(self.liveness.last_uses[seq])
        value = self._sequence(seq)
        self._emit(result.value, BUILTIN, "vm.move", [value])
        self.registers.release([value])
        self._end([*self.registers.names_since(before), *self.liveness.ends[seq]])
        if inner:
            self._builtin("vm.leave_scope", [])
        self.dims = list(dims)
        self.site = kept

    def _function(self, value: tree.Function, binding: tree.Binding) -> Operand:
        """X.6: the code of a local function, then a closure of it with what is in scope and mentioned in it."""
        names = self.module.graph.names
        used, used_dims = names.of(value), names.sizes_of(value)
        plan = self.module.graph.plans[value]
        dims = [name for name in self.dims if name in used_dims]
        inner = _FunctionWriter(
            self.module, plan, f"{self.name}.{plan.bound_to or 'fn'}.{len(self.builder.functions)}", dims
        )
        inner.captures = tuple(sorted([name for name in used if name in self.registers.names]))
        index = inner.write()
        captured = [self.registers.of(name) for name in inner.captures]
        return self._builtin("vm.make_closure", [function(index), *captured], True)

    # Calls.

    def _call(self, call: tree.Call, needed: bool) -> Operand:
        op = call.op
        if isinstance(op, tree.Op):
            if op.op_name in KILLING and not needed:
                return number(0)  # registers are killed by what is known of their uses
            args = self._operator_args(call, op.op_name)
            if call.struct_info is not None:
                names = self._named(call.struct_info)
                if names:
                    self._builtin("vm.bind_names", names)
            kind, name = OPERATOR, op.op_name
        elif isinstance(op, tree.GlobalVar):
            args = self._direct_args(call)
            kind = PRIM if op.name_hint in self.module.graph.prim_funcs else VM
            name = op.name_hint
        else:
            args = [self._operand(arg) for arg in (op, *call.args)]
            kind, name = BUILTIN, "vm.call"
        dst = self.registers.new() if needed else None
        self._emit(VOID if dst is None else dst.value, kind, name, args)
        self.registers.release(args)
        return dst if dst is not None else number(0)

    def _direct_args(self, call: tree.Call) -> list[Operand]:
        """Generate the arguments of a function; a constant that a PrimFunc only looks at is not copied."""
        written = written_by_direct_call(call, self.module.graph.prim_funcs)
        return [
            self.module.tensor(arg)
            if written is not None and isinstance(arg, tree.Constant) and arg not in written
            else self._operand(arg)
            for arg in call.args
        ]

    def _operator_args(self, call: tree.Call, name: str) -> list[Operand]:
        operator = lookup(name)
        reads = closed_prim_func(call, self.module.graph.prim_funcs) is not None
        args: list[Operand] = []
        for at, arg in enumerate(call.args):
            if isinstance(arg, tree.Constant) and operator is not None and only_looks(operator, at):
                args.append(self.module.tensor(arg))
            elif name == "reshape" and isinstance(arg, tree.ShapeExpr):
                args.append(self._shape(arg, inferred=True))
            elif reads and at == 1 and isinstance(arg, tree.Tuple):
                args.append(self._tuple(arg, looked_at=True))
            else:
                args.append(self._operand(arg))
        return args

    # Atoms.

    def _operand(self, value: tree.Expr) -> Operand:
        """Return what has the value of an atom; what it takes to make it comes before."""
        match value:
            case tree.Var():
                return self.registers.of(value.name_hint)
            case tree.GlobalVar():
                prim = value.name_hint in self.module.graph.prim_funcs
                return function(self.builder.declare(PRIM if prim else VM, value.name_hint))
            case tree.Constant():
                return self._builtin("vm.constant", [self.module.tensor(value)], True)
            case tree.Tuple():
                return self._tuple(value)
            case tree.ShapeExpr():
                return self._shape(value)
            case tree.PrimValue():
                return self._builtin("vm.make_prim_value", [self.builder.emit_constant(value.value)], True)
            case tree.ExternFunc():
                return self._builtin("vm.extern", [self.builder.emit_constant(value)], True)
            case tree.If() | tree.Call() | tree.TupleGetItem() | tree.Function() | tree.DataflowVar():
                return unreachable(value)  # not an atom
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _tuple(self, value: tree.Tuple, looked_at: bool = False) -> Operand:
        fields = [
            self.module.tensor(one) if looked_at and isinstance(one, tree.Constant) else self._operand(one)
            for one in value.fields
        ]
        return self._builtin("vm.make_tuple", fields, True)

    def _shape(self, value: tree.ShapeExpr, inferred: bool = False) -> Operand:
        if all(isinstance(dim, tree.IntImm) and dim.value >= 0 for dim in value.values):
            sizes = tuple([dim.value for dim in value.values if isinstance(dim, tree.IntImm)])
            return self.builder.emit_constant(ShapeValue(sizes))
        dims = self.builder.emit_constant(value)
        return self._builtin("vm.make_shape", [dims, number(int(inferred))], True)

    def _named(self, info: tree.StructInfo) -> list[Operand]:
        return [self.registers.of(name) for name in mentioned_in(info)]

    # Emitting.

    def _at(self, node: Node) -> None:
        self.site = self.builder.site(node)

    def _builtin(self, name: str, args: Sequence[Operand], needed: bool = False) -> Operand:
        dst = self.registers.new() if needed else None
        self._emit(VOID if dst is None else dst.value, BUILTIN, name, args)
        if needed:
            self.registers.release(args)
        return dst if dst is not None else number(0)

    def _emit(self, dst: int, kind: str, name: str, args: Sequence[Operand]) -> None:
        self.code.append(Call(dst, self.builder.declare(kind, name), tuple(args), self.site))

    def _end(self, names: Iterable[str]) -> None:
        """Kill what nothing needs any more: variables, and registers that had a value for a moment."""
        self._kill(self.registers.forget(names))

    def _kill(self, registers: Sequence[Operand]) -> None:
        if registers:
            self._emit(VOID, BUILTIN, "vm.kill", registers)

    def _in_register(self, operand: Operand) -> Operand:
        if operand.kind == REGISTER:
            return operand
        name = "vm.constant" if operand.kind == CONSTANT and _is_tensor(self.builder, operand) else "vm.move"
        return self._builtin(name, [operand], True)


def _is_tensor(builder: ExecBuilder, operand: Operand) -> bool:
    return hasattr(builder.constants[operand.value], "dtype") and hasattr(
        builder.constants[operand.value], "nbytes"
    )
