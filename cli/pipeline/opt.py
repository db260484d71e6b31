"""`relax opt`: runs passes, shows what they do, and writes what they make."""

from __future__ import annotations

import os
import sys

from relax_lang import api
from relax_lang.base.python.output import put
from relax_lang.check.diagnostics import toolchain
from relax_lang.files.programs import read
from relax_lang.transform import catalogue
from relax_lang.transform.pass_manager import diagnostics as diag
from relax_lang.transform.pass_manager.context import Instrument
from relax_lang.transform.pass_manager.errors import PassError, PassFailed
from relax_lang.transform.pass_manager.instruments import Changed, DumpTo, Explain, PrintAfter, Timing
from relax_lang.transform.pass_manager.sequence import Sequential

from ..options import Shown
from ..outputs import output_is_an_input
from ..plugins import load_plugins
from ..render.highlight import highlight
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.style import style_for
from ..render.width import visible
from ..run.options import Refused
from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile
    from relax_lang.transform.pass_manager.context import AnyPass
    from relax_lang.transform.pass_manager.passes import Pass
    from relax_lang.typed import Typed

ALL = "all"
MOST_WRITTEN_OUT = 4096
"""Elements of constants that are shown in a text; more belong in a file."""


class _Latest(Instrument):
    """Remembers the program that the last pass was given."""

    def __init__(self) -> None:
        self.typed: Typed | None = None

    def before(self, typed: Typed, one: AnyPass) -> None:
        """Take the program."""
        self.typed = typed


class OptOptions(Shown):
    """The options of `relax opt`."""

    passes = ""
    rules: list[str] = []
    pipeline = ""
    output = ""
    params = ""
    func = "main"
    stop_after = ""
    print_after: list[str] = []
    function = ""
    dump = ""
    diff = False
    time = False
    explain = False
    memory_report = False
    compare: int | None = None
    dim: list[str] = []
    packed: list[str] = []
    verify = "end"
    dump_on_error = ""
    list = False
    stdin_filename = ""


def opt(path: str | None, options: OptOptions) -> int:
    """Run passes on a program, and return the exit status."""
    if options.list:
        if load_plugins("-", "", options) is None:
            return USAGE
        put(_listing(), sys.stdout)
        return CLEAN
    if path is None:
        complain(
            [toolchain.usage("`relax opt` takes a program", "`relax opt --list` shows the passes")], options
        )
        return USAGE
    source = _source(path, options)
    if source is None:
        return USAGE
    try:
        passes = _with_params(_passes(options), options)  # plugins of the program may have declared some
        watching = _instruments(options, passes)
    except PassError as error:
        complain([error.diagnostic], options)
        return USAGE
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE
    return _run(source, passes, watching, options)


def _with_params(passes: Sequential, options: OptOptions) -> Sequential:
    """Return the passes with one before them that binds what `--params` names. Raises Refused."""
    if not options.params:
        return passes
    from relax_lang.files.arrays import array_files as arrays
    from relax_lang.files.diagnostics import constant_file_invalid
    from relax_lang.syntax.tree import FileLit

    try:
        found = arrays.load_archive(options.params, arrays.MAX_BYTES)
    except (OSError, arrays.ArrayFileError) as error:
        wrong = constant_file_invalid(
            FileLit(options.params, None), options.params, arrays.why_unreadable(error)
        )
        raise Refused(wrong) from None
    return Sequential([catalogue.find_pass("BindParams")(func=options.func, **found), passes])


def _source(path: str, options: OptOptions) -> SourceFile | None:
    source, problem = read(path, options.stdin_filename)
    refused = [problem] if problem is not None else []
    if options.output:
        wrong = output_is_an_input("--output", options.output, [path])
        refused += [wrong] if wrong is not None else []
    if refused:
        complain(refused, options, source)
        return None
    source.allowed = options.allow_path
    return None if load_plugins(path, options.stdin_filename, options) is None else source


def _passes(options: OptOptions) -> Sequential:
    """Return the passes that were asked for. Raises PassError."""
    if options.passes and options.pipeline:
        wrong = toolchain.usage("`--passes` and `--pipeline` do not go together", "give one of them")
        raise Refused(wrong)
    named = catalogue.parse_passes(options.passes) if options.passes else None
    rules = [_rules(path, options) for path in options.rules]
    if rules and named is None and not options.pipeline:
        sequence = Sequential(rules)
    else:
        sequence = named or catalogue.pipeline(options.pipeline or "optimize")
        sequence = Sequential([*rules, *sequence.passes])
    if not options.stop_after:
        return sequence
    last = catalogue.find_pass(options.stop_after).name
    names = [one.name for one in sequence.passes]
    if last not in names:
        listed = ", ".join([f"`{name}`" for name in dict.fromkeys(names)])
        wrong = toolchain.usage(
            f"`--stop-after` names `{last}`, which does not run", f"these passes run: {listed}"
        )
        raise Refused(wrong)
    return Sequential(sequence.passes[: names.index(last) + 1])


def _rules(path: str, options: OptOptions) -> Pass:
    """Return the pass that applies the rules of a file. Raises Refused with what is wrong with them."""
    from relax_lang.transform.apply_rules import rules_pass  # only for `--rules`

    source, problem = read(path)
    if problem is None:
        try:
            made, wrong = rules_pass(api.typed(source))
            if made is not None:
                return made
        except api.RelaxError as error:
            wrong = error.diagnostics
        complain(wrong, options, source)
        raise Refused  # all is said, with the text of the rules
    raise Refused(problem)


def _instruments(options: OptOptions, passes: Sequential) -> list[Instrument]:
    """Return who watches. Raises PassError for names of passes that do not exist."""
    watching: list[Instrument] = []
    if options.print_after:
        words = options.print_after
        names = None if ALL in words else {catalogue.find_pass(word).name for word in words}
        watching.append(PrintAfter(lambda head, text: _show(head, text, options), names, options.function))
    if options.diff:
        watching.append(Changed(lambda head, text: _show_diff(head, text, options)))
    if options.dump:
        watching.append(DumpTo(lambda name, text: _put_into(options.dump, name, text)))
    if options.time:
        watching.append(Timing())
    if options.explain:
        watching.append(Explain())
    if options.memory_report:
        from relax_lang.transform.lowering.memory_report import MemoryReport  # only for `--memory-report`

        watching.append(MemoryReport())
    return watching


def _run(source: SourceFile, passes: Sequential, watching: list[Instrument], options: OptOptions) -> int:
    latest = _Latest()
    try:
        watching += [*_comparing(source, options), latest]
        after = api.optimize(source, passes, instruments=watching, verify=options.verify)
        _write(after, source, options)
    except api.RelaxError as error:
        cause = error.__cause__
        if options.verbose and isinstance(cause, PassFailed):
            import traceback

            traceback.print_exception(cause.__cause__, file=sys.stderr)
        complain(error.diagnostics, options, error.source)
        before = cause.before if isinstance(cause, PassError) else latest.typed
        if options.dump_on_error and before is not None:
            _dump_before(before, options)
        return PROBLEMS
    except Refused as refused:
        complain(refused.diagnostics, options)
        return USAGE
    for one in watching:
        table = getattr(one, "table", None)
        shown = "" if table is None else table()
        if shown:
            put(shown, sys.stderr)
    return CLEAN


def _comparing(source: SourceFile, options: OptOptions) -> list[Instrument]:
    if options.compare is None:
        if options.dim or options.packed:
            raise Refused(toolchain.usage("`--dim` and `--packed` go with `--compare`"))
        return []
    from relax_lang.files.arrays.constants import constant_loader
    from relax_lang.transform.pass_manager.comparing import Compare

    from ..run.arguments import dimensions
    from ..run.options import RunOptions
    from ..run.packed import run_files

    if not run_files(options.packed, options):
        raise Refused  # what is wrong was shown
    dims = dimensions(RunOptions({"dim": options.dim}))
    return [Compare(options.compare, dims, load=constant_loader(source))]


def _write(after: Typed, source: SourceFile, options: OptOptions) -> None:
    """Write the program, or show it. Raises Refused."""
    from relax_lang.transform.core.constants import archived, files_of, written_out

    if not options.output:
        if options.diff:
            return
        size = sum([array.size for array in after.source.arrays.values()])
        if size > MOST_WRITTEN_OUT:
            wrong = toolchain.usage(
                f"the program has constants of {size} elements", "`-o FILE` writes them beside the program"
            )
            raise Refused(wrong)
        put(
            highlight(api.print_tree(written_out(after)), style_for(sys.stdout, color=options.color)),
            sys.stdout,
        )
        return
    from relax_lang.files.arrays.constants import constant_files

    folder, elsewhere = os.path.dirname(options.output), False
    if files_of(after.module):
        beside = os.path.realpath(folder or os.curdir)
        elsewhere = beside != constant_files(source).folder
    stem = os.path.splitext(os.path.basename(options.output))[0]
    load = constant_files(source).load if elsewhere else None
    module, arrays = archived(after, f"{stem}.npz", load)
    text = api.print_tree(module)
    if arrays:
        _save(os.path.join(folder, f"{stem}.npz"), arrays)
    _put(options.output, text)


def _save(path: str, arrays: dict[str, object]) -> None:
    from relax_lang.files.arrays.array_files import save
    from relax_lang.files.diagnostics import cannot_write
    from relax_lang.files.programs import reason

    try:
        save(path, arrays)  # pyright: ignore[reportArgumentType] - arrays of NumPy, which the command line does not load
    except OSError as error:
        raise Refused(cannot_write(path, reason(error))) from None


def _put(path: str, text: str) -> None:
    from relax_lang.files.programs import write

    wrong = write(path, text, create=True)
    if wrong is not None:
        raise Refused(wrong)


def _put_into(folder: str, name: str, text: str) -> None:
    """Write a file of a folder, which is made if it is not there. Raises Refused."""
    from relax_lang.files.diagnostics import cannot_write
    from relax_lang.files.programs import reason

    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Refused(cannot_write(folder, reason(error))) from None
    _put(os.path.join(folder, name), text)


def _dump_before(before: Typed, options: OptOptions) -> None:
    path = os.path.join(options.dump_on_error, "before.rlx")
    try:
        _put_into(options.dump_on_error, "before.rlx", str(before))
    except Refused as refused:
        complain(refused.diagnostics, options)
        return
    put(f"the program before the pass is in {visible(path)}\n", sys.stderr)


def _show(head: str, text: str, options: OptOptions) -> None:
    style = style_for(sys.stderr, color=options.color)
    put(f"# {head}\n{highlight(text, style)}\n", sys.stderr)


def _show_diff(head: str, text: str, options: OptOptions) -> None:
    put(text, sys.stdout)


def _listing() -> str:
    """Return all passes with their options and what they do, then the pipelines."""
    rows: list[str] = []
    for kind in catalogue.passes().values():
        rows += [kind.declaration, f"    {_first_sentence(kind.summary)}"]
    rows.append("")
    for name, names in catalogue.PIPELINES.items():
        rows.append(f"pipeline {name}: {', '.join(names)}")
    return "".join([f"{row}\n" for row in rows])


def _first_sentence(text: str) -> str:
    return text.split(". ", maxsplit=1)[0].rstrip(".") + "."


assert diag  # its rules are registered when it is loaded, for `relax explain`
