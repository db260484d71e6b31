"""CanonicalizeBindings: names for names, fields of known tuples and needless checks go."""

from __future__ import annotations

from relax_lang.analysis.removable import Removable
from relax_lang.base.node import assert_never, replaced, unreachable
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.binders import named
from relax_lang.transform.core.rebuild import Substitution, sequence, with_body, with_branches
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.typed import IllTyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed

_SHARED = (tree.Var, tree.ShapeExpr, tree.GlobalVar)
"""Fields of tuples that may stand where the field is taken: they mean the same there, and no memory is made."""


@module_pass("CanonicalizeBindings", idempotent=True)
def canonicalize_bindings(typed: Typed, run: Run) -> Typed:
    """Remove bindings that only give a value another name, and take the fields of known tuples directly.

    After `let y = x`, uses of `y` become uses of `x`, unless `y` has an annotation that is not certain to hold: only
    then may a check fail, or `y` be known less precisely. `t[i]` of a tuple that is written out becomes its field, and
    a tuple of all fields of one tuple in order becomes that tuple. A `match_cast` that certainly succeeds and binds no
    shape variable is its value. If a variable of a dataflow block is only there to be output under another name, its
    definition takes that name. Arrays have as many names as before, so that changes in place are seen as before.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      let y = x;
      let t = (y, shape(n));
      let a = t[0];
      let b = match_cast(a, Tensor[(n,), float32]);
      let c = exp(b);
      c
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      let t = (x, shape(n));
      let c = exp(x);
      c
    }
    ```
    """
    made, forgets = _canonical(typed, keeps_casts=False)
    if forgets:
        try:
            made.inferred  # noqa: B018  # it is kept
        except (
            IllTyped
        ):  # without the casts so much is known that a failure shows that only the run met before
            return _canonical(typed, keeps_casts=True)[0]
    return made


def _canonical(typed: Typed, *, keeps_casts: bool) -> tuple[Typed, bool]:
    """Return the program without needless bindings, and whether casts and annotations are among these."""
    changed: dict[tree.Item, tree.Item | None] = {}
    forgets = False
    for function in typed.functions:
        work = _Function(typed, function, keeps_casts=keeps_casts)
        made = work.canonical()
        forgets |= work.forgets
        if made is not function:
            changed[function] = made
    return typed.with_items(changed), forgets


class _Function:
    """One function of the module."""

    def __init__(self, typed: Typed, function: tree.Function, *, keeps_casts: bool) -> None:
        self.forgets = False
        """Whether a cast or an annotation goes, behind which a value may be known less precisely."""
        self._keeps_casts = keeps_casts
        self._function = function
        self._binds: Removable | None = None
        self._typed = typed
        self._substitution = Substitution()
        self._tuples: dict[str, tree.Tuple] = {}
        """Variables that are bound to a tuple that is written out."""
        self._defined: dict[str, tree.Binder] = {}
        """Variables with their definitions as they are now."""
        self._fields: dict[str, tuple[str, int]] = {}
        """Variables that are a field of another one."""
        self._origins: dict[tree.Binder, tree.Binder] = {}
        """Definitions that were made anew, with those that have their struct infos."""
        self._past: set[str] = set()
        """Variables of the dataflow blocks that are behind."""
        self._renamed: dict[str, str] = {}
        """Outputs with the variables whose definitions took their names."""

    def canonical(self) -> tree.Function:
        return self._of(self._function)

    def _of(self, function: tree.Function) -> tree.Function:
        for param in function.params:
            self._defined[param.name_hint] = param
        return with_body(function, self._sequence(body_of(function.body)))

    def _sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            if isinstance(block, tree.DataflowBlock):
                blocks.append(self._dataflow(block))
                continue
            made = self._bindings(block.bindings)
            blocks.append(
                block if made == block.bindings else tree.BindingBlock(made, False, block.pos, block.end)
            )
        return sequence(seq, blocks, self._substitution.of(seq.body))

    def _dataflow(self, block: tree.DataflowBlock) -> tree.DataflowBlock:
        renamed = self._renamed_outputs(block)
        bindings: tuple[tree.Binding, ...] = ()
        if renamed:
            bindings = tuple([self._named(one, renamed) for one in block.bindings])
        for name, output in renamed.items():
            self._substitution.values[name] = tree.Var(output, None)
            self._renamed[output] = name
        kept = bindings if renamed else block.bindings
        made = self._bindings(kept, frozenset(renamed.values()))
        self._past.update([one.var.name_hint for one in made if isinstance(one.var, tree.DataflowVar)])
        if made == block.bindings:
            return block
        defined = {one.var.name_hint for one in made if one.var is not None}
        outputs: dict[str, tree.Var] = {}
        for var in block.outputs:
            if var.name_hint in defined:
                outputs.setdefault(var.name_hint, var)
        return tree.DataflowBlock(made, tuple(outputs.values()), block.pos, block.end)

    def _named(self, binding: tree.Binding, renamed: dict[str, str]) -> tree.Binding:
        var = binding.var
        if var is None or var.name_hint not in renamed:
            return binding
        made = named(binding, renamed[var.name_hint])
        if made.var is not None:
            self._origins[made.var] = var
        return made

    def _renamed_outputs(self, block: tree.DataflowBlock) -> dict[str, str]:
        """Return variables of the block that are output under another name, each with the first such name."""
        local = {
            one.var.name_hint
            for one in block.bindings
            if isinstance(one.var, tree.DataflowVar) and one.var.struct_info_annotation is None
        }
        found: dict[str, str] = {}
        for one in block.bindings:
            value = one.value
            if (
                isinstance(one, tree.VarBinding)
                and isinstance(one.var, tree.Var)
                and one.var.name_hint != "_"
                and one.var.struct_info_annotation is None
                and isinstance(value, tree.Var)
                and value.name_hint in local
            ):
                found.setdefault(value.name_hint, one.var.name_hint)
        return found

    def _bindings(
        self, bindings: tuple[tree.Binding, ...], outputs: frozenset[str] = frozenset()
    ) -> tuple[tree.Binding, ...]:
        made: list[tree.Binding] = []
        for binding in bindings:
            new = self._binding(binding, outputs)
            if new is not None:
                made.append(new)
        return tuple(made)

    def _binding(self, binding: tree.Binding, outputs: frozenset[str]) -> tree.Binding | None:
        new = self._value(binding.value)
        made: tree.Binding = self._substitution.around(binding, new)
        if self._is_alias(binding, new):
            var = binding.var
            if var is None or var.name_hint == "_" or self._replace(var, new, outputs):
                return None
        if isinstance(made, tree.VarBinding):
            self._note(made)
        var = made.var
        if var is not None:
            self._defined[var.name_hint] = var
            if binding.var is not None and var is not binding.var:
                self._origins[var] = self._origins.get(binding.var, binding.var)
        return made

    def _value(self, value: tree.Expr) -> tree.Expr:
        match value:
            case tree.If():
                return self._if(value)
            case tree.Function():
                return self._of(self._head(value))
            case tree.Call() | tree.TupleGetItem() | tree.Atom():
                return self._simplified(self._substitution.of(value))
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)

    def _if(self, value: tree.If) -> tree.If:
        cond = self._substitution.of(value.cond)
        one = self._sequence(body_of(value.true_branch))
        other = self._sequence(body_of(value.false_branch))
        if cond is not value.cond:
            return tree.If(cond, one, other, value.pos, value.end)
        return with_branches(value, one, other)

    def _head(self, function: tree.Function) -> tree.Function:
        """Return a local function with the new meanings in its parameters and its result."""
        if not self._substitution:
            return function
        params = tuple([self._substitution.binder(param) for param in function.params])
        ret = function.ret_struct_info
        new = None if ret is None else self._substitution.of(ret)
        if params == function.params and new is ret:
            return function
        return replaced(function, params=params, ret_struct_info=new)

    def _simplified(self, value: tree.Expr) -> tree.Expr:
        """Return a simpler expression with the same value, or the expression."""
        if isinstance(value, tree.TupleGetItem) and isinstance(value.tuple_value, tree.Var):
            known = self._tuples.get(value.tuple_value.name_hint)
            if known is not None and value.index < len(known.fields):
                field = known.fields[value.index]
                if isinstance(field, _SHARED) and self._is_visible(field):
                    return field
        elif isinstance(value, tree.Tuple) and value.fields:
            return self._whole(value) or value
        return value

    def _whole(self, value: tree.Tuple) -> tree.Expr | None:
        """Return the tuple whose fields in order are all fields of a tuple."""
        sources: set[str] = set()
        for at, field in enumerate(value.fields):
            if not isinstance(field, tree.Var):
                return None
            taken = self._fields.get(field.name_hint)
            if taken is None or taken[1] != at:
                return None
            sources.add(taken[0])
        if len(sources) != 1:
            return None
        source = sources.pop()
        whole = tree.Var(source, None, value.pos, value.end)
        defined = self._defined.get(source)
        info = None if defined is None else self._typed.infos.get(self._origins.get(defined, defined))
        fits = isinstance(info, tree.TupleStructInfo) and len(info.fields) == len(value.fields)
        return whole if fits and self._is_visible(whole) else None

    def _is_visible(self, value: tree.Expr) -> bool:
        """Return whether a variable is known where the walk is: not, if it lives in an earlier dataflow block."""
        return not isinstance(value, tree.Var) or value.name_hint not in self._past

    def _is_alias(self, binding: tree.Binding, value: tree.Expr) -> bool:
        """Return whether a binding only gives a variable another name, and certainly does so."""
        if not isinstance(value, tree.Var):
            return False
        annotation = None if binding.var is None else binding.var.struct_info_annotation
        cast = binding if isinstance(binding, tree.MatchCast) else None
        if annotation is None and cast is None:
            return True
        proved = self._typed.inferred.proved
        if self._keeps_casts or (annotation is not None and annotation not in proved):
            return False
        if cast is not None and (cast not in proved or self._bound_by(cast)):
            return False
        self.forgets = True
        return True

    def _bound_by(self, cast: tree.MatchCast) -> frozenset[str]:
        if self._binds is None:
            self._binds = Removable(self._typed.graph, self._function)
        return self._binds.bound_by(cast)

    def _replace(self, var: tree.Binder, value: tree.Expr, outputs: frozenset[str]) -> bool:
        """Let uses of a variable be uses of another, if that can be seen wherever they are."""
        assert isinstance(value, tree.Var)
        name = value.name_hint
        if name == var.name_hint:  # its definition took this name
            return True
        if (
            isinstance(var, tree.DataflowVar)
            or name in outputs
            or isinstance(self._defined.get(name), tree.Var)
        ):
            use = tree.Var(name, None, value.pos, value.end)
            self._substitution.values[var.name_hint] = use
            if var.name_hint in self._renamed:  # what took its name goes on to what it is itself
                self._substitution.values[self._renamed[var.name_hint]] = use
            return True
        return False

    def _note(self, binding: tree.VarBinding) -> None:
        value, var = binding.value, binding.var
        name = var.name_hint
        if var.struct_info_annotation is not None:
            return
        if isinstance(value, tree.Tuple):
            self._tuples[name] = value
        elif isinstance(value, tree.TupleGetItem) and isinstance(value.tuple_value, tree.Var):
            self._fields[name] = value.tuple_value.name_hint, value.index
