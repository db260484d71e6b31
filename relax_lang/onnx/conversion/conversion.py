"""The walk over a graph: values for names, a rule or a function body for each node, and what cannot be imported.

A node that cannot be imported is noted, and what depends on it is left out silently, so that one run finds
everything there is to say of a model.
"""

from __future__ import annotations

from collections import Counter

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.onnx import dims
from relax_lang.onnx.building.comments import remark
from relax_lang.onnx.building.node import FUSED, RULES, Node
from relax_lang.onnx.conversion import functions
from relax_lang.onnx.errors import Invalid, NeedsValue, Refused
from relax_lang.onnx.reading.model import Graph, NodeDef, Reference
from relax_lang.onnx.reading.origins import Origins, origins
from relax_lang.onnx.values import Constant, TensorList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.conversion.functions import Body
    from relax_lang.onnx.reading.model import Model
    from relax_lang.onnx.values import Value
    from relax_lang.syntax import tree

SEVERAL = 3
"""Bindings that one node became, from which on they are named after it."""
WIDENING = (("", "DequantizeLinear"), ("", "Cast"))
"""Operators for which it does not matter that a weight of fewer bits than a byte is read as bytes."""
LATEST = 28
"""The newest opset of the standard that the rules follow."""


class Failed:
    """In place of a value of which nothing is known, as its node was refused."""


FAILED = Failed()


class Problem:
    """A node that cannot be imported, and why. `around` are the nodes whose graphs it is in, outermost first."""

    __slots__ = ("around", "error", "node", "opset")

    def __init__(self, node: NodeDef, opset: int, error: Exception, around: Sequence[NodeDef] = ()) -> None:
        self.node = node
        self.opset = opset
        self.error = error
        self.around = tuple(around)


class _Endless(Refused):
    """A function of the model that calls itself; how it came to that is of no interest."""


class Scope:
    """The values of a graph by their names; graphs inside see those around them."""

    __slots__ = ("outer", "values")

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer
        self.values: dict[str, Value | Failed] = {}

    def find(self, name: str) -> Value | Failed | None:
        """Return the value of a name, or None if it has none."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None


class Conversion:
    """One import: the model, the function that grows, and what is wrong. `items` are further items of the program."""

    def __init__(self, model: Model, builder: Builder) -> None:
        self.model = model
        self.builder = builder
        self.scope = Scope()
        self.opsets: Mapping[str, int] = model.opsets
        self.arguments: Mapping[str, Any] = {}
        """The attributes of the function whose body is converted."""
        self.readers: Mapping[str, int] = {}
        """How often each name is read, as an operand or as an output; it counts in graphs inside as well."""
        self._unread: Counter[str] = Counter()
        """How often names will be read yet by nodes of the model's own graph."""
        self.origins = Origins(model.graph)
        self.input_dims: frozenset[str] = frozenset()
        """The shape variables that the inputs of the model bind; all others follow from data."""
        self.problems: list[Problem] = []
        self.items: dict[str, tree.Item] = {}
        self._depth = 0
        self._around: list[NodeDef] = []

    @property
    def opset(self) -> int:
        """The version of the standard that holds where the walk is."""
        return self.opsets.get("", 1)

    @property
    def in_function(self) -> bool:
        """Whether the walk is in the body of a function."""
        return self._depth > 0

    # Graphs.

    def run(self, graph: Graph) -> list[Value | Failed]:
        """Convert the nodes of a graph whose inputs have values; return its outputs."""
        if not self.readers:
            self.readers = readers_in(graph)
            self._unread = Counter(self.readers)
        self.take_initializers(graph)
        later = {name for node in graph.nodes for name in node.outputs if name}
        with deep_recursion():
            self.nodes(graph.nodes, later)
        return [self._output(port.name) for port in graph.outputs]

    def finish(self) -> None:
        """Drop what only the walk needed, so that there is memory for what is done with the program."""
        self.scope.values.clear()
        self.model.graph.nodes.clear()
        self.model.functions.clear()
        self.origins = Origins(self.model.graph)
        self.builder.finish()
        dims.forget(0)

    def take_initializers(self, graph: Graph) -> None:
        """Give the weights of a graph their values, except where an input of that name has one."""
        for name, array in graph.initializers.items():
            if name in self.scope.values:
                continue
            if isinstance(array, Invalid):
                made = NodeDef.made("initializer", name, {}, [], [])
                self.problems.append(Problem(made, self.opset, array))
                self.scope.values[name] = FAILED
            else:
                self.scope.values[name] = Constant(array, name, graph.narrow.get(name, ""))

    def _output(self, name: str) -> Value | Failed:
        found = self.scope.find(name)
        if found is None:
            made = NodeDef.made("output", name, {}, [], [])
            self.problems.append(Problem(made, self.opset, Invalid(f"nothing computes the output `{name}`")))
            return FAILED
        if isinstance(found, TensorList) and self.scope.outer is None:
            made = NodeDef.made("output", name, {}, [], [])
            why = "it is a sequence; a program returns tensors"
            self.problems.append(Problem(made, self.opset, Invalid(why)))
            return FAILED
        return found

    def subgraph(self, graph: Graph, builder: Builder, inputs: Mapping[str, Value]) -> list[Value]:
        """Convert a graph inside of a node into another block; return its outputs. Raises Refused."""
        outer, before = self.scope, self.builder
        known = len(self.problems)
        self.scope, self.builder = Scope(outer), builder
        self.scope.values.update(inputs)
        try:
            found = self.run(graph)
        finally:
            self.scope, self.builder = outer, before
        if len(self.problems) > known or any(isinstance(one, Failed) for one in found):
            raise Refused("a node of a graph inside of it cannot be imported")
        return [one for one in found if not isinstance(one, Failed)]

    # Nodes.

    def nodes(self, nodes: Sequence[NodeDef], later: set[str]) -> None:
        """Convert nodes in order; `later` are the names that nodes of the same graph compute."""
        for node in nodes:
            results = self._node(node, later)
            for at, name in enumerate(node.outputs):
                if name:
                    self.scope.values[name] = results[at] if at < len(results) else FAILED
            if self.scope.outer is None and not self.in_function:
                self._release(node)

    def _release(self, node: NodeDef) -> None:
        """Forget the weights that a node of the model's own graph was the last to read: a copy may have been made."""
        dims.forget()
        node.forget()
        for name in node.inputs:
            self._unread[name] -= 1
            if self._unread[name] == 0:
                self.model.graph.initializers.pop(name, None)
                if isinstance(self.scope.values.pop(name, None), Constant):
                    self.model.release()

    def _node(self, definition: NodeDef, later: set[str]) -> Sequence[Value | Failed]:
        values: list[Value | None] = []
        failed = False
        for name in definition.inputs:
            found = self.scope.find(name) if name else None
            if name and found is None and not self._is_absent(name):
                order = "a later node computes it: the nodes are in no order, or in a cycle"
                why = order if name in later else "nothing computes it"
                self._note(definition, Invalid(f"its input `{name}`: {why}"))
                failed = True
            failed = failed or isinstance(found, Failed)
            values.append(None if isinstance(found, Failed) else found)
        if failed:
            return [FAILED] * len(definition.outputs)
        self.builder.hint = next((name for name in definition.outputs if name), definition.op)
        block, before = self.builder, len(self.builder.bindings)
        self._around.append(definition)
        try:
            found = self._guarded(definition, values)
        except (Refused, Invalid, NeedsValue) as error:
            self._around.pop()
            if isinstance(error, NeedsValue) and not any(error.names):  # a rule used another one
                error = NeedsValue([name for name in definition.inputs if name], error.role)
            if not (isinstance(error, Refused) and str(error).startswith("a node of a graph inside")):
                self._note(definition, error)
            return [FAILED] * len(definition.outputs)
        self._around.pop()
        self._remark(definition, block, before)
        return [FAILED if one is None else one for one in found]

    def _note(self, node: NodeDef, error: Exception) -> None:
        opset = self.opsets.get(node.domain, self.opset)
        self.problems.append(Problem(node, opset, error, self._around))

    def _remark(self, definition: NodeDef, block: Builder, before: int) -> None:
        """Keep what is said of a node as comments; a node that became several bindings is named."""
        made = block.bindings[before:]
        if not made or self._depth:
            return
        said = remark(definition.doc)
        if len(made) >= SEVERAL:
            name = definition.name or next((one for one in definition.outputs if one), "")
            said[:0] = remark(f"{definition.op} {name}")
        if said:
            block.comments[made[0]] = [*said, *block.comments.get(made[0], ())]

    def _guarded(self, definition: NodeDef, values: list[Value | None]) -> list[Value | None]:
        """Return the results of a node. What a rule stumbles over is a node that its operator does not allow."""
        try:
            return self.convert(definition, values)
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError) as error:
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise Invalid(f"its operands or attributes are not those of {definition.op} ({what})") from error

    def _is_absent(self, name: str) -> bool:
        """Return whether a name is an input of a function that the call leaves out."""
        return name in self.arguments.get("", ())

    def convert(self, definition: NodeDef, values: list[Value | None]) -> list[Value | None]:
        """Return the results of a node. Raises Refused, Invalid, NeedsValue."""
        own = self.model.functions.get((definition.domain, definition.op, definition.overload))
        if own is not None:
            return self.expand(functions.of_model(own, definition), definition, values)
        narrow = next((one for one in values if isinstance(one, Constant) and one.narrow), None)
        if narrow is not None and (definition.domain, definition.op) not in WIDENING:
            raise Refused(f"only DequantizeLinear and Cast take weights of the dtype {narrow.narrow}")
        fused = FUSED.get(definition.op) if definition.domain == "com.microsoft" else None
        if definition.domain != "" and fused is None:
            raise Refused(f"the domain `{definition.domain}` is not of the standard")
        attrs = {
            key: self.arguments.get(value.name) if isinstance(value, Reference) else value
            for key, value in definition.attrs.items()
        }
        if any(isinstance(value, Reference) for value in definition.attrs.values()):
            definition = definition.with_attrs(
                {key: value for key, value in attrs.items() if value is not None}
            )
        rule = RULES.get(definition.op) if fused is None else fused
        if rule is not None:
            result = rule(Node(definition, values, self.opset, self))
            return list(result) if isinstance(result, list | tuple) else [result]  # pyright: ignore[reportUnknownArgumentType, reportReturnType, reportUnknownVariableType]
        body = functions.of_standard(definition, values, self.opset)
        if body is None:
            raise Refused("")
        return self.expand(body, definition, values)

    def expand(self, body: Body, definition: NodeDef, values: list[Value | None]) -> list[Value | None]:
        """Convert the body of a function in place of a node that calls it."""
        if self._depth > 50:
            raise _Endless("its functions call each other without end")
        before = self.scope, self.opsets, self.arguments
        hint, known = self.builder.hint, len(self.problems)
        self.scope = Scope()
        absent: set[str] = set()
        for at, name in enumerate(body.inputs):
            value = values[at] if at < len(values) else None
            if value is None:
                absent.add(name)
            else:
                self.scope.values[name] = value
        self.opsets = {**before[1], **body.opsets}
        self.arguments = {**body.attrs, "": absent}
        self._depth += 1
        try:
            self.nodes(body.nodes, {name for node in body.nodes for name in node.outputs})
            found = [self.scope.find(name) for name in body.outputs]
        finally:
            self.scope, self.opsets, self.arguments = before
            self._depth -= 1
            self.builder.hint = hint
        wrong = self.problems[known:]
        if wrong:
            del self.problems[known:]
            raise _inner(wrong[0], definition, body)
        return [None if isinstance(one, Failed) else one for one in found]

    def apply(self, op: str, values: Sequence[Value], attrs: Mapping[str, Any]) -> Value:
        """Return the result of an operator of the standard for values, in the opset that holds."""
        made = NodeDef.made(op, "", dict(attrs), ["" for _ in values], ["out"])
        found = self.convert(made, list(values))[0]
        assert found is not None
        return found


def readers_in(graph: Graph) -> Counter[str]:
    """Return how often each name is read in a graph, and in those inside of it."""
    found = Counter([port.name for port in graph.outputs])
    todo = list(graph.nodes)
    while todo:
        node = todo.pop()
        found.update(node.inputs)
        for value in node.attrs.values():
            if isinstance(value, Graph):
                found.update([port.name for port in value.outputs])
                todo += value.nodes
    return found


def _inner(problem: Problem, outer: NodeDef, body: Body) -> Exception:
    """Return why a node cannot be imported whose body holds one that cannot."""
    error = problem.error
    if isinstance(error, NeedsValue):
        found = origins(body.nodes, error.names, body.inputs)
        places = [body.inputs.index(name) for name in found]
        return NeedsValue([outer.inputs[at] for at in places if at < len(outer.inputs)], error.role)
    if isinstance(error, _Endless):
        return error
    reason = str(error) or "there is no rule for it"
    return type(error)(f"in its body, {problem.node.op}: {reason}") if outer.op else error
