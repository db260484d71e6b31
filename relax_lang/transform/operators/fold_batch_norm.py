"""FoldBatchNormToConv2D: the batch normalization behind a convolution becomes part of its weights."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.ops.attribute_syntax.windows import SPATIAL
from relax_lang.ops.core.call_terms import CallTerms, same_dims
from relax_lang.ops.core.terms import Term, apply
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import Emitting, names_of
from relax_lang.transform.core.known_infos import KnownInfos
from relax_lang.transform.core.rebuild import with_bindings, with_blocks
from relax_lang.transform.pass_manager.passes import Run, function_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CONVOLUTIONS = {"nn.conv1d": 1, "nn.conv2d": 2, "nn.conv3d": 3}


@function_pass("FoldBatchNormToConv2D", idempotent=True)
def fold_batch_norm_to_conv2d(function: tree.Function, run: Run) -> tree.Function:
    """Write a convolution and the `nn.batch_norm` of its result as one convolution with other weights, and a shift.

    Where weights and statistics are constants, in a dataflow block, for a model in use (`training=false`): of
    `nn.conv1d`, `nn.conv2d` and `nn.conv3d`, also with a constant bias between them, in every layout without blocks.
    `FoldConstant` computes the weights. What is computed is the same but for rounding. `DecomposeOps` makes one
    product and one sum of a batch normalization behind something else.

    ```relax before
    def @main(x: Tensor[(n, 1, 8, 8), float32]) {
      dataflow {
        let w = const([[[[2.0]]]], float32);
        let one = const([1.0], float32);
        let zero = const([0.0], float32);
        let a = nn.conv2d(x, w);
        let b = nn.batch_norm(a, one, zero, zero, one, axis=1);
        let c = b[0];
        let d = nn.relu(c);
        output d;
      }
      d
    }
    ```

    ```relax after
    def @main(x: Tensor[(n, 1, 8, 8), float32]) {
      dataflow {
        let w = const([[[[2.0]]]], float32);
        let one = const([1.0], float32);
        let zero = const([0.0], float32);
        let lv = add(one, 1e-05);
        let lv_1 = sqrt(lv);
        let lv_2 = divide(one, lv_1);
        let lv_3 = expand_dims(lv_2, axis=[1, 2, 3]);
        let lv_4 = multiply(w, lv_3);
        let a = nn.conv2d(x, lv_4);
        let lv_5 = multiply(zero, lv_2);
        let lv_6 = subtract(zero, lv_5);
        let lv_7 = expand_dims(lv_6, axis=[0, 2, 3]);
        let c = add(a, lv_7);
        let d = nn.relu(c);
        output d;
      }
      d
    }
    ```
    """
    if not any(_operator(node) == "nn.batch_norm" for node in walk(function)):
        return function
    return _Folder(function, run).folded()


def _operator(node: tree.Node) -> str:
    return node.op.op_name if isinstance(node, tree.Call) and isinstance(node.op, tree.Op) else ""


class _Folder:
    """The batch normalizations of one function."""

    def __init__(self, function: tree.Function, run: Run) -> None:
        self._function = function
        self._infos = KnownInfos(run.typed, function)
        self._names = FreshNames(names_of(function))
        self._values: dict[str, tree.Expr] = {}
        self._uses: dict[str, int] = {}
        """How often variables are used; as an output of a block, too."""
        for node in walk(function):
            if isinstance(node, tree.VarBinding):
                if node.var.struct_info_annotation is None:
                    self._values[node.var.name_hint] = node.value
                if isinstance(node.var, tree.Var):
                    self._uses[node.var.name_hint] = self._uses.get(node.var.name_hint, 0) - 1
            elif isinstance(node, tree.Var):
                self._uses[node.name_hint] = self._uses.get(node.name_hint, 0) + 1

    def folded(self) -> tree.Function:
        return with_blocks(self._function, self._block)

    def _block(self, block: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if not isinstance(block, tree.DataflowBlock):
            return block
        own = {one.var.name_hint for one in block.bindings if isinstance(one.var, tree.DataflowVar)}
        found: dict[tree.Binding, _Match] = {}
        gone: set[str] = set()
        for binding in block.bindings:
            match = self._match(binding, block, own)
            if match is not None:
                found[match.field] = match
                gone |= match.gone
        if not found:
            return block
        emitting = Emitting(self._names, dataflow=True)
        for binding in block.bindings:
            match = found.get(binding)
            if match is not None:
                self._fold(match, emitting)
            elif binding.var is None or binding.var.name_hint not in gone:
                emitting.bindings.append(binding)
        return with_bindings(block, tuple(emitting.bindings))

    def _match(self, binding: tree.Binding, block: tree.DataflowBlock, own: set[str]) -> _Match | None:
        """Return what may be folded at the binding of a batch normalization."""
        norm = binding.value
        if _operator(norm) != "nn.batch_norm" or not isinstance(binding, tree.VarBinding):
            return None
        name = binding.var.name_hint
        field = self._only_read(name, block)
        if field is None or name not in own or not isinstance(norm, tree.Call):
            return None
        norm_call = self._call(norm, name)
        source = norm.args[0]
        gone, bias, conv = {name}, None, self._single(source, own)
        if _operator(conv) == "add":
            assert isinstance(conv, tree.Call)
            gone.add(_name(source))
            source, bias = conv.args
            if not self._constant(bias):
                source, bias = bias, source
            conv = self._single(source, own)
            if not self._constant(bias):
                return None
        n = _CONVOLUTIONS.get(_operator(conv))
        if n is None or not isinstance(conv, tree.Call) or not self._constant(conv.args[1]):
            return None
        gone.add(_name(source))
        conv_call = self._call(conv, _name(source))
        bias_term = None if bias is None else Term(bias, self._infos.of(bias))
        made = _Match(field, conv, conv_call, norm_call, bias_term, n, _name(source), gone)
        constant = all(self._constant(arg) for arg in norm.args[1:5])
        return made if constant and made.fits() else None

    def _only_read(self, name: str, block: tree.DataflowBlock) -> tree.VarBinding | None:
        """Return the one binding of the block that reads the first field of a result; nothing else may use it."""
        for one in block.bindings:
            value = one.value
            if isinstance(value, tree.TupleGetItem) and _name(value.tuple_value) == name:
                reads = value.index == 0 and self._uses.get(name) == 1
                return one if reads and isinstance(one, tree.VarBinding) else None
        return None

    def _single(self, value: tree.Expr, own: set[str]) -> tree.Expr:
        """Return what a variable of the block is bound to, if it is used once; otherwise the variable."""
        name = _name(value)
        return self._values.get(name, value) if name in own and self._uses.get(name) == 1 else value

    def _constant(self, value: tree.Expr) -> bool:
        return isinstance(value, tree.Constant) or isinstance(self._values.get(_name(value)), tree.Constant)

    def _call(self, call: tree.Call, name: str) -> CallTerms:
        operator = lookup(_operator(call))
        assert operator is not None
        return CallTerms(operator, call, self._infos.of, tree.Var(name, None), self._infos[name])

    def _fold(self, match: _Match, emitting: Emitting) -> None:
        """Emit the convolution and the shift in the place of what is folded."""
        conv, norm = match.conv, match.norm
        emitting.place = match.node.pos, match.node.end
        _, gamma, beta, mean, variance = norm.args
        spread = apply("sqrt", variance + float(norm.attrs["epsilon"]))
        scale = gamma / spread if norm.attrs["scale"] else 1.0 / spread
        weights: Term = conv.args[1]
        others = [at for at in range(match.n + 2) if at != match.kernel_axis]
        weights = weights * apply("expand_dims", scale, axis=others)
        args = (conv.args[0], weights, *conv.args[2:])
        value = emitting.value(apply(match.operator, *args, **match.written))
        var = tree.DataflowVar(match.name, None, match.node.pos, match.node.end)
        emitting.bindings.append(tree.VarBinding(var, value, match.node.pos, match.node.end))
        shift = -(mean * scale) if not norm.attrs["center"] else beta - mean * scale
        rest = [at for at in range(match.n + 2) if at != match.axis]
        total = apply("expand_dims", shift, axis=rest)
        if match.bias is not None:
            total = match.bias * apply("expand_dims", scale, axis=rest) + total
        made = emitting.atom(total)
        operands = tree.Var(match.name, None), made
        call = tree.Call(tree.Op("add"), operands, (), None, match.field.pos, match.field.end)
        emitting.bindings.append(tree.VarBinding(match.field.var, call, match.field.pos, match.field.end))


class _Match:
    """A convolution over n axes, perhaps a bias, and the batch normalization whose first field is read by `field`."""

    def __init__(
        self,
        field: tree.VarBinding,
        node: tree.Call,
        conv: CallTerms,
        norm: CallTerms,
        bias: Term | None,
        n: int,
        name: str,
        gone: set[str],
    ) -> None:
        self.field = field
        self.node = node
        self.conv = conv
        self.norm = norm
        self.bias = bias
        self.n = n
        self.name = name
        self.gone = gone
        self.operator = _operator(node)
        kernel: str = conv.attrs["kernel_layout"]
        self.kernel_axis = kernel.find("O")
        out: str = conv.attrs["out_layout"] or conv.attrs["data_layout"]
        self.axis = out.find("C")
        self.plain = sorted(kernel) == sorted("OI" + SPATIAL[n]) and sorted(out) == sorted("NC" + SPATIAL[n])

    @property
    def written(self) -> dict[str, Any]:
        """The attributes that are not what they are if they are left out."""
        defaults = {spec.name: spec.default for spec in self.conv.operator.attrs}
        return {name: value for name, value in self.conv.attrs.items() if value != defaults[name]}

    def fits(self) -> bool:
        """Return whether the normalization is of the channels of the convolution, in use, and of one dtype."""
        norm = self.norm
        tensors: list[Term] = [*norm.args, *self.conv.args[:2], *([] if self.bias is None else [self.bias])]
        if len({term.dtype for term in tensors}) != 1 or norm.args[0].dtype not in ("float32", "float64"):
            return False
        if not self.plain or norm.attrs["training"] or norm.args[0].ndim != self.n + 2:
            return False
        dims, made = norm.args[0].dims, self.conv.result.dims
        if dims is None or made is None or not same_dims(dims, made):
            return False
        return norm.attrs["axis"] % (self.n + 2) == self.axis


def _name(value: tree.Expr) -> str:
    return value.name_hint if isinstance(value, tree.Var) else ""
