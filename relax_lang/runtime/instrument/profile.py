"""`--profile`: where the time goes, by operator and PrimFunc, and as a trace for Perfetto and chrome://tracing."""

from __future__ import annotations

from relax_lang.base.wording import counted
from relax_lang.runtime.instrument.observer import Observer, callee_of
from relax_lang.runtime.instrument.trace import duration
from relax_lang.runtime.values.display import show_brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.source import SourceFile
    from relax_lang.runtime.instrument.observer import Moment
    from relax_lang.runtime.interpreter.machine import Scope

    Event = dict[str, Any]


class Profile(Observer):
    """Adds up times: `rows` by what is called, `events` for each binding if `keep_events`.

    A run that is repeated is shown warm: `again` forgets the first one, which compiles and fills caches, and all
    further ones are averaged.
    """

    __slots__ = ("_first", "_runs", "_source", "events", "keep_events", "rows")

    def __init__(self, source: SourceFile, *, keep_events: bool = False) -> None:
        self._source = source
        self.keep_events = keep_events
        self.rows: dict[str, tuple[int, int]] = {}
        """What is called: how often, and nanoseconds spent there and not in bindings further in."""
        self.events: list[Event] = []
        self._runs = 1
        self._first: int | None = None
        """What the first run took, if it is not counted."""

    def again(self) -> None:
        """Begin another run of the same."""
        if self._first is None:
            self._first = sum([spent for _, spent in self.rows.values()])
            self.rows = {}
        else:
            self._runs += 1
        self.events = []

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        """Add one binding."""
        del scope
        name = callee_of(moment.binding)
        calls, spent = self.rows.get(name, (0, 0))
        self.rows[name] = calls + 1, spent + max(0, moment.took - moment.inner)
        if self.keep_events:
            self.events.append(self._event(name, moment, value))

    def _event(self, name: str, moment: Moment, value: object) -> Event:
        args: dict[str, object] = {"binding": moment.key, "value": show_brief(value)}
        if moment.binding.pos >= 0:
            args["line"] = self._source.position(moment.binding.pos)[0]
        return {
            "name": name,
            "cat": moment.function,
            "ph": "X",
            "ts": moment.began / 1e3,
            "dur": (moment.ended - moment.began) / 1e3,
            "pid": 1,
            "tid": 1,
            "args": args,
        }

    def trace(self) -> dict[str, object]:
        """Return the events in the format of Chrome's tracing, which Perfetto reads; times are microseconds."""
        first = min([event["ts"] for event in self.events], default=0.0)  # an outer binding began earlier
        return {
            "traceEvents": [{**event, "ts": round(event["ts"] - first, 3)} for event in self.events],
            "displayTimeUnit": "ms",
            "otherData": {"program": self._source.path},
        }

    def table(self) -> list[str]:
        """Return lines: what is called, how often, the time in all and for one call, and its share: of one run."""
        runs = self._runs
        rows = {name: (-(-calls // runs), spent // runs) for name, (calls, spent) in self.rows.items()}
        total = sum([spent for _, spent in rows.values()]) or 1
        width = max([len(name) for name in rows] + [9])
        lines = [f"{'called':<{width}}  {'calls':>7}  {'time':>9}  {'a call':>9}  {'share':>6}"]
        for name, (calls, spent) in sorted(rows.items(), key=lambda row: -row[1][1]):
            once = duration(spent // calls)
            share = f"{100 * spent / total:.1f}%"
            lines.append(f"{name:<{width}}  {calls:>7}  {duration(spent):>9}  {once:>9}  {share:>6}")
        count = sum([calls for calls, _ in rows.values()])
        lines.append(f"{'all':<{width}}  {count:>7}  {duration(total):>9}  {'':>9}  {'':>6}".rstrip())
        if self._first is not None:
            lines.append(f"the mean of {counted(runs, 'warm run')}; the first took {duration(self._first)}")
        return lines
