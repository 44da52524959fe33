"""What tuning gives back. All are values that can be pickled; times are in seconds."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

Interval = tuple[float, float]


def format_seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"


class Config(Mapping[str, Any]):
    """A configuration: the value of each knob, an integer, a list of integers, or the name of an option.

    str() is its text, as the command line takes it: "tile_i=[4,2,14] pack_b=yes unroll_k=4".
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, knob: str) -> Any:
        return self._values[knob]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset((knob, _text(value)) for knob, value in self._values.items()))

    def __str__(self) -> str:
        return " ".join(f"{knob}={_text(value)}" for knob, value in self._values.items())

    def __repr__(self) -> str:
        return f"Config({self._values!r})"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "[" + ",".join(map(str, value)) + "]" if isinstance(value, (list, tuple)) else str(value)


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The outcome of measuring one configuration."""

    outcome: str
    """ok, invalid_config, compile_error, launch_error, timeout, crash or wrong_result"""
    seconds: float | None
    """of a call, the median; None where it was not timed"""
    interval: Interval | None
    """in which the time lies, with a confidence of 95%"""
    message: str = ""
    """why the outcome is not ok"""
    verified: bool = False
    """whether the result was compared with the reference and is right"""
    error_ratio: float = 0.0
    """the largest error, relative to the bound of its element: at most 1 where it is right"""
    disturbance: str = ""
    """what disturbed the machine meanwhile; "" if nothing did"""


@dataclasses.dataclass(frozen=True)
class Trial(Measurement):
    """A trial that the database has."""

    id: int = 0
    session: int = 0
    batch: int = 0
    workload: str = ""
    template: str = ""
    version: int = 0
    config: Config = Config({})
    origin: str = ""
    """the strategy that proposed it"""
    compile_seconds: float = 0.0
    check_seconds: float = 0.0
    measure_seconds: float = 0.0
    same_as: int = 0
    """the trial of the same machine code whose measurement this one takes; 0: it was measured itself"""


@dataclasses.dataclass(frozen=True)
class Record:
    """A best known configuration."""

    workload: str
    target: str
    machine: str
    backend: str
    config: Config
    seconds: float | None
    interval: Interval | None
    match: str
    """exact, other_machine or nearest"""
    source: str
    """race, confirmed, unconfirmed, trial or disturbed: how well the time is known"""
    template: str
    version: int
    trial: int
    """its number in the database"""
    gflops: float
    tied: bool
    verified: bool
    error_ratio: float
    disturbance: str
    recorded_at: str
    """UTC, ISO 8601"""


@dataclasses.dataclass(frozen=True)
class Progress:
    """The state of a run, for callbacks."""

    trials: int
    best_seconds: float | None
    seconds: float
    """since the run began"""
    seconds_left: float
    """of the budget; 0 without one"""
    waiting_for: str
    """"" where it is not waiting"""
    phase: str
    """what it does apart from searching: "preparing", "final race"; "" while it searches"""
    detail: str
    label: str = ""
    """of the task whose turn ended, where several share the budget: best_seconds is its"""
    whole_seconds: float | None = None
    """where several share the budget: the sum of weight x best time, estimated for those without one; None: there is one"""
    tuned_share: float = 0.0
    """of whole_seconds: of tasks that tried their starting points, or whose search is over"""


@dataclasses.dataclass(frozen=True)
class TuneResult:
    """The result of a run."""

    best: Record | None
    """the best of the workload after this run; None: no valid configuration exists"""
    default_seconds: float | None
    """the time of the untuned default in the final race; None where there was none"""
    trial_count: int
    """trials of this run"""
    earlier_trials: int
    """recorded before it"""
    outcomes: dict[str, int]
    race_disturbance: str
    """why the final race replaced nothing; "": it was not disturbed"""
    first_failure: str
    seconds: float
    seconds_to_best: float
    stop_reason: str
    interrupted: bool
    """by Ctrl-C or a callback"""
    workload: str
    target: str
    database: str

    def __str__(self) -> str:
        """What was found, in a few lines."""
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.items())
        lines = [f"{self.workload}: {self.trial_count} trials in {self.seconds:.0f} s" + (f" ({outcomes})" if outcomes else "")]
        if self.best is None:
            lines.append("no valid configuration" + (f": {self.first_failure}" if self.first_failure else ""))
        else:
            time = "not timed" if self.best.seconds is None else format_seconds(self.best.seconds)
            default = "" if self.default_seconds is None else f", the default {format_seconds(self.default_seconds)}"
            lines.append(f"best {time}{default}: {self.best.template} {self.best.config}")
        if self.interrupted:
            lines.append("interrupted: the next run goes on from here")
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """IPython's hook: a cell that ends in a result shows it as str() does."""
        printer.text(str(self))

    def trials(self) -> Any:
        """All trials of the workload: a pandas.DataFrame where pandas is installed, else a list of Trial."""
        from ._database import Database

        found = list(Database(self.database).trials(self.workload, target=self.target))
        return as_frame(found, Trial)


@dataclasses.dataclass(frozen=True)
class TaskResult:
    """The result of one of several tasks that share a budget."""

    label: str
    """of the file, or of the kernel: its first node, and how often it occurs"""
    weight: float
    """of a relative gain of this task"""
    started: bool
    """whether it got a turn; the best of one that did not is that of earlier runs"""
    failure: str
    """why the task failed, in one sentence; "" where it did not"""
    result: TuneResult

    @property
    def best(self) -> Record | None:
        """The best of the task after this run; None: no valid configuration is known."""
        return self.result.best


@dataclasses.dataclass(frozen=True)
class TasksResult(Sequence[TaskResult]):
    """The results of tasks that shared a budget, in the order of their list."""

    tasks: tuple[TaskResult, ...]
    seconds: float
    interrupted: bool
    """by Ctrl-C or a callback"""
    notes: tuple[str, ...]
    """sentences about tasks that were merged or left out"""
    target: str
    database: str

    @property
    def trial_count(self) -> int:
        """trials of this run, of all tasks"""
        return sum(task.result.trial_count for task in self.tasks)

    @overload
    def __getitem__(self, index: int) -> TaskResult: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[TaskResult, ...]: ...

    def __getitem__(self, index: int | slice) -> TaskResult | tuple[TaskResult, ...]:
        return self.tasks[index]

    def __len__(self) -> int:
        return len(self.tasks)

    def __str__(self) -> str:
        """What was found, a line for each task."""
        lines = [f"{len(self.tasks)} tasks: {self.trial_count} trials in {self.seconds:.0f} s"]
        for task in self.tasks:
            best = task.best
            time = "no valid configuration" if best is None else "not timed" if best.seconds is None else format_seconds(best.seconds)
            lines.append(f"{time:>12}  {task.label}" + (f": {task.failure}" if task.failure else ""))
        if self.interrupted:
            lines.append("interrupted: the next run goes on from here")
        return "\n".join(lines + list(self.notes))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """IPython's hook: a cell that ends in a result shows it as str() does."""
        printer.text(str(self))


@dataclasses.dataclass(frozen=True)
class KnobSpace:
    """The space of one template for a workload."""

    template: str
    version: int
    points: float
    """valid configurations"""
    is_estimate: bool
    knobs: dict[str, list[Any]]
    """the candidates of each knob, over all branches of the template"""


@dataclasses.dataclass(frozen=True)
class Export:
    """An exported library."""

    name: str
    symbol: str
    """the name of the C function"""
    files: list[str]
    """relative to the directory"""
    check: Measurement | None
    """of the kernel, before it was written; None: it was not run"""
    why_not_checked: str
    """why it was not run, as on a machine that cannot run it; "": it was"""


def as_frame(rows: list[Any], of: Any) -> Any:
    """A pandas.DataFrame of dataclasses `of`, one column a field; the list itself where pandas is missing."""
    try:
        import pandas
    except ImportError:
        return rows
    fields = [field.name for field in dataclasses.fields(of)]
    return pandas.DataFrame([[getattr(row, name) for name in fields] for row in rows], columns=fields)


def record_of(values: dict[str, Any]) -> Record:
    return Record(**{**values, "config": Config(values["config"])})


def trial_of(values: dict[str, Any]) -> Trial:
    return Trial(**{**values, "config": Config(values["config"])})


def tune_result_of(values: dict[str, Any], workload: str, database: str) -> TuneResult:
    """The result that the extension module gives of a workload; it takes what it uses out of `values`."""
    timing = values.pop("default")
    record = values.pop("best")
    best = None if record is None else record_of(record)
    return TuneResult(
        best=best,
        default_seconds=None if timing is None else timing["seconds"],
        workload=workload,
        target=best.target if best is not None else "",
        database=os.path.abspath(database),
        **values,
    )
