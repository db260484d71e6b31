"""What `call_tir` requires of its PrimFunc: it writes all of its results, and no input. [O.2] [O.5] [TIR.20]

Results of `call_tir` are new tensors without contents. Each mistake is in the PrimFunc, so it is reported once,
whatever the number of calls. Only for programs that call PrimFuncs.
"""

from __future__ import annotations

from relax_lang.format.lexemes import global_name
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node

    Reports = dict[tree.PrimFunc, Report]


def check_prim_call(
    call: tree.Call, functions: Mapping[str, tree.Item], reports: Reports, unreadable: AbstractSet[Node]
) -> list[Diagnostic]:
    """Return what is wrong between a `call_tir` and its PrimFunc. [O.2] [O.5] [TIR.20]"""
    if len(call.args) < 2 or call.struct_info is None:
        return []
    callee, given = call.args[0], call.args[1]
    if not isinstance(callee, tree.GlobalVar) or not isinstance(given, tree.Tuple):
        return []
    func = functions.get(callee.name_hint)
    if not isinstance(func, tree.PrimFunc) or func in unreadable:
        return []
    params = [param for param in func.params if isinstance(param, tree.Buffer) or len(call.args) == 2]
    results = len(call.struct_info.fields) if isinstance(call.struct_info, tree.TupleStructInfo) else 1
    if len(params) != len(given.fields) + results:
        return []  # which buffers are inputs is not clear; the count is reported elsewhere
    report = report_on(func, reports)
    inputs = [param for param in params[: len(given.fields)] if isinstance(param, tree.Buffer)]
    outputs = [param for param in params[len(given.fields) :] if isinstance(param, tree.Buffer)]
    found = _written_inputs(call, callee, inputs, report)
    for buffer in outputs:
        if buffer.name not in report.already_reported:
            found += _result(callee, buffer, report)
    return found


def check_prim_func(func: tree.PrimFunc, reports: Reports) -> list[Diagnostic]:
    """Return the diagnostics of a PrimFunc, without those that its calls gave already: they are checked first. [Z.5]"""
    report = report_on(func, reports)
    return [one for one in report.diagnostics if one.data.get("buffer") not in report.already_reported]


def report_on(func: tree.PrimFunc, reports: Reports) -> Report:
    """Return what is known of a PrimFunc; it is analysed once."""
    report = reports.get(func)
    if report is None:
        report = reports[func] = Report(func)
    return report


def _written_inputs(
    call: tree.Call, callee: tree.GlobalVar, inputs: list[tree.Buffer], report: Report
) -> list[Diagnostic]:
    stores = report.stores
    written = [buffer.name for buffer in inputs if buffer.name in stores]
    if not written:
        return []
    from relax_lang.check.diagnostics.calls import primfunc_writes_input  # only needed for the error

    return [primfunc_writes_input(call, callee, stores[name]) for name in written]


def _result(callee: tree.GlobalVar, buffer: tree.Buffer, report: Report) -> list[Diagnostic]:
    """Check one result: it is written, not read before, and wholly written as far as can be decided."""
    found: Diagnostic | None = None
    if report.unwritten(buffer):
        from relax_lang.tir.diagnostics.warnings import output_not_written

        found = output_not_written(callee, global_name(callee.name_hint), buffer.name, buffer)
    elif (early := report.read_first(buffer)) is not None:
        from relax_lang.tir.check.definedness import written
        from relax_lang.tir.diagnostics.warnings import uninitialized_read

        access = early.read.node
        if any(one.slug == "tir-reduce-without-init" and one.pos == access.pos for one in report.diagnostics):
            return []  # reported already, at the block
        why = "a result: its contents are undefined at first"
        found = uninitialized_read(access, *written(early), buffer, why, callee)
    elif (element := report.unwritten_element(buffer)) is not None:
        from relax_lang.tir.diagnostics.warnings import output_partly_written

        store = report.stores[buffer.name]
        function = global_name(callee.name_hint)
        found = output_partly_written(callee, function, element, buffer, store)
    if found is None:
        return []
    report.already_reported.add(buffer.name)
    return [found]
