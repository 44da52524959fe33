"""Tuning, measuring, and what the command line answers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack, overload

from . import _nestwright
from ._arguments import DEFAULT_DATABASE, listed, path_from, workload_from
from ._model import Model
from ._nestwright import Error, UsageError, Workload
from ._progress import Callback, Listeners
from ._results import KnobSpace, Measurement, TasksResult, TuneResult, tune_result_of
from ._sentences import in_python
from ._tasks import TasksOptions


@overload
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
) -> TuneResult: ...


@overload
def tune(model: Model, /, **options: Unpack[TasksOptions]) -> TasksResult: ...


def tune(
    workload: Workload | str | Model,
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
) -> TuneResult | TasksResult:
    """Searches for the fastest configuration of a workload, or of all kernels of a model, and records every trial.

    workload: an operator with its sizes, "matmul m=512 n=512 k=512", or an expression with its sizes,
        "C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=512 k=512"; or a Model, whose kernels share the budget: the result is
        then a TasksResult, Progress.label says whose turn it was, and restrictions, fixed and template do not apply.
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
    options: dict[str, Any] = {
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
    path = path_from(database)
    if isinstance(workload, Model):
        for name, value in {"restrictions": restrictions, "fixed": fixed, "template": template}.items():
            if value is not None:
                raise UsageError(f"{name}: it is for one workload, and the kernels of a model have several spaces")
        return workload._tune(options, path, target, caches, Listeners(progress, callbacks))
    options |= {"restrictions": listed(restrictions), "fixed": fixed, "template": template}
    task = workload_from(workload)
    with Listeners(progress, callbacks) as listeners:
        found = _nestwright._tune(task, path, target, caches, options, listeners.tell)
    return tune_result_of(found, str(task), path)


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


def _answer(arguments: list[str]) -> Any:
    """What a command of the program answers as JSON."""
    import json
    import subprocess

    done = subprocess.run([command_line(), *arguments, "--json"], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sentence = in_python(done.stderr.strip().removeprefix("nestwright: "))
        raise Error(sentence or f"nestwright ended with exit code {done.returncode}") from None


def doctor() -> dict[str, Any]:
    """What this machine has, and whether kernels can be timed on it: the answer of `nestwright doctor --json`."""
    answer = _answer(["doctor"])
    assert isinstance(answer, dict)
    return answer
