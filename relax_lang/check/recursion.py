"""Recursive functions: the call graph, its strongly connected components, and their rules. [W.6.1] [W.6.2] [W.7]

Works on names only: what a function mentions, and where. Functions in a cycle need a result annotation, and none
of them may be called from a dataflow block of another.
"""

from __future__ import annotations

from relax_lang.base.node import children, walk
from relax_lang.base.wording import counted
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.scope.resolve import Resolved

    Graph = dict[tree.Item, list[tree.Item]]


_LONGEST_PATH = 10
"""Functions of a cycle that a message names."""
_SEARCHED = 300
"""Calls that are followed for one message: thousands of functions may be in one cycle, and each gets a message."""


def check_recursion(resolved: Resolved) -> list[Diagnostic]:
    """Return what is wrong with recursive functions, global and local, in no particular order."""
    graph = graph_of(resolved)
    found: list[Diagnostic] = []
    for cycle in cycles(graph):
        for function in cycle:
            found += _in_cycle(function, cycle, graph, resolved)
    if resolved.recursive:
        found += _local_functions(resolved)
    return found


def cycles(graph: Graph) -> list[set[tree.Item]]:
    """Return the cycles of the call graph: sets of functions that reach each other."""
    return [set(each) for each in components(graph) if len(each) > 1 or each[0] in graph.get(each[0], ())]


def graph_of(resolved: Resolved) -> Graph:
    """Return the call graph: the functions of a module, each with those that it mentions."""
    return {
        item: list(
            dict.fromkeys([called for _, called, _ in references if isinstance(called, tree.Function)])
        )
        for item, references in resolved.references.items()
        if isinstance(item, tree.Function)
    }


def components(graph: Graph) -> list[list[tree.Item]]:
    """Return the functions in the order callees before callers, those of a cycle together. [T.K1]

    Strongly connected components by Tarjan's algorithm without recursion (SIAM J. Comput. 1(2), 1972).
    """
    number: dict[tree.Item, int] = {}
    low: dict[tree.Item, int] = {}
    open_: list[tree.Item] = []
    is_open: set[tree.Item] = set()
    found: list[list[tree.Item]] = []
    for root in graph:
        if root in number:
            continue
        path = [(root, iter(graph[root]))]
        number[root] = low[root] = len(number)
        open_.append(root)
        is_open.add(root)
        while path:
            item, rest = path[-1]
            for called in rest:
                if called not in number:
                    number[called] = low[called] = len(number)
                    open_.append(called)
                    is_open.add(called)
                    path.append((called, iter(graph.get(called, ()))))
                    break
                if called in is_open:
                    low[item] = min(low[item], number[called])
            else:
                path.pop()
                if path:
                    caller = path[-1][0]
                    low[caller] = min(low[caller], low[item])
                if low[item] == number[item]:
                    together = [open_.pop()]
                    while together[-1] is not item:
                        together.append(open_.pop())
                    is_open.difference_update(together)
                    found.append(together)
    return found


def _in_cycle(
    function: tree.Item, cycle: set[tree.Item], graph: Graph, resolved: Resolved
) -> list[Diagnostic]:
    assert isinstance(function, tree.Function)
    assert function.name is not None
    found: list[Diagnostic] = []
    if function.ret_struct_info is None:
        from relax_lang.check.diagnostics import calls as diag  # here and below: only needed for an error

        path = _path(function, function, cycle, graph)
        name = function.name
        found.append(diag.recursive_fn_needs_return_annotation(name, _shown(function), path))
    inside = [
        (use, called) for use, called, block in resolved.references[function] if block and called in cycle
    ]
    if inside:
        from relax_lang.check.diagnostics import calls as diag

        calls = _calls_in_dataflow(function)
        for use, called in inside:
            if use in calls:
                rest = _shown(function) if called is function else _path(called, function, cycle, graph)
                path = f"{_shown(function)} → {rest}"
                found.append(diag.recursion_in_dataflow(calls[use], path))
    return found


def _path(start: tree.Item, goal: tree.Item, cycle: set[tree.Item], graph: Graph) -> str:
    """Return the shortest path of calls from one function of a cycle to another: `@f → @g → @f`; long ones in part."""
    came: dict[tree.Item, tree.Item] = {}
    queue = [start]
    for item in queue:
        if goal in came:
            break
        if len(came) > _SEARCHED:
            return f"{_shown(start)} → … → {_shown(goal)}"
        for called in graph[item]:
            if called in cycle and called not in came:
                came[called] = item
                queue.append(called)
    path = [goal, came[goal]]
    while path[-1] is not start:
        path.append(came[path[-1]])
    path.reverse()
    if len(path) <= _LONGEST_PATH:
        return " → ".join([_shown(item) for item in path])
    first, last = path[: _LONGEST_PATH // 2], path[-_LONGEST_PATH // 2 :]
    left_out = counted(len(path) - _LONGEST_PATH, "more function")
    return " → ".join([*map(_shown, first), left_out, *map(_shown, last)])


def _shown(item: tree.Item) -> str:
    assert item.name is not None
    return global_name(item.name.name_hint)


def _calls_in_dataflow(function: tree.Function) -> dict[Node, tree.Call]:
    """Return the calls that dataflow blocks make themselves: callee to call.

    Functions that are defined in a block may call anything. [W.6.5]
    """
    found: dict[Node, tree.Call] = {}
    for block in walk(function):
        if type(block) is not tree.DataflowBlock:
            continue
        stack: list[Node] = list(block.bindings)
        while stack:
            node = stack.pop()
            if type(node) is tree.Call and type(node.op) is tree.GlobalVar:
                found[node.op] = node
            if type(node) is not tree.Function:
                stack += children(node)
    return found


def _local_functions(resolved: Resolved) -> list[Diagnostic]:
    """Check local functions that mention their own name. [T.K10.4]"""
    found: list[Diagnostic] = []
    for item in resolved.references:
        for node in walk(item):
            if type(node) is not tree.VarBinding or type(node.value) is not tree.Function:
                continue
            function, var = node.value, node.var
            if (
                function in resolved.recursive
                and not function.ret_struct_info
                and not var.struct_info_annotation
            ):
                from relax_lang.check.diagnostics import calls as diag

                shown = local_name(var.name_hint)
                found.append(diag.recursive_fn_needs_return_annotation(var, shown, f"{shown} → {shown}"))
    return found
