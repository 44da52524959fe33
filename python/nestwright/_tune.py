"""Tuning, measuring, and what the command line answers."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _nestwright
from ._nestwright import Error, LogError, UsageError, Workload
from ._results import KnobSpace, Measurement, Progress, TuneResult, format_seconds, record_of
from ._sentences import in_python

DEFAULT_DATABASE = "nestwright.db"
Callback = Callable[[Progress], Any]


def workload_from(workload: Workload | str) -> Workload:
    return workload if isinstance(workload, Workload) else Workload(workload)


def path_from(database: str | os.PathLike[str]) -> str:
    path = os.fspath(database)
    if not isinstance(path, str) or "\0" in path:
        raise UsageError(f"database: expected a path, got {path!r}")
    return path


def listed(given: str | Iterable[str] | None) -> list[str]:
    """One condition, or several."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def _is_rewritable(stream: Any) -> bool:
    """Whether a carriage return begins the line anew: in a terminal, and in the output of a notebook's cell."""
    return stream is not None and (type(stream).__module__.startswith("ipykernel") or stream.isatty())


class ProgressLine:
    """Prints a run's state to Python's standard output: one line that is rewritten in a terminal or a notebook, a line
    every few seconds elsewhere."""

    SECONDS_BETWEEN_LINES = 5.0
    SECONDS_BETWEEN_REWRITES = 0.5  # a notebook stores each of them

    def __init__(self) -> None:
        self._rewrites = _is_rewritable(sys.stdout)
        self._printed_at = 0.0
        self._width = 0
        self._unprinted = ""

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        self._unprinted = self._text(progress)
        if now - self._printed_at < (self.SECONDS_BETWEEN_REWRITES if self._rewrites else self.SECONDS_BETWEEN_LINES):
            return
        self._printed_at = now
        self._print()

    def _print(self) -> None:
        text, self._unprinted = self._unprinted, ""
        if self._rewrites:
            print("\r" + text.ljust(self._width), end="", flush=True)
            self._width = len(text)
        else:
            print(text, flush=True)

    def finish(self) -> None:
        """Prints the last state, unless it was printed."""
        if self._unprinted:
            self._print()
        if self._rewrites and self._width:
            print(flush=True)

    @staticmethod
    def _text(progress: Progress) -> str:
        text = f"{progress.trials} trials, {progress.seconds:.0f} s"
        if progress.seconds_left > 0:
            text += f", {progress.seconds_left:.0f} s left"
        if progress.best_seconds is not None:
            text += f", best {format_seconds(progress.best_seconds)}"
        if progress.phase:
            text += f"; {progress.phase}" + (f": {progress.detail}" if progress.detail else "")
        if progress.waiting_for:
            text += f"; waiting: {progress.waiting_for}"
        return text


def tune(
    workload: Workload | str,
    *,
    seconds: float | None = None,
    trials: int | None = None,
    database: str | os.PathLike[str] = DEFAULT_DATABASE,
    target: str = "host",
    caches: str = "",
    effort: str = "normal",
    restrictions: str | Sequence[str] | None = None,
    fixed: Mapping[str, Any] | str | None = None,
    template: str | None = None,
    strategy: str | None = None,
    cost_model: str | None = None,
    seed: int = 1,
    batch_size: int | None = None,
    finalists: int | None = None,
    early_stop: int | None = None,
    until_gain: float | None = None,
    builders: int | None = None,
    progress: bool = False,
    callbacks: Callback | Iterable[Callback] = (),
) -> TuneResult:
    """Searches for the fastest configuration of a workload and records every trial.

    workload: an operator with its sizes, "matmul m=512 n=512 k=512", or an expression with its sizes,
        "C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=512 k=512".
    seconds, trials: the budget; without both, what `effort` says (quick 10 s, normal 60 s, full 600 s).
    database: a file that is created if it is missing. A run that was stopped is resumed by the next one.
    target: as on the command line: "host", "cpu,isa=avx2,threads=1", "cuda", ....
    caches: "warm", "cold" or "stream": what they contain when a timed call begins.
    restrictions: conditions that the search stays within, "unroll_k <= 4" or several of them.
    fixed: values that knobs keep, {"pack_b": False, "unroll_k": 4}.
    template, strategy, cost_model, seed, batch_size, finalists, early_stop, until_gain, builders: as the options of
        `nestwright tune`.
    progress: prints a line to standard output; otherwise nothing is printed.
    callbacks: one, or several, called with a Progress every few trials; a true result ends the search.

    Ctrl-C ends the search; what was found is returned. Raises UsageError, LogError, and what a callback raises.
    """
    line = ProgressLine() if progress else None
    listeners = [callbacks] if callable(callbacks) else list(callbacks)

    def on_progress(values: dict[str, Any]) -> bool:
        state = Progress(**values)
        if line is not None:
            line.show(state)
        return any([bool(listener(state)) for listener in listeners])

    task = workload_from(workload)
    path = path_from(database)
    options = {
        "seconds": seconds,
        "trials": trials,
        "effort": effort,
        "restrictions": listed(restrictions),
        "fixed": fixed,
        "template": template,
        "strategy": strategy,
        "cost_model": cost_model,
        "seed": seed,
        "batch_size": batch_size,
        "finalists": finalists,
        "early_stop": early_stop,
        "until_gain": until_gain,
        "builders": builders,
    }
    try:
        found = _nestwright._tune(
            task, path, target, caches, options, on_progress if line is not None or listeners else None
        )
    finally:
        if line is not None:
            line.finish()
    timing = found.pop("default")
    values = found.pop("best")
    best = None if values is None else record_of(values)
    return TuneResult(
        best=best,
        default_seconds=None if timing is None else timing["seconds"],
        workload=str(task),
        target=best.target if best is not None else "",
        database=os.path.abspath(path),
        **found,
    )


def measure(
    workload: Workload | str,
    config: Mapping[str, Any] | str | Sequence[Mapping[str, Any] | str] | None = None,
    *,
    database: str | os.PathLike[str] | None = None,
    target: str = "host",
    caches: str = "",
    template: str = "",
    effort: str = "quick",
) -> Measurement | list[Measurement]:
    """Checks configurations and times them in fresh processes; several are timed beside each other, so that their
    times can be compared. Nothing is recorded.

    config: all knobs of a configuration, as a mapping or as text; a list of them; None: the best that the database has,
        or the default.
    Returns one Measurement, or a list of them where a list is given.
    """
    is_list = isinstance(config, Sequence) and not isinstance(config, str)
    configs = config if is_list else [config]
    path = None if database is None else path_from(database)
    found = _nestwright._measure(workload_from(workload), configs, target, caches, template, effort, path)
    measurements = [Measurement(**values) for values in found]
    return measurements if is_list else measurements[0]


def space(workload: Workload | str, *, target: str = "host") -> list[KnobSpace]:
    """The spaces that a workload is tuned in: one for each template that serves it."""
    return [KnobSpace(**values) for values in _nestwright._space(workload_from(workload), target)]


def command_line() -> str:
    """The path of the `nestwright` program, which is near the library that this process uses."""
    folder = os.path.dirname(os.path.abspath(_nestwright._library_path()))
    while folder != (folder := os.path.dirname(folder)):
        program = os.path.join(folder, "bin", "nestwright")
        if os.access(program, os.X_OK):
            return program
    raise UsageError("the program nestwright is not near its library: install the package again")


_ERRORS: dict[int, type[Error]] = {2: UsageError, 5: LogError}  # by the program's exit code


def _answer(arguments: list[str], *, shows: bool = False) -> Any:
    """What a command of the program answers as JSON. `shows`: what it says meanwhile is printed."""
    import json
    import signal
    import subprocess
    import tempfile

    # The answer goes to a file: a pipe that nobody empties meanwhile would hold the program up.
    with tempfile.TemporaryFile("w+") as output, subprocess.Popen(
        [command_line(), *arguments, "--json"],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal's Ctrl-C reaches it through this process alone
    ) as process:
        assert process.stderr is not None
        said: list[str] = []
        while True:
            try:
                line = process.stderr.readline()
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)  # it ends with what it has
                continue
            if not line:
                break
            said.append(line)
            if shows:
                print(line, end="", flush=True)
        process.wait()
        output.seek(0)
        answer = output.read()
    try:
        return json.loads(answer)
    except json.JSONDecodeError:
        sentence = in_python("".join(said).strip().removeprefix("nestwright: "))
        error = _ERRORS.get(process.returncode, Error)
        raise error(sentence or f"nestwright ended with exit code {process.returncode}") from None


def doctor() -> dict[str, Any]:
    """What this machine has, and whether kernels can be timed on it: the answer of `nestwright doctor --json`."""
    answer = _answer(["doctor"])
    assert isinstance(answer, dict)
    return answer


def tune_file(
    file: str | os.PathLike[str],
    *,
    seconds: float | None = None,
    trials: int | None = None,
    database: str | os.PathLike[str] = DEFAULT_DATABASE,
    target: str = "host",
    caches: str = "",
    effort: str = "normal",
    strategy: str | None = None,
    cost_model: str | None = None,
    seed: int = 1,
    batch_size: int | None = None,
    finalists: int | None = None,
    early_stop: int | None = None,
    until_gain: float | None = None,
    builders: int | None = None,
    progress: bool = False,
) -> list[dict[str, Any]]:
    """Tunes all workloads of a JSON file on one budget, as `nestwright tune --file` does, in a process of that program: a
    list of workloads, or of objects with "workload", "label" and "weight". It knows the operators of plugins, and not
    those that were defined in Python.

    The options are those of tune(); seconds and trials are for all tasks together, early_stop and until_gain for each.
    Ctrl-C ends the search; what was found is returned, a dictionary for each task.
    """
    options = {
        "seconds": seconds,
        "trials": trials,
        "effort": effort,
        "strategy": strategy,
        "cost_model": cost_model,
        "seed": seed,
        "batch_size": batch_size,
        "finalists": finalists,
        "early_stop": early_stop,
        "until_gain": until_gain,
        "builders": builders,
    }
    _nestwright._check_options(options)
    options |= {"db": path_from(database), "target": target, "caches": caches or None}
    arguments = ["tune", "--file", os.fspath(file)]
    for name, value in options.items():
        option = {"batch_size": "batch"}.get(name, name.replace("_", "-"))
        arguments += [] if value is None else [f"--{option}", str(value)]
    for plugin in _nestwright._plugin_files():
        arguments += ["--plugin", plugin]
    answer = _answer(arguments, shows=progress)
    tasks = answer["tasks"] if isinstance(answer, dict) else answer
    assert isinstance(tasks, list)
    return tasks
